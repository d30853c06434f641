import pytest

from hilt.calls.resolver import PathFact
from hilt.declarations.effects import Effects
from hilt.policy.facts import Facts
from hilt.policy.taint_values import at, given, made, texts

MAILS = (
    [
        {"id": 7, "from": "eve@evil.net", "to": ["a@b.c", "d@e.f"], "body": "hi", "shared": {"x@y.z": "r"}},
        {"id": 8, "from": "bob@b.c", "to": [], "body": "ho", "shared": {}},
    ],
)


@pytest.mark.parametrize(
    ("items", "path", "found"),
    [
        (MAILS, "id", ["7", "8"]),
        (MAILS, "*.id", ["7", "8"]),
        (MAILS, "to", ["a@b.c", "d@e.f"]),
        (MAILS, "to.*", ["a@b.c", "d@e.f"]),
        (MAILS, "shared.@", ["x@y.z"]),
        (MAILS, "shared.*", ["r"]),
        (MAILS, "shared", []),
        (MAILS, "", []),
        (MAILS, "nothing.here", []),
        (({"a": {"k": {"id": 1}}, "b": 2},), "a.*.id", ["1"]),
        (({"Inn": 3},), "@", ["Inn"]),
        (("one", "two"), "", ["one", "two"]),
        (("one", "two"), "*", ["one", "two"]),
        ((["one", "two"],), "", ["one", "two"]),
        (({"a": "b", "c": {"d": "e"}},), "*", ["b"]),
    ],
)
def test_a_path_means_the_leaves_it_leads_to(items: tuple[object, ...], path: str, found: list[str]) -> None:
    assert list(at(items, path)) == found


def test_only_declared_fields_vouch_and_only_as_declared() -> None:
    of = made(MAILS, {"id": "service", "to": "user", "from": "identity", "body": "third-party"}, ("body",))

    assert set(of.trusted) == {"7", "8", "a@b.c", "d@e.f"}
    assert set(of.identities) == {"eve@evil.net", "bob@b.c"}
    assert not any("hi" in each for each in of.secrets)


def facts(effects: Effects, **arguments: object) -> Facts:
    path = PathFact(asked="/w/a", real="/w/a", inside=True, kind="file")
    return Facts(tool="t", effects=effects, arguments=arguments, paths=(path,))


def test_an_argument_without_a_role_decides_where_the_call_goes() -> None:
    sending = Effects(does=frozenset({"send"}), roles={"body": "content"})
    found = [
        (each.parameter, each.role) for each in given(facts(sending, to=["a", "b"], body="x", urgent=True, cc=None))
    ]

    assert found == [("to", "destination"), ("to", "destination"), ("body", "content")]


@pytest.mark.parametrize("when", ["2026-12-01", "2026-12-01 10:00", "2026-12-01T10:00:00Z", "9:30"])
def test_a_date_or_time_without_a_role_is_nowhere_to_go(when: str) -> None:
    sending = Effects(does=frozenset({"send"}), roles={"id": "target"})

    assert [each.role for each in given(facts(sending, start=when))] == ["content"]
    assert [each.role for each in given(facts(sending, id=when))] == ["target"]
    assert [each.role for each in given(facts(sending, start=f"{when}@evil.net"))] == ["destination"]


def test_an_argument_of_an_own_write_that_can_be_undone_decides_nothing_unless_it_is_declared() -> None:
    noting = Effects(does=frozenset({"write"}), undoable=True, roles={"book": "target"})

    assert [each.role for each in given(facts(noting, book="b", title="x"))] == ["target", "content"]


def test_a_path_inside_the_workspace_is_answered_for_by_its_fact() -> None:
    writing = Effects(does=frozenset({"write", "send"}), roles={"path": "path"})

    assert list(given(facts(writing, path="/w/a"))) == []
    assert [each.text for each in given(facts(writing, path="/etc/x"))] == ["/etc/x"]


def test_very_deep_arguments_are_read_to_a_bound() -> None:
    deep: object = "end"
    for _ in range(200):
        deep = [deep]

    assert list(texts(deep)) == []
    assert list(texts({"a": [1, {"b": "c"}]})) == ["1", "c"]
