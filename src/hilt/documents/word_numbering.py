"""The numbers and bullets that Word shows before paragraphs, which its text does not hold."""

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element

from hilt.documents.package import attribute, child, local, whole_number
from hilt.documents.word_styles import Style

LEVELS = 9
LARGEST_NUMERAL = 4_000
"""Larger numbers stand in digits, whatever the form."""

INDENT = "  "
_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_SMALL = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class Numbering:
    """Counts through the lists of one document, in the order its paragraphs are read."""

    def __init__(self, root: Element) -> None:
        lists = {attribute(each, "abstractNumId"): each for each in root if local(each) == "abstractNum"}
        self._levels: dict[str, Mapping[int, Element]] = {}
        self._list_of: dict[str, str] = {}
        for each in root:
            abstract = child(each, "abstractNumId") if local(each) == "num" else None
            if abstract is not None:
                self._list_of[attribute(each, "numId")] = attribute(abstract, "val")
                found = lists.get(attribute(abstract, "val"))
                self._levels[attribute(each, "numId")] = _levels(found) if found is not None else {}
        self._counts: dict[str, list[int | None]] = {}

    def label(self, properties: Element | None, style: Style) -> str:
        """What stands before a paragraph: "2.1 ", "  - ", or nothing. Counting goes on with each call."""
        own = child(properties, "numPr") if properties is not None else None
        number, depth = _numbered(own, style.numbered)
        level = self._levels.get(number, {}).get(depth)
        if level is None:
            return ""
        indent = "" if style.level else INDENT * depth
        form, pattern = _value(level, "numFmt", "decimal"), _value(level, "lvlText", "")
        if form == "none":
            return ""
        counts = self._count(number, depth)
        if form == "bullet" or not pattern:
            return f"{indent}- "
        return f"{indent}{_PLACE.sub(lambda match: self._shown(number, counts, int(match[1]) - 1), pattern)} "

    def _count(self, number: str, depth: int) -> list[int | None]:
        counts = self._counts.setdefault(self._list_of[number], [None] * LEVELS)
        before = counts[depth]
        counts[depth] = self._start(number, depth) if before is None else before + 1
        counts[depth + 1 :] = [None] * (LEVELS - depth - 1)
        return counts

    def _start(self, number: str, depth: int) -> int:
        level = self._levels[number].get(depth)
        start = _value(level, "start", "1") if level is not None else "1"
        return whole_number(start, 1)

    def _shown(self, number: str, counts: list[int | None], depth: int) -> str:
        level = self._levels[number].get(depth)
        found = counts[depth]
        count = self._start(number, depth) if found is None else found
        return numeral(count, _value(level, "numFmt", "decimal") if level is not None else "decimal")


def numeral(count: int, form: str) -> str:
    """A number in one of Word's forms; digits for those of other scripts."""
    if not 0 < count <= LARGEST_NUMERAL:
        return str(count)
    match form:
        case "lowerLetter" | "upperLetter":
            letter = chr(ord("a") + (count - 1) % 26) * ((count - 1) // 26 + 1)
        case "lowerRoman" | "upperRoman":
            letter = _roman(count)
        case "decimalZero":
            return f"{count:02d}"
        case _:
            return str(count)
    return letter.upper() if form.startswith("upper") else letter


def _roman(count: int) -> str:
    text = ""
    for value, letters in _ROMAN + _ROMAN_SMALL:
        text += letters * (count // value)
        count %= value
    return text


def _levels(abstract: Element) -> Mapping[int, Element]:
    found: dict[int, Element] = {}
    for each in abstract:
        if local(each) == "lvl":
            found[whole_number(attribute(each, "ilvl"))] = each
    return found


def _numbered(own: Element | None, of_style: Element | None) -> tuple[str, int]:
    """A list and the depth in it, as a paragraph says, else as its style does."""
    number = depth = ""
    for each in (own, of_style):
        if each is not None:
            number = number or _value(each, "numId", "")
            depth = depth or _value(each, "ilvl", "")
    return number, min(whole_number(depth), LEVELS - 1)


def _value(element: Element, name: str, otherwise: str) -> str:
    found = child(element, name)
    return attribute(found, "val", otherwise) if found is not None else otherwise
