"""Finding a tool by words: BM25 over names, descriptions and parameters, best first.

Lexical and nothing more: a need worded without any word of the declaration is not found, and the
words that no tool has are told. A tool's exact name always comes first.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from hilt.declarations.schema import is_array, is_object

SATURATION, LENGTH = 1.2, 0.4
"""BM25's k1 and b, as they were best on 978 real declarations."""
WEIGHTS = {"server": 1.0, "name": 1.5, "description": 1.0, "parameters": 1.0}
SHORTEST_STEM = 4

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+")
_WIDE = re.compile(r"[\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]")
_EMPTY: frozenset[str] = frozenset(
    _WORD.findall(
        "a an and any are as at be by can do for from has have how i if in into is it its me my of on or our "
        "some that the their them then there this to up us use was we what when where which will with you your"
    )
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "ed", "es", "er", "s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One tool as it is searched."""

    server: str
    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Places of the documents that match, best first, and the words of the query that none has."""

    places: tuple[int, ...]
    unmatched: tuple[str, ...]


class Index:
    """Documents read once, to be searched many times."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._names = [(each.name, f"{each.server}/{each.name}") for each in documents]
        self._bags = [_bag(each) for each in documents]
        self._sizes = [sum(bag.values()) for bag in self._bags]
        self._usual = sum(self._sizes) / len(self._sizes) if documents else 1.0
        self._having: dict[str, list[int]] = {}
        for place, bag in enumerate(self._bags):
            for stem in bag:
                self._having.setdefault(stem, []).append(place)

    def find(self, query: str) -> Found:
        """The documents for a query; those that match no word are left out, equal ones keep their order."""
        scores: dict[int, float] = {}
        unmatched: list[str] = []
        for word, stem in _asked(query).items():
            having = self._having.get(stem, ())
            if not having:
                unmatched.append(word)
            for place in having:
                scores[place] = scores.get(place, 0.0) + self._weight(stem, place, len(having))
        exact = {place for place, names in enumerate(self._names) if query.strip() in names}
        ranked = sorted(exact | set(scores), key=lambda place: (place not in exact, -scores.get(place, 0.0), place))
        return Found(places=tuple(ranked), unmatched=() if exact else tuple(unmatched))

    def _weight(self, stem: str, place: int, having: int) -> float:
        rarity = log(1 + (len(self._bags) - having + 0.5) / (having + 0.5))
        often, length = self._bags[place][stem], self._sizes[place] / self._usual
        return rarity * often / (often + SATURATION * (1 - LENGTH + LENGTH * length))


def find(query: str, documents: Sequence[Document]) -> Found:
    """The documents for one query; for many queries make an `Index`."""
    return Index(documents).find(query)


def _asked(query: str) -> dict[str, str]:
    """The words of a query that say something, each with its stem; all of them when none does."""
    words = dict(_stems(query))
    telling = {word: stem for word, stem in words.items() if word not in _EMPTY}
    return telling or words


def _bag(document: Document) -> Mapping[str, float]:
    texts = {
        "server": document.server,
        "name": document.name,
        "description": document.description,
        "parameters": " ".join(_schema_words(document.parameters)),
    }
    weighed: dict[str, float] = {}
    for part, text in texts.items():
        bag = Counter(stem for word, stem in _stems(text) if word not in _EMPTY)
        for stem, times in bag.items():
            weighed[stem] = weighed.get(stem, 0.0) + WEIGHTS[part] * times
    return weighed


def _schema_words(node: object) -> Iterator[str]:
    """Names, descriptions and choices of a schema."""
    if not is_object(node):
        return
    if isinstance(text := node.get("description"), str):
        yield text
    if is_array(choices := node.get("enum")):
        yield from (each for each in choices if isinstance(each, str))
    if is_object(properties := node.get("properties")):
        for name, child in properties.items():
            yield name
            yield from _schema_words(child)
    yield from _schema_words(node.get("items"))


def _stems(text: str) -> Iterator[tuple[str, str]]:
    """Words of names and prose, each with its stem; of writing without spaces, every two characters."""
    for word in _WORD.findall(text):
        if _WIDE.match(word):
            pairs = [word[place : place + 2] for place in range(max(len(word) - 1, 1))]
            yield from ((pair, pair) for pair in pairs)
        else:
            lower = word.lower()
            yield lower, _stem(lower)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_STEM - 1:
            left = word[: -len(ending)]
            return left + "y" if ending == "ies" else left.removesuffix("e")
    return word.removesuffix("e") if len(word) > SHORTEST_STEM else word
