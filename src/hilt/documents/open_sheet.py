"""An OpenDocument spreadsheet: its cells as the program that wrote it showed them, formulas beside them."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from hilt.documents import media
from hilt.documents.cell_ranges import MOST_COLUMNS, CellRange
from hilt.documents.open_document import CONTENT, OpenText, opened, pictures
from hilt.documents.package import attribute, children, local, whole_number
from hilt.documents.pieces import Piece, Reading, Seen, column_letters, outline
from hilt.documents.row_pieces import RowPieces
from hilt.documents.sheet import ARROW
from hilt.documents.source import Source
from hilt.documents.workbook import Sheet, chosen_sheet

MOST_REPEATED_ROWS = 1_000
"""So many rows that repeat one that holds something are written; empty ones are skipped."""

_REFERENCE = re.compile(r"\[([^\]]*)\]")
_GROUPS = ("table-header-rows", "table-rows", "table-row-group", "table-header-columns")


@dataclass(slots=True, kw_only=True)
class _Cells:
    """The rows of one table as they are read."""

    table: Element
    wanted: CellRange
    rows: RowPieces
    row: int = 0
    reader: OpenText = field(default_factory=OpenText)
    remarks: Seen = field(default_factory=Seen)
    hidden: Seen = field(default_factory=Seen)
    merged: Seen = field(default_factory=Seen)
    repeated: Seen = field(default_factory=Seen)

    def pieces(self) -> Iterator[Piece]:
        number = 0
        for row in _rows(self.table):
            times = max(whole_number(attribute(row, "number-rows-repeated"), 1), 1)
            first, number = number + 1, number + times
            self.row = first
            cells = list(self._cells(row))
            if not cells or number < self.wanted.first_row or first > self.wanted.last_row:
                continue
            if attribute(row, "visibility") in ("collapse", "filter"):
                self.hidden.add(str(first))
            start, end = max(first, self.wanted.first_row), min(number, self.wanted.last_row)
            if end - start >= MOST_REPEATED_ROWS:
                self.repeated.add(f"row {start + MOST_REPEATED_ROWS:,} to {end:,}")
            for each in range(start, min(end + 1, start + MOST_REPEATED_ROWS)):
                yield from self.rows.of(each, cells)

    def facts(self) -> Iterator[str]:
        if self.merged:
            yield f"merged, the value stands in the first cell: {self.merged}"
        if self.remarks:
            yield f"comments: {self.remarks}"
        if self.hidden:
            yield f"hidden rows, shown here: {self.hidden}"
        yield from self.rows.facts()
        if self.repeated:
            yield f"left out, for they repeat the row before: {self.repeated}"

    def _remark(self, cell: Element, column: int) -> None:
        """Keep what somebody wrote beside a cell that was asked for."""
        rows = self.wanted.first_row <= self.row <= self.wanted.last_row
        if not rows or not self.wanted.first_column <= column <= self.wanted.last_column:
            return
        for each in cell:
            said = (line for line in each if local(line) == "p") if local(each) == "annotation" else ()
            text = " ".join(map(self.reader.text, said))
            if text.strip():
                self.remarks.add(f"{column_letters(column)}{self.row}: {' '.join(text.split())}")

    def _cells(self, row: Element) -> Iterator[tuple[int, str]]:
        column = 0
        for cell in row:
            times = max(whole_number(attribute(cell, "number-columns-repeated"), 1), 1)
            first, column = column + 1, column + times
            text = _shown(cell, self.reader) if local(cell) == "table-cell" else ""
            self._remark(cell, first)
            if not text or column < self.wanted.first_column:
                continue
            if any(attribute(cell, f"number-{each}-spanned", "1") != "1" for each in ("columns", "rows")):
                self.merged.add(f"{column_letters(first)}{self.row}")
            last = min(column, self.wanted.last_column, MOST_COLUMNS)
            yield from ((each, text) for each in range(max(first, self.wanted.first_column), last + 1))


def _hidden_styles(root: Element) -> frozenset[str]:
    """The styles of sheets that are not to be seen."""
    found = children(root, "automatic-styles")
    return frozenset(
        attribute(each, "name")
        for each in found
        if any(attribute(inner, "display") == "false" for inner in each if local(inner) == "table-properties")
    )


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Rows of a sheet: `part` is a sheet, a range of its cells, or both as "Sheet1!A1:F40"."""
    with opened(source, "an OpenDocument spreadsheet") as package:
        picture = media.shown(package, part)
        if picture is not None:
            yield picture
            return
        root = package.tree(CONTENT)
        tables = [each for each in children(root, "body", "spreadsheet") if local(each) == "table"]
        if not tables:
            raise package.broken("it has no sheets")
        unseen = _hidden_styles(root)
        sheets = [
            Sheet(name=attribute(each, "name"), part=str(place), hidden=attribute(each, "style-name") in unseen)
            for place, each in enumerate(tables)
        ]
        sheet, wanted = chosen_sheet(part, sheets, source.name)
        cells = _Cells(table=tables[int(sheet.part)], wanted=wanted, rows=RowPieces(wanted=wanted))

        def facts() -> Iterator[str]:
            yield from cells.facts()
            yield from pictures(package)

        yield Reading(
            told=f"{len(sheets)} {'sheet' if len(sheets) == 1 else 'sheets'}, sheet {sheet.entry('')}",
            pieces=cells.pieces(),
            outline=_outline(sheets),
            essential=True,
            facts=facts,
        )


def _outline(sheets: Sequence[Sheet]) -> str:
    return outline([each.entry("") for each in sheets], "sheets") if len(sheets) > 1 else ""


def _rows(table: Element, depth: int = 0) -> Iterator[Element]:
    for each in table:
        if local(each) == "table-row":
            yield each
        elif local(each) in _GROUPS and depth < len(_GROUPS) * 4:
            yield from _rows(each, depth + 1)


def _shown(cell: Element, reader: OpenText) -> str:
    """The text that stands in a cell, and before it the formula that gave it."""
    lines = [reader.text(each) for each in cell if local(each) == "p"]
    text = "\n".join(lines) or attribute(cell, "value")
    formula = attribute(cell, "formula")
    if not formula:
        return f"'{text}" if text[:1] == "=" else text
    plain = formula.partition(":=")[2] if ":=" in formula else formula.removeprefix("=")
    return f"={_REFERENCE.sub(_as_excel_writes, plain)}{ARROW}{text}"


def _as_excel_writes(match: re.Match[str]) -> str:
    """[.B2:.B9] as B2:B9, [Sheet2.A1] as Sheet2!A1."""
    return match[1].lstrip(".").replace(":.", ":").replace(".", "!")
