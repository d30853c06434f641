"""Chinese words and what they are called in English, so that a Chinese need finds an English declaration.

Written for Hilt: general words of computing, offices and the web. The longest word wins, as a reader's eye does it.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from hilt.catalog import (
    search_terms_acts,
    search_terms_code,
    search_terms_offices,
    search_terms_systems,
    search_terms_things,
)
from hilt.catalog.search_words import is_wide, words

_TABLES = (search_terms_acts, search_terms_things, search_terms_code, search_terms_systems, search_terms_offices)
LONGEST_TERM = 6
"""Characters of the longest word that is looked for."""
SHORTEST_COMPOUND = 4
"""Characters of a word that may be made of two; most words have two characters."""


@cache
def terms() -> Mapping[str, tuple[str, ...]]:
    """Every word, and what it is called; nothing for a word that says nothing of a tool."""
    found: dict[str, tuple[str, ...]] = {}
    for module in _TABLES:
        for line in filter(None, module.TERMS.splitlines()):
            said, _, meant = line.partition("=")
            for each in said.split():
                found[each] = tuple(dict.fromkeys((*found.get(each, ()), *meant.split())))
    return found


def segments(run: str, longest: int = LONGEST_TERM) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """The words of a run of wide writing with what they are called; None for a stretch that is not known."""
    known, unknown, place = terms(), "", 0
    while place < len(run):
        length = next((size for size in range(longest, 0, -1) if run[place : place + size] in known), 0)
        if length == 0:
            unknown, place = unknown + run[place], place + 1
            continue
        if unknown:
            yield unknown, None
            unknown = ""
        word = run[place : place + length]
        yield word, known[word]
        place += length
    if unknown:
        yield unknown, None


def parts(word: str) -> list[tuple[str, tuple[str, ...]]]:
    """The words that a compound is made of, such as an act and its thing; nothing where it is none."""
    if len(word) < SHORTEST_COMPOUND:
        return []
    found = [(part, meant) for part, meant in segments(word, len(word) - 1) if meant is not None]
    whole = sum(len(part) for part, _ in found) == len(word)
    return (
        [each for each in found if each[1]]
        if whole and all(len(part) > 1 or not meant for part, meant in found)
        else []
    )


def gloss(text: str) -> str:
    """A text with each Chinese word in English, for what reads English alone."""
    said: list[str] = []
    for word in words(text):
        if not is_wide(word):
            said.append(word)
            continue
        said += [meant[0] for _, meant in segments(word) if meant]
    return " ".join(said)
