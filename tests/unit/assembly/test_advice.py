"""`advise`: clear-cut situations end where a person who knows the trade would put them."""

import itertools

import pytest

from hilt.assembly.advice import FAILS, QUESTIONS, WORDS, Home, advise

NAMES = [question.name for question in QUESTIONS]
SITUATIONS = {
    "refunding a payment": ("ask no-command sometimes structured stable developer", Home.TOOL),
    "sending a mail to a customer": ("ask no-command often structured stable developer", Home.TOOL),
    "querying the production database": ("ask differs often structured stable developer", Home.TOOL),
    "searching code alike on three platforms": ("none differs often structured stable developer", Home.TOOL),
    "exact edits of files of any encoding": ("log no-command often structured stable developer", Home.TOOL),
    "git status": ("none same often text stable nobody", Home.EXECUTOR),
    "running the linter with options": ("log same often text stable team", Home.EXECUTOR),
    "unpacking an archive now and then": ("none same rare text stable nobody", Home.EXECUTOR),
    "counting lines of a file": ("none same sometimes text stable developer", Home.EXECUTOR),
    "the twenty steps of a release": ("none same rare none monthly team", Home.SKILL),
    "filling in the firm's PDF forms": ("none differs rare text monthly team", Home.SKILL),
    "how to review a migration": ("none nothing-runs sometimes none monthly team", Home.SKILL),
    "the style of code here": ("none nothing-runs often none stable team", Home.PROJECT),
    "how this project is built and tested": ("none same often none stable team", Home.PROJECT),
    "never push to main": ("none nothing-runs often none stable team", Home.PROJECT),
    "the person's preferred airport": ("none nothing-runs often none session model", Home.MEMORY),
    "what was tried yesterday without success": ("none nothing-runs sometimes none session model", Home.MEMORY),
    "thinking before acting": ("none nothing-runs often none session nobody", Home.NOTHING),
    "rewording one paragraph": ("none nothing-runs rare none session nobody", Home.NOTHING),
    "a wish for this conversation alone": ("none nothing-runs rare none session nobody", Home.NOTHING),
}


@pytest.mark.parametrize(("answers", "home"), SITUATIONS.values(), ids=SITUATIONS)
def test_a_clear_cut_situation_has_its_home(answers: str, home: Home) -> None:
    advice = advise(dict(zip(NAMES, answers.split(), strict=True)))

    assert advice.home is home
    assert advice.scores[home] == max(advice.scores.values())
    assert advice.decided, "some answer must have decided"


def every() -> list[dict[str, str]]:
    choices = [[choice.name for choice in question.choices] for question in QUESTIONS]
    return [dict(zip(NAMES, each, strict=True)) for each in itertools.product(*choices)]


def test_there_are_six_questions_and_every_home_can_be_the_answer() -> None:
    assert len(QUESTIONS) == 6
    assert {advise(answers).home for answers in every()} == set(Home)
    assert set(WORDS) == set(FAILS) == set(Home)


def test_what_must_be_refused_by_its_arguments_is_never_left_to_a_text() -> None:
    homes = {
        advise(answers).home
        for answers in every()
        if answers["control"] == "ask" and answers["platform"] == "no-command" and answers["arguments"] == "structured"
    }

    assert homes == {Home.TOOL}


def test_a_command_is_never_advised_where_none_is_there_to_run() -> None:
    for answers in every():
        if answers["platform"] in ("no-command", "nothing-runs"):
            assert advise(answers).home is not Home.EXECUTOR, answers


def test_the_reasons_add_up_and_a_flip_is_what_it_says() -> None:
    for answers in every()[::37]:
        advice = advise(answers)
        lead = advice.scores[advice.home] - advice.scores[advice.runner_up]

        assert lead >= 0
        assert sum(reason.points for reason in advice.decided) >= lead
        for flip in advice.flips:
            assert advise({**answers, flip.question: flip.answer}).home is flip.home is not advice.home


def test_of_equal_points_the_home_that_costs_less_unused_is_advised() -> None:
    for answers in every():
        advice = advise(answers)
        equal = [home for home in Home if advice.scores[home] == advice.scores[advice.home]]
        assert advice.home is equal[0]


def test_what_runs_and_must_be_asked_for_lives_where_something_can_ask() -> None:
    homes = {
        advise(answers).home
        for answers in every()
        if answers["control"] == "ask" and answers["platform"] != "nothing-runs"
    }

    assert homes == {Home.TOOL, Home.EXECUTOR, Home.SKILL}
