r"""Characters that a person cannot see, or takes for others, in an argument that decides what a call does.

A path, a command, an address or a name of whom something goes to: what is shown of it and what it is
must be one. The body of a message or a file is not looked at.
"""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from hilt.declarations.effects import Deed, Role
from hilt.policy.facts import Facts
from hilt.review.reviewer import View, When
from hilt.review.secrets import texts
from hilt.review.verdict import APPROVED, Verdict

DECISIVE: frozenset[Role] = frozenset({"path", "command", "url", "destination", "target", "credential"})
"""Roles whose value decides what a call does, and to whom."""
MOST_NAMED = 4
"""Characters that a reason names; of more, how many there are."""

_PLAIN_CONTROLS = "\t\n\r"
_JOINERS = "\u200c\u200d"
_UNSEEN = ("Cc", "Cf", "Co", "Zl", "Zp")
_UNSEEN_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols of no shape."""
_ALIKE = ("CYRILLIC", "GREEK", "CHEROKEE", "ARMENIAN")
"""Scripts with letters that look like Latin ones."""
_DISTINCT = frozenset(
    "\u0393\u0394\u0398\u039b\u039e\u03a0\u03a3\u03a6\u03a8\u03a9\u03b2\u03b3\u03b4\u03b5\u03b6\u03b8\u03bb\u03bc\u03be\u03c0\u03c3\u03c6\u03c8\u03c9"
)
"""Greek letters that nobody takes for Latin ones, and that names in science mix with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenReviewer:
    """Escalates decisive arguments with characters that are not seen, or that look like others."""

    name: str = "hidden-characters"
    when: When = "before"
    deeds: frozenset[Deed] = frozenset({"fetch", "write", "run", "send", "spend", "destroy", "credential"})
    irreversible: bool = True
    waits: bool = False

    async def review(self, view: View) -> Verdict:
        """Which arguments, and which code points at which place."""
        if view.facts is None:
            return APPROVED
        there = {fact.asked for fact in view.facts.paths if fact.kind != "missing"}
        found = [
            f"{name}: {', '.join(points)}"
            for name, text in decisive(view.facts)
            if not text.isascii() or not text.isprintable()
            if text not in there and (points := hidden_points(text))
        ]
        if not found:
            return APPROVED
        return Verdict(
            word="escalate",
            reason=f"what is shown is not what it is: {'; '.join(found)}",
            suggestion="write the value without these characters",
        )


def decisive(facts: Facts) -> Iterator[tuple[str, str]]:
    """Each text given in a decisive role, with its argument's name."""
    for name, role in facts.effects.roles.items():
        if role in DECISIVE:
            yield from ((name, text) for text in texts(facts.arguments.get(name)))


def hidden_points(text: str) -> list[str]:
    """The characters of a text that deceive, each with its place from 1, the first few by name.

    >>> hidden_points("pay\\u202edocs")
    ['U+202E RIGHT-TO-LEFT OVERRIDE at 4']
    """
    found = [*_unseen(text), *_mixed(text)]
    points = [f"{_called(text[place])} at {place + 1}" for place in sorted(set(found))]
    more = len(points) - MOST_NAMED
    return [*points[:MOST_NAMED], *([f"and {more} more"] if more > 0 else [])]


def _unseen(text: str) -> Iterator[int]:
    for place, character in enumerate(text):
        if character in _UNSEEN_LETTERS or (
            unicodedata.category(character) in _UNSEEN
            and character not in _PLAIN_CONTROLS
            and not (character in _JOINERS and _joins(text, place))
        ):
            yield place


def _joins(text: str, place: int) -> bool:
    """Whether a joiner stands where writing needs one: between two characters that are not Latin, as in emoji."""
    around = text[place - 1 : place], text[place + 1 : place + 2]
    return all(each and not each.isascii() for each in around)


def _mixed(text: str) -> Iterator[int]:
    """Letters of another script inside a word that also has Latin ones."""
    start = 0
    for place in range(len(text) + 1):
        if place < len(text) and text[place].isalpha():
            continue
        word = text[start:place]
        if not word.isascii() and any(_script(each) == "LATIN" for each in word):
            yield from (start + at for at, each in enumerate(word) if _script(each) in _ALIKE and each not in _DISTINCT)
        start = place + 1


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _called(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}"
