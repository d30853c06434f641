"""Ranges of cells as a spreadsheet writes them: A1, A1:F40, B:D, 5:9, with a sheet's name before."""

import re
from dataclasses import dataclass

from hilt.results.failures import InvalidArguments

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
"""What a sheet can hold."""

_NO_END = 10**9
_CELLS = re.compile(r"\$?([A-Za-z]{0,3})\$?([0-9]{0,9})(?::\$?([A-Za-z]{0,3})\$?([0-9]{0,9}))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRange:
    """Rows and columns, from 1, both ends included. Everything, unless said otherwise."""

    first_row: int = 1
    last_row: int = _NO_END
    first_column: int = 1
    last_column: int = _NO_END

    @property
    def single(self) -> bool:
        """Whether it is one cell alone."""
        return (self.first_row, self.first_column) == (self.last_row, self.last_column)


def column_number(letters: str) -> int:
    """The number of a column, from 1: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def is_range(text: str) -> bool:
    """Whether this reads as a range of cells."""
    return _bounds(text) is not None


def range_of(text: str, name: str) -> CellRange:
    """The cells that `text` names. Raises InvalidArguments."""
    found = _bounds(text)
    if found is None:
        raise InvalidArguments(
            f"part {text!r} is no range of cells of {name}", 'give cells "A1:F40", columns "B:D" or rows "5:9"'
        )
    return found


def _bounds(text: str) -> CellRange | None:
    match = _CELLS.fullmatch(text.strip())
    if match is None or not (match[1] or match[2]):
        return None
    ranged = match[3] is not None
    left, top = match[1], match[2]
    right, bottom = (match[3], match[4]) if ranged else (left, top)
    if not ranged and not (left and top):
        return None
    if bool(left) != bool(right) or bool(top) != bool(bottom):
        return None
    columns = sorted((column_number(left), column_number(right))) if left else [1, _NO_END]
    rows = sorted((int(top), int(bottom))) if top else [1, _NO_END]
    if not (columns[0] and rows[0]):
        return None
    return CellRange(first_row=rows[0], last_row=rows[1], first_column=columns[0], last_column=columns[1])
