"""What a server writes, cut into messages with bounded memory; what is none is told apart."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hilt.adapters.mcp_frames import FrameFault, RequestId, read_frame

HEAD_BYTES = 4_096
"""Bytes at the start of a message too long, in which its id is looked for."""
TAIL_BYTES = 256
"""Bytes at its end, where servers in JavaScript write the id."""
SKIPPED_TIMES = 4
"""A line this many times the bound long is taken to be endless."""
MOST_UNASKED = 50_000
"""Messages and stray lines nobody asked for within `UNASKED_S`; beyond them the server floods."""
UNASKED_S = 10.0
MOST_LINES = 8
"""Last lines of a server that are kept for people."""
LINE_CHARS = 300
MOST_PIECE = 8_192
"""Bytes at the end of what it writes at once that are looked at for lines."""

_LAST_ID = re.compile(rb'[{,]\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$')


class Endless(Exception):
    """A line goes on and on."""


@dataclass(frozen=True, slots=True)
class Oversize:
    """A line that was too long, and the id it seems to have."""

    id: RequestId | None


class Frames:
    """Cuts bytes into lines of at most `longest`; of a longer one only its two ends are kept."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._head = b""
        self._skipped = 0

    def feed(self, piece: bytes) -> Iterator[bytes | Oversize]:
        """The lines that `piece` completes. Raises Endless."""
        self._buffer += piece
        start = 0
        while (end := self._buffer.find(b"\n", max(start, self._searched))) >= 0:
            yield self._whole(bytes(self._buffer[start:end]))
            start = self._searched = end + 1
        del self._buffer[:start]
        if len(self._buffer) > self._longest or self._skipped:
            self._skip()
        self._searched = len(self._buffer)

    def _whole(self, line: bytes) -> bytes | Oversize:
        if not self._skipped and len(line) <= self._longest:
            return line
        head, self._head, self._skipped = self._head or line[:HEAD_BYTES], b"", 0
        return Oversize(_id_of(head, line[-TAIL_BYTES:]))

    def _skip(self) -> None:
        """Let go of all but the ends of a line that is too long."""
        if not self._skipped:
            self._head = bytes(self._buffer[:HEAD_BYTES])
        self._skipped += max(len(self._buffer) - TAIL_BYTES, 0)
        del self._buffer[:-TAIL_BYTES]
        if self._skipped > self._longest * SKIPPED_TIMES:
            raise Endless


def _id_of(head: bytes, tail: bytes) -> RequestId | None:
    try:
        read_frame(head)
    except FrameFault as fault:
        if fault.id is not None:
            return fault.id
    found = _LAST_ID.search(tail)
    return int(found[1]) if found else None


class Flood:
    """Notes whether a server writes more than anybody asked for."""

    words = f"it floods: over {MOST_UNASKED:,} messages nobody asked for"

    def __init__(self) -> None:
        self._begun = 0
        self._until = 0.0

    def is_over(self, unasked: int, now: float) -> bool:
        """Whether so many unasked messages by now are too many."""
        if now > self._until:
            self._begun, self._until = unasked, now + UNASKED_S
        return unasked - self._begun > MOST_UNASKED


class LastLines:
    """The last lines of a server, each cut, without secrets."""

    def __init__(self, mask: Callable[[str], str]) -> None:
        self._mask = mask
        self._lines: deque[tuple[str, bytes]] = deque(maxlen=MOST_LINES)
        self._rest = b""
        self._lacks_start = False

    def __iter__(self) -> Iterator[str]:
        return iter([origin + text for origin, line in self._lines if (text := self._shown(line))])

    def _shown(self, line: bytes) -> str:
        text = self._mask(line.decode("utf-8", "replace")).strip()
        plain = "".join(each if each.isprintable() else " " for each in text)
        return plain if len(plain) <= LINE_CHARS else plain[: LINE_CHARS - 3] + "..."

    def feed(self, piece: bytes) -> None:
        """Take in what it wrote to its standard error. Of much at once only the end is looked at."""
        text = self._rest + piece
        if len(text) > MOST_PIECE:
            text, self._lacks_start = text[-MOST_PIECE:], True
        *lines, self._rest = text.split(b"\n")
        for line in lines:
            if not self._lacks_start:  # a secret that lacks its start would not be known as one
                self.add(line)
            self._lacks_start = False

    def end(self) -> None:
        """The last line may lack its line feed."""
        if not self._lacks_start:
            self.add(self._rest)
        self._rest, self._lacks_start = b"", False

    def add(self, line: bytes, *, origin: str = "") -> None:
        """One whole line."""
        if line.strip():
            self._lines.append((origin, line[: LINE_CHARS * 4]))
