"""One change of a file at a time: in this process in the order they came, and among processes.

The lock is on the open file (`flock`), so nothing is left when a process dies, and no lock file
lies about. Programs that do not ask for it are not held off; what they write is noticed instead.
"""

import errno
import fcntl
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from threading import Event

from anyio import Lock

from hilt.results.failures import Retryable
from hilt.workspace.names import visible

LOCK_WAIT_S = 10.0
"""Seconds a change waits for another process that changes the same file."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.0005, 0.02
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL, errno.EBADF)
"""What file systems say that know no such lock; there the check right before the change is all there is."""


class PathLocks:
    """First come, first served, for each key; a key nobody holds takes no room."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[Lock, int]] = {}

    @asynccontextmanager
    async def hold(self, key: str) -> AsyncGenerator[None, None]:
        """Hold `key` for the block."""
        lock, users = self._locks.get(key, (Lock(), 0))
        self._locks[key] = (lock, users + 1)
        try:
            async with lock:
                yield
        finally:
            lock, users = self._locks[key]
            if users == 1:
                del self._locks[key]
            else:
                self._locks[key] = (lock, users - 1)


def lock_descriptor(descriptor: int, asked: str, given_up: Event) -> None:
    """Lock an open file against other openings of it, until it is closed. Blocks; Retryable after LOCK_WAIT_S."""
    end = time.monotonic() + LOCK_WAIT_S
    pause = _FIRST_PAUSE_S
    while not _locked(descriptor):
        if given_up.is_set() or time.monotonic() > end:
            raise Retryable(
                f"{visible(asked)} is being changed by another process, for more than {LOCK_WAIT_S:g} s",
                "call again in a moment",
                retry_after_s=LOCK_WAIT_S,
            )
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
    return True
