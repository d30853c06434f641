"""One noun of effects, and everything that is read off it: actions, risk, legs of an audit, MCP's hints."""

import pytest

from hilt.declarations.effects import PERCEIVING, RISK_ORDER, UNDECLARED, Effects, risk_of

NOTHING = Effects(reads="none", brings="own", does=frozenset())
NOTES = Effects(reads="private", brings="own", does=frozenset())
PAGE = Effects(reads="public", brings="third-party", does=frozenset({"fetch"}))
EDIT = Effects(reads="private", brings="own", does=frozenset({"write"}), undoable=True)
SAVE = Effects(reads="none", brings="own", does=frozenset({"write"}))
SHELL = Effects(reads="none", brings="own", does=frozenset({"run"}))
MAIL = Effects(reads="none", brings="own", does=frozenset({"send"}), irreversible=True)
EVENT = Effects(reads="none", brings="own", does=frozenset({"write"}), undoable=True, also={"participants": "send"})
PAY = Effects(reads="none", brings="own", does=frozenset({"spend"}))
DROP = Effects(reads="none", brings="own", does=frozenset({"destroy"}), undoable=True)
LOGIN = Effects(reads="none", brings="own", does=frozenset({"credential"}))
OPENS = Effects(reads="none", brings="own", does=frozenset(), roles={"url": "url"})
ALL = {"private", "third_party", "way_out"}

TABLE = [
    # effects, actions, risk, legs, hints: read only, destructive, open world
    (NOTHING, ("read",), "low", set(), (True, False, False)),
    (NOTES, ("read",), "low", {"private"}, (True, False, False)),
    (PERCEIVING, ("read",), "low", {"private", "third_party"}, (True, False, True)),
    (PAGE, ("read", "fetch"), "medium", {"third_party", "way_out"}, (True, False, True)),
    (EDIT, ("read", "write"), "medium", {"private"}, (False, False, False)),
    (SAVE, ("read", "write"), "high", set(), (False, True, False)),
    (SHELL, ("read", "run"), "high", ALL, (False, True, True)),
    (MAIL, ("read", "send"), "high", {"way_out"}, (False, True, True)),
    (EVENT, ("read", "write"), "medium", {"way_out"}, (False, False, False)),
    (PAY, ("read", "spend"), "critical", {"way_out"}, (False, True, True)),
    (DROP, ("read", "destroy"), "critical", set(), (False, True, False)),
    (LOGIN, ("read", "credential"), "critical", {"private"}, (False, True, False)),
    (OPENS, ("read",), "low", {"way_out"}, (True, False, False)),
    (UNDECLARED, RISK_ORDER, "critical", ALL, (False, True, True)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("effects", "actions", "risk", "legs", "hints"),
    TABLE,
    ids="nothing notes perceiving page edit save shell mail event pay drop login opens undeclared".split(),  # noqa: SIM905  # a table's heads
)
def test_each_projection_of_effects(
    effects: Effects, actions: tuple[str, ...], risk: str, legs: set[str], hints: tuple[bool, bool, bool]
) -> None:
    said = effects.hints(perceives=True, idempotent=True)

    assert effects.actions == actions
    assert effects.risk == risk
    assert effects.legs == legs
    assert (said.read_only, said.destructive, said.open_world) == hints
    assert said.idempotent


def test_a_tool_that_does_more_than_perceive_is_never_hinted_as_read_only() -> None:
    assert not NOTES.hints(perceives=False, idempotent=False).read_only
    assert not NOTES.hints(perceives=False, idempotent=False).idempotent


def test_the_risk_of_one_call_is_that_of_what_it_does() -> None:
    assert risk_of(("read",)) == "low"
    assert risk_of(("read", "write"), undoable=True) == "medium"
    assert risk_of(("read",), irreversible=True) == "high"
