"""What `Workspace.open` hands out: an open file, its facts, and reads that never block the loop.

A handle is bound to the file it opened, not to its name. Each operation is one hop into a thread;
work of many reads is passed whole as a function of a `Source`.
"""

import os
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import TypeVar

from hilt.results.failures import EnvironmentFailure
from hilt.workspace.threads import while_waited_for
from hilt.workspace.wording import system_failure

Outcome = TypeVar("Outcome")

BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """Which bytes a name stood for: another value means the file may have changed. Times in ns."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class Source:
    """Positioned, blocking reads of one open file. For use inside `FileHandle.work` only."""

    def __init__(self, descriptor: int, pulse: Callable[[], None]) -> None:
        self.descriptor = descriptor
        self.pulse = pulse

    def read_into(self, buffer: bytearray | memoryview, offset: int) -> int:
        """Fill `buffer` from byte `offset`; the number of bytes read, 0 at the end.

        Ends the work between blocks when nobody waits for it any more. Raises OSError.
        """
        self.pulse()
        return os.preadv(self.descriptor, [buffer], offset)

    def read(self, size: int, offset: int) -> bytes:
        """Up to `size` bytes from byte `offset`; fewer only at the end of the file."""
        parts: list[bytes] = []
        while size > 0:
            self.pulse()
            part = os.pread(self.descriptor, min(size, BLOCK_BYTES), offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            size -= len(part)
        return b"".join(parts)

    def version(self) -> FileVersion:
        """The file as it is now."""
        return version_of(os.fstat(self.descriptor))


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHandle:
    """One open regular file inside the workspace.

    `path` is the text asked for, `real` the canonical path of what was opened, `version` its state
    at opening, `mode` and `links` as the file system gives them. A `size` of 0 proves nothing in
    `/proc`: only reading does.
    """

    path: str
    real: str
    version: FileVersion
    mode: int
    links: int
    descriptor: int

    @property
    def size(self) -> int:
        return self.version.size

    @property
    def mtime_ns(self) -> int:
        return self.version.mtime_ns

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode: the same file whatever its name."""
        return self.version.device, self.version.inode

    async def work(self, action: Callable[[Source], Outcome]) -> Outcome:
        """Run `action` in a thread with this file's Source. OSError becomes a ToolFailure."""
        try:
            return await while_waited_for(lambda pulse: action(Source(self.descriptor, pulse)))
        except BlockingIOError:
            raise EnvironmentFailure(
                f"{self.path} is a stream that has nothing to read now",
                "use another file, or a command that waits for it",
            ) from None
        except OSError as error:
            raise system_failure(self.path, error) from None

    async def read_at(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from byte `offset`; fewer only at the end of the file."""
        return await self.work(lambda source: source.read(size, offset))

    async def blocks(self, size: int = BLOCK_BYTES) -> AsyncGenerator[bytes, None]:
        """The whole file from its start, `size` bytes at a time."""
        offset = 0
        while block := await self.read_at(offset, size):
            yield block
            offset += len(block)

    async def current_version(self) -> FileVersion:
        """The open file's state now; unlike `version` when it was written to since."""
        return await self.work(lambda source: source.version())


def version_of(found: os.stat_result) -> FileVersion:
    return FileVersion(
        device=found.st_dev,
        inode=found.st_ino,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        ctime_ns=found.st_ctime_ns,
    )
