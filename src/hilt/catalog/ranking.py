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


def find(query: str, documents: Sequence[Document]) -> Found:
    """The documents for a query; those that match no word are left out, equal ones keep their order."""
    bags = [_bag(each) for each in documents]
    sizes = [sum(bag.values()) for bag in bags]
    usual = sum(sizes) / len(sizes) if sizes else 1.0
    scores = [0.0] * len(documents)
    unmatched: list[str] = []
    for word, stem in _asked(query).items():
        having = [place for place, bag in enumerate(bags) if stem in bag]
        if not having:
            unmatched.append(word)
            continue
        rarity = log(1 + (len(bags) - len(having) + 0.5) / (len(having) + 0.5))
        for place in having:
            often = bags[place][stem]
            scores[place] += rarity * often / (often + SATURATION * (1 - LENGTH + LENGTH * sizes[place] / usual))
    exact = {
        place for place, each in enumerate(documents) if query.strip() in (each.name, f"{each.server}/{each.name}")
    }
    matching = [place for place, score in enumerate(scores) if score > 0 or place in exact]
    ranked = sorted(matching, key=lambda place: (place not in exact, -scores[place]))
    return Found(places=tuple(ranked), unmatched=() if exact else tuple(unmatched))


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
