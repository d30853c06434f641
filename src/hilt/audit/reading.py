"""Names and sentences as words with a meaning: the verb that governs, and the things it is about."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from hilt.audit.words import ARGUMENT_WORDS, KEYS_FOLLOW, NOUNS_TOO, OTHERWISE_BEHIND, THINGS, VERBS, Doing, Trait

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[A-Za-z]+|[一-鿿]+")
_HAN = re.compile(r"[一-鿿]")
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n\n|。|\n(?=[-*#])")
LONGEST_WORD_OF_HAN = 4
LONGEST_LABEL = 3
"""Words before a bar that name a service, and not what the tool does."""
VERB_STANDS_WITHIN = 3
"""Words of a description among which its verb is looked for: "Returns ...", "This tool returns ..."."""
_FILLERS = frozenset(
    {"this", "the", "a", "an", "tool", "to", "use", "used", "can", "will", "is", "it", "you", "allows", "lets",
     "function", "that", "for"}
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """The verb that governs a tool, where it was read."""

    word: str
    doing: Doing
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Things:
    """What a tool is about: the words, what they say together, where they were read."""

    words: tuple[str, ...] = ()
    traits: frozenset[Trait] = frozenset()
    place: str = ""


def words(text: str) -> list[str]:
    """The words of a name or sentence in order, in lower case; unspaced Chinese is cut at the words the tables know."""
    found: list[str] = []
    for part in _WORD.findall(_CAMEL.sub(" ", text)):
        found += _han_words(part) if _HAN.match(part) else [part.lower()]
    return found


def _han_words(text: str) -> Iterable[str]:
    place = 0
    while place < len(text):
        sizes = range(min(LONGEST_WORD_OF_HAN, len(text) - place), 1, -1)
        word = next((text[place : place + size] for size in sizes if _known(text[place : place + size])), None)
        if word is not None:
            yield word
        place += len(word) if word else 1


def _known(word: str) -> bool:
    return word in VERBS or word in THINGS or word in ARGUMENT_WORDS


@cache
def stem(word: str, *, verb: bool = False) -> str:
    """The form of a word that the tables hold, or the word itself."""
    table = VERBS if verb else THINGS
    return next((each for each in _forms(word, verb=verb) if each in table), word)


def _forms(word: str, *, verb: bool) -> Iterable[str]:
    yield word
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es"):
        yield word[:-2]
    if word.endswith("s"):
        yield word[:-1]
    if verb and word.endswith("ing"):
        yield from (word[:-3], word[:-3] + "e", word[:-4])


def first_sentence(text: str) -> str:
    """What a description says first, without the label that some put before a bar."""
    sentence = _SENTENCE.split(text.strip(), maxsplit=1)[0]
    before, bar, behind = sentence.partition(" | ")
    return behind if bar and len(before.split()) <= LONGEST_LABEL else sentence


def governing(name: str, sentence: str) -> Verb | None:
    """The verb of a tool: the name's, unless that word is as often a noun and the description begins with a verb."""
    named = [stem(each, verb=True) for each in words(name)]
    verbs = [each for each in named if each in VERBS]
    if clear := next((each for each in verbs if each not in NOUNS_TOO), None):
        return Verb(word=clear, doing=VERBS[clear], place="name")
    if told := _sentence_verb(sentence):
        return told
    return Verb(word=verbs[0], doing=VERBS[verbs[0]], place="name") if verbs else None


def _sentence_verb(sentence: str) -> Verb | None:
    ahead = [each for each in words(sentence) if each not in _FILLERS][:VERB_STANDS_WITHIN]
    stems = [stem(each, verb=True) for each in ahead]
    found = next(
        (each for place, each in enumerate(stems) if each in VERBS and (not place or each not in NOUNS_TOO)), None
    )
    return Verb(word=found, doing=VERBS[found], place="description") if found else None


def things(name: str, sentence: str, verb: Verb | None) -> Things:
    """What a tool is about: what its name says, else what its description says first."""
    named, told = _things(words(name), verb, "name"), _things(words(sentence), verb, "description")
    if (
        named
        and told
        and {"public", "private"} & told.traits == {"public"}
        and all("vague" in THINGS[each] for each in named.words)
    ):
        return told
    return named or told or Things()


def _things(found: Sequence[str], verb: Verb | None, place: str) -> Things | None:
    end = next((at for at, word in enumerate(found) if at and word in KEYS_FOLLOW), len(found))
    stems = [stem(each) for each in found[:end]]
    about = [
        each
        for ahead, each in pairwise(["", *stems])
        if each in THINGS and not (verb and each == verb.word) and ahead not in OTHERWISE_BEHIND.get(each, ())
    ]
    if not about:
        return None
    public = any("public" in THINGS[each] for each in about)
    clear = [each for each in about if "vague" not in THINGS[each] or (place == "name" and not public)]
    traits: frozenset[Trait] = frozenset(trait for each in clear for trait in THINGS[each] if trait != "vague")
    return Things(words=tuple(dict.fromkeys(clear)), traits=traits, place=place) if clear else None
