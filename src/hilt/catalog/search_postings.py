"""Which tools have which stem, and what each gains by it: the part of BM25F that is worked out once."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log

from hilt.catalog.search_document import Document, bag
from hilt.catalog.search_query import Concept
from hilt.catalog.search_words import stem, stems

SATURATION, LENGTH = 1.2, 0.4
"""BM25's k1 and b, as they were best on 978 real declarations."""
NOTABLE = 0.25
"""The share of a name from which a word counts as part of it."""
KEPT = 100_000
"""Tools in the lists that are kept for words asked before; words of needs repeat."""
PREFIX, SHORTEST_PREFIX = 0.6, 3
"""What a stem counts that only begins like a word that no tool has, and how long that word must be."""


@dataclass(frozen=True, slots=True)
class Posting:
    """The tools that have one stem, in order, and what each gains by it."""

    # Quoted, for Python 3.11 has no subscript for arrays.
    places: "array[int]" = field(default_factory=lambda: array("I"))
    gains: "array[float]" = field(default_factory=lambda: array("d"))

    def append(self, place: int, gain: float) -> None:
        """Add the next tool."""
        self.places.append(place)
        self.gains.append(gain)


Gains = tuple[tuple[int, ...], tuple[float, ...]]
"""Tools, each once, and what each gains: tuples, which are read faster than arrays."""


class Postings:
    """Every stem of some documents, and those of their names apart."""

    def __init__(self, documents: Sequence[Document], later: Sequence[float]) -> None:
        """Read the documents; `later` is a trifle that each gains less, so that no two gain the same."""
        self._count = len(documents)
        self._all = _all(documents)
        self._names = self._of_names(documents)
        for each, posting in self._all.items():
            rarity = self._rarity(each)
            raised = [gain * rarity - later[place] for place, gain in zip(posting.places, posting.gains, strict=True)]
            posting.gains[:] = array("d", raised)
        self._sorted: list[str] | None = None
        self._kept: dict[str, tuple[Gains, Gains]] = {}
        self._room = KEPT

    def best(self, concept: Concept) -> tuple[Gains, Gains]:
        """The tools that have anything of a concept, with what the best of it counts; and how much of a name it is."""
        found = self._kept.get(concept.key)
        if found is None:
            found = self._best(concept), self._named(concept)
            self._room -= len(found[0][0])
            if self._room < 0:
                self._kept, self._room = {}, KEPT
            self._kept[concept.key] = found
        return found

    def _best(self, concept: Concept) -> Gains:
        known = {each: weight for each, weight in concept.stems.items() if each in self._all}
        best: dict[int, float] = {}
        for each, weight in (known or dict.fromkeys(self._beginning_with(concept), PREFIX)).items():
            posting = self._all[each]
            for place, gain in zip(posting.places, posting.gains, strict=True):
                score = weight * gain
                if score > best.get(place, 0.0):
                    best[place] = score
        return tuple(best), tuple(best.values())

    def _named(self, concept: Concept) -> Gains:
        """The tools in whose names a concept is a good part, by rarity, and how much of it."""
        shares: dict[int, float] = {}
        for each in concept.stems.keys() & self._names.keys():
            posting, weight = self._names[each], concept.stems[each]
            for place, share in zip(posting.places, posting.gains, strict=True):
                shares[place] = shares.get(place, 0.0) + weight * share
        notable = {place: share for place, share in shares.items() if share >= NOTABLE}
        return tuple(notable), tuple(notable.values())

    def having(self, each: str) -> Sequence[int]:
        """The tools that have a stem."""
        posting = self._all.get(each)
        return posting.places if posting else ()

    def _rarity(self, each: str) -> float:
        having = len(self._all[each].places)
        return log(1 + (self._count - having + 0.5) / (having + 0.5))

    def _beginning_with(self, concept: Concept) -> Iterator[str]:
        """Stems that begin like a word that no tool has, such as a short form."""
        own = stem(concept.word)
        if len(own) < SHORTEST_PREFIX or own not in concept.stems:
            return
        if self._sorted is None:
            self._sorted = sorted(self._all)
        for place in range(bisect_left(self._sorted, own), len(self._sorted)):
            if not self._sorted[place].startswith(own):
                return
            yield self._sorted[place]

    def _of_names(self, documents: Sequence[Document]) -> dict[str, Posting]:
        found: dict[str, Posting] = {}
        for place, document in enumerate(documents):
            rarities = {each: self._rarity(each) for each in stems(document.name)}
            whole = sum(rarities.values())
            for each, rarity in rarities.items():
                found.setdefault(each, Posting()).append(place, rarity / whole)
        return found


def _all(documents: Sequence[Document]) -> dict[str, Posting]:
    bags = [bag(each) for each in documents]
    sizes = [sum(each.values()) for each in bags]
    usual = sum(sizes) / len(sizes) if sizes and sum(sizes) else 1.0
    found: dict[str, Posting] = {}
    for place, (each, size) in enumerate(zip(bags, sizes, strict=True)):
        longer = SATURATION * (1 - LENGTH + LENGTH * size / usual)
        for own, often in each.items():
            found.setdefault(own, Posting()).append(place, often / (often + longer))
    return found
