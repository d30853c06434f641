r"""Characters that a person cannot see, or takes for others: which they are, where they stand, how they are shown.

Honest writing of any language has none: joiners between letters that need them, and the selector behind a
symbol that says whether it is drawn in colour, are let through.
"""

import unicodedata
from collections.abc import Iterator

MOST_NAMED = 4
"""Characters that are named; of more, how many there are."""

_PLAIN_CONTROLS = "\t\n\r"
_JOINERS = "\u200c\u200d"
_UNSEEN = ("Cc", "Cf", "Co", "Zl", "Zp")
_UNSEEN_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Letters, marks and symbols of no shape."""
_SELECTORS = ("\u180b", "\u180f"), ("\ufe00", "\ufe0f"), ("\U000e0100", "\U000e01ef")
"""First and last of each row of variation selectors: nothing is drawn for them, so anything can be written in them."""
_DRAWN = "\ufe0e\ufe0f"
"""Selectors of text and of colour, which stand behind a symbol once."""
_TAGS = "\U000e0000", "\U000e0fff"
"""First and last of a plane's corner in which nothing has a shape."""
_KEYCAPS = "#*0123456789"
_ALIKE = ("CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN")
"""Scripts with letters that look like Latin ones."""
_DISTINCT = frozenset(
    "\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9\u03b2\u03b3\u03b4\u03b5\u03b6\u03b8\u03bb\u03bc\u03be\u03c0\u03c3\u03c6\u03c8\u03c9"
)
"""Greek letters that nobody takes for Latin ones, and that names in science mix with them."""


def hidden_points(text: str) -> list[str]:
    """The characters of a text that deceive, each with its place from 1, the first few by name.

    >>> hidden_points("pay\\u202edocs")
    ['U+202E RIGHT-TO-LEFT OVERRIDE at 4']
    """
    return named_points(text, sorted({*unseen(text), *mixed(text)}))


def named_points(text: str, places: list[int]) -> list[str]:
    """Characters of a text by their code points, the first few."""
    points = [f"{_called(text[place])} at {place + 1}" for place in places[:MOST_NAMED]]
    more = len(places) - MOST_NAMED
    return [*points, *([f"and {more} more"] if more > 0 else [])]


def unseen(text: str) -> Iterator[int]:
    """Places of characters that nobody sees."""
    if text.isascii() and text.isprintable():
        return
    for place, character in enumerate(text):
        if _hides(character) and not _needed(text, place):
            yield place


def mixed(text: str) -> Iterator[int]:
    """Places of letters of another script inside a word that also has Latin ones."""
    if text.isascii():
        return
    start = 0
    for place in range(len(text) + 1):
        if place < len(text) and text[place].isalpha():
            continue
        word = text[start:place]
        if not word.isascii() and any(_script(each) == "LATIN" for each in word):
            yield from (start + at for at, each in enumerate(word) if _script(each) in _ALIKE and each not in _DISTINCT)
        start = place + 1


def shown(text: str) -> str:
    """A text with every character that nobody sees as its code point.

    >>> shown("a\\u200bb")
    'a<U+200B>b'
    """
    places = set(unseen(text))
    if not places:
        return text
    return "".join(f"<U+{ord(each):04X}>" if place in places else each for place, each in enumerate(text))


def _hides(character: str) -> bool:
    if character.isascii():
        return not character.isprintable() and character not in _PLAIN_CONTROLS
    return (
        character in _UNSEEN_LETTERS
        or unicodedata.category(character) in _UNSEEN
        or _selects(character)
        or _TAGS[0] <= character <= _TAGS[1]
    )


def _selects(character: str) -> bool:
    return any(first <= character <= last for first, last in _SELECTORS)


def _needed(text: str, place: int) -> bool:
    """Whether writing needs it there: a joiner between two that are not Latin, as in emoji; one selector"""
    before, after = text[place - 1 : place] if place else "", text[place + 1 : place + 2]
    if text[place] in _JOINERS:
        return all(each and not each.isascii() for each in (before, after))
    if text[place] not in _DRAWN or not before or _selects(before):
        return False
    return before in _KEYCAPS or unicodedata.category(before) in ("So", "Sm", "Sk", "Po", "Pd", "No")


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _called(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"
