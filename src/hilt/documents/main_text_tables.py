"""An HTML table as one of Markdown: each cell in its column, also where one spans several."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Element = Any  # lxml's elements: the library has no types

WIDEST = 200
"""Columns of a table that are told apart, and the most that one cell may span."""

LONGEST_SPAN = 1_000
"""Rows that one cell may span."""


@dataclass(frozen=True, slots=True)
class Row:
    """Cells by column; `head` where each is a heading."""

    cells: tuple[str, ...]
    head: bool


def is_layout(table: Element) -> bool:
    """Whether a table only arranges a page: others lie in it, or it has a single column or cell."""
    if table.get("role") in ("presentation", "none") or next(table.iter("pre"), None) is not None:
        return True
    inner = table.iter("table")
    next(inner, None)
    if next(inner, None) is not None:
        return True
    return next(table.iter("th"), None) is None and max((_width(row) for row in table.iter("tr")), default=0) <= 1


def table_rows(table: Element, write: Callable[[Element], str]) -> Iterator[Row]:
    """The rows; a cell that spans several rows or columns stands in each of them."""
    held: dict[int, tuple[int, str]] = {}
    for row in table.iter("tr"):
        given = [each for each in row if each.tag in ("td", "th")]
        if not given:
            continue
        cells: dict[int, str] = {}
        _carry(held, cells)
        column = 0
        for cell in given:
            while column in cells:
                column += 1
            text = write(cell)
            down, across = _span(cell, "rowspan", LONGEST_SPAN), _span(cell, "colspan", WIDEST)
            for place in range(column, min(column + across, WIDEST)):
                cells[place] = text
                if down > 1:
                    held[place] = (down - 1, text)
            column += across
            if column >= WIDEST:
                break
        width = max(cells) + 1 if cells else 0
        yield Row(tuple(cells.get(place, "") for place in range(width)), all(each.tag == "th" for each in given))


def table_text(rows: Iterator[Row]) -> str:
    """A table of Markdown; its first row is the heading, and is empty where the page has none."""
    found = [row for row in rows if any(cell.strip() for cell in row.cells)]
    if not found:
        return ""
    width = max(len(row.cells) for row in found)
    head = found.pop(0).cells if found[0].head else ()
    lines = [_line(head, width), "|" + "---|" * width, *(_line(row.cells, width) for row in found)]
    return "\n".join(lines) + "\n"


def _carry(held: dict[int, tuple[int, str]], cells: dict[int, str]) -> None:
    """Cells that reach down from rows above."""
    for place, (left, text) in list(held.items()):
        cells[place] = text
        if left == 1:
            del held[place]
        else:
            held[place] = (left - 1, text)


def _line(cells: Sequence[str], width: int) -> str:
    filled = [*cells, *[""] * (width - len(cells))]
    return "| " + " | ".join(_fit(cell) for cell in filled) + " |"


def _fit(cell: str) -> str:
    """A cell on one line, with the bars that are its own told from those of the table."""
    return "<br>".join(line.strip() for line in cell.replace("|", "\\|").split("\n") if line.strip())


def _width(row: Element) -> int:
    return sum(1 for each in row if each.tag in ("td", "th"))


def _span(cell: Element, name: str, most: int) -> int:
    text = (cell.get(name) or "1").strip()
    return max(1, min(int(text), most)) if text.isascii() and text.isdecimal() and len(text) < 10 else 1
