"""What of a command's output is shown: all of it when short, else its start, its first errors and its end.

A log of any size is read in blocks, so that memory stays bounded. Which lines were left out is
said where they are missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hilt.workspace.commands.capture_choice import LONGEST_LINE, Choice
from hilt.workspace.commands.capture_long import WINDOW_BYTES, LongLog, Read, line_count
from hilt.workspace.commands.capture_text import Changes, Line, readable_lines

SHOWN_BYTES = 8_000
"""Output up to this length is shown whole."""
LAST_LINES = 10
"""Lines that are shown of what was stopped."""
WHOLE_BYTES = 256 << 10
"""A log up to this length is made readable as a whole; of a longer one only the parts that may be shown."""
BINARY_FROM, BINARY_SHOWN = 1_000, 240
"""Characters from which on an output that is mostly no text is not shown whole, and what is shown of it."""
LONGER_BYTES, LONGER_LINES = 1 << 20, 20_000
"""The same for a log whose lines are few for its length: it is bounded by both."""


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
    raw = read(0, size) if size <= LONGER_BYTES else b""
    if size <= WHOLE_BYTES or (raw and raw.count(b"\n") <= LONGER_LINES):
        lines = readable_lines(raw, 1, changes)
        total = line_count(raw)
        text = "\n".join(line.text for line in lines)
        if _is_binary(text, changes):
            return _binary(text, total, size, changes)
        if len(text.encode("utf-8", "replace")) <= SHOWN_BYTES:
            return Capture(text=text, lines=total, bytes=size, shown=total, changes=changes)
        return _cut(Choice(lines, total), total, size, raw[:WINDOW_BYTES], changes=changes)
    log = LongLog(read, size)
    chosen = Choice(log.lines(changes), log.total)
    if _is_binary(text := chosen.text(), changes):
        return _binary(text, log.total, size, changes)
    return _cut(chosen, log.total, size, read(0, WINDOW_BYTES), changes=changes, unsearched=log.unsearched)


def _is_binary(text: str, changes: Changes) -> bool:
    """Whether a text of some length is mostly escapes: nothing to read, and dear to a model."""
    escapes = text.count("\\x") if changes.odd_bytes else 0
    return len(text) > BINARY_FROM and escapes * 2 * len("\\xNN") > len(text)


def _binary(text: str, total: int, size: int, changes: Changes) -> Capture:
    text = f"{text[:BINARY_SHOWN]}\n[... most of the {size:,} bytes are no text ...]"
    odd = Changes(odd_bytes=changes.odd_bytes)
    return Capture(text=text, lines=total, bytes=size, shown=0, changes=odd, cut=True)


def _cut(chosen: Choice, total: int, size: int, head: bytes, *, changes: Changes, unsearched: int = 0) -> Capture:
    return Capture(
        text=chosen.text(),
        lines=total,
        bytes=size,
        shown=sum(line.stands_for for line in chosen.shown),
        changes=changes,
        cut=True,
        resume=_first_gap(chosen.shown, head),
        unsearched=unsearched,
    )


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
