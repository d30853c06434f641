"""Where the lines of a large file begin: newlines counted once, remembered sparsely.

One number for each 256 KiB block (30 KB for a file of 1 GB) finds any line by reading one block.
Counting is `bytearray.count` over a reused buffer: mapping the file would keep all of it resident,
and iterating lines takes twice as long.
"""

import threading
import time
from array import array
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from hilt.workspace.handles import FileVersion

BLOCK_BYTES = 256 * 1024

COUNTED_BYTES = 8 * 1024**3
"""Beyond so many bytes lines are counted only as far as the page needs."""

MOST_INDEXES = 64
_SETTLED_NS = 2_000_000_000


class Readable(Protocol):
    """Bytes that can be read at any place."""

    @property
    def size(self) -> int:
        """Bytes in all."""
        ...

    def read_into(self, buffer: memoryview, offset: int) -> int:
        """Fill `buffer` from `offset`; the number of bytes read, 0 at the end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LineIndex:
    """The newlines of one file. `before[k]` of them come before block k; `covered` bytes were counted."""

    before: "array[int]"
    newlines: int
    covered: int
    complete: bool
    open_end: bool

    @property
    def total(self) -> int:
        """The number of lines in the bytes counted; a last one without its ending counts."""
        return self.newlines + self.open_end

    def start(self, source: Readable, line: int) -> int:
        """The offset of the first byte of `line`, from 1 to `total`."""
        wanted = line - 1
        if wanted == 0:
            return 0
        block = bisect_left(self.before, wanted) - 1
        buffer = bytearray(BLOCK_BYTES)
        got = fill(source, memoryview(buffer), block * BLOCK_BYTES)
        return block * BLOCK_BYTES + _nth_newline(buffer, got, wanted - self.before[block]) + 1

    def end(self, source: Readable, line: int) -> int:
        """The offset behind the last byte of `line`, its LF not counted."""
        return self.covered if line > self.newlines else self.start(source, line + 1) - 1


def build(source: Readable, *, needed: int) -> LineIndex:
    """Count the newlines of `source`: all of them, or in a huge file as far as line `needed`."""
    before = array("Q")
    newlines = offset = 0
    buffer = bytearray(BLOCK_BYTES)
    view = memoryview(buffer)
    last = 0x0A
    while offset < source.size and (offset < COUNTED_BYTES or newlines < needed):
        got = fill(source, view[: min(BLOCK_BYTES, source.size - offset)], offset)
        if not got:
            break
        before.append(newlines)
        newlines += buffer.count(0x0A, 0, got)
        last = buffer[got - 1]
        offset += got
        if got < BLOCK_BYTES:
            break
    return LineIndex(
        before=before, newlines=newlines, covered=offset, complete=offset >= source.size, open_end=last != 0x0A
    )


def fill(source: Readable, view: memoryview, offset: int) -> int:
    """Read until `view` is full or the bytes end."""
    got = source.read_into(view, offset)
    while 0 < got < len(view):
        more = source.read_into(view[got:], offset + got)
        if not more:
            break
        got += more
    return got


def _nth_newline(buffer: bytearray, size: int, number: int) -> int:
    """The place of the `number`th LF (from 1), by halving: each half is counted, never scanned in Python."""
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        first_half = buffer.count(0x0A, low, middle)
        if first_half >= number:
            high = middle
        else:
            number -= first_half
            low = middle
    return low


class IndexCache:
    """The indexes of the files read last. A file written to has another version, so no stale hit.

    A file that changed within the last two seconds is not kept: a second change in the same tick
    of the file system's clock could not be told from the first.
    """

    def __init__(self, most: int = MOST_INDEXES) -> None:
        self._most = most
        self._indexes: OrderedDict[FileVersion, LineIndex] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, version: FileVersion) -> LineIndex | None:
        """The index of exactly this version."""
        with self._lock:
            if version in self._indexes:
                self._indexes.move_to_end(version)
            return self._indexes.get(version)

    def put(self, version: FileVersion, index: LineIndex) -> None:
        """Keep a complete index of a file that has settled."""
        if not index.complete or time.time_ns() - max(version.mtime_ns, version.ctime_ns) < _SETTLED_NS:
            return
        with self._lock:
            self._indexes[version] = index
            while len(self._indexes) > self._most:
                self._indexes.popitem(last=False)
