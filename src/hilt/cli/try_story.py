"""The story of `hilt try`: the turns a model could take, each made of what the results before it say.

Nothing here knows the tree. Files, lines and continuations are read from the texts that the tools
returned, as a model would read them; the one thing known beforehand is the question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.agents.scripted import Line, Said, ScriptLine, ask, say
from hilt.cli.try_tree import LANGUAGE, PAGE, Subject
from hilt.errors import ConfigError

WRONG_OUTPUT = "contents"
"""No output of `search_code`, but near one: models write it."""
LINES_BEFORE, LINES_READ = 4, 9
HANDLED_IN = "and handled in"
"""The answer's words before the places that are checked."""

_NUMBERED = re.compile(r"(\d+): ?(.*)")
_NEAREST = re.compile(r'- output: .*; use "(\w+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One line of a result: an absolute path, a number, the text."""

    path: str
    line: int
    text: str


def story(subject: Subject) -> list[ScriptLine]:
    """The turns, for a scripted model."""
    return [
        _paths(subject),
        _lines(subject, WRONG_OUTPUT),
        lambda said: _lines(subject, _told(said.result)),
        Said.following,
        lambda said: _read(subject, said),
        lambda said: say(_answer(subject, said)),
    ]


def _paths(subject: Subject) -> Line:
    return Line(text="Paths first, they cost least.").and_ask("search_code", pattern=subject.named, type=LANGUAGE)


def _lines(subject: Subject, output: str) -> Line:
    return ask("search_code", pattern=subject.named, type=LANGUAGE, output=output, limit=PAGE)


def _told(refusal: str) -> str:
    """The value that the refusal names instead."""
    found = _NEAREST.search(refusal)
    if found is None:
        raise ConfigError("the refusal names no output to use instead", "look at the step before: hilt try --json")
    return found[1]


def _read(subject: Subject, said: Said) -> Line:
    """One match, chosen from the page that the last result shows, or the one before."""
    first = handled(subject, places(said.results[-2:]))[0]
    return ask("read_file", path=first.path, offset=max(1, first.line - LINES_BEFORE), limit=LINES_READ)


def _answer(subject: Subject, said: Said) -> str:
    every = places(said.results[2:4])
    defined = next(each for each in every if re.match(rf"class {subject.name}\b", each.text))
    files = len({each.path for each in every})
    return "\n".join(
        (
            f"{subject.name} is defined in",
            f"  {_relative(subject, defined)}",
            HANDLED_IN,
            *(f"  {_relative(subject, each)}" for each in handled(subject, every)),
            f"{len(every)} lines in {files} files name it.",
        )
    )


def handled(subject: Subject, found: Sequence[Place]) -> list[Place]:
    """The lines that handle the error, among those that name it."""
    return [each for each in found if re.search(subject.handled, each.text)]


def _relative(subject: Subject, place: Place) -> str:
    return f"{Path(place.path).relative_to(subject.tree)}:{place.line}"


def listed(text: str) -> list[str]:
    """The paths of a result with output=paths: the folder they share stands first, and ends with a slash."""
    _, *lines = text.splitlines()
    folder = lines.pop(0) if lines and lines[0].endswith("/") else ""
    return [folder + line for line in lines if not _about(line)]


def places(texts: Sequence[str]) -> list[Place]:
    """The lines of results with output=content, each below the path it stands in."""
    found: list[Place] = []
    for text in texts:
        folder = path = ""
        for line in text.splitlines()[1:]:
            if (numbered := _NUMBERED.match(line)) is not None:
                found.append(Place(path=path, line=int(numbered[1]), text=numbered[2]))
            elif line.endswith("/") and not path:
                folder = line
            elif not _about(line):
                path = folder + line
    return found


def _about(line: str) -> bool:
    """Whether a line speaks about the result: its notes and its cut."""
    return line.startswith(("note: ", "["))
