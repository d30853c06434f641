"""Isolation confines a command to the workspace; what takes the workspace itself away is put to a person."""

import pytest

from hilt import Effects
from hilt.calls.resolver import CommandFact, Property, SimpleCommand, Unproved
from hilt.policy.facts import Facts
from hilt.policy.matching import World
from hilt.policy.policy import Policy

WALLS: frozenset[Property] = frozenset(
    {"fs_write_confined", "fs_read_confined", "net_blocked", "proc_hidden", "kill_complete", "ro_holes"}
)


def word(*words: str | None, folder: str | None = "/w", preset: str = "workspace") -> tuple[str, str]:
    command = CommandFact(
        text=" ".join(each or "*" for each in words),
        commands=(SimpleCommand(words=words, folder=folder),),
        unproved=(Unproved(node="command_name", line=1, column=1, reason="it cannot be taken back"),),
    )
    facts = Facts(tool="run_command", effects=Effects(does=frozenset({"run"})), commands=(command,), confinement=WALLS)
    policy = Policy(preset="unattended" if preset == "unattended" else "workspace", world=World(roots=("/w", "/v/x")))
    decision = policy.decide(facts)
    return decision.word, decision.rule


@pytest.mark.parametrize(
    "words",
    [
        ("rm", "-rf", "/", "--no-preserve-root"),
        ("rm", "-rf", "."),
        ("/bin/rm", "-fr", "/w/"),
        ("rm", "--recursive", "/v"),
        ("rm", "-r", "--", "../w"),
        ("rm", "a", "-R", ".git"),
        ("rm", "-rf", "sub/.git/objects"),
    ],
)
def test_removing_a_root_what_holds_it_or_a_history_is_put_to_a_person(words: tuple[str, ...]) -> None:
    assert word(*words) == ("ask", "whole-workspace")
    assert word(*words, preset="unattended")[0] == "deny"


@pytest.mark.parametrize(
    "words",
    [
        ("rm", "-rf", "build", "dist"),
        ("rm", "-f", ".git/index.lock"),
        ("rm", "--", "-r", "."),
        ("rm", "-rf", None),
        ("ls", "-R", "/w"),
    ],
)
def test_what_leaves_the_workspace_standing_is_confined(words: tuple[str | None, ...]) -> None:
    assert word(*words) == ("allow", "workspace/run")


def test_a_relative_path_from_a_folder_nobody_knows_is_left_to_isolation() -> None:
    assert word("rm", "-rf", ".", folder=None) == ("allow", "workspace/run")
    assert word("rm", "-rf", "/w", folder=None) == ("ask", "whole-workspace")
