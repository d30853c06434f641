"""Ripgrep's plain output, read row by row: `file NUL line:column:text` or `file NUL line-text`."""

import re
from collections.abc import Mapping

from hilt.workspace.ripgrep_text import Shown, shown_line
from hilt.workspace.ripgrep_window import Window

_NUMBERS = re.compile(rb"(\d+)(?::(\d+):|-)")


class LineReader:
    """Hands each row to its file's window. Rows that are dropped anyway are only counted."""

    def __init__(self, windows: Mapping[bytes, Window], longest: int) -> None:
        self._windows = windows
        self._longest = longest
        self._rest = b""
        only = next(iter(windows.values()))
        self._skimming = only if len(windows) == 1 and only.passing and not only.neighbours else None

    def feed(self, block: bytes) -> bool:
        """Take one block of output; always more is wanted."""
        if self._skimming is not None and (rows := block.count(b"\n")) < self._skimming.passing:
            self._skimming.drop(rows)
            self._rest = block[block.rfind(b"\n") + 1 :] if rows else self._rest + block
            return True
        text = self._rest + block
        if self._skimming is not None:
            text = self._last_skimmed(self._skimming, text)
        start = 0
        while (row_end := text.find(b"\n", start)) >= 0:
            self._row(text[start:row_end])
            start = row_end + 1
        self._rest = text[start:]
        return True

    def _last_skimmed(self, window: Window, text: bytes) -> bytes:
        """What follows the last row before the page; every row is one match here."""
        last = window.passing
        window.drop(last)
        self._skimming = None
        return text.split(b"\n", last)[-1]

    def _row(self, row: bytes) -> None:
        name, separator, rest = row.partition(b"\0")
        window = self._windows.get(name)
        numbers = _NUMBERS.match(rest)
        if not separator or window is None or numbers is None:
            return  # ripgrep's own remarks have no such form
        number, column = int(numbers[1]), int(numbers[2] or 1) - 1
        shown = self._shown(rest[numbers.end() :], column)
        if numbers[2] is not None:
            window.match(number, number, shown)
        window.line(number, shown)

    def _shown(self, line: bytes, column: int) -> Shown:
        if len(line) <= self._longest or column < self._longest:
            return shown_line(line[: self._longest], column)
        return Shown(f"[a match at byte {column + 1:,} of a line of over {self._longest:,} bytes]", cut=True)
