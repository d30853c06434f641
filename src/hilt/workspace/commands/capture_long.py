"""A log that is too long to be made readable whole: the parts of it that may be shown, found in bounded memory."""

from collections.abc import Callable, Iterable
from itertools import islice

from hilt.workspace.commands.capture_choice import BEHIND_ERROR, HALF_LINE, MOST_ERRORS
from hilt.workspace.commands.capture_errors import candidates, candidates_from_end, looks_wrong
from hilt.workspace.commands.capture_text import Changes, Line, readable_lines

WINDOW_BYTES = 32 << 10
SCANNED_BYTES = 4 << 20
"""How far from its start, and from its end, a long log is searched for errors."""
BLOCK_BYTES = 256 << 10
MOST_LOOKED_AT = 4_000
"""Lines of one block that are looked at for holding a word that errors have."""

Read = Callable[[int, int], bytes]
"""Bytes of a log: `read(offset, count)`; fewer only at its end."""


def line_count(raw: bytes) -> int:
    return raw.count(b"\n") + (raw[-1:] not in (b"", b"\n"))


class LongLog:
    """A log that is too long to be made readable whole: its two ends, and what is found between."""

    def __init__(self, read: Read, size: int) -> None:
        self._read = read
        self._size = size
        self.total = 0
        self.unsearched = max(0, size - 2 * SCANNED_BYTES)

    def lines(self, changes: Changes) -> list[Line]:
        """Lines that may be shown, in order, with their numbers in the whole log."""
        around = self._scan()
        head = self._read(0, WINDOW_BYTES)
        tail = self._read(self._size - WINDOW_BYTES, WINDOW_BYTES)
        begun, behind = head.rfind(b"\n") + 1, tail.find(b"\n", 0, -1) + 1
        tail_lines = line_count(tail[behind:]) if behind else 0
        parts = [(head[:begun], 1), *around, (tail[behind:] if behind else b"", self.total - tail_lines + 1)]
        found: dict[int, Line] = {}
        for raw, first in parts:
            for line in readable_lines(raw, first, changes):
                found.setdefault(line.number, line)
        self._giants(found, b"" if begun else head, b"" if behind else tail, changes)
        return [found[number] for number in sorted(found)]

    def _giants(self, found: dict[int, Line], head: bytes, tail: bytes, changes: Changes) -> None:
        """The first and the last line where one is longer than a window: its end that was read."""
        begin = readable_lines(head, 1, Changes())[0].text[:HALF_LINE] if head else ""
        end = readable_lines(tail, 1, Changes())[-1].text[-HALF_LINE:] if tail else ""
        if b"\r" in tail.rstrip(b"\r\n"):  # frames, of which a reader sees the last
            changes.codes = True
            found[self.total] = Line(number=self.total, text=end)
            begin = begin if self.total > 1 else ""
            end = ""
        if begin and end and self.total == 1:
            left_out = self._size - len(begin.encode()) - len(end.encode())
            found[1] = Line(number=1, text=f"{begin} [... {left_out:,} bytes ...] {end}")
            return
        if begin:
            found[1] = Line(number=1, text=f"{begin} [... the line goes on ...]")
        if end:
            found[self.total] = Line(number=self.total, text=f"[... the line began before ...] {end}")

    def _scan(self) -> list[tuple[bytes, int]]:
        """Count the lines; the parts around the first errors and the last, each with its first line's number."""
        found: list[tuple[bytes, int]] = []
        offset = lines = 0
        last = b"\n"
        while block := self._read(offset, BLOCK_BYTES):
            if len(found) < MOST_ERRORS and (offset < SCANNED_BYTES or offset >= self._size - SCANNED_BYTES):
                found += _errors(block, lines, candidates(block), MOST_ERRORS - len(found))
            lines += block.count(b"\n")
            offset += len(block)
            last = block[-1:]
        self.total = lines + (last != b"\n")
        return [*found, *self._last_error(lines)] if len(found) == MOST_ERRORS else found

    def _last_error(self, lines: int) -> list[tuple[bytes, int]]:
        """The part around the last error before the window at the end; `lines` is how many end in the log."""
        end = self._size
        while end > max(0, self._size - SCANNED_BYTES):
            begin = max(0, end - BLOCK_BYTES)
            block = self._read(begin, end - begin)
            lines -= block.count(b"\n")
            searched = block[: max(0, self._size - WINDOW_BYTES - begin)]
            if found := _errors(block, lines, candidates_from_end(searched), 1):
                return found
            end = begin
        return []


def _errors(block: bytes, lines: int, places: Iterable[tuple[int, int]], most: int) -> list[tuple[bytes, int]]:
    """The parts around the first of these lines that look wrong; `lines` end before the block."""
    found: list[tuple[bytes, int]] = []
    covered = -1
    for start, end in islice(places, MOST_LOOKED_AT):
        if start < covered:
            continue
        line = readable_lines(block[start:end][:WINDOW_BYTES], 1, Changes())
        if len(found) == most:
            break
        if not (line and looks_wrong(line[0].text)):
            continue
        first = block.rfind(b"\n", 0, max(0, start - 1)) + 1
        for _ in range(BEHIND_ERROR):
            end = block.find(b"\n", end + 1)
            if end < 0:
                end = len(block)
                break
        covered = end
        found.append((block[first:end][:WINDOW_BYTES], lines + block.count(b"\n", 0, first) + 1))
    return found
