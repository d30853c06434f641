"""Names that are nearly the one asked for, and what makes them differ.

Two names can look the same and be different files: a no-break space, an accent in two code points.
They are never opened for one another; the answer names the code points instead.
"""

import difflib
import json
import unicodedata
from collections.abc import Iterable

MOST_NAMES = 3
MOST_DIFFERENCES = 3

_QUOTES_AND_DASHES = str.maketrans("\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f", "''''\"\"\"\"")


def nearest(asked: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most three of `names` like `asked`, look-alikes first; empty when none is near."""
    known = list(names)
    folded = look(asked)
    twins = [name for name in known if look(name) == folded]
    lower = asked.casefold()
    by_case: dict[str, list[str]] = {}
    for name in known:
        by_case.setdefault(name.casefold(), []).append(name)
    near = [name for close in difflib.get_close_matches(lower, by_case, MOST_NAMES, 0.6) for name in by_case[close]]
    return tuple(dict.fromkeys([*sorted(twins), *near]))[:MOST_NAMES]


def look(name: str) -> str:
    """What a reader sees of a name: spaces, dashes and quotes alike, invisible characters gone."""
    seen: list[str] = []
    for character in unicodedata.normalize("NFKC", name).translate(_QUOTES_AND_DASHES):
        category = unicodedata.category(character)
        if category in ("Zs", "Pd"):
            seen.append(" " if category == "Zs" else "-")
        elif category != "Cf":
            seen.append(character)
    return "".join(seen)


def differing_code_points(asked: str, found: str) -> str:
    """Where two names part, as code points; empty when every difference can be seen.

    >>> differing_code_points("shot v 1.png", "shot v\\u00a01.png")
    'at character 7 U+0020 SPACE was asked, U+00A0 NO-BREAK SPACE exists'
    """
    parts: list[str] = []
    for tag, start, stop, other_start, other_stop in difflib.SequenceMatcher(
        a=asked, b=found, autojunk=False
    ).get_opcodes():
        here, there = asked[start:stop], found[other_start:other_stop]
        if tag != "equal" and not (here + there).isascii():
            parts.append(f"at character {start + 1} {_points(here)} was asked, {_points(there)} exists")
    more = len(parts) - MOST_DIFFERENCES
    return "; ".join(parts[:MOST_DIFFERENCES]) + (f"; and {more} more" if more > 0 else "")


def visible(name: str) -> str:
    """A name fit for one line of text: control, format and undecodable characters as escapes."""
    if name.isprintable() and name.isascii():
        return name
    return "".join(_shown(character) for character in name)


def quoted(path: str) -> str:
    """A path as JSON text a caller can copy: what is not ASCII stands as its code point."""
    return json.dumps(path)


def _shown(character: str) -> str:
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return f"\\u{number:04x}" if number > 0xFF else f"\\x{number:02x}"
    return character


def _points(text: str) -> str:
    if not text:
        return "nothing"
    return " ".join(f"U+{ord(character):04X} {unicodedata.name(character, 'without a name')}" for character in text[:4])
