"""Ripgrep's JSON output, read for multiline searches: there a row may hold several matches."""

import json
from base64 import b64decode
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TypedDict, cast

from hilt.results.failures import EnvironmentFailure
from hilt.workspace.search.text import CUT, Shown, shown_line
from hilt.workspace.search.window import Window

MOST_LINES = 20
"""Lines of one match that are shown."""

LONGEST_ROW = 1 << 26
"""Bytes of ripgrep's output for one run of adjoining matches; a longer one is not shown."""


class _Text(TypedDict, total=False):
    text: str
    bytes: str


class _Span(TypedDict):
    start: int
    end: int


class _Row(TypedDict):
    path: _Text
    lines: _Text
    line_number: int
    submatches: Sequence[_Span]


class MatchReader:
    """Hands each match, and each line around it, to its file's window."""

    def __init__(self, windows: Mapping[bytes, Window]) -> None:
        self._windows = windows
        self._begun: list[bytes] = []
        self._held = 0

    def feed(self, block: bytes) -> bool:
        """Take one block of output. Raises EnvironmentFailure where one row is longer than can be held."""
        first, *more = block.split(b"\n")
        self._begun.append(first)
        self._held += len(first)
        for part in more:
            self._row(b"".join(self._begun))
            self._begun = [part]
            self._held = len(part)
        if self._held > LONGEST_ROW:
            raise EnvironmentFailure(
                f"matches that adjoin each other fill over {LONGEST_ROW:,} bytes, too much to show",
                "use output='counts', or a pattern that matches less",
            )
        return True

    def _row(self, row: bytes) -> None:
        if not row.startswith((b'{"type":"match"', b'{"type":"context"')):
            return
        fields = cast("_Row", json.loads(row)["data"])  # ripgrep's documented form
        window = self._windows.get(_bytes(fields["path"]))
        if window is None:
            return
        lines = _bytes(fields["lines"]).removesuffix(b"\n").split(b"\n")
        starts = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
        number = fields["line_number"]
        for span in fields["submatches"]:
            top = bisect_right(starts, span["start"]) - 1
            bottom = bisect_right(starts, max(span["start"], span["end"] - 1)) - 1
            shown = _block(lines[top : bottom + 1], span["start"] - starts[top])
            window.match(number + top, number + bottom, shown)
        if window.neighbours:
            for position, line in enumerate(lines):
                window.line(number + position, shown_line(line))


def _bytes(text: _Text) -> bytes:
    """Text as ripgrep gives it: as a string where it is UTF-8, else encoded."""
    return b64decode(text["bytes"]) if "bytes" in text else text.get("text", "").encode()


def _block(lines: Sequence[bytes], column: int) -> Shown:
    """The lines of one match, as many as are shown."""
    shown = [shown_line(line, column if position == 0 else 0) for position, line in enumerate(lines[:MOST_LINES])]
    more = len(lines) - len(shown)
    texts = [each.text for each in shown] + ([f"{CUT} {more:,} more lines"] if more else [])
    return Shown(
        "\n".join(texts), cut=bool(more) or any(each.cut for each in shown), escaped=any(each.escaped for each in shown)
    )
