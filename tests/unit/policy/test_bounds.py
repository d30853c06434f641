"""What policy keeps and looks at is bounded, and beyond the bound it asks more, never less."""

import pytest

from hilt import Effects
from hilt.policy import taint_state
from hilt.policy.facts import Facts
from hilt.policy.patterns import path_expressions
from hilt.policy.taint_state import Sighting, Taint
from hilt.policy.taint_text import links
from hilt.policy.taint_values import MOST_LEAVES, made


def test_where_there_is_no_room_what_vouches_is_forgotten_and_what_takes_leave_away_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(taint_state, "MOST_VALUES", 2)
    taint = Taint()

    taint.add(Sighting(source="a", trusted=("one", "two", "three"), written=("one", "two", "three")))

    assert (list(taint.trusted), list(taint.written)) == (["two", "three"], ["one", "two"])


def test_of_a_very_long_result_only_the_first_leaves_vouch() -> None:
    found = made(tuple({"id": f"value-{number}"} for number in range(MOST_LEAVES + 5)), {"id": "service"}, ())

    assert len(set(found.trusted)) == MOST_LEAVES


def test_letters_and_digits_that_only_begin_like_an_account_are_no_address() -> None:
    assert list(links("see AB12 CDEF GHIJ KLMN OPQR, and DE89 3704 0044 0532 0130 00")) == [
        "de89 3704 0044 0532 0130 00"
    ]


def test_the_text_of_an_argument_is_made_once_however_many_rules_look_at_it() -> None:
    facts = Facts(tool="t", effects=Effects(), arguments={"to": {"name": "ann"}})

    assert facts.text_of("to.name") == facts.text_of("to.name") == "ann"
    assert facts.text_of("no") is None


def test_a_pattern_of_python_may_reach_over_slashes() -> None:
    (expression,) = path_expressions("/w/a**b*", ())

    assert expression.match("/w/ax/yb.txt")
    assert not expression.match("/w/cb")
