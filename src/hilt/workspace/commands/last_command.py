"""Which program an exit code came from: the last simple command of a shell's text, by its grammar.

Where the last thing done depends on what came before (`a && b`), each command that may have been
the last is one of several; nothing is guessed beyond that.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hilt.workspace.proof.parsing import parse

if TYPE_CHECKING:
    from tree_sitter import Node

WRAPPERS = frozenset(
    {
        "env",
        "nohup",
        "nice",
        "ionice",
        "stdbuf",
        "sudo",
        "time",
        "command",
        "exec",
        "builtin",
        "setsid",
        "timeout",
        "uv",
        "poetry",
        "npx",
    }
)
"""Programs whose code is that of the program they run."""
_RUN_WORDS = {"uv": "run", "poetry": "run"}
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_AMOUNT = re.compile(r"[\d.]+[smhd]?$")
_SIMPLE = ("command", "test_command")
_BRANCHING = ("if_statement", "elif_clause", "else_clause", "for_statement", "while_statement")
_SEQUENCES = ("list", "pipeline", "program", "compound_statement", "subshell", "do_group")
LONGEST_TOLD = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoked:
    """One simple command: its text, the program by its base name, and the first word that is no option."""

    text: str
    program: str
    subcommand: str = ""
    wrappers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCommand:
    """Who may have given the exit code, the members of the last pipeline, and what is in the text at all."""

    candidates: tuple[Invoked, ...]
    pipeline: tuple[Invoked, ...]
    programs: frozenset[str]


def read_last(command: str) -> LastCommand:
    """The end of a command line, as far as its grammar tells."""
    root = parse(command.encode("utf-8", "surrogateescape"))
    last = _last_statement(root)
    pipeline = last if last is not None and last.type == "pipeline" else None
    return LastCommand(
        candidates=tuple(_candidates(last)) if last is not None and not root.has_error else (),
        pipeline=tuple(map(_member, pipeline.named_children)) if pipeline is not None else (),
        programs=frozenset(each.program for each in map(_invoked, _commands(root)) if each),
    )


def invoked_by(argv: Sequence[str]) -> Invoked | None:
    """The program an argument list runs, seen through wrappers."""
    words = list(argv)
    wrappers: tuple[str, ...] = ()
    while words:
        name = os.path.basename(words.pop(0))
        if name in WRAPPERS and words:
            words, wrappers = _unwrapped(name, words), (*wrappers, name)
            continue
        if _PYTHON.match(name) and len(words) > 1 and words[0] == "-m":
            name, words = words[1], words[2:]
        subcommand = next((word for word in words if not word.startswith("-")), "")
        return Invoked(text=_short(" ".join(argv)), program=name, subcommand=subcommand, wrappers=wrappers)
    return None


def _unwrapped(name: str, words: list[str]) -> list[str]:
    if words[:1] == [_RUN_WORDS.get(name)]:
        words = words[1:]
    at = 0
    while at < len(words) - 1 and (
        words[at].startswith("-") or _ASSIGNMENT.match(words[at]) or _AMOUNT.match(words[at])
    ):
        at += 1
    return words[at:]


def _last_statement(node: "Node") -> "Node | None":
    statements = [each for each in node.named_children if each.type not in ("comment", "heredoc_body")]
    return statements[-1] if statements else None


def _candidates(node: "Node") -> Iterator[Invoked]:
    """The simple commands whose code may be that of `node`."""
    if node.type in _SIMPLE:
        if found := _invoked(node):
            yield found
        return
    for inner in _deciding(node):
        yield from _candidates(inner)


def _deciding(node: "Node") -> "list[Node]":
    """The parts of a compound command that its code may be from."""
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return [body] if body is not None else []
    if node.type == "list" and any(each.type == "&&" for each in node.children):
        return [node.named_children[0], node.named_children[-1]]
    if node.type in _BRANCHING:
        return node.named_children
    last = _last_statement(node) if node.type in _SEQUENCES else None
    return [last] if last is not None else []


def _commands(node: "Node") -> Iterator["Node"]:
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if each.type in _SIMPLE:
            yield each
        waiting += each.named_children


def _invoked(node: "Node") -> Invoked | None:
    text = _short(_text(node))
    if node.type == "test_command":
        opening = node.children[0].type if node.children else "["
        return Invoked(text=text, program=opening)
    words = [_text(each) for each in node.named_children if each.type not in ("variable_assignment", "file_redirect")]
    found = invoked_by([word.strip("\"'") for word in words])
    return None if found is None else replace(found, text=text)


def _member(node: "Node") -> Invoked:
    """A member of a pipeline; one that is no simple command has no program."""
    body = node.child_by_field_name("body") if node.type == "redirected_statement" else node
    found = _invoked(body) if body is not None and body.type in _SIMPLE else None
    return replace(found, text=_short(_text(node))) if found else Invoked(text=_short(_text(node)), program="")


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "backslashreplace")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TOLD else line[: LONGEST_TOLD - 3] + "..."
