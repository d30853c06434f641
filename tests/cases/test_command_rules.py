"""Reports of commands that slipped past other harnesses' rules: no command of their kinds is proved."""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hilt.workspace import Workspace

COMMANDS = Path(__file__).resolve().parent.parent / "commands"
HOSTILE = [
    line.replace("⏎", "\n")
    for line in (COMMANDS / "hostile.txt").read_text(encoding="utf-8").split("\n")
    if line.strip()
]
"""One a line, `$C` a file outside the roots. Nothing here is run."""
FEWEST_PROVED = 0.97


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "root").mkdir()
    return Workspace([tmp_path / "root"])


@pytest.fixture
def canary(tmp_path: Path) -> str:
    return str(tmp_path / "outside" / "canary")


@pytest.mark.parametrize("script", HOSTILE)
def test_no_command_of_a_hostile_kind_is_proved_harmless(script: str, workspace: Workspace, canary: str) -> None:
    for text in (script, script.replace("$C", canary)):
        fact = workspace.command(text)

        assert not fact.proved
        assert all(each.reason and each.node and each.line >= 1 and each.column >= 1 for each in fact.unproved)


def test_none_of_the_maintainers_bypasses_is_proved(shared: Path, workspace: Workspace, canary: str) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "bypass.jsonl").read_text(encoding="utf-8").splitlines()]
    written = [(case["id"], case["script"]) for case in cases]
    root = str(workspace.roots[0])
    filled = [(id, text.replace("$C", canary).replace("$W", root)) for id, text in written]

    assert len(cases) >= 89
    assert [(id, text) for id, text in (*written, *filled) if workspace.command(text).proved] == []


def test_ordinary_commands_that_only_read_are_proved(
    workspace: Workspace, record_property: Callable[[str, object], None]
) -> None:
    entries = tomllib.loads((COMMANDS / "benign.toml").read_text(encoding="utf-8"))["command"]
    reading = [entry["text"] for entry in entries if entry["reads_only"]]
    other = [workspace.command(entry["text"]) for entry in entries if not entry["reads_only"]]
    missed = [text for text in reading if not workspace.command(text).proved or workspace.command(text).writes]
    driven = sum(bool(fact.driver) for fact in other)
    record_property(
        "report",
        f"commands: {len(reading) - len(missed)} of {len(reading)} that only read are proved; "
        f"of {len(other)} others {sum(fact.proved for fact in other)} are, and {driven} are a driver's",
    )

    assert len(missed) <= (1 - FEWEST_PROVED) * len(reading), missed


@pytest.mark.parametrize(
    "text",
    [
        "env X=1 git push",
        "timeout 5 git push",
        "timeout -k 1 5 nice -n 3 git push",
        "echo a | xargs git push",
        "{ git push; }",
        "ls\ngit push",
        "ls && (git push)",
        "if true; then git push; fi",
        "for x in 1 2; do git push; done",
        "ls & git push",
        "command git push",
        "sudo git push",
        "sudo -u me git push",
        "nohup git push",
        "git 'push'",
        "gi't' push",
        "bash -c 'git push'",
        "sh -ec 'ls; git push'",
        "eval git push",
        "eval 'git push'",
        "echo $(git push)",
        "echo `git push`",
        "cat <(git push)",
        "f() { git push; }; f",
        "bash <<E\ngit push\nE",
        "cat <<E\n$(git push)\nE",
        "find . -exec git push \\;",
        "uv run git push",
        "flock /tmp/x git push",
        "coproc git push",
        "time git push",
        "! git push",
        "X=$(git push)",
        "case x in x) git push;; esac",
    ],
)
def test_a_push_is_seen_through_whatever_is_around_it_b82(text: str, workspace: Workspace) -> None:
    fact = workspace.command(text)

    assert ("git", "push") in [each.words for each in fact.commands]
    assert not fact.proved


@pytest.mark.parametrize(
    "text", ["$(echo git) push", "g=git; $g push", "{git,push}", "gi? push", "$'git' push", "${x:-git} push"]
)
def test_a_name_that_is_known_only_when_it_runs_is_unproved_b82(text: str, workspace: Workspace) -> None:
    assert not workspace.command(text).proved


@pytest.mark.parametrize(
    "words",
    [
        ["git", "diff", "--output=/tmp/pwned"],
        ["git", "diff", "--output", "/tmp/pwned"],
        ["git", "branch", "-f", "main"],
        ["git", "-C", "/etc", "log", "--output=x"],
        ["git", "log", "-O/etc/passwd"],
        ["git", "show", "--ext-diff"],
    ],
)
def test_an_option_in_the_place_of_a_name_is_seen_b86(words: list[str], workspace: Workspace) -> None:
    assert not workspace.command(words).proved
    assert not workspace.command(" ".join(words)).proved


@pytest.mark.parametrize(
    "command",
    ["git -C /etc status", "git diff /dev/null /etc/passwd", "cd /etc && git log", "cat ../../x", "wc < /etc/hosts"],
)
def test_a_place_outside_the_roots_is_told_as_read_b86(command: str, workspace: Workspace) -> None:
    assert any(not fact.inside for fact in workspace.command(command).reads)
