"""Which of Word's paragraphs are headings: by their own outline level, or by their style's."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element

from hilt.documents.package import attribute, child, local, whole_number

DEEPEST_STYLE = 20
"""Styles that a style may be based on, one after another."""

HEADING_LEVELS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """What a paragraph takes from its style. `level` is that of a heading, 0 for other text."""

    level: int = 0
    numbered: Element | None = None


class Styles:
    """The styles of one document."""

    def __init__(self, root: Element) -> None:
        self._styles = {attribute(each, "styleId"): each for each in root if local(each) == "style"}
        self._known: dict[str, Style] = {}

    def of(self, properties: Element | None) -> Style:
        """The style of a paragraph with these properties, its own outline level first."""
        if properties is None:
            return Style()
        named = child(properties, "pStyle")
        ident = attribute(named, "val") if named is not None else ""
        if ident not in self._known:
            self._known[ident] = self._read(ident)
        style = self._known[ident]
        own = _outline(properties)
        return style if own is None else Style(level=own, numbered=style.numbered)

    def _read(self, ident: str) -> Style:
        level: int | None = None
        numbered: Element | None = None
        for _ in range(DEEPEST_STYLE):
            style = self._styles.get(ident)
            if style is None:
                break
            properties = child(style, "pPr")
            if level is None:
                level = _level(style, properties)
            if numbered is None and properties is not None:
                numbered = child(properties, "numPr")
            base = child(style, "basedOn")
            ident = attribute(base, "val") if base is not None else ""
        return Style(level=level or 0, numbered=numbered)


def _level(style: Element, properties: Element | None) -> int | None:
    """A style's rank: by its outline level, else by its name, which is English in every language's Word."""
    own = _outline(properties) if properties is not None else None
    if own is not None:
        return own
    named = child(style, "name")
    name = attribute(named, "val").lower() if named is not None else ""
    if name == "title":
        return 1
    last = name.removeprefix("heading ")
    level = whole_number(last) if last != name else 0
    return level if 1 <= level <= HEADING_LEVELS else None


def _outline(properties: Element) -> int | None:
    """0 for body text, 1 to 9 for headings; None where nothing is said."""
    found = child(properties, "outlineLvl")
    stored = attribute(found, "val") if found is not None else ""
    return min(whole_number(stored) + 1, HEADING_LEVELS + 1) % (HEADING_LEVELS + 1) if stored.isdecimal() else None
