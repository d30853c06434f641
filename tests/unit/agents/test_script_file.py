"""A script as a file says the same as a script in Python, and a typo is told."""

import json

import pytest

from hilt.agents.script_file import read_script
from hilt.agents.scripted import Line, Said, ask, say
from hilt.errors import ConfigError


def test_a_script_has_calls_a_continuation_and_words() -> None:
    lines = read_script(
        json.dumps(
            {
                "turns": [
                    {"calls": [{"name": "find", "arguments": {"pattern": "x"}}]},
                    {"continue": True},
                    {"text": "half", "cut": True},
                    {"text": "done"},
                ]
            }
        )
    )

    assert lines == [ask("find", pattern="x"), Said.following, Line(text="half", cut=True), say("done")]


def test_arguments_may_be_text_sent_as_it_is() -> None:
    (line,) = read_script('{"turns": [{"calls": [{"name": "find", "arguments": "{not json"}]}]}')

    assert isinstance(line, Line)
    assert line.calls[0].arguments == "{not json"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not JSON"),
        ("[]", 'is not one object {"turns": [...]}'),
        ('{"turns": []}', "at least one turn"),
        ('{"turns": [{"tekst": "x"}]}', "at turns[0] the unknown key 'tekst'"),
        ('{"turns": [{"text": "x"}, {"calls": [{"nam": "x"}]}]}', "at turns[1].calls[0] the unknown key 'nam'"),
        ('{"turns": [{"calls": [{"name": "x", "arguments": 3}]}]}', "neither an object nor text"),
        ('{"turns": [{"text": "x", "continue": true}]}', "beside something else"),
        ('{"turns": [{}]}', "neither text nor a list of calls"),
        ('{"turns": [3]}', "at turns[0] no object"),
    ],
)
def test_a_fault_is_told_with_its_place_and_the_form(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_script(text, "plan.json")

    assert problem in caught.value.problem
    assert caught.value.problem.startswith("plan.json ")
    assert '{"turns"' in caught.value.next_steps[0]


def test_a_script_that_continues_what_was_not_cut_is_told() -> None:
    with pytest.raises(ConfigError, match="names no continuation"):
        Said(messages=({"role": "tool", "content": "all there is"},)).following()
