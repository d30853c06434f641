"""An Excel workbook: its sheets, shared strings and formats; the cells of a sheet are in `sheet.py`."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from xml.etree import ElementTree

from hilt.documents.cell_formats import BUILT_IN
from hilt.documents.cell_ranges import CellRange, is_range, range_of
from hilt.documents.package import Package, attribute, child, children, local, whole_number
from hilt.documents.pieces import Reading, outline
from hilt.documents.rich_text import joined
from hilt.documents.sheet import Book, SheetCells
from hilt.documents.source import Source
from hilt.results.failures import InvalidArguments

STRINGS_BYTES = 256 * 1024**2
"""The largest table of shared strings that is held."""

UNKNOWN = "[of another language]"
"""Stands for the codes that only some languages' Excel knows by their number; a number is shown as stored."""

_HEAD_BYTES = 4096
_XL = "xl/workbook.xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One sheet: `part` holds its cells; `kind` is worksheet, chartsheet or dialogsheet."""

    name: str
    part: str
    hidden: bool
    kind: str = "worksheet"

    def entry(self, claimed: str) -> str:
        """Its line in the outline."""
        words = [claimed] if self.kind == "worksheet" and claimed else [self.kind] if self.kind != "worksheet" else []
        words += ["hidden"] if self.hidden else []
        return f"{self.name} ({', '.join(words)})" if words else self.name


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Rows of a sheet: `part` is a sheet, a range of its cells, or both as "Sheet1!A1:F40"."""
    with Package(source, "an Excel workbook") as package:
        main = package.main_part(_XL)
        root = package.tree(main)
        sheets = _sheets(package, main, root)
        if not sheets:
            raise package.broken("it has no sheets")
        sheet, wanted = chosen_sheet(part, sheets, source.name)
        if sheet.kind != "worksheet":
            raise InvalidArguments(f"{sheet.name} of {source.name} is a {sheet.kind} and has no cells", _named(sheets))
        cells = SheetCells(package=package, part=sheet.part, book=_book(package, main, root), wanted=wanted)
        count = f"{len(sheets)} {'sheet' if len(sheets) == 1 else 'sheets'}"
        place = f", sheet {sheet.name}" + (" (hidden)" if sheet.hidden else "")
        if not cells.small and wanted == CellRange() and (claimed := _claimed(package, sheet)):
            place += f", {claimed} by its own word"
        asked = part.rpartition("!")[2] if part is not None and wanted != CellRange() else ""
        yield Reading(
            told=f"{count}{place}{f', cells {asked}' if asked else ''}",
            pieces=cells.pieces(),
            outline=outline([each.entry(_claimed(package, each)) for each in sheets], "sheets")
            if len(sheets) > 1
            else "",
            essential=True,
            counted=cells.small,
            facts=cells.facts,
            onward=None if cells.small else lambda read: cells.onward(read, sheet.name),
        )


def chosen_sheet(part: str | None, sheets: Sequence[Sheet], name: str) -> tuple[Sheet, CellRange]:
    """The sheet and cells that `part` names; without one, the first sheet that is to be seen."""
    usual = next((each for each in sheets if not each.hidden and each.kind == "worksheet"), sheets[0])
    if part is None:
        return usual, CellRange()
    if (named := _by_name(part, sheets)) is not None:
        return named, CellRange()
    sheet, mark, cells = part.rpartition("!")
    if not mark and is_range(part):
        return usual, range_of(part, name)
    found = _by_name(sheet, sheets) if mark else None
    if found is None:
        raise InvalidArguments(
            f"{name} has no sheet {(sheet if mark else part)!r}",
            _named(sheets),
            *(() if mark else (f'give cells such as "{usual.name}!A1:F40", or rows "{usual.name}!5:9"',)),
        )
    return found, range_of(cells, name)


def _by_name(asked: str, sheets: Sequence[Sheet]) -> Sheet | None:
    """Excel's own rules: quotes around, doubled inside, capitals and small letters are one; or as the outline is."""
    plain = asked.strip()
    if len(plain) > 1 and plain[0] == plain[-1] == "'":
        plain = plain[1:-1].replace("''", "'")
    exact = [each for each in sheets if each.name == plain]
    alike = [each for each in sheets if each.name.casefold() == plain.casefold()]
    listed = [
        each for each in sheets if plain.startswith(f"{each.name} (") and plain.endswith(")") and "!" not in plain
    ]
    return next(iter(exact or alike or listed), None)


def _named(sheets: Sequence[Sheet]) -> str:
    return f"give one of its sheets: {outline([each.name for each in sheets], 'sheets')}"


def _sheets(package: Package, main: str, root: ElementTree.Element) -> tuple[Sheet, ...]:
    relations = package.relations(main)
    found: list[Sheet] = []
    for each in children(root, "sheets"):
        kind, part = relations.get(attribute(each, "id"), ("", ""))
        hidden = attribute(each, "state") in ("hidden", "veryHidden")
        if part:
            found.append(Sheet(name=attribute(each, "name"), part=part, hidden=hidden, kind=kind))
    return tuple(found)


def _claimed(package: Package, sheet: Sheet) -> str:
    """The size that a sheet says it has, without reading its cells; not always true."""
    head = package.begin(sheet.part, _HEAD_BYTES)
    _, mark, behind = head.partition(b'dimension ref="')
    return behind.partition(b'"')[0].decode("latin-1") if mark else ""


def _book(package: Package, main: str, root: ElementTree.Element) -> Book:
    parts = dict(package.relations(main).values())
    properties = child(root, "workbookPr")
    return Book(
        strings=_strings(package, parts.get("sharedStrings", "xl/sharedStrings.xml")),
        formats=_formats(package.optional_tree(parts.get("styles", "xl/styles.xml"))),
        from_1904=properties is not None and attribute(properties, "date1904") in ("1", "true"),
    )


def _strings(package: Package, part: str) -> list[str]:
    """The texts that cells share, each of its runs joined; how a word is spoken is left out."""
    if not package.has(part):
        return []
    if package.size(part) > STRINGS_BYTES:
        raise package.too_large(part, STRINGS_BYTES)
    found: list[str] = []
    table: ElementTree.Element | None = None
    for event, element in package.events(part):
        if event == "start":
            table = element if table is None else table
        elif local(element) == "si" and table is not None:
            found.append(joined(element))
            table.clear()
    return found


def _formats(styles: ElementTree.Element) -> tuple[str, ...]:
    """The format code of each style of a cell, by its number."""
    codes = dict(BUILT_IN)
    for each in children(styles, "numFmts"):
        codes[whole_number(attribute(each, "numFmtId"), -1)] = attribute(each, "formatCode")
    numbers = (whole_number(attribute(each, "numFmtId")) for each in children(styles, "cellXfs"))
    return tuple(codes.get(number, UNKNOWN) or "General" for number in numbers)
