r"""Text that looks like an anchor and is not: other line endings, spaces at line ends, look-alike characters.

For finding only. A pattern matches the file's own characters, so that what is found keeps its
place; nothing here is ever written.
"""

import re
import unicodedata
from typing import Literal

Difference = Literal["line endings", "trailing whitespace", "look-alike characters"]

LONGEST_LIKENESS = 20_000
"""Characters of an anchor that may differ in more than its line endings."""

LINE_BREAK = re.compile(r"\r\n|\n|\r")
_BREAK = r"(?:\r\n|(?<!\r)\n|\r(?!\n))"
"""One ending: never half of a CRLF."""
_SPACES = "\t \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
_BLANK = f"[{_SPACES}]"
_AT_LINE_END = rf"{_BLANK}*+(?=[\r\n]|\Z)"
_FULL_WIDTH = 0xFEE0
"""From a plain ASCII character to its full-width twin."""

_FAMILIES = (
    "'\u2018\u2019\u201a\u201b\u2032\uff07",
    '"\u201c\u201d\u201e\u201f\u2033\uff02',
    "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d",
    _SPACES.removeprefix("\t"),
)
_FAMILY_OF = {character: family for family in _FAMILIES for character in family}


def endings_pattern(anchor: str) -> re.Pattern[str]:
    """Matches `anchor` with any line endings."""
    return re.compile(_BREAK.join(map(re.escape, LINE_BREAK.split(anchor))))


def likeness_pattern(anchor: str, *, within: str) -> re.Pattern[str]:
    """Matches whatever looks like `anchor`; `within` is the text that will be searched.

    An anchor of whitespace alone, or a very long one, may differ in its line endings only.
    """
    if not anchor.strip() or len(anchor) > LONGEST_LIKENESS:
        return endings_pattern(anchor)
    ascii_only = within.isascii()
    lines = LINE_BREAK.split(anchor)
    parts: list[str] = []
    for number, line in enumerate(lines):
        body = line.rstrip(_SPACES)
        alike = _alike(body, ascii_only=ascii_only)
        if number < len(lines) - 1:
            opening = f"(?<!{_BLANK})" if not body and number == 0 else ""
            parts.append(f"{opening}{alike}{_BLANK}*+{_BREAK}")
        elif body == line:
            parts.append(alike)
        else:
            literal = _alike(line, ascii_only=ascii_only)
            parts.append(f"(?:{literal}|{alike}{_AT_LINE_END})")
    return re.compile("".join(parts))


def differences(anchor: str, found: str) -> tuple[Difference, ...]:
    """In which ways `found`, which looks like `anchor`, is not it."""
    kinds: list[Difference] = []
    if LINE_BREAK.findall(anchor) != LINE_BREAK.findall(found):
        kinds.append("line endings")
    asked, there = LINE_BREAK.split(anchor), LINE_BREAK.split(found)
    bare_asked, bare_there = [line.rstrip(_SPACES) for line in asked], [line.rstrip(_SPACES) for line in there]
    if bare_asked != bare_there:
        kinds.append("look-alike characters")
    if any(
        len(line) - len(bare) != len(other) - len(bare_other)
        for line, bare, other, bare_other in zip(asked, bare_asked, there, bare_there, strict=True)
    ):
        kinds.append("trailing whitespace")
    return tuple(kinds) if kinds or anchor == found else ("look-alike characters",)


def _alike(text: str, *, ascii_only: bool) -> str:
    return "".join(_one(cluster, ascii_only=ascii_only) for cluster in _clusters(unicodedata.normalize("NFC", text)))


def _clusters(text: str) -> list[str]:
    """Each character with the combining marks behind it."""
    clusters: list[str] = []
    for character in text:
        if clusters and unicodedata.combining(character):
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _one(cluster: str, *, ascii_only: bool) -> str:
    forms = {cluster, unicodedata.normalize("NFD", cluster), *_FAMILY_OF.get(cluster, ""), *_other_width(cluster)}
    if ascii_only:
        forms = {form for form in forms if form.isascii()} or {cluster}
    if len(forms) == 1:
        return re.escape(forms.pop())
    if all(len(form) == 1 for form in forms):
        return f"[{''.join(map(re.escape, sorted(forms)))}]"
    return f"(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})"


def _other_width(character: str) -> str:
    if len(character) != 1:
        return ""
    number = ord(character)
    if 0x21 <= number <= 0x7E:
        return chr(number + _FULL_WIDTH)
    return chr(number - _FULL_WIDTH) if 0x21 <= number - _FULL_WIDTH <= 0x7E else ""
