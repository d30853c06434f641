"""Content by its digest: the same everywhere a file is compared with what was seen, written or kept of it."""

import hashlib
import os
from collections.abc import Sequence
from threading import Thread

DIGEST = "sha256"
"""The quickest of the careful ones where processors know it; `blake2b` took half as long again."""

BESIDE_BYTES = 1 << 20
"""From this size a digest is worked out in a thread of its own, beside the reading or writing."""

_BLOCK_BYTES = 1 << 20

Buffer = bytes | bytearray | memoryview


class Hashing:
    """A digest being worked out; of large content beside whatever else is done."""

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        self._hash = hashlib.new(DIGEST, usedforsecurity=False)
        self._buffers = buffers
        self._thread: Thread | None = None
        if sum(map(len, buffers)) < BESIDE_BYTES:
            self._run()
        else:
            self._thread = Thread(target=self._run, name="hilt-digest", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        for buffer in self._buffers:
            self._hash.update(buffer)

    @property
    def ready(self) -> bool:
        """Whether it can be had without waiting."""
        return self._thread is None or not self._thread.is_alive()

    def hexdigest(self) -> str:
        """The digest; blocks until it is there."""
        if self._thread is not None:
            self._thread.join()
        return self._hash.hexdigest()


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
