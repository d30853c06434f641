"""A command's output on its way to the log, moved by the kernel; past the most that is kept, its end alone."""

import errno
import os

from hilt.workspace.processes.command import KEPT_BYTES, LAST_BYTES

BLOCK_BYTES = 1 << 20
MOST_BLOCKS_AT_END = 4096
"""A pipe holds less; more comes only from a stranger that was given its end."""
_NOTHING_NOW = (errno.EAGAIN, errno.EINTR)
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


class Drain:
    """Moves what is written to `source` into `log`. `total` counts every byte; `open` until its end.

    `plain` says that `source` is a pipe, whose pages the kernel can move; a terminal is copied.
    """

    def __init__(self, source: int, log: int, *, plain: bool) -> None:
        self.source = source
        self.open = True
        self.total = 0
        self._log = log
        self._plain = plain
        self._splices = plain
        self._kept = 0
        self._full = False
        self._last = b""

    def some(self) -> bool:
        """Move what is there, at most one block; False when there is nothing now or no more."""
        try:
            moved = self._move()
        except OSError as fault:
            if fault.errno in _NOTHING_NOW:
                return False
            if fault.errno == errno.EIO and not self._plain:  # how a terminal says that its other side is closed
                moved = 0
            else:
                raise
        if moved == 0:
            self.open = False
            os.close(self.source)
        self.total += moved
        return moved > 0

    def rest(self) -> None:
        """Move what is there, for nobody is left who could write more; then the end that was kept."""
        for _ in range(MOST_BLOCKS_AT_END):
            if not (self.open and self.some()):
                break
        if self._last:
            note = f"\n[{self.gap_bytes:,} bytes are not kept]\n".encode() if self.gap_bytes else b""
            try:
                os.pwrite(self._log, note + self._last, self._kept)
            except OSError as fault:
                if fault.errno not in _FULL:
                    raise

    @property
    def gap_bytes(self) -> int:
        """Bytes that are nowhere any more."""
        return self.total - self._kept - len(self._last)

    def gap(self) -> dict[str, int] | None:
        """Where the log has a gap, and how many bytes it lacks; None where it is whole."""
        return {"at": self._kept, "bytes": self.gap_bytes} if self.gap_bytes else None

    def type(self, source: int) -> None:
        """Hand what was typed to the terminal."""
        try:
            os.write(self.source, os.read(source, 4096))
        except OSError as fault:
            if fault.errno not in (*_NOTHING_NOW, errno.EIO):
                raise

    def _move(self) -> int:
        if not self._full and self._kept >= KEPT_BYTES:
            self._full = True
        if self._full:
            return self._keep_end(os.read(self.source, BLOCK_BYTES))
        room = min(BLOCK_BYTES, KEPT_BYTES - self._kept)
        try:
            moved = os.splice(self.source, self._log, room) if self._splices else self._copy(room)
        except OSError as fault:
            if fault.errno == errno.EINVAL and self._splices:  # the log's file system cannot
                self._splices = False
                return self._move()
            if fault.errno not in _FULL or (fault.errno == errno.EIO and not self._plain):
                raise
            self._full = True  # what a terminal had to say is lost with the write; a pipe still holds it
            return self._move()
        self._kept += moved
        return moved

    def _copy(self, room: int) -> int:
        block = os.read(self.source, room)
        return os.write(self._log, block) if block else 0

    def _keep_end(self, block: bytes) -> int:
        self._last = (self._last + block)[-LAST_BYTES:]
        return len(block)
