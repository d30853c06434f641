"""The pieces of one row: cells in their columns, very long ones cut and told; one asked for alone is given whole."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hilt.documents.cell_ranges import CellRange
from hilt.documents.pieces import Piece, Seen, blocks, column_letters, rows_of

CELL_BYTES = 8_000
"""The most shown of one cell among others."""


@dataclass(slots=True, kw_only=True)
class RowPieces:
    """Rows of a range as they are read; `cut` names the cells that were too long."""

    wanted: CellRange
    cut: Seen = field(default_factory=Seen)

    def of(self, row: int, cells: Iterable[tuple[int, str]]) -> Iterator[Piece]:
        """The pieces of a row, of its cells that are not empty, by the number of their column, ascending."""
        if not self.wanted.single:
            shown = ((column, self._fit(row, column, text)) for column, text in cells)
            yield from rows_of(row, self.wanted.first_column, shown)
            return
        for column, text in cells:
            if _fits(text):
                yield from rows_of(row, self.wanted.first_column, [(column, text)])
            else:
                yield from blocks(text, place=f"cell {column_letters(column)}{row}")

    def facts(self) -> Iterator[str]:
        if self.cut:
            yield f"cut to {CELL_BYTES:,} bytes: {self.cut}; a cell that is the whole part is given whole"

    def _fit(self, row: int, column: int, text: str) -> str:
        if _fits(text):
            return text
        content = text.encode()
        kept = content[:CELL_BYTES].decode("utf-8", "ignore")
        self.cut.add(f"{column_letters(column)}{row}")
        return f"{kept} [... {len(content) - len(kept.encode()):,} bytes more]"


def _fits(text: str) -> bool:
    return len(text) * 4 <= CELL_BYTES or len(text.encode()) <= CELL_BYTES
