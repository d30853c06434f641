"""Where a document's bytes come from: positioned reads of something that is already open."""

import io
from collections.abc import Callable
from dataclasses import dataclass

BUFFER_BYTES = 1 << 16


class BeforeBeginning(OSError):
    """A broken list of parts points before the document."""


class Stream(io.RawIOBase):
    """A seekable stream over positioned reads, so that only what a reader needs is read."""

    def __init__(self, read: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._read = read
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # typeshed has WriteableBuffer, which has no name at run time
        content = self._read(len(buffer), self._at)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise BeforeBeginning("a position before the beginning")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One document. `name` is what a model calls it, `head` its first bytes.

    `read(size, offset)` blocks and raises the cancellation of the waiting call. `codec` is how text
    formats are decoded behind `mark` bytes, None where the bytes are no text; `told` names it where
    that is worth saying.
    """

    name: str
    size: int
    head: bytes
    read: Callable[[int, int], bytes]
    codec: str | None = None
    mark: int = 0
    told: str = ""

    def stream(self) -> io.BufferedReader:
        """The document from its start."""
        return io.BufferedReader(Stream(self.read, self.size), BUFFER_BYTES)

    def whole(self, most: int) -> bytes:
        """All of it, or its first `most` bytes."""
        return self.read(min(self.size, most), 0)
