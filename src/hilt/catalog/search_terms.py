"""Chinese words and what they are called in English, so that a Chinese need finds an English declaration.

Written for Hilt: general words of computing, offices and the web. The longest word wins, as a reader's eye does it.
"""

from collections.abc import Iterator, Mapping
from functools import cache

from hilt.catalog import search_terms_acts, search_terms_code, search_terms_things
from hilt.catalog.search_words import is_wide, words

LONGEST_TERM = 6
"""Characters of the longest word that is looked for."""


@cache
def terms() -> Mapping[str, tuple[str, ...]]:
    """Every word, and what it is called; nothing for a word that says nothing of a tool."""
    found: dict[str, tuple[str, ...]] = {}
    for module in (search_terms_acts, search_terms_things, search_terms_code):
        for line in filter(None, module.TERMS.splitlines()):
            said, _, meant = line.partition("=")
            for each in said.split():
                found[each] = tuple(dict.fromkeys((*found.get(each, ()), *meant.split())))
    return found


def segments(run: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """The words of a run of wide writing with what they are called; None for a stretch that is not known."""
    known, unknown, place = terms(), "", 0
    while place < len(run):
        length = next((size for size in range(LONGEST_TERM, 0, -1) if run[place : place + size] in known), 0)
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


def gloss(text: str) -> str:
    """A text with each Chinese word in English, for what reads English alone."""
    said: list[str] = []
    for word in words(text):
        if not is_wide(word):
            said.append(word)
            continue
        said += [meant[0] for _, meant in segments(word) if meant]
    return " ".join(said)
