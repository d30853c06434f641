"""What of a command's output is shown: all of it when short, else its start, its first errors and its end.

A log of any size is read in blocks, so that memory stays bounded. Which lines were left out is
said where they are missing.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hilt.workspace.commands.capture_errors import candidates, looks_wrong
from hilt.workspace.commands.capture_text import Changes, Line, readable_lines

SHOWN_BYTES = 8_000
"""Output up to this length is shown whole."""
HEAD_BYTES, HEAD_LINES = 400, 6
ERROR_BYTES, MOST_ERRORS = 1_400, 4
TAIL_BYTES, TAIL_LINES = 1_400, 25
BEFORE_ERROR, BEHIND_ERROR = 1, 4
LAST_LINES = 10
"""Lines that are shown of what was stopped."""
LONGEST_LINE, HALF_LINE = 480, 200
"""Characters from which on a line is shown by its two ends, and of each of these."""
WHOLE_BYTES = 256 << 10
"""A log up to this length is made readable as a whole; of a longer one only the parts that are shown."""
WINDOW_BYTES = 32 << 10
SCANNED_BYTES = 4 << 20
"""How far from its start, and from its end, a long log is searched for errors."""
BLOCK_BYTES = 256 << 10

Read = Callable[[int, int], bytes]
"""Bytes of a log: `read(offset, count)`; fewer only at its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """Output as shown. `lines` and `bytes` count all of it, `shown` the lines that are there.

    `resume` is the offset in the log from which on something is missing, `unsearched` how many
    bytes nobody looked for errors in.
    """

    text: str
    lines: int
    bytes: int
    shown: int
    changes: Changes
    cut: bool = False
    resume: int = 0
    unsearched: int = 0


def capture(read: Read, size: int) -> Capture:
    """Read a log and choose what is shown of it. Blocks; hand a large one to a thread."""
    changes = Changes()
    if size <= WHOLE_BYTES:
        raw = read(0, size)
        lines = readable_lines(raw, 1, changes)
        total = _line_count(raw)
        text = "\n".join(line.text for line in lines)
        if len(text.encode("utf-8", "replace")) <= SHOWN_BYTES:
            return Capture(text=text, lines=total, bytes=size, shown=total, changes=changes)
        return _cut(_choose(lines), total, size, raw[:WINDOW_BYTES], changes=changes)
    log = _Long(read, size)
    chosen = _choose(log.lines(changes))
    return _cut(chosen, log.total, size, read(0, WINDOW_BYTES), changes=changes, unsearched=log.unsearched)


def _line_count(raw: bytes) -> int:
    return raw.count(b"\n") + (raw[-1:] not in (b"", b"\n"))


def _cut(
    chosen: Sequence[Line], total: int, size: int, head: bytes, *, changes: Changes, unsearched: int = 0
) -> Capture:
    return Capture(
        text="\n".join(_with_gaps(chosen, total)),
        lines=total,
        bytes=size,
        shown=sum(line.stands_for for line in chosen),
        changes=changes,
        cut=True,
        resume=_first_gap(chosen, head),
        unsearched=unsearched,
    )


def _choose(lines: Sequence[Line]) -> list[Line]:
    """The start, the first lines that look like errors with what stands around them, and the end."""
    picked = set(_within(range(len(lines)), lines, HEAD_BYTES, HEAD_LINES))
    ending = _within(range(len(lines) - 1, -1, -1), lines, TAIL_BYTES, TAIL_LINES)
    errors, room = 0, ERROR_BYTES
    for place in range(len(picked), min(ending, default=0)):
        if errors == MOST_ERRORS or room <= 0:
            break
        if place in picked or not looks_wrong(lines[place].text):
            continue
        errors += 1
        around = range(max(0, place - BEFORE_ERROR), min(len(lines), place + BEHIND_ERROR + 1))
        for near in _within([place, *around], lines, room, len(lines)):
            room -= 0 if near in picked else len(shortened(lines[near].text))
            picked.add(near)
    return [lines[place] for place in sorted({*picked, *ending})]


def _within(places: Iterable[int], lines: Sequence[Line], most_bytes: int, most_lines: int) -> list[int]:
    """The first of these places that keep within both bounds, at least one."""
    found: list[int] = []
    for place in places:
        most_bytes -= len(shortened(lines[place].text)) + 1
        if found and (most_bytes < 0 or len(found) == most_lines):
            break
        found.append(place)
    return found


def shortened(text: str) -> str:
    """A line that is too long without its middle, which is told."""
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:HALF_LINE]} [... {len(text) - 2 * HALF_LINE:,} characters ...] {text[-HALF_LINE:]}"


def _with_gaps(lines: Sequence[Line], total: int) -> Iterable[str]:
    at = 1
    for line in lines:
        if line.number > at:
            yield _gap(line.number - at)
        yield shortened(line.text)
        at = line.number + line.stands_for
    if at <= total:
        yield _gap(total + 1 - at)


def _gap(count: int) -> str:
    return f"[... {count:,} {'line' if count == 1 else 'lines'} left out ...]"


def _first_gap(lines: Sequence[Line], head: bytes) -> int:
    """The offset behind the lines at the start that are shown without a gap."""
    at = 1
    for line in lines:
        if line.number != at or len(line.text) > LONGEST_LINE:
            break
        at += line.stands_for
    offset = 0
    for _ in range(at - 1):
        end = head.find(b"\n", offset)
        if end < 0:
            break
        offset = end + 1
    return offset


class _Long:
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
        begun, behind = head.rfind(b"\n") + 1, tail.find(b"\n") + 1
        tail_lines = _line_count(tail[behind:]) if behind else 0
        parts = [(head[:begun], 1), *around, (tail[behind:] if behind else b"", self.total - tail_lines + 1)]
        found: dict[int, Line] = {}
        for raw, first in parts:
            for line in readable_lines(raw, first, changes):
                found.setdefault(line.number, line)
        self._giants(found, b"" if begun else head, b"" if behind else tail)
        return [found[number] for number in sorted(found)]

    def _giants(self, found: dict[int, Line], head: bytes, tail: bytes) -> None:
        """The first and the last line where one is longer than a window: its end that was read."""
        begin = readable_lines(head, 1, Changes())[0].text[:HALF_LINE] if head else ""
        end = readable_lines(tail, 1, Changes())[-1].text[-HALF_LINE:] if tail else ""
        if begin and end and self.total == 1:
            left_out = self._size - len(begin.encode()) - len(end.encode())
            found[1] = Line(number=1, text=f"{begin} [... {left_out:,} bytes ...] {end}")
            return
        if begin:
            found[1] = Line(number=1, text=f"{begin} [... the line goes on ...]")
        if end:
            found[self.total] = Line(number=self.total, text=f"[... the line began before ...] {end}")

    def _scan(self) -> list[tuple[bytes, int]]:
        """Count the lines; the parts around the first errors, each with the number of its first line."""
        found: list[tuple[bytes, int]] = []
        offset = lines = 0
        last = b"\n"
        while block := self._read(offset, BLOCK_BYTES):
            if len(found) < MOST_ERRORS and (offset < SCANNED_BYTES or offset >= self._size - SCANNED_BYTES):
                found += self._errors(block, lines, MOST_ERRORS - len(found))
            lines += block.count(b"\n")
            offset += len(block)
            last = block[-1:]
        self.total = lines + (last != b"\n")
        return found

    def _errors(self, block: bytes, lines: int, most: int) -> list[tuple[bytes, int]]:
        found: list[tuple[bytes, int]] = []
        for start, end in candidates(block):
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
            found.append((block[first:end][:WINDOW_BYTES], lines + block.count(b"\n", 0, first) + 1))
        return found
