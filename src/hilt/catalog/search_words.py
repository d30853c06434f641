"""Words of names and of prose, in pieces that can be compared: split by case, underscore and digit, and stemmed.

Writing without spaces (Chinese, Japanese, Korean) is cut into overlapping pairs. Stems are made to meet
their own kind (`creating`, `creation`, `create`), not to be read.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

WIDE = "\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af\uf900-\ufaff"
WORD = re.compile(
    rf"[A-Z]{{2,}}s(?![a-zA-Z])|(?<![A-Za-z])[A-Za-z]\d[a-z]?(?![A-Za-z0-9])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[{WIDE}]+|"
    rf"[^\W\d_a-zA-Z{WIDE}]+"
)
"""Plural short forms (`URLs`), `S3` and `k8s`, words of any case, numbers, wide writing, and letters of others."""
SHORTEST_STEM = 3
KEPT_STEMS = 2_048
"""Stems kept for the next time: words of declarations repeat."""

_EMPTY = """
a about actually after again all already also always am an and any anyone anything are as at back be because been
before being but by can come could d did didn do does doesn doing don done down each else even ever every everything
for from get give go got had has have having he help her here hers him his how i if im in into is isn it its itself
just know let like ll look lot m make many maybe me mine more most much my myself need no not now of off on once one
only or other our out over own per please put re s same see she should so some somebody someone something still such
t take tell than that the their them then there these they thing things this those through to too until up us use
used using ve very want was way we well were what when where whether which while who whole whom whose why will with
within without would yet you your
"""
EMPTY = frozenset(_EMPTY.split())
"""Words that say nothing of which tool is meant."""

_UNDOUBLED = frozenset(("bb", "dd", "gg", "mm", "nn", "pp", "rr", "tt"))
_VOWEL = re.compile("[aeiouy]")


def words(text: str) -> Iterator[str]:
    """The words of a text in lower case, wide writing in runs."""
    return (each.lower() for each in WORD.findall(text))


def is_wide(word: str) -> bool:
    """Whether a word is a run of writing without spaces."""
    return bool(_WIDE_START.match(word))


def pairs(run: str) -> list[str]:
    """Every two characters that stand beside each other; the one character of a run that has no more."""
    return [run[place : place + 2] for place in range(max(len(run) - 1, 1))]


def stems(text: str) -> Iterator[str]:
    """What a text is found by: stems of its telling words, and pairs of wide writing."""
    for word in words(text):
        if is_wide(word):
            yield from pairs(word)
        elif word not in EMPTY:
            yield stem(word)


@lru_cache(maxsize=KEPT_STEMS)
def stem(word: str) -> str:
    """The part of a word that stays in its other forms."""
    if len(word) <= SHORTEST_STEM or not word.isascii():
        return word
    left = _without_er(_without_ion(_without_tense(_singular(word))))
    if left.endswith("e") and len(left) > SHORTEST_STEM + 1:
        return left[:-1]
    return left[:-1] + "i" if left.endswith("y") and len(left) > SHORTEST_STEM else left


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > SHORTEST_STEM + 1:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _without_tense(word: str) -> str:
    for ending in ("ing", "ed"):
        left = word.removesuffix(ending)
        if left != word and len(left) >= SHORTEST_STEM and _VOWEL.search(left):
            return left[:-1] if left[-2:] in _UNDOUBLED else left
    return word


def _without_ion(word: str) -> str:
    if word.endswith("ly") and len(word) > SHORTEST_STEM + 3:
        return word[:-2]
    if word.endswith(("tion", "sion")) and len(word) > SHORTEST_STEM + 4:
        return word[:-5] + "at" if word.endswith("ation") and len(word) > SHORTEST_STEM + 5 else word[:-3]
    return word


def _without_er(word: str) -> str:
    return word[:-4] if word.endswith("ment") and len(word) > SHORTEST_STEM + 6 else word


_WIDE_START = re.compile(f"[{WIDE}]")
