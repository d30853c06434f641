"""A static table of word pieces: the vector of a text is the sum of those of its pieces, with nothing to run.

The table was distilled from a sentence model (see `NOTICE` beside it and `scripts/distil_wordpieces.py`). Vectors are
added as long integers, a lane for each dimension, which costs a text of fifty words some ten microseconds.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from sys import byteorder

from hilt.catalog.nearness import LANE, SHIFT, shifted

HEADER = 8
"""Bytes before the pieces: how many bytes of names follow, and how many dimensions a vector has."""
LONGEST_WORD = 100
"""Characters of a word that are looked up in pieces; a longer one is no word."""
KEPT_WORDS = 8_192
"""Words whose vectors are kept for the next time."""
FULL = 127
"""The largest number of a vector."""
INSIDE = "##"
"""Before a piece that goes on with a word."""

_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")


def split_words(text: str) -> list[str]:
    """Words and signs of a text as the model's own vocabulary has them: lower case, no accents."""
    lower = unicodedata.normalize("NFD", text.lower())
    return _WORD.findall("".join(each for each in lower if unicodedata.category(each) != "Mn"))


def pieces_of(word: str, known: Mapping[str, int]) -> Iterator[int]:
    """The numbers of the longest known pieces of a word from its start; nothing where they do not cover it."""
    found: list[int] = []
    start = 0
    while start < len(word) <= LONGEST_WORD:
        mark = INSIDE if start else ""
        end = next((end for end in range(len(word), start, -1) if mark + word[start:end] in known), 0)
        if end == 0:
            return
        found.append(known[mark + word[start:end]])
        start = end
    yield from found


class Wordpieces:
    """The table, which is a `Meaning`."""

    name = "static"

    def __init__(self, content: bytes, *, weight: float) -> None:
        """Read a table; the bytes are those of the file, unpacked."""
        named = int.from_bytes(content[:4], "little")
        self._dimensions = int.from_bytes(content[4:HEADER], "little")
        names = content[HEADER : HEADER + named].decode().split("\n")
        self._known = {name: number for number, name in enumerate(names)}
        self._vectors = content[HEADER + named :]
        self._word = lru_cache(maxsize=KEPT_WORDS)(self._summed)
        self.weight = weight

    @property
    def pieces(self) -> Mapping[str, int]:
        """The number of each word piece, as the model that the table was distilled from numbers them."""
        return self._known

    def vectors(self, texts: Sequence[str]) -> Sequence[bytes]:
        """A vector for each text; zeros where no word of it is known."""
        return [self._vector(each) for each in texts]

    def _vector(self, text: str) -> bytes:
        total, count = 0, 0
        for word in split_words(text):
            summed, pieces = self._word(word)
            total, count = total + summed, count + pieces
        lanes = array("I", total.to_bytes(self._dimensions * LANE, byteorder))
        numbers = [lane - count * SHIFT for lane in lanes]
        largest = max(map(abs, numbers)) or 1
        return array("b", [number * FULL // largest for number in numbers]).tobytes()

    def _summed(self, word: str) -> tuple[int, int]:
        """The vectors of a word's pieces in one integer, each number shifted to be positive, and how many they are."""
        total, count = 0, 0
        for number in pieces_of(word, self._known):
            row = self._vectors[number * self._dimensions : (number + 1) * self._dimensions]
            total, count = total + shifted(row), count + 1
        return total, count
