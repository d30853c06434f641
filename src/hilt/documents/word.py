"""A Word document as blocks: headings, numbered lists, tables, notes and comments, tracked changes as accepted."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from hilt.documents import media, sections
from hilt.documents.office_math import math_text
from hilt.documents.package import Package, attribute, child, children, local, whole_number
from hilt.documents.pieces import Block, Reading, blocks
from hilt.documents.raising import DOWN, STRUCK, UP, marked
from hilt.documents.source import Source
from hilt.documents.tables import nested_text, table_text
from hilt.documents.word_fields import form_field, spoken
from hilt.documents.word_numbering import Numbering
from hilt.documents.word_styles import Styles
from hilt.documents.word_symbols import symbol

DEEPEST = 50
"""Elements inside one another that are told apart; what lies deeper is its text alone."""

MOST_COLUMNS = 63
"""Columns that a table of Word can have."""

_WRAPPERS = frozenset(
    (
        "sdt",
        "sdtContent",
        "customXml",
        "smartTag",
        "ins",
        "moveTo",
        "hyperlink",
        "fldSimple",
        "AlternateContent",
        "Choice",
    )
)
_SILENT = frozenset(("del", "moveFrom", "instrText", "rPr", "pPr", "sdtPr", "sdtEndPr", "Fallback", "delText"))
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_SIGNS: Mapping[str, Callable[[Element], str]] = {
    "oMath": math_text,
    "fldChar": form_field,
    "ruby": spoken,
    "sym": lambda each: symbol(attribute(each, "font"), attribute(each, "char")),
}
_LETTERS = {"footnotes": "", "endnotes": "e", "comments": "c"}
_OFF = ("0", "false", "off")
_DOCUMENT = "word/document.xml"


@dataclass(slots=True, kw_only=True)
class WordText:
    """One part of a document as it is read; what was seen on the way is told behind the text."""

    numbering: Numbering
    styles: Styles
    links: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    inserted: int = 0
    deleted: int = 0
    hidden: int = 0

    def flow(self, parent: Element, depth: int = 0) -> Iterator[Block]:
        """The paragraphs and tables below an element, in order."""
        for each in parent:
            match local(each):
                case "p":
                    yield from self._paragraph(each)
                case "tbl":
                    text = table_text(list(self._rows(each, depth + 1)))
                    yield from blocks(text)
                case "del" | "moveFrom":
                    self.deleted += 1
                case name if name in _WRAPPERS:
                    yield from self.flow(each, depth + 1) if depth < DEEPEST else blocks("".join(each.itertext()))
                case _:
                    continue

    def text(self, parent: Element, depth: int = 0) -> str:
        """The text of a paragraph or of something in it."""
        if depth > DEEPEST:
            return "".join(parent.itertext())
        return marked((_look(each), self._inline(each, depth + 1)) for each in parent)

    def facts(self) -> Iterator[str]:
        if self.inserted or self.deleted:
            yield (
                f"tracked changes, read as accepted: {self.inserted:,} insertions shown, "
                f"{self.deleted:,} deletions left out"
            )
        if self.hidden:
            yield f"hidden text is shown like other text: {self.hidden:,} runs"

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        properties = child(paragraph, "pPr")
        style = self.styles.of(properties)
        label = self.numbering.label(properties, style)
        text = self.text(paragraph).strip("\n")
        if not text.strip():
            return
        level = style.level if not text.startswith("\t") else 0
        yield from blocks(f"{label}{' '.join(text.split()) if level else text}", level=level)

    def _rows(self, table: Element, depth: int) -> Iterator[list[str]]:
        for row in table:
            if local(row) == "tr" and child(row, "trPr", "del") is None:
                yield [text for cell in _cells(row) for text in self._cell(cell, depth)]
            elif local(row) in _WRAPPERS and depth < DEEPEST:
                yield from self._rows(row, depth + 1)

    def _cell(self, cell: Element, depth: int) -> Iterator[str]:
        """The text of a cell, and empty ones where it spans several columns."""
        merged = child(cell, "tcPr", "vMerge")
        goes_on = merged is not None and attribute(merged, "val", "continue") == "continue"
        yield "" if goes_on else "\n".join(self._inside(cell, depth))
        span = child(cell, "tcPr", "gridSpan")
        wide = whole_number(attribute(span, "val"), 1) if span is not None else 1
        yield from [""] * (min(wide, MOST_COLUMNS) - 1)

    def _inside(self, cell: Element, depth: int) -> Iterator[str]:
        for each in cell:
            if local(each) == "tbl" and depth < DEEPEST:
                yield nested_text(list(self._rows(each, depth + 1)))
            elif local(each) == "p":
                yield from (block.text for block in self._paragraph(each))
            elif local(each) in ("tbl", *_WRAPPERS):
                yield from self._inside(each, depth + 1) if depth < DEEPEST else iter(("".join(each.itertext()),))

    def _inline(self, each: Element, depth: int) -> str:
        name = local(each)
        if name == "t":
            return each.text or ""
        if name in _MARKS:
            return "" if attribute(each, "type") == "page" else _MARKS[name]
        if name in _SILENT:
            self.deleted += name in ("del", "moveFrom")
            return ""
        return _SIGNS[name](each) if name in _SIGNS else self._special(name, each, depth)

    def _special(self, name: str, each: Element, depth: int) -> str:
        match name:
            case "footnoteReference" | "endnoteReference" | "commentReference":
                return f"[^{_LETTERS[name.removesuffix('Reference') + 's']}{attribute(each, 'id')}]"
            case "hyperlink":
                return self._link(each, depth)
            case "docPr" | "blip" | "imagedata":
                return self._image(each)
            case "txbxContent":
                return "\n[text box: " + "\n".join(block.text for block in self.flow(each, depth)) + "]"
            case "r":
                self.hidden += child(each, "rPr", "vanish") is not None
            case "ins" | "moveTo":
                self.inserted += 1
            case _:
                pass
        return self.text(each, depth)

    def _image(self, each: Element) -> str:
        """What is said of a drawing, or where the picture in it is kept."""
        words = attribute(each, "descr") or attribute(each, "title")
        place = attribute(each, "embed") or attribute(each, "id")
        target = self.links.get(place, ("", ""))[1] if local(each) != "docPr" else ""
        told = target or " ".join(words.split())
        return f"[image {told}]" if told else ""

    def _link(self, each: Element, depth: int) -> str:
        text = self.text(each, depth)
        target = self.links.get(attribute(each, "id"), ("", ""))[1]
        return f"[{text}]({target})" if target and text.strip() and target != text else text


def _look(run: Element) -> str:
    """How a run looks where that changes what it says: raised, lowered, struck through."""
    properties = child(run, "rPr") if local(run) == "r" else None
    if properties is None:
        return ""
    align = child(properties, "vertAlign")
    look = {"superscript": UP, "subscript": DOWN}.get(attribute(align, "val"), "") if align is not None else ""
    lines = (each for each in properties if local(each) in ("strike", "dstrike"))
    return look + (STRUCK if any(attribute(each, "val") not in _OFF for each in lines) else "")


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """All of a document, or the section under the heading that `part` names."""
    with Package(source, "a Word document") as package:
        yield media.shown(package, part) or _reading(package, part)


def _reading(package: Package, part: str | None) -> Reading:
    main = package.main_part(_DOCUMENT)
    relations = package.relations(main)
    targets = {kind: target for kind, target in relations.values() if package.has(target)}
    styles = Styles(package.optional_tree(targets.get("styles", "word/styles.xml")))
    numbering = Numbering(package.optional_tree(targets.get("numbering", "word/numbering.xml")))
    reader = WordText(numbering=numbering, styles=styles, links=relations)
    body = child(package.tree(main), "body")
    if body is None:
        raise package.broken("it has no text in it")
    found = list(reader.flow(body))
    behind = list(_around(package, relations, reader))

    def facts() -> Iterator[str]:
        yield from reader.facts()
        yield from media.listed(package, [target for kind, target in relations.values() if kind == "image"])

    notes = [note for kind in _LETTERS for note in _notes(package, targets, kind, reader)]
    return sections.reading(found, part, package.name, behind=behind, notes=notes, facts=facts)


def _notes(package: Package, targets: Mapping[str, str], kind: str, reader: WordText) -> Iterator[str]:
    """Notes with the marks that refer to them; the ones that only draw a line are left out."""
    if kind not in targets:
        return
    letter = _LETTERS[kind]
    reader.links = package.relations(targets[kind])
    for each in package.tree(targets[kind]):
        if attribute(each, "type") in ("separator", "continuationSeparator", "continuationNotice"):
            continue
        text = " ".join(block.text for block in reader.flow(each)).strip()
        author = attribute(each, "author")
        said = f" comment by {author}:" if author and kind == "comments" else ""
        if text:
            yield f"[^{letter}{attribute(each, 'id')}]:{said} {text}"


def _around(package: Package, relations: Mapping[str, tuple[str, str]], reader: WordText) -> Iterator[Block]:
    """What stands on every page, each text once."""
    texts: dict[tuple[str, str], None] = {}
    for kind, target in relations.values():
        if kind in ("header", "footer") and package.has(target):
            reader.links = package.relations(target)
            text = "\n".join(block.text for block in reader.flow(package.tree(target)))
            if text:
                texts[kind, text] = None
    for kind, text in texts:
        yield from blocks(text, place=kind)


def _cells(row: Element) -> Sequence[Element]:
    """The cells of a row, also those in content controls."""
    found: list[Element] = []
    for each in row:
        if local(each) == "tc":
            found.append(each)
        elif local(each) == "sdt":
            found += [cell for cell in children(each, "sdtContent") if local(cell) == "tc"]
    return found
