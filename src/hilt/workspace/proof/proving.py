"""From a command to a `CommandFact`."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hilt.calls.resolver import CommandFact
from hilt.policy.programs.words import Word
from hilt.workspace.proof.gathering import NOWHERE, Gathered, Invocation, Spot, take
from hilt.workspace.proof.parsing import parse
from hilt.workspace.proof.places import Resolve
from hilt.workspace.proof.script import Script
from hilt.workspace.proof.shell_state import Shell

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 32 << 10
"""Characters of a command that is looked at; a longer one is a file's content, or hides something."""
_BLANK = re.compile(rb"(?:[ \t\n]|\\\n)*")
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def prove(asked: str | Sequence[str], folder: str | None, resolve: Resolve) -> CommandFact:
    """The fact for shell text, or for a program's words, started in `folder`. Runs nothing, raises for no text."""
    into = gather(asked, folder, resolve)
    return CommandFact(
        text=asked if isinstance(asked, str) else " ".join(asked),
        commands=tuple(into.commands),
        reads=tuple(into.reads.values()),
        writes=tuple(into.writes.values()),
        unproved=tuple(into.unproved),
        driver=into.driver,
    )


def gather(asked: str | Sequence[str], folder: str | None, resolve: Resolve) -> Gathered:
    """All that is found of a command, with the places of its parts."""
    into = Gathered(resolve=resolve)
    shell = Shell(folders=None if folder is None else (folder,))
    if isinstance(asked, str):
        _prove_text(asked, shell, into)
    else:
        _prove_words(asked, shell, into)
    return into


def _prove_words(words: Sequence[str], shell: Shell, into: Gathered) -> None:
    if not words:
        into.doubt(NOWHERE, "no program is named")
        return
    known = [Word(text=text, dashed=text.startswith("-")) for text in words]
    spots = [Spot(node="word", line=1, column=place) for place in range(1, len(words) + 1)]
    take(Invocation(words=known, spots=spots, shell=shell), into)


def _prove_text(text: str, shell: Shell, into: Gathered) -> None:
    unseen = next((place for place, letter in enumerate(text) if _invisible(letter)), None)
    if unseen is not None:
        spot = _spot_in(text, unseen)
        into.doubt(spot, f"the character U+{ord(text[unseen]):04X} cannot be seen, or is not what it looks like")
    if len(text) > LONGEST:
        into.doubt(NOWHERE, f"it is longer than {LONGEST:,} characters")
        return
    source = text.encode("utf-8", "replace")
    root = parse(source)
    script = Script(source, into)
    if root.has_error:
        bad = _first_error(root)
        into.doubt(
            script.words.spot(bad.start_byte, "MISSING" if bad.is_missing else bad.type),
            "the grammar is not understood here",
        )
    elif (gap := _gap(source, root)) is not None:
        into.doubt(script.words.spot(gap, "program"), "the grammar passes over something here")
    script.run(root, shell)


def _invisible(letter: str) -> bool:
    if letter.isascii():
        return _UNSEEN.match(letter) is not None
    return not letter.isprintable()


def _spot_in(text: str, place: int) -> Spot:
    before = text[:place]
    return Spot(node="word", line=before.count("\n") + 1, column=len(before.rpartition("\n")[2]) + 1)


def _first_error(root: "Node") -> "Node":
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        if node.is_error or node.is_missing:
            return node
        waiting = [child for child in node.children if child.has_error or child.is_missing] + waiting
    return root


def _passes_over(source: bytes, start: int, end: int) -> bool:
    """Whether there is more than blanks between two leaves, or less: a line that goes on joins two words into one."""
    between = source[start:end]
    return _BLANK.fullmatch(between) is None or not between.replace(b"\\\n", b"")


def _gap(source: bytes, root: "Node") -> int | None:
    """Where the tree leaves out more than blanks between its leaves; None where it holds everything."""
    end = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.child_count and node.type not in ("string", "heredoc_body"):
            waiting += reversed(node.children)
            continue
        if node.start_byte > end and _passes_over(source, end, node.start_byte):
            return end
        end = max(end, node.end_byte)
    found = _BLANK.match(source, end)
    return end if found and found.end() < len(source) else None
