"""Nearness in meaning: the cosine of a query's vector with every tool's, all at once and without numpy.

Vectors are small whole numbers. One dimension of all tools is one long integer, a lane of 32 bits a tool; to multiply
it by a small number is one pass in C. A hundred dimensions of a thousand tools take a fifth of a millisecond so.
"""

from array import array
from collections.abc import Sequence
from math import sqrt
from sys import byteorder
from typing import Protocol

LANE = 4
"""Bytes of a lane; 512 dimensions of products below 2**16 would still fit."""
SHIFT = 128
"""Added to every number, so that all are positive and no lane borrows from its neighbour."""


class Meaning(Protocol):
    """What turns texts into vectors of signed bytes, of any length that is always the same.

    `weight` is what a cosine of 1 counts beside the best score by words; it was measured, and belongs to the model.
    """

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def weight(self) -> float:
        """What a cosine of 1 counts, where the best score by words counts 1."""
        ...

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        """A vector for each text; zeros where nothing is known of it."""
        ...


class Nearness:
    """The vectors of all tools, laid so that one query is compared with all."""

    def __init__(self, vectors: Sequence[bytes]) -> None:
        self._count = len(vectors)
        self._dimensions = len(vectors[0]) if vectors else 0
        signed = [memoryview(each).cast("b") for each in vectors]
        self._sums = [sum(each) for each in signed]
        self._lengths = [sqrt(sum(number * number for number in each)) for each in signed]
        whole = b"".join(vectors)
        self._columns = [shifted(whole[place :: self._dimensions]) for place in range(self._dimensions)]

    def cosines(self, vector: bytes) -> list[float]:
        """The cosine with each tool, 0 where either says nothing."""
        asked = list(memoryview(vector).cast("b"))
        length = sqrt(sum(number * number for number in asked))
        if length == 0 or len(asked) != self._dimensions:
            return [0.0] * self._count
        total = 0
        for number, column in zip(asked, self._columns, strict=True):
            total += (number + SHIFT) * column
        products = array("I", total.to_bytes(self._count * LANE, byteorder))
        # (q + s)(v + s) summed is qv + s(sum q + sum v) + s*s*dimensions
        own = SHIFT * sum(asked) + SHIFT * SHIFT * self._dimensions
        return [
            (product - own - SHIFT * summed) / (length * size) if size else 0.0
            for product, summed, size in zip(products, self._sums, self._lengths, strict=True)
        ]


def shifted(numbers: bytes) -> int:
    """Signed bytes as one integer, each with `SHIFT` added, one a lane."""
    return int.from_bytes(array("I", list(numbers.translate(_SHIFTED))).tobytes(), byteorder)


_SHIFTED = bytes((number + SHIFT) % 256 for number in range(256))
