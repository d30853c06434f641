"""A page of lines from a file of any size: the lines wanted, exact numbers, the exact total.

Memory is a few blocks whatever the size; a second page of the same file reads two blocks. A line
too long to be shown whole ends its page, with the column at which to go on: whoever follows the
pages gets every byte once. Showing more lines behind it would leave its rest to whoever remembers.
"""

from dataclasses import dataclass

from hilt.results.counting import utf8_length
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.encodings import Encoding
from hilt.workspace.handles import FileHandle, FileVersion, Source
from hilt.workspace.line_index import BLOCK_BYTES, IndexCache, LineIndex, build, fill
from hilt.workspace.text import boundary, decode

PSEUDO_BYTES = 1024 * 1024
"""The most that is read of a file that states no size, as those in /proc."""

WIDE_BYTES = 64 * 1024**2
"""The largest file of 16 or 32 bit text, which has to be converted whole."""

_WINDOW_BYTES = 64 * 1024
_NUMBER_BYTES = 8
_LONGEST_CHARACTER = 4
_indexes = IndexCache()


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Which lines to read: at most `lines` from `first` (from 1), in at most `page_bytes` bytes.

    A line longer than `line_bytes` is cut there and ends the page, unless it is all that is asked
    for. `column` bytes of the first line are left out; only that line is read then. Columns are the
    file's own bytes, or UTF-8 where its encoding is of 16 or 32 bits; both bounds are of what is shown.
    """

    first: int
    lines: int
    column: int
    line_bytes: int
    page_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line without its ending.

    `text` is `length` bytes of it; `column` bytes come before, `more` after. `escaped` bytes that
    are no text of the encoding stand in `text` as `\\xe9`.
    """

    number: int
    text: str
    length: int
    column: int
    more: int
    escaped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What was read of a file of `size` bytes (where it states none: as many as were read).

    `total` lines are exact where `counted_all`. `unread`: bytes remain that cannot be reached,
    behind PSEUDO_BYTES of a file that states no size. `changed`: it was written to meanwhile.
    `start` is the byte of the file the lines begin at, where it was not converted.
    """

    lines: tuple[Line, ...]
    total: int
    size: int
    counted_all: bool
    unread: bool
    changed: bool
    start: int = 0


@dataclass(frozen=True, slots=True)
class _Memory:
    """Bytes already read, as a Readable."""

    content: bytes

    @property
    def size(self) -> int:
        return len(self.content)

    def read_into(self, buffer: memoryview, offset: int) -> int:
        part = self.content[offset : offset + len(buffer)]
        buffer[: len(part)] = part
        return len(part)


@dataclass(frozen=True, slots=True)
class _Opened:
    """An open file behind its byte order mark, up to the size it had, as a Readable."""

    source: Source
    mark: int
    size: int

    def read_into(self, buffer: memoryview, offset: int) -> int:
        return self.source.read_into(buffer, offset + self.mark)


async def read_lines(file: FileHandle, encoding: Encoding, wanted: Range) -> Page:
    """Read a page in one hop. Raises InvalidArguments past the end, EnvironmentFailure over WIDE_BYTES."""
    return await file.work(lambda source: _page(source, file.path, encoding, wanted))


async def count_lines(file: FileHandle, encoding: Encoding) -> int:
    """The exact number of lines of a file. Raises EnvironmentFailure over WIDE_BYTES."""
    wanted = Range(first=1, lines=0, column=0, line_bytes=0, page_bytes=0)
    return (await read_lines(file, encoding, wanted)).total


def _page(source: Source, path: str, encoding: Encoding, wanted: Range) -> Page:
    version = source.version()
    readable, complete = _readable(source, version, path, encoding)
    index = _index(readable, version, encoding, wanted)
    text_encoding = "utf-8" if encoding.wide else encoding.name
    lines, start = _read(readable, index, text_encoding, wanted, path) if wanted.lines else ((), 0)
    return Page(
        lines=lines,
        total=index.total,
        size=version.size if isinstance(readable, _Opened) or encoding.wide else readable.size + encoding.mark,
        counted_all=complete and index.complete,
        unread=not complete,
        changed=source.version() != version,
        start=start + encoding.mark,
    )


def _readable(source: Source, version: FileVersion, path: str, encoding: Encoding) -> tuple[_Memory | _Opened, bool]:
    """What to read lines from, and whether that is all of the file."""
    if encoding.wide:
        if version.size > WIDE_BYTES:
            raise EnvironmentFailure(
                f"{path} is {encoding.name} text of {version.size:,} bytes; the largest that is read is {WIDE_BYTES:,}",
                "convert it to UTF-8 first, for example with iconv",
            )
        text, _ = decode(source.read(WIDE_BYTES, encoding.mark), encoding.name)
        return _Memory(text.encode()), True
    if version.size > BLOCK_BYTES:
        return _Opened(source, encoding.mark, version.size - encoding.mark), True
    content = source.read(PSEUDO_BYTES + 1, 0)
    return _Memory(content[encoding.mark : PSEUDO_BYTES]), len(content) <= PSEUDO_BYTES


def _index(readable: _Memory | _Opened, version: FileVersion, encoding: Encoding, wanted: Range) -> LineIndex:
    if isinstance(readable, _Memory) or encoding.mark:
        return build(readable, needed=wanted.first)
    known = _indexes.get(version)
    if known is None:
        known = build(readable, needed=wanted.first)
        _indexes.put(version, known)
    return known


def _read(
    readable: _Memory | _Opened, index: LineIndex, encoding: str, wanted: Range, path: str
) -> tuple[tuple[Line, ...], int]:
    """The lines, and the byte they begin at."""
    if index.total == 0 and wanted.first == 1 and not wanted.column:
        return (), 0
    if wanted.first > index.total:
        raise InvalidArguments(
            f"offset {wanted.first:,} is past the end: {path} has {index.total:,} lines",
            f"give an offset of at most {max(index.total, 1)}",
        )
    count = 1 if wanted.column else min(wanted.lines, index.total - wanted.first + 1)
    most = wanted.page_bytes if count == 1 else min(wanted.line_bytes, wanted.page_bytes)
    walk = _Walk(readable, index, wanted.first)
    if wanted.column:
        walk.skip(wanted.column, encoding)
    lines: list[Line] = []
    start = walk.offset
    room = wanted.page_bytes
    for _ in range(count):
        line, cost = walk.take(most, encoding)
        if lines and cost > room:
            break
        room -= cost
        lines.append(line)
        if line.more:
            break
    return tuple(lines), start


class _Walk:
    """Goes from line to line. A window of the bytes ahead is read at a time; a longer line is jumped over."""

    def __init__(self, readable: _Memory | _Opened, index: LineIndex, line: int) -> None:
        self._readable = readable
        self._index = index
        self._line = line
        self.offset = self._base = index.start(readable, line)
        self._column = 0
        self._window = b""

    def skip(self, column: int, encoding: str) -> None:
        """Leave out the first bytes of the line, back to a character's start where that would cut one."""
        start = self.offset
        length = self._end_of_text(self._index.end(self._readable, self._line)) - start
        if column >= length:
            raise InvalidArguments(
                f"column {column:,} is past the end: line {self._line:,} has {length:,} bytes",
                f"give a column below {length}, or leave it out to read the line from its start",
            )
        if encoding == "utf-8":
            before = min(column, _LONGEST_CHARACTER)
            column += boundary(self._bytes(start + column - before, 2 * _LONGEST_CHARACTER), before) - before
        self._column = column
        self.offset = start + column

    def take(self, most: int, encoding: str) -> tuple[Line, int]:
        """The next line, as much of it as is at most `most` bytes when shown, and what it costs of the page."""
        end = self._line_end()
        length = self._end_of_text(end) - self.offset
        content = self._bytes(self.offset, min(length, most + _LONGEST_CHARACTER))
        cut = boundary(content, most, encoding) if length > most else length
        text, escaped = decode(content[:cut], encoding)
        while (shown := utf8_length(text)) > most:  # escapes, and characters of two bytes in other encodings, grow
            cut = max(boundary(content, cut * most // shown, encoding), 1)
            text, escaped = decode(content[:cut], encoding)
        line = Line(number=self._line, text=text, length=cut, column=self._column, more=length - cut, escaped=escaped)
        self._line += 1
        self._column = 0
        self.offset = end + 1
        return line, shown + _NUMBER_BYTES

    def _line_end(self) -> int:
        """The offset of this line's LF, or of the end of the bytes."""
        at = self._window.find(b"\n", self.offset - self._base)
        if at < 0:
            self._base = self.offset
            self._window = b""
            self._window = self._bytes(self.offset, _WINDOW_BYTES)
            at = self._window.find(b"\n")
        return self._base + at if at >= 0 else self._index.end(self._readable, self._line)

    def _end_of_text(self, end: int) -> int:
        """Without the CR that belongs to the ending."""
        ended = self._line <= self._index.newlines and end > self.offset
        return end - 1 if ended and self._bytes(end - 1, 1) == b"\r" else end

    def _bytes(self, offset: int, size: int) -> bytes:
        at = offset - self._base
        if at >= 0 and at + size <= len(self._window):
            return self._window[at : at + size]
        buffer = bytearray(size)
        return bytes(buffer[: fill(self._readable, memoryview(buffer), offset)])
