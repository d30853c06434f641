"""What a query asks for, as concepts: each word with what it may stand for, so that a tool is counted once for each.

Words in groups, phrases of several words, values that show their kind (an address, a file's name), Chinese words
through the table of terms, and `+must` words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hilt.catalog.search_groups import Alternatives, alternatives
from hilt.catalog.search_phrases import LONGEST_PHRASE, phrase_beginnings, phrases
from hilt.catalog.search_terms import gloss, parts, segments
from hilt.catalog.search_words import EMPTY, WIDE, is_wide, pairs, stem, words

LONGEST_QUERY = 2_000
"""Characters of a query that are read; a need is a sentence or two."""
MEANT, ALSO_MEANT = 1.0, 0.8
"""What the first word counts that a phrase, a Chinese word or a value's kind stands for, and what the others do."""

KEPT = 4_096
"""Words whose concepts are kept for the next query."""

_VALUED, _WIDE = re.compile(r"[@/.*:\d]"), re.compile(f"[{WIDE}]")
"""What a text has where a value could be in it, and where it is not English."""
_MUST = re.compile(r"(?:(?<=\s)|^)\+(?=\w)(\S+)")
_ENDINGS = "txt|md|json|ya?ml|toml|csv|log|py|[jt]sx?|html?|css|pdf|docx?|xlsx?|bib|ini|xml"
_KINDS = (
    (re.compile(r"\S+@\S+\.\w+"), ("email", "recipient")),
    (re.compile(r"https?://\S+"), ("url", "page")),
    (re.compile(r"\b[A-Z][A-Z0-9]+-\d+\b"), ("issue", "key")),
    (re.compile(r"\b[A-Z]{1,2}\d+:[A-Z]{1,2}\d+\b"), ("range", "cell")),
    (re.compile(r"\b\d{4}\.\d{4,5}\b"), ("paper", "arxiv")),
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4,12})*\b"), ("id",)),
    (re.compile(r"\b\d{4}-\d{2}-\d{2}\b"), ("date",)),
    (re.compile(r"(?<!\S)\*+\.\w+"), ("pattern", "glob", "file")),
    (re.compile(r"(?<!\S)(?:~|\.{0,2})/[\w./-]+"), ("path", "file")),
    (re.compile(rf"\b[\w-]+\.(?:{_ENDINGS})\b"), ("file", "path")),
)
"""Values whose form says what they are; the words inside say nothing of which tool is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """One thing asked for: the word as it was written, and the stems that may stand for it with what each counts.

    `key` is the same for concepts of the same stems, so that what was found for one can be kept.
    """

    word: str
    stems: Alternatives
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query, read: what is asked for, the words that a tool must have, the whole in English, and its bare letters."""

    concepts: tuple[Concept, ...]
    must: tuple[tuple[str, frozenset[str]], ...]
    english: str
    plain: str


def read_query(query: str) -> Asked:
    """Read a query. Raises nothing."""
    text = query[:LONGEST_QUERY]
    must: tuple[tuple[str, frozenset[str]], ...] = ()
    if "+" in text:
        must = tuple((word, frozenset(_literal(word))) for word in _MUST.findall(text))
        text = _MUST.sub(r"\1", text)
    rest, valued = _values(text) if _VALUED.search(text) else (text, [])
    said = list(words(rest))
    concepts = [*_concepts(said), *valued] or [
        Concept(word=each, stems={stem(each): 1.0}, key=f"empty {each}") for each in said if not is_wide(each)
    ]
    english = gloss(rest) if _WIDE.search(rest) else text
    distinct = {each.key: each for each in concepts}
    return Asked(concepts=tuple(distinct.values()), must=must, english=english, plain="".join(said))


def _values(text: str) -> tuple[str, list[Concept]]:
    """The text without values that show their kind, and what kinds they are."""
    found: list[Concept] = []
    for kind, meant in _KINDS:
        values = dict.fromkeys(kind.findall(text))
        found += [Concept(word=each, stems=_meant(meant), key=f"value {meant[0]}") for each in values]
        text = kind.sub(" ", text)
    return text, found


def _literal(word: str) -> Iterator[str]:
    """What a tool must have for a word, taken at its word; a Chinese one may be met in English."""
    for each in words(word):
        if not is_wide(each):
            yield stem(each)
            continue
        yield from pairs(each)
        for _, meant in segments(each):
            yield from map(stem, meant or ())


def _concepts(said: Sequence[str]) -> list[Concept]:
    beginnings, found, place = phrase_beginnings(), list[Concept](), 0
    while place < len(said):
        word = said[place]
        length = _phrase_at(said, place) if word in beginnings else 0
        if length:
            found += _phrase(tuple(said[place : place + length]))
        elif word not in EMPTY:
            found += _word(word)
        place += length or 1
    return found


def _phrase_at(said: Sequence[str], place: int) -> int:
    """How many words from here on are one phrase; 0 where none is."""
    known = phrases()
    return next((size for size in range(LONGEST_PHRASE, 1, -1) if tuple(said[place : place + size]) in known), 0)


@lru_cache(maxsize=KEPT)
def _phrase(said: tuple[str, ...]) -> tuple[Concept, ...]:
    meant, counts = phrases()[said]
    own = Concept(word=" ".join(said), stems=_meant(meant), key=" ".join(said))
    return (own, *(each for word in said for each in _word(word))) if counts else (own,)


@lru_cache(maxsize=KEPT)
def _word(word: str) -> tuple[Concept, ...]:
    if is_wide(word):
        return _wide(word)
    if word in EMPTY or (len(word) == 1 and word.isascii()):
        return ()
    own = stem(word)
    return (Concept(word=word, stems={**alternatives().get(own, {}), own: 1.0}, key=own),)


def _wide(run: str) -> tuple[Concept, ...]:
    """The words of a Chinese run: what each is called, or itself where a declaration is written like it.

    What a compound is made of counts as well. So do pairs across two words, which are no word and are not missed.
    """
    found: list[Concept] = []
    inside: set[str] = set()
    for word, meant in segments(run):
        own = pairs(word) if len(word) > 1 or meant is None else []
        inside.update(own)
        if meant != ():
            found.append(Concept(word=word, stems={**_meant(meant or ()), **dict.fromkeys(own, 1.0)}, key=word))
        found += [Concept(word=part, stems=_meant(called), key=f"part {part}") for part, called in parts(word)]
    across = [each for each in pairs(run) if each not in inside]
    return (*found, *(Concept(word="", stems={each: 1.0}, key=f"across {each}") for each in across))


def _meant(meant: Sequence[str]) -> Alternatives:
    """Stems of what is meant, the first most."""
    counted: dict[str, float] = {}
    for number, each in enumerate(meant):
        for piece in words(each):
            counted.setdefault(stem(piece), ALSO_MEANT if number else MEANT)
    return counted
