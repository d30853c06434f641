"""Whether the person asked for an act at all: its verb and its noun, or words that commonly stand for them.

A tool that declares no `verbs` or `nouns` is taken to be called by the words of its name.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from hilt.policy.taint_vocabulary import NOUNS, VERBS

_TOKEN = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_LATIN = re.compile(r"[\u2e80-\uffff]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[\u3002\uff01\uff1f\uff1b\n]+")
_SHORT_STEM = 3


def stem(word: str) -> str:
    """A word without its usual English ending, so that `sending`, `sends` and `send` are one."""
    for ending, instead in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        cut = word.removesuffix(ending)
        if cut != word and len(cut) >= _SHORT_STEM and not word.endswith("ss"):
            word = cut + instead
            break
    if len(word) > _SHORT_STEM and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > _SHORT_STEM else word


_BOTH = frozenset(stem(word) for group in VERBS for word in group) & frozenset(
    stem(word) for group in NOUNS for word in group if _TOKEN.fullmatch(word)
)
_LEADS = frozenset(
    (
        *("please", "kindly", "just", "now", "then", "first", "next", "finally", "afterwards", "also", "and", "or"),
        *("to", "you", "i", "we", "should", "must", "can", "could", "will", "would", "let's", "go"),
    )
)
"""Words behind which an order begins."""


@lru_cache(maxsize=32)
def stemmed(text: str) -> str:
    """The words of a request, stemmed and apart, to be searched for words and phrases."""
    found = (stem(part) for word in _TOKEN.findall(text.lower()) for part in _parts(word))
    return f" {' '.join(found)} "


def _parts(word: str) -> tuple[str, ...]:
    """A compound word also as its parts: `follow-up` is `follow-up`, `follow` and `up`."""
    return (word, *word.split("-")) if "-" in word else (word,)


def mentions(text: str, words: Iterable[str]) -> bool:
    """Whether a request has any of these words, in any of their usual forms; words of a phrase may stand apart."""
    latin = stemmed(text)
    return any(each in text if _NOT_LATIN.search(each) else _stands(latin, each) for each in words)


def _stands(latin: str, word: str) -> bool:
    if " " not in word:
        return f" {stem(word.lower())} " in latin
    return _phrase(word).search(latin) is not None


@lru_cache(maxsize=1_000)
def _phrase(words: str) -> re.Pattern[str]:
    """`let know` is also `let Bob know`: up to three words may stand between."""
    parts = (re.escape(stem(each)) for each in words.lower().split())
    return re.compile(f" {' (?:[^ ]+ ){0,3}'.join(parts)} ")


def orders(sentence: str, verbs: Iterable[str]) -> bool:
    """Whether a sentence has any of these as a verb. What is a noun too (`mail`) must stand where an order begins."""
    tokens = _TOKEN.findall(sentence.lower())
    begin = {token for before, token in zip(("please", *tokens), tokens, strict=False) if before in _LEADS}
    return any(
        stem(each) in map(stem, begin - {f"{each}s"}) if stem(each) in _BOTH else mentions(sentence, (each,))
        for each in verbs
    )


@lru_cache(maxsize=1_000)
def words_for(effects_words: tuple[str, ...], groups: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """The given words, and those of every group in which one of them stands."""
    stems = {" ".join(map(stem, each.lower().split())) for each in effects_words}
    more = (
        word for group in groups if any(" ".join(map(stem, each.split())) in stems for each in group) for word in group
    )
    return tuple(dict.fromkeys([*effects_words, *more]))


@lru_cache(maxsize=1_000)
def _of_name(tool: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Verbs and nouns read from a tool's name: known verbs, else its first word; the rest are nouns."""
    parts = [part for part in re.split(r"[^a-z0-9]+", _CAMEL.sub("_", tool).lower()) if part]
    known = {stem(word) for group in VERBS for word in group if " " not in word}
    verbs = tuple(part for part in parts if stem(part) in known) or tuple(parts[:1])
    return verbs, tuple(part for part in parts if part not in verbs)


@lru_cache(maxsize=500)
def asked_for(tool: str, verbs: tuple[str, ...], nouns: tuple[str, ...], text: str, *, values_given: bool) -> bool:
    """Whether the words ask for what the tool does: its verb, and its noun in the same sentence or the one before.

    The noun may be left out where all its values were said.
    """
    of_name = _of_name(tool)
    verbs, nouns = verbs or of_name[0], nouns or of_name[1]
    wanted, of_what = words_for(verbs, VERBS), words_for(nouns, NOUNS)
    before = ""
    for sentence in _SENTENCE.split(text):
        if orders(sentence, wanted) and (values_given or not nouns or mentions(f"{before} {sentence}", of_what)):
            return True
        before = sentence
    return False
