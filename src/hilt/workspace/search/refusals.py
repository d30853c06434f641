"""Why ripgrep answered with an error: a bad argument, or files it could not read.

Which argument is at fault is found by trying each alone on nothing; ripgrep's words are only
quoted, never matched.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise

from hilt.results.failures import InvalidArguments, ToolFailure
from hilt.workspace.names import visible
from hilt.workspace.search.command import Query, Selection, matching
from hilt.workspace.search.program import ERROR_CODE, Run, collect

MOST_EXAMPLES = 3
LONGEST_QUOTE = 200
LONGEST_ARGUMENT = 20_000
NOWHERE = ("--", "/dev/null")
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """What a search could not look into: how many files or folders, and the first few, with the reason."""

    count: int
    examples: tuple[str, ...]


def unreadable(complaints: str) -> Unreadable:
    """Ripgrep's complaints about single files, one a line."""
    lines = [line.removeprefix("rg: ").removeprefix("./") for line in complaints.splitlines() if line.strip()]
    return Unreadable(count=len(lines), examples=tuple(_shortened(visible(line)) for line in lines[:MOST_EXAMPLES]))


def _shortened(text: str) -> str:
    """A long path and its reason, with the middle of the path left out."""
    half = LONGEST_QUOTE // 2
    return text if len(text) <= LONGEST_QUOTE else f"{text[:half]}...{text[-half:]}"


def checked_query(query: Query) -> Query:
    """The query, or InvalidArguments where its pattern cannot be handed to a program."""
    _check_text("pattern", query.pattern)
    return query


def checked_selection(place: str, selection: Selection, *, glob_name: str = "glob") -> Selection:
    """The selection with its glob below the folder `place`. Raises InvalidArguments where it leads elsewhere."""
    if selection.file_type is not None:
        _check_text("type", selection.file_type)
    if selection.glob is None:
        return selection
    _check_text(glob_name, selection.glob)
    sign = "!" if selection.glob.startswith("!") else ""
    glob = selection.glob.removeprefix("!")
    top = place.rstrip("/") + "/"
    if glob.startswith(top):
        raise InvalidArguments(
            f"the {glob_name} {_quoted(glob)} is absolute, but it is matched below path",
            f"give the {glob_name} {sign}{visible(glob.removeprefix(top))}",
        )
    if ".." in glob.split("/"):
        raise InvalidArguments(
            f"the {glob_name} {_quoted(glob)} leads out of path",
            f"give a higher folder as path, and no .. in {glob_name}",
        )
    while glob.startswith("./"):
        glob = glob[2:]
    return replace(selection, glob=f"{sign}{glob}")


def _check_text(name: str, text: str) -> None:
    """A program takes neither NUL characters nor half surrogate pairs, and no argument over 128 KiB."""
    wrong = "" if text else "is empty"
    if "\0" in text:
        wrong = "holds a NUL character"
    elif any("\ud800" <= character <= "\udfff" for character in text):
        wrong = "holds half a surrogate pair"
    elif len(text) > LONGEST_ARGUMENT:
        wrong = f"has {len(text):,} characters; the longest has {LONGEST_ARGUMENT:,}"
    if wrong:
        step = "write it as \\x00" if "NUL" in wrong else f"give another {name}"
        raise InvalidArguments(f"the {name} {wrong}", step)


async def refuse_bad_arguments(query: Query | None, selection: Selection, *, glob_name: str = "glob") -> None:
    """Raise InvalidArguments for the argument ripgrep does not take; return where each is fine."""
    if query is not None and (words := await _objection(matching(query))):
        if not query.multiline and not await _objection(matching(replace(query, multiline=True))):
            raise _across_lines(query.pattern)
        raise _bad_pattern(query.pattern, words)
    if selection.glob is not None and (words := await _objection(["--files", f"--glob={selection.glob}"])):
        raise InvalidArguments(
            f"the {glob_name} {_quoted(selection.glob)} is not valid: {_conclusion(words)}",
            f"correct the {glob_name}, such as *.py or src/**/*.{{ts,tsx}}",
        )
    if selection.file_type is not None and await _objection(["--files", f"--type={selection.file_type}"]):
        raise await _unknown_type(selection.file_type)


async def _objection(options: Sequence[str]) -> str:
    ended = await collect(Run(options=[*options, *NOWHERE]))
    return ended.complaints.strip() or "refused" if ended.code == ERROR_CODE else ""


def _across_lines(pattern: str) -> ToolFailure:
    return InvalidArguments(
        f"the pattern {_quoted(pattern)} matches across lines, and multiline is false",
        "call again with multiline=true",
        "search for one of the lines",
    )


def _bad_pattern(pattern: str, words: str) -> ToolFailure:
    place = position(pattern, words)
    where = f" at character {place}" if place is not None else ""
    return InvalidArguments(
        f"the pattern {_quoted(pattern)} is not a valid regular expression{where}: {_conclusion(words)}",
        f"to find this text itself, escape it: {escaped(pattern)[:LONGEST_QUOTE]}",
        "correct the pattern (Rust regex syntax: no look-around, no backreferences)",
    )


def position(pattern: str, words: str) -> int | None:
    """The character, from 1, at which ripgrep's caret stands below a pattern of one line."""
    lines = words.splitlines()
    for above, line in pairwise(lines):
        start = above.find(pattern)
        if start >= 0 and line.strip().strip("^") == "" and "^" in line:
            return min(max(line.index("^") - start, 0), len(pattern) - 1) + 1
    return None


def escaped(pattern: str) -> str:
    """A pattern that matches exactly this text.

    >>> escaped("interface{}")
    'interface\\\\{\\\\}'
    """
    return _SPECIAL.sub(r"\\\g<0>", pattern)


def _conclusion(words: str) -> str:
    """The line that says what is wrong, without ripgrep's drawing and its advice about options."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    said = next((line for line in lines if line.startswith("error: ")), lines[0])
    return said.removeprefix("rg: ").removeprefix("error: ").split("': ", 1)[-1][:LONGEST_QUOTE]


async def _unknown_type(asked: str) -> ToolFailure:
    ended = await collect(Run(options=["--type-list"]))
    known = [line.partition(":")[0] for line in ended.output.decode("utf-8", "backslashreplace").splitlines()]
    near = get_close_matches(asked.lower(), known, n=MOST_EXAMPLES)
    step = (
        f"give type {' or '.join(near)}" if near else f"use one of {len(known)} types such as py, js, ts, rust, go, md"
    )
    return InvalidArguments(
        f"there is no file type {_quoted(asked)}", step, f"leave type out and give a glob such as *.{asked[:20]}"
    )


def _quoted(text: str) -> str:
    return visible(text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}...")
