"""The cells of one Excel sheet, row by row: values as the file shows them, formulas beside them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

from hilt.documents import trouble
from hilt.documents.cell_formats import general, shown_number
from hilt.documents.cell_ranges import MOST_ROWS, CellRange, column_number
from hilt.documents.package import Package, attribute, child, local, whole_number
from hilt.documents.pieces import Onward, Piece, Seen, column_letters
from hilt.documents.rich_text import joined
from hilt.documents.row_pieces import RowPieces
from hilt.documents.sheet_remarks import inside, remarks
from hilt.documents.sheet_rows import without_other_rows
from hilt.results.failures import EnvironmentFailure

SMALL_BYTES = 16 * 1024**2
"""A sheet up to this size is read to its end whatever was asked for."""

ARROW = " -> "
"""Stands between a formula and the value that the file holds for it."""

NOT_CALCULATED = "(not calculated)"
_ALL_COLUMNS = (CellRange().first_column, CellRange().last_column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """What the sheets of a workbook share."""

    strings: Sequence[str]
    formats: Sequence[str]
    from_1904: bool


@dataclass(slots=True, kw_only=True)
class SheetCells:
    """A sheet as it is read; what was seen on the way is told behind the rows."""

    package: Package
    part: str
    book: Book
    wanted: CellRange
    merged: Seen = field(default_factory=Seen)
    hidden_rows: Seen = field(default_factory=Seen)
    hidden_columns: Seen = field(default_factory=Seen)
    as_stored: Seen = field(default_factory=Seen)
    unseen: Seen = field(default_factory=Seen)
    links: Seen = field(default_factory=Seen)
    _addresses: set[str] = field(default_factory=set[str])
    _relations: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    uncalculated: int = 0
    _given: int = 0
    _given_before_row: int = 0
    _ended: bool = False
    _shared: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    _row: int = 0
    _rows: RowPieces | None = None

    @property
    def small(self) -> bool:
        """Whether reading to the end is cheap, for an exact total and what stands behind the rows."""
        return self.package.size(self.part) <= SMALL_BYTES

    def pieces(self) -> Iterator[Piece]:
        rows: ElementTree.Element | None = None
        wanted = self.wanted
        for event, element in self.package.events(
            self.part, lambda blocks: without_other_rows(blocks, wanted.first_row, wanted.last_row)
        ):
            name = local(element)
            if event == "start":
                rows = element if name == "sheetData" else rows
            elif name == "row" and rows is not None:
                yield from self._shown(element)
                rows.clear()
            else:
                self._beside(name, element)
        self._ended = True

    def _beside(self, name: str, element: ElementTree.Element) -> None:
        """What stands before and behind the rows."""
        match name:
            case "mergeCell":
                self.merged.add(attribute(element, "ref"))
            case "col":
                self._column(element)
            case "hyperlink":
                self._relations = self._relations or self.package.relations(self.part)
                target = self._relations.get(attribute(element, "id"), ("", ""))[1]
                place = attribute(element, "ref")
                if target and target not in self._addresses and inside(place, self.wanted):
                    self.links.add(f"{place} {target}")
            case _:
                return

    def onward(self, read: int, sheet: str) -> Onward:
        """The way on behind the first `read` pieces, once the next one has been met: from its row.

        An offset would have all rows before it parsed again.
        """
        wanted = self.wanted
        last_row = max(min(wanted.last_row, MOST_ROWS), self._row)
        columns = (wanted.first_column, wanted.last_column)
        left, right = ("", "") if columns == _ALL_COLUMNS else map(column_letters, columns)
        return Onward(
            part=f"{sheet}!{left}{self._row}:{right}{last_row}",
            offset=read - self._given_before_row + 1,
            shown=read,
            total=self._given,
            whole=False,
        )

    def facts(self) -> Iterator[str]:
        if not self.merged and not self._ended:
            yield "the sheet is large and was not read to its end: merged cells were not looked for"
        told = (
            ("merged, the value stands in the first cell", self.merged),
            ("links", self.links),
            ("comments", self._remarks()),
            ("hidden rows, shown here", self.hidden_rows),
            ("hidden columns, shown here", self.hidden_columns),
            ("values that their number format does not show", self.unseen),
            ("number formats that are not applied, shown as stored", self.as_stored),
        )
        yield from (f"{what}: {seen}" for what, seen in told if seen)
        yield from self._rows.facts() if self._rows else ()
        if self.uncalculated:
            yield f"formulas without a value, for whoever wrote the file calculated none: {self.uncalculated:,}"

    def _remarks(self) -> Seen:
        found = Seen()
        try:
            for each in remarks(self.package, self.part, self.wanted):
                found.add(each)
        except EnvironmentFailure as failure:  # costs nobody the cells
            found.add(failure.problem)
        return found

    def _shown(self, row: ElementTree.Element) -> Iterator[Piece]:
        self._row = whole_number(attribute(row, "r"), self._row + 1)
        wanted = self.wanted.first_row <= self._row <= self.wanted.last_row
        cells: list[tuple[int, str]] = []
        column = 0
        for cell in row:
            column = column_number(attribute(cell, "r").rstrip("0123456789")) or column + 1
            if not (wanted and self.wanted.first_column <= column <= self.wanted.last_column):
                self._learn(cell, column)
            elif text := self._text(cell, column):
                cells.append((column, text))
                if "://" in text:
                    self._addresses.add(text)
        if cells and attribute(row, "hidden") in ("1", "true"):
            self.hidden_rows.add(str(self._row))
        self._given_before_row = self._given
        self._rows = self._rows or RowPieces(wanted=self.wanted)
        for piece in self._rows.of(self._row, cells):
            self._given += 1
            yield piece

    def _learn(self, cell: ElementTree.Element, column: int) -> None:
        """Keep the formula of a cell that is not wanted, which others may share."""
        formula = child(cell, "f")
        if formula is not None and formula.text:
            self._formula(formula, column)

    def _text(self, cell: ElementTree.Element, column: int) -> str:
        stored = child(cell, "v")
        value = self._value(cell, stored.text or "" if stored is not None else None)
        formula = child(cell, "f")
        if formula is None:
            kind = attribute(cell, "t")
            return f"'{value}" if value[:1] == "=" and kind in ("s", "inlineStr", "str") else value
        # An empty <v> is a result only where the file says that the result is text.
        known = stored is not None and (stored.text or attribute(cell, "t") == "str")
        self.uncalculated += not known
        return f"{self._formula(formula, column)}{ARROW}{value if known else NOT_CALCULATED}"

    def _value(self, cell: ElementTree.Element, stored: str | None) -> str:
        match attribute(cell, "t", "n"):
            case "s":
                return self._string(stored or "")
            case "inlineStr":
                inline = child(cell, "is")
                return joined(inline) if inline is not None else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(stored or "", stored or "")
            case "n":
                return self._number(stored, attribute(cell, "s", "0"), attribute(cell, "r")) if stored else ""
            case _:
                return stored or ""

    def _string(self, stored: str) -> str:
        place = whole_number(stored, len(self.book.strings))
        return self.book.strings[place] if place < len(self.book.strings) else f"[no shared string {stored}]"

    def _number(self, stored: str, style: str, place: str) -> str:
        number = whole_number(style)
        code = self.book.formats[number] if number < len(self.book.formats) else "General"
        shown = shown_number(stored, code, from_1904=self.book.from_1904)
        if shown is None:
            self.as_stored.add(f"{place} {code}")
            return general(stored)
        if not shown and stored.strip("-0."):
            self.unseen.add(place)
        return shown

    def _formula(self, formula: ElementTree.Element, column: int) -> str:
        text = formula.text or ""
        kind, group = attribute(formula, "t"), attribute(formula, "si")
        here = f"{column_letters(column)}{self._row}"
        if kind == "shared" and text:
            self._shared[group] = (text, here)
        elif kind == "shared" and group in self._shared:
            text = self._translated(*self._shared[group], here)
        return f"{{={text}}}" if kind == "array" else f"={text}"

    def _translated(self, text: str, origin: str, here: str) -> str:
        """A formula that is written once for many cells, as it stands in this one."""
        try:
            translator: Any = import_module("openpyxl.formula.translate").Translator  # Any: openpyxl has no types
        except ImportError:
            raise trouble.missing_extra(self.package.name, "an Excel workbook with shared formulas") from None
        try:
            return str(translator(f"={text}", origin=origin).translate_formula(here)).removeprefix("=")
        except (ValueError, IndexError, TypeError):
            return f"{text} [as in {origin}]"

    def _column(self, element: ElementTree.Element) -> None:
        first, last = whole_number(attribute(element, "min")), whole_number(attribute(element, "max"))
        if attribute(element, "hidden") in ("1", "true") and first and last:
            letters = [column_letters(first), column_letters(last)]
            self.hidden_columns.add(letters[0] if letters[0] == letters[1] else ":".join(letters))
