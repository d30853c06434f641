"""Content by its digest: the same everywhere a file is compared with what was seen, written or kept of it."""

import hashlib
import os
from collections.abc import Sequence
from threading import Thread
from typing import Protocol, Self

DIGEST = "sha256"
"""The quickest of the careful ones where processors know it; `blake2b` took half as long again."""

BESIDE_BYTES = 1 << 20
"""From this size a digest is worked out in a thread of its own, beside the reading or writing."""

_BLOCK_BYTES = 1 << 20

Buffer = bytes | bytearray | memoryview


class HashState(Protocol):
    """What `hashlib` makes, which has no public name there."""

    def update(self, content: Buffer, /) -> None: ...

    def copy(self) -> Self: ...

    def hexdigest(self) -> str: ...


class Hashing:
    """A digest being worked out; of large content beside whatever else is done.

    The `same` first bytes, within the first buffer, are those of `after`, whose work on them is taken over.
    """

    def __init__(self, buffers: Sequence[Buffer], *, after: "Hashing | None" = None, same: int = 0) -> None:
        self._hash, self._taken = _fresh(), 0
        self._after, self._same = after, same
        self._states: list[HashState] = []
        self._buffers = buffers
        self._thread: Thread | None = None
        if sum(map(len, buffers)) < BESIDE_BYTES:
            self._run()
        else:
            self._thread = Thread(target=self._run, name="hilt-digest", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """The first buffer goes block by block, the state behind each kept: it is small and copied at once."""
        if self._after is not None:
            self._hash, self._taken = self._after.begun(self._same)
        for number, buffer in enumerate(self._buffers):
            if number:
                self._hash.update(buffer)
                continue
            for start in range(self._taken, len(buffer), _BLOCK_BYTES):
                self._hash.update(memoryview(buffer)[start : start + _BLOCK_BYTES])
                self._states.append(self._hash.copy())

    def begun(self, same: int) -> tuple[HashState, int]:
        """A digest of up to the `same` first bytes, and of how many it is. Blocks until its own are all worked out."""
        self.hexdigest()
        blocks = 0 if self._taken else min(same // _BLOCK_BYTES, len(self._states))
        state = self._states[blocks - 1] if blocks else _fresh()
        return state.copy(), blocks * _BLOCK_BYTES

    @property
    def ready(self) -> bool:
        """Whether it can be had without waiting."""
        return self._thread is None or not self._thread.is_alive()

    def hexdigest(self) -> str:
        """The digest; blocks until it is there."""
        if self._thread is not None:
            self._thread.join()
        return self._hash.hexdigest()


def _fresh() -> HashState:
    return hashlib.new(DIGEST, usedforsecurity=False)


def digest(content: bytes) -> str:
    """The digest of content that is at hand. Blocks."""
    return hashlib.new(DIGEST, content, usedforsecurity=False).hexdigest()


def digest_descriptor(descriptor: int) -> str:
    """The digest of an open file from its start to its end now. Blocks; raises OSError."""
    found = hashlib.new(DIGEST, usedforsecurity=False)
    buffer = bytearray(_BLOCK_BYTES)
    view = memoryview(buffer)
    offset = 0
    while count := os.preadv(descriptor, [buffer], offset):
        found.update(view[:count])
        offset += count
    return found.hexdigest()
