"""Declared effects are taken at their word."""

import pytest

from hilt.audit.declared import UNDECLARED_COUNTS, by_effects
from hilt.audit.legs import LEGS
from hilt.declarations.effects import UNDECLARED, Effects
from tests.unit.audit.making import declaration

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("effects", "legs"),
    [
        (Effects(reads="private", brings="own", does=frozenset()), {"private"}),
        (Effects(reads="public", brings="third-party", does=frozenset()), {"third_party"}),
        (Effects(reads="none", brings="own", does=frozenset({"write"})), set()),
        (Effects(reads="none", brings="own", does=frozenset({"send"})), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"spend"})), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"fetch"})), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"fetch"}), roles={"x": "content"}), set()),
        (Effects(reads="none", brings="own", does=frozenset({"fetch"}), roles={"x": "url"}), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"write"}), roles={"x": "destination"}), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"write"}), also={"x": "send"}), {"way_out"}),
        (Effects(reads="none", brings="own", does=frozenset({"run"}), roles={"x": "command"}), set(LEGS)),
        (UNDECLARED, set(LEGS)),
    ],
)
def test_legs_are_a_projection_of_the_effects(effects: Effects, legs: set[str]) -> None:
    assert by_effects(declaration("tool", x=TEXT), effects, server="mine", label="tool").legs() == legs


def test_the_argument_that_makes_a_way_out_is_named() -> None:
    effects = Effects(reads="none", brings="own", does=frozenset({"write"}), also={"guests": "send"})
    made = by_effects(declaration("meet", guests=TEXT), effects, server="mine", label="meet")

    assert made.arguments("way_out") == ("guests",)
    assert made.showing("way_out").basis == "declared"


def test_one_fixed_page_fetched_without_any_argument_takes_nothing_out() -> None:
    effects = Effects(reads="public", brings="third-party", does=frozenset({"fetch"}))

    assert by_effects(declaration("headlines"), effects, server="mine", label="x").legs() == {"third_party"}


def test_a_tool_that_declares_nothing_says_so() -> None:
    made = by_effects(declaration("tool", x=TEXT), UNDECLARED, server="mine", label="tool")

    assert {each.why for each in made.showings} == {UNDECLARED_COUNTS}


def test_what_starts_programs_in_isolation_is_still_an_executor_and_says_what_confines_it() -> None:
    effects = Effects(reads="none", brings="own", does=frozenset({"run"}), roles={"x": "command"}, isolated=True)
    made = by_effects(declaration("shell", x=TEXT), effects, server="mine", label="shell")

    assert made.executor
    assert "confined" in made.showing("way_out").why
