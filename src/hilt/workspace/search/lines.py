"""Ripgrep's plain output, read row by row: `file NUL line:column:text` or `file NUL line-text`."""

import re
from collections.abc import Mapping

from hilt.workspace.search.text import Shown, shown_line
from hilt.workspace.search.window import Window

_NUMBERS = re.compile(rb"(\d+)(?::(\d+):|-)")


class LineReader:
    """Hands each row to its file's window. Blocks that lie wholly before the page are only counted."""

    def __init__(self, windows: Mapping[bytes, Window], longest: int) -> None:
        self._windows = windows
        self._longest = longest
        self._rest = b""
        self._behind: list[bytes] = []
        name, only = next(iter(windows.items()))
        self._skimming = only if len(windows) == 1 else None
        self._match = re.compile(b"\n" + re.escape(name) + rb"\0\d+:")

    def feed(self, block: bytes) -> bool:
        """Take one block of output; always more is wanted."""
        if self._skimming is not None:
            if self._skimmed(self._skimming, block):
                return True
            for row in self._behind:
                self._row(row, counted=True)
            self._skimming = None
        text = self._rest + block
        start = 0
        while (row_end := text.find(b"\n", start)) >= 0:
            self._row(text[start:row_end])
            start = row_end + 1
        self._rest = text[start:]
        return True

    def _skimmed(self, window: Window, block: bytes) -> bool:
        """Let a block go, counted, if all its matches lie before the page."""
        if window.neighbours:
            return self._skimmed_with_neighbours(window, block)
        rows = block.count(b"\n")  # without neighbours every row is a match
        if rows >= window.passing:
            return False
        self._rest = block[block.rfind(b"\n") + 1 :] if rows else self._rest + block
        window.drop(rows)
        return True

    def _skimmed_with_neighbours(self, window: Window, block: bytes) -> bool:
        """The same, keeping the last rows: they may stand before the page's first match."""
        text = self._rest + block
        end = text.rfind(b"\n") + 1
        matches = len(self._match.findall(b"\n" + text[:end]))
        if matches >= window.passing:
            return False
        rows = text[:end].rsplit(b"\n", window.before + 1)[-window.before - 1 : -1]
        self._behind = [*self._behind, *rows][-window.before :] if window.before else []
        self._rest = text[end:]
        window.drop(matches)
        return True

    def _row(self, row: bytes, *, counted: bool = False) -> None:
        name, separator, rest = row.partition(b"\0")
        window = self._windows.get(name)
        numbers = _NUMBERS.match(rest)
        if not separator or window is None or numbers is None:
            return  # ripgrep's own remarks have no such form
        number, column = int(numbers[1]), int(numbers[2] or 1) - 1
        shown = self._shown(rest[numbers.end() :], column)
        if numbers[2] is not None and not counted:
            window.match(number, number, shown)
        window.line(number, shown)

    def _shown(self, line: bytes, column: int) -> Shown:
        if len(line) <= self._longest or column < self._longest:
            return shown_line(line[: self._longest], column)
        return Shown(f"[a match at byte {column + 1:,} of a line of over {self._longest:,} bytes]", cut=True)
