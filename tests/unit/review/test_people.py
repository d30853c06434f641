"""What a person is asked, and what may come back: nouns that cannot be changed on the way."""

from dataclasses import FrozenInstanceError

import pytest

from hilt.review.people import DEFAULT_WAIT_S, PENDING_HOURS, Question, Reply


def test_a_question_holds_the_whole_call_and_nobody_can_change_it() -> None:
    question = Question(
        handle="ask_1", session="s", tool="pay", arguments='{"n": 1}', activity="paying", reasons=("r",)
    )

    with pytest.raises(FrozenInstanceError):
        question.arguments = "{}"  # type: ignore[misc]  # what must not work
    assert Reply(word="absent").reason == ""
    assert DEFAULT_WAIT_S < PENDING_HOURS * 3600
