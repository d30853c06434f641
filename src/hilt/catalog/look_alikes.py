"""Names that a reader takes for one another: a letter of another script, a digit for a letter, a letter too many.

A skeleton is what is left of a name when letters that look alike are one; it is compared and never shown.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from hilt.declarations.characters import mixed, unseen

SHORTEST_NEAR = 7
"""Characters of a name from which one letter more or less makes it a near one; shorter names differ by chance."""

_DRAWN_ALIKE = {
    "a": "\u0430\u03b1\u0251\u1d00",
    "b": "\u044c\u0432",
    "c": "\u0441\u1d04\u03f2\uabaf",
    "d": "\u0501\u0111",
    "e": "\u0435\u0454\u04bd\u03b5",
    "g": "\u0261\u0581\u0262",
    "h": "\u04bb\u0570\u043d\u029c",
    "i": "\u0456\u03b9\u0131\u026a\u0457\uab75\u04cf|l",
    "j": "\u0458",
    "k": "\u043a\u03ba\u1d0b",
    "l": "\u0142",
    "m": "\u043c\u1d0d",
    "n": "\u0578\u03b7\u043f\u0274",
    "o": "\u043e\u03bf\u0585\u1d0f\u00f8",
    "p": "\u0440\u03c1\u1d18",
    "q": "\u051b\u0566",
    "r": "\u0433\u0280",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4\u1d1b",
    "u": "\u03c5\u057d\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u051d\u03c9\u0461\u1d21",
    "x": "\u0445\u03c7",
    "y": "\u0443\u03b3\u04af\u028f",
    "z": "\u1d22",
}
"""Small letters of other alphabets, and others, by the Latin one they are drawn like; i and l are one."""
_LETTERS = {ord(other): latin for latin, others in _DRAWN_ALIKE.items() for other in others}
_DIGITS = str.maketrans("01I", "oii")
_INSIDE = re.compile(r"(?<=[a-z])[34578](?=[a-z])")
_INSIDE_WORDS = dict(zip("34578", "eastb", strict=True))
"""Digits that stand for letters where letters stand on both sides of them."""
_ENDINGS = "sd"
_PAIRS = (("rn", "m"), ("vv", "w"))


def skeleton(name: str) -> str:
    """What a reader sees of a name.

    >>> skeleton("read_fi1e") == skeleton("read_file") == skeleton("re\u0430d_file")
    True
    """
    places = set(unseen(name))
    left = "".join(each for place, each in enumerate(name) if place not in places)
    plain = unicodedata.normalize("NFKC", left).translate(_DIGITS).lower().translate(_LETTERS)
    bare = "".join(each for each in unicodedata.normalize("NFD", plain) if not unicodedata.combining(each))
    for pair, one in _PAIRS:
        bare = bare.replace(pair, one)
    return _INSIDE.sub(lambda found: _INSIDE_WORDS[found[0]], bare)


def unmixed(text: str) -> str:
    """A text with the letters of another script that stand inside Latin words as the Latin ones they look like."""
    places = set(mixed(text))
    if not places:
        return text
    return "".join(each.lower().translate(_LETTERS) if place in places else each for place, each in enumerate(text))


class Names:
    """Names that are taken, each by what it can be taken for. Any number may share a skeleton."""

    def __init__(self, names: Iterable[str]) -> None:
        self._skeletons: dict[str, str] = {}
        self._near: dict[str, str] = {}
        self._plain: set[str] = set()
        for name in names:
            self._skeletons.setdefault(skeleton(name), name)
            self._plain.add(name)
            for other in _shorter(name):
                self._near.setdefault(other, name)

    def alike(self, name: str) -> str:
        """The name that this one is taken for at a glance, "" for none; a difference of case alone is none."""
        found = self._skeletons.get(skeleton(name), "")
        return "" if found.lower() == name.lower() else found

    def near(self, name: str) -> str:
        """The name from which this one differs by a letter left out, doubled or exchanged, "" for none."""
        if name in self._plain:
            return ""
        if name in self._near:
            return self._near[name]
        return next((other for other in (*_shorter(name), *_swapped(name)) if other in self._plain), "")


def _shorter(name: str) -> Iterator[str]:
    """The name with one letter left out; not a first one, nor an ending of a word, for those make other words."""
    if len(name) <= SHORTEST_NEAR:
        return
    for place in range(1, len(name)):
        inside = name[place + 1 : place + 2].islower()
        if name[place].isalpha() and name[place - 1].isalpha() and (inside or name[place] not in _ENDINGS):
            yield name[:place] + name[place + 1 :]


def _swapped(name: str) -> Iterator[str]:
    """The name with two letters in the other order."""
    if len(name) < SHORTEST_NEAR:
        return
    for place in range(len(name) - 1):
        one, other = name[place : place + 2]
        if one != other and one.isalpha() and other.isalpha():
            yield name[:place] + other + one + name[place + 2 :]
