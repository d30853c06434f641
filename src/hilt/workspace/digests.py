"""Content by its digest: the same everywhere a file is compared with what was seen, written or kept of it."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from threading import Condition, Thread
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
        self._begin(after, same)
        first, rest = (buffers[0], buffers[1:]) if buffers else (b"", ())
        self._blocks, self._rest = (lambda: _blocks(first, self._taken)), rest
        self._run_beside(sum(map(len, buffers)))

    @classmethod
    def of_file(cls, descriptor: int, size: int) -> "Hashing":
        """The digest of an open file of so many bytes, read on its own: it need not wait for who reads it too."""
        self = cls.__new__(cls)
        self._begin(None, 0)
        own = os.dup(descriptor)  # whoever opened the file may close it before this is done
        self._blocks, self._rest = (lambda: _blocks_of_file(own)), ()
        self._run_beside(size)
        return self

    def _begin(self, after: "Hashing | None", same: int) -> None:
        self._hash, self._taken = _fresh(), 0
        self._after, self._same = after, same
        self._states: list[HashState] = []
        self._further, self._over = Condition(), False
        self._failed: OSError | None = None
        self._thread: Thread | None = None

    def _run_beside(self, size: int) -> None:
        if size < BESIDE_BYTES:
            self._run()
        else:
            self._thread = Thread(target=self._run, name="hilt-digest", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        """The first buffer goes block by block, the state behind each kept: it is small and copied at once."""
        try:
            if self._after is not None:
                self._hash, self._taken = self._after.begun(self._same)
            for block in self._blocks():
                self._hash.update(block)
                with self._further:
                    self._states.append(self._hash.copy())
                    self._further.notify_all()
            for buffer in self._rest:
                self._hash.update(buffer)
        except OSError as error:
            self._failed = error
        finally:
            with self._further:
                self._over = True
                self._further.notify_all()

    def begun(self, same: int) -> tuple[HashState, int]:
        """A digest of up to the `same` first bytes, and of how many it is. Blocks until so many are worked out."""
        wanted = 0 if self._taken else same // _BLOCK_BYTES
        with self._further:
            self._further.wait_for(lambda: self._over or len(self._states) >= wanted)
        blocks = min(wanted, len(self._states))
        state = self._states[blocks - 1] if blocks else _fresh()
        return state.copy(), blocks * _BLOCK_BYTES

    @property
    def ready(self) -> bool:
        """Whether it can be had without waiting."""
        return self._thread is None or not self._thread.is_alive()

    def hexdigest(self) -> str:
        """The digest; blocks until it is there. Raises OSError where the file could not be read."""
        if self._thread is not None:
            self._thread.join()
        if self._failed is not None:
            raise self._failed
        return self._hash.hexdigest()


def _blocks(buffer: Buffer, start: int) -> Iterator[Buffer]:
    for at in range(start, len(buffer), _BLOCK_BYTES):
        yield memoryview(buffer)[at : at + _BLOCK_BYTES]


def _blocks_of_file(own: int) -> Iterator[Buffer]:
    """Blocks of a file from its start, each until the next is asked for; the descriptor is closed behind the last."""
    buffer = bytearray(_BLOCK_BYTES)
    view, offset = memoryview(buffer), 0
    try:
        while count := os.preadv(own, [buffer], offset):
            yield view[:count]
            offset += count
    finally:
        os.close(own)


def _fresh() -> HashState:
    return hashlib.new(DIGEST, usedforsecurity=False)


def digest(content: bytes) -> str:
    """The digest of content that is at hand. Blocks."""
    return hashlib.new(DIGEST, content, usedforsecurity=False).hexdigest()


def digest_descriptor(descriptor: int) -> str:
    """The digest of an open file from its start to its end now. Blocks; raises OSError."""
    found = _fresh()
    for block in _blocks_of_file(os.dup(descriptor)):
        found.update(block)
    return found.hexdigest()
