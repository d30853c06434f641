"""Rules prove themselves: a rule that does not hold to its own examples is not used."""

from pathlib import Path

import pytest

from hilt.policy.examples import broken_examples
from hilt.policy.matching import World
from hilt.policy.rules import Example, Rule
from hilt.workspace import Workspace


def text(*texts: str) -> tuple[Example, ...]:
    return tuple(Example(text=each) for each in texts)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(
            word="deny", commands=("git push",), match=text("git push", "env X=1 git push"), not_match=text("git log")
        ),
        Rule(word="allow", commands=("npm run",), match=text("npm run build"), not_match=text("npm exec x", "ls")),
        Rule(word="allow", paths=("docs/**",), match=text("docs/a"), not_match=text("src/a", "/etc/docs/a")),
        Rule(word="deny", paths=("*.pem",), actions=("read",), match=text("keys/a.pem"), not_match=text("a.pem.txt")),
        Rule(
            word="allow", hosts=("*.example.org",), match=text("a.example.org"), not_match=text("https://example.org/")
        ),
        Rule(word="deny", tools="mail_*", match=text("mail_send"), not_match=text("chat")),
        Rule(word="deny", namespace="mail", match=(Example(),), not_match=text("chat_send")),
        Rule(
            word="allow",
            tools="pay",
            actions=("spend",),
            arguments={"amount": "/[0-9]/"},
            match=(Example(arguments={"amount": 5}),),
            not_match=(Example(arguments={"amount": 50}), Example(tool="buy", arguments={"amount": 5})),
        ),
        Rule(word="deny", risk="critical", match=text("any"), not_match=(Example(does=("fetch",)),)),
        Rule(word="deny", after=("private",), match=(Example(),), not_match=(Example(after=("untrusted",)),)),
        Rule(word="limit", most=1, window_s=1, tools="x", match=text("x"), not_match=text("y")),
    ],
    ids=str,
)
def test_a_rule_that_holds_to_its_examples_is_sound(rule: Rule, tmp_path: Path) -> None:
    for world in (World(), World(roots=(str(tmp_path),))):
        assert list(broken_examples(rule, Workspace([tmp_path]).command, world)) == []


def test_a_broken_example_is_quoted(tmp_path: Path) -> None:
    rule = Rule(
        word="allow",
        commands=("git push",),
        match=(*text("git pull"), Example(command="git fetch")),
        not_match=text("git push -f"),
    )

    assert list(broken_examples(rule, Workspace([tmp_path]).command, World())) == [
        "it does not speak of 'git pull', which stands in its match",
        "it does not speak of 'command git fetch', which stands in its match",
        "it speaks of 'git push -f', which stands in its not_match",
    ]
    assert str(Example()) == "any call"
