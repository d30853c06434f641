"""Leave that is kept is no wider than what was shown; a shape says in words what it covers."""

from pathlib import Path
from typing import Any

import pytest

from hilt.calls.resolver import PathFact, UrlFact
from hilt.declarations.effects import Effects
from hilt.policy.facts import Facts
from hilt.policy.rules import Rule
from hilt.policy.saving import savable
from hilt.policy.shapes import shape_of
from hilt.workspace import Workspace

RUNS = Effects(does=frozenset({"run"}), roles={"command": "command"}, isolated=True)


@pytest.mark.parametrize(
    "rule",
    [
        Rule(word="allow"),
        Rule(word="allow", tools="**"),
        Rule(word="allow", namespace="*"),
        Rule(word="allow", paths=("**",)),
        Rule(word="allow", arguments={"to": "*"}),
        Rule(word="allow", risk="low"),
        Rule(word="allow", after=("private",)),
        Rule(word="allow", actions=("send",)),
        Rule(word="allow", tools="run_command", actions=("run",)),
        Rule(word="allow", hosts=("*",)),
        Rule(word="allow", hosts=("*.com",)),
        Rule(word="allow", hosts=("exam*.org",)),
        *(
            Rule(word="allow", commands=(each,))
            for each in (
                "bash", "sh -c", "python -c", "python", "python -m", "node -e x", "env", "env X=1 git push", "xargs",
                "xargs rm", "sudo", "sudo apt", "npx", "git", "git -c x", "npm exec", "uv run", "docker run",
                "timeout 5 ls", "find", "/usr/bin/bash", "ls *", "*", "eval", "ssh host", " ",
            )
        ),
    ],
    ids=str,
)  # fmt: skip
def test_an_allow_that_would_allow_anything_is_refused(rule: Rule) -> None:
    assert savable(rule)
    assert savable(Rule(word="deny", tools=rule.tools, commands=rule.commands, hosts=rule.hosts)) is None


@pytest.mark.parametrize(
    "rule",
    [
        Rule(word="allow", tools="mail_*"),
        Rule(word="allow", namespace="github"),
        Rule(word="allow", actions=("fetch",)),
        Rule(word="allow", paths=("docs/**",), actions=("write",)),
        Rule(word="allow", hosts=("example.org", "*.example.org")),
        Rule(word="allow", arguments={"to": "*@example.org"}),
        *(
            Rule(word="allow", commands=(each,))
            for each in (
                "git push",
                "npm run build",
                "npx eslint",
                "python -m pytest",
                "python manage.py",
                "make",
                "ls",
            )
        ),
    ],
    ids=str,
)
def test_an_allow_that_says_what_it_means_is_kept(rule: Rule) -> None:
    assert savable(rule) is None


@pytest.mark.parametrize(
    ("command", "shape", "kept"),
    [
        ("git push origin main", "git push", True),
        ("git push && git fetch -q", "git push and git fetch", True),
        ("cd src && gh pr list", "gh pr", True),
        ("timeout 5 frob x", "frob", True),
        ("npm test", "driver:npm", True),
        ("docker run x", "docker run", False),
        ("git push $(frob)", "", False),
        ("bash -c 'frob'", "", False),
        ("frob $X", "", False),
        ("LD_PRELOAD=x frob", "", False),
        ("xargs frob", "", False),
    ],
)
def test_the_shape_of_a_command_is_its_programs_with_what_they_do(
    tmp_path: Path, command: str, shape: str, kept: bool
) -> None:
    facts = Facts(tool="run_command", effects=RUNS, commands=(Workspace([tmp_path]).command(command),))
    found = shape_of(facts)

    assert (savable(found, facts) is None) == kept
    if kept:
        assert found == shape


def test_code_and_unknown_acts_have_no_shape_but_themselves() -> None:
    code = Facts(tool="run_code", effects=Effects(does=frozenset({"run"})), arguments={"code": "1"})
    bare = Facts(tool="mail", effects=Effects(does=frozenset({"send"})), arguments={"x": 1})

    assert shape_of(code) == shape_of(bare) == ""
    assert "runs whatever it is given" in str(savable("anything", code))
    assert "nothing but this very call" in str(savable("", bare))


def test_a_shape_names_the_host_the_folder_or_whom_it_concerns() -> None:
    url = UrlFact(asked="https://Example.org/x", host="example.org")
    fetch = Facts(tool="fetch_page", effects=Effects(does=frozenset({"fetch"}), roles={"url": "url"}), urls=(url,))
    odd = Facts(tool="fetch_page", effects=fetch.effects, urls=(UrlFact(asked="x", host=""),))
    file = PathFact(asked="/w/docs/a", real="/w/docs/a", inside=True, kind="file")
    folder = PathFact(asked="/w/src", real="/w/src", inside=True, kind="folder")
    drop = Facts(
        tool="drop", effects=Effects(does=frozenset({"destroy"}), roles={"path": "path"}), paths=(file, folder)
    )

    def mail(to: Any) -> Facts:
        effects = Effects(does=frozenset({"send"}), roles={"body": "content", "to": "destination"})
        return Facts(tool="mail_send", effects=effects, arguments={"to": to, "body": "x"})

    for facts, shape in (
        (fetch, "host:example.org"),
        (drop, "folder:/w/docs and folder:/w/src"),
        (mail("ann@example.org"), "mail_send to=ann@example.org"),
        (mail(["ann", "bob"]), 'mail_send to=["ann","bob"]'),
    ):
        assert shape_of(facts) == shape
        assert savable(shape, facts) is None
    assert shape_of(odd) == shape_of(mail("x" * 200)) == shape_of(mail("a\nb")) == shape_of(mail("")) == ""


def test_a_shape_without_its_call_is_judged_by_its_words() -> None:
    assert savable("git push") is None
    assert savable("bash") is not None
    assert savable("git push and ") is not None
    assert savable("driver:npm") is None
    assert savable("host:example.org") is None
