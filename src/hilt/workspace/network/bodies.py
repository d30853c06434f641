"""The bytes of an answer, unpacked within a bound: a small body may unpack to gigabytes."""

import zlib
from collections.abc import AsyncIterator

from hilt.results.failures import EnvironmentFailure, Retryable

ACCEPTED = "gzip, deflate"
"""Encodings asked for: those that can be unpacked a little at a time, in bounded memory."""

_ANY_HEADER = zlib.MAX_WBITS | 32


class TooLarge(Exception):
    """A body goes on past the bound; `piece` is what still fits."""

    def __init__(self, piece: bytes) -> None:
        super().__init__()
        self.piece = piece


class Unpacker:
    """Undoes a content encoding, never giving more than is asked for."""

    def __init__(self, encoding: str) -> None:
        self._names = [name for part in encoding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
        if len(self._names) > 1 or not set(self._names) <= {"gzip", "x-gzip", "deflate"}:
            raise EnvironmentFailure(
                f"the server packed the page as {encoding[:60]!r}, although only {ACCEPTED} was asked for",
                "fetch another source",
            )
        self._packed = bool(self._names)
        self._began = False
        self._inner = zlib.decompressobj(_ANY_HEADER)

    def unpack(self, chunk: bytes, most: int) -> bytes:
        """What `chunk` adds, if it is at most `most` bytes; raises TooLarge where it is more."""
        if not self._packed:
            if len(chunk) > most:
                raise TooLarge(chunk[:most])
            return chunk
        out = bytearray()
        while chunk:
            out += self._piece(chunk, most + 1 - len(out))
            if len(out) > most:
                raise TooLarge(bytes(out[:most]))
            chunk = self._rest(chunk)
        return bytes(out)

    @property
    def whole(self) -> bool:
        """Whether the packed stream came to its end."""
        return not self._packed or not self._began or self._inner.eof

    def _piece(self, chunk: bytes, most: int) -> bytes:
        try:
            piece = self._inner.decompress(chunk, most)
        except zlib.error as error:
            if self._began or self._names != ["deflate"]:
                raise EnvironmentFailure(
                    f"the page is packed and cannot be unpacked: {error}", "fetch another source"
                ) from None
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)  # what many servers mean by deflate
            self._began = True
            return self._piece(chunk, most)
        self._began = True
        return piece

    def _rest(self, chunk: bytes) -> bytes:
        """What of `chunk` is still to be unpacked: of the same stream, or of one that follows it."""
        if not self._inner.eof:
            return self._inner.unconsumed_tail
        rest = self._inner.unused_data
        if rest and len(rest) < len(chunk) and self._names != ["deflate"]:
            self._inner = zlib.decompressobj(_ANY_HEADER)
            return rest
        return b""


async def read_body(chunks: AsyncIterator[bytes], unpacker: Unpacker, most: int) -> tuple[bytes, bool]:
    """The body up to `most` bytes, and whether that is all of it. Raises Retryable for one that broke off."""
    body = bytearray()
    async for chunk in chunks:
        room = most - len(body)
        try:
            body += unpacker.unpack(chunk, room)
        except TooLarge as cut:
            return bytes(body + cut.piece), False
    if not unpacker.whole:
        raise Retryable("the packed page ended in its middle", "call again", "fetch another source")
    return bytes(body), True
