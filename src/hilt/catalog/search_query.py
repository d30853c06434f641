"""What a query asks for, as concepts: each word with what it may stand for, so that a tool is counted once for each.

Words in groups, phrases of several words, values that show their kind (an address, a file's name), Chinese words
through the table of terms, and `+must` words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hilt.catalog.search_groups import Alternatives, alternatives
from hilt.catalog.search_phrases import LONGEST_PHRASE, phrases
from hilt.catalog.search_terms import gloss, segments
from hilt.catalog.search_words import EMPTY, is_wide, pairs, stem, words

LONGEST_QUERY = 2_000
"""Characters of a query that are read; a need is a sentence or two."""
MEANT, ALSO_MEANT = 1.0, 0.8
"""What the first word counts that a phrase, a Chinese word or a value's kind stands for, and what the others do."""

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
    """One thing asked for: the word as it was written, and the stems that may stand for it with what each counts."""

    word: str
    stems: Alternatives


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query, read: what is asked for, the words that a tool must have, and the whole in English."""

    concepts: tuple[Concept, ...]
    must: tuple[tuple[str, frozenset[str]], ...]
    english: str


def read_query(query: str) -> Asked:
    """Read a query. Raises nothing."""
    text = query[:LONGEST_QUERY]
    must = tuple((word, frozenset(_literal(word))) for word in _MUST.findall(text))
    plain = _MUST.sub(r"\1", text)
    valued: list[Concept] = []
    rest = plain
    for kind, meant in _KINDS:
        valued += [Concept(word=value, stems=_meant(meant)) for value in dict.fromkeys(kind.findall(rest))]
        rest = kind.sub(" ", rest)
    said = list(words(rest))
    telling = [each for each in said if each not in EMPTY and not (len(each) == 1 and each.isascii())]
    concepts = list(_concepts(said)) or [
        Concept(word=each, stems={stem(each): 1.0}) for each in said if not is_wide(each)
    ]
    english = gloss(rest) if any(map(is_wide, telling)) else " ".join(plain.split())
    return Asked(concepts=_distinct([*concepts, *valued]), must=must, english=english)


def _literal(word: str) -> Iterator[str]:
    """What a tool must have for a word, taken at its word; a Chinese one may be met in English."""
    for each in words(word):
        if not is_wide(each):
            yield stem(each)
            continue
        yield from pairs(each)
        for _, meant in segments(each):
            yield from map(stem, meant or ())


def _concepts(said: Sequence[str]) -> Iterator[Concept]:
    place = 0
    while place < len(said):
        if is_wide(said[place]):
            yield from _wide(said[place])
            place += 1
            continue
        length = _phrase_at(said, place)
        if length == 0:
            yield from _word(said[place])
            place += 1
            continue
        phrase = tuple(said[place : place + length])
        meant, counts = phrases()[phrase]
        yield Concept(word=" ".join(phrase), stems=_meant(meant))
        for each in phrase if counts else ():
            yield from _word(each)
        place += length


def _phrase_at(said: Sequence[str], place: int) -> int:
    """How many words from here on are one phrase; 0 where none is."""
    known = phrases()
    return next((size for size in range(LONGEST_PHRASE, 1, -1) if tuple(said[place : place + size]) in known), 0)


def _word(word: str) -> Iterator[Concept]:
    if word in EMPTY or (len(word) == 1 and word.isascii()):
        return
    own = stem(word)
    yield Concept(word=word, stems={**alternatives().get(own, {}), own: 1.0})


def _wide(run: str) -> Iterator[Concept]:
    """The words of a Chinese run: what each is called, or itself where a declaration is written like it."""
    for word, meant in segments(run):
        if meant == ():
            continue
        own = dict.fromkeys(pairs(word), 1.0) if len(word) > 1 or meant is None else {}
        yield Concept(word=word, stems={**_meant(meant or ()), **own})


def _meant(meant: Sequence[str]) -> Alternatives:
    """Stems of what is meant, the first most."""
    counted: dict[str, float] = {}
    for number, each in enumerate(meant):
        for piece in words(each):
            counted.setdefault(stem(piece), ALSO_MEANT if number else MEANT)
    return counted


def _distinct(concepts: Sequence[Concept]) -> tuple[Concept, ...]:
    """Each concept once: a word said twice is one thing asked for."""
    return tuple({(each.word, *each.stems): each for each in concepts}.values())
