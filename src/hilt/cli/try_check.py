"""Is the answer of `hilt try` true? The same question put to ripgrep directly, and both compared."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import TypeVar

from hilt.agents.loop import Run
from hilt.agents.steps import Answered
from hilt.cli.try_story import HANDLED_IN, listed, places
from hilt.cli.try_tree import Subject, matching_lines

Lines = frozenset[tuple[str, int]]
Found = TypeVar("Found", str, tuple[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the tools said and what ripgrep says: files, lines that name the error, lines that handle it."""

    files: frozenset[str]
    lines: Lines
    handlers: Lines
    rg_files: frozenset[str]
    rg_lines: Lines
    rg_handlers: Lines

    @property
    def same(self) -> bool:
        """Whether they agree in everything."""
        ours = self.files, self.lines, self.handlers
        return ours == (self.rg_files, self.rg_lines, self.rg_handlers)

    @property
    def words(self) -> str:
        """The comparison for people."""
        if self.same:
            return (
                f"rg, run directly, gives the same {len(self.files)} files, the same {len(self.lines)} lines that name "
                f"it, and the same {len(self.handlers)} that handle it"
            )
        parts = [
            *_differing("file", self.files, self.rg_files),
            *_differing("line", self.lines, self.rg_lines),
            *_differing("handling line", self.handlers, self.rg_handlers),
        ]
        return "rg, run directly, differs: " + "; ".join(parts)

    def to_json(self) -> dict[str, object]:
        """The comparison as a JSON object."""
        return {"same": self.same, "files": len(self.files), "lines": len(self.lines), "handlers": len(self.handlers)}


def compare(subject: Subject, run: Run) -> Comparison:
    """The answer as it was shown, and the results behind it, held against ripgrep's own."""
    first, *pages = [
        step.answer.text
        for step in run.steps
        if isinstance(step, Answered) and step.answer.call.name == "search_code" and not step.answer.result.is_error
    ]
    direct = matching_lines(subject.tree, subject.named)
    return Comparison(
        files=frozenset(_below(subject, path) for path in listed(first)),
        lines=frozenset((_below(subject, each.path), each.line) for each in places(pages)),
        handlers=frozenset((path, int(line)) for path, line in _STATED.findall(run.text.partition(HANDLED_IN)[2])),
        rg_files=frozenset(path for path, _, _ in direct),
        rg_lines=frozenset((path, line) for path, line, _ in direct),
        rg_handlers=frozenset((path, line) for path, line, _ in matching_lines(subject.tree, subject.handled)),
    )


_STATED = re.compile(r"^  (.+):(\d+)$", re.MULTILINE)
"""A place in the answer's own words."""


def _below(subject: Subject, path: str) -> str:
    return str(PurePath(path).relative_to(subject.tree))


def _differing(what: str, ours: frozenset[Found], theirs: frozenset[Found]) -> Iterator[str]:
    for words, rest in (("only in the answer", ours - theirs), ("only from rg", theirs - ours)):
        if rest:
            yield f"{len(rest)} {what}s {words}, such as {min(rest)}"
