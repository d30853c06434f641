"""A command that would take the workspace itself away, or its history: isolation confines it to just that.

What `rm` is told in plain words is looked at. A pattern, a variable or another program that removes is not.
"""

import posixpath
from collections.abc import Iterator, Sequence

from hilt.calls.resolver import SimpleCommand
from hilt.policy.facts import Facts

PROGRAM = "rm"
HISTORY = ".git"


def removed_whole(facts: Facts, roots: Sequence[str]) -> Iterator[str]:
    """Each folder, as the command names it, whose removal would take a root or a history with it."""
    for command in facts.programs:
        if posixpath.basename(_name(command)) == PROGRAM and _recursive(command):
            yield from (each for each in _operands(command) if _takes_all(each, command.folder, roots))


def _name(command: SimpleCommand) -> str:
    return (command.words[0] if command.words else None) or ""


def _recursive(command: SimpleCommand) -> bool:
    for word in command.words[1:]:
        if word == "--":
            return False
        if word and word.startswith("--r"):
            return True
        if word and word.startswith("-") and not word.startswith("--") and {"r", "R"} & set(word):
            return True
    return False


def _operands(command: SimpleCommand) -> Iterator[str]:
    options = True
    for word in command.words[1:]:
        if word == "--" and options:
            options = False
        elif word and not (options and word.startswith("-")):
            yield word


def _takes_all(operand: str, folder: str | None, roots: Sequence[str]) -> bool:
    if folder is None and not operand.startswith("/"):
        return False
    path = posixpath.normpath(posixpath.join(folder or "/", operand))
    above = path.rstrip("/") + "/"
    return HISTORY in path.split("/") or any(root == path or root.startswith(above) for root in roots)
