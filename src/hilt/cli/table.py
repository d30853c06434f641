"""Plain tables: aligned by what a terminal shows, numbers to the right, nothing drawn."""

import unicodedata
from collections.abc import Callable, Sequence

GAP = "  "
SHORTEST_TEXT = 20
"""Columns that are kept for a text beside a table, however narrow the terminal."""
_WIDE = ("W", "F")

Paint = Callable[[str], str]


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in _WIDE else 1 for each in text
    )


def cut(text: str, width: int) -> str:
    """A text on one line, in at most `width` columns."""
    line = " ".join(text.split())
    if columns(line) <= width:
        return line
    kept = line[: 2 * max(width, 1)]  # a long text is not measured whole for each character that goes
    while kept and columns(kept) > width - 1:
        kept = kept[:-1]
    return kept.rstrip() + "…"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: str = "", paint: Paint = str) -> str:
    """Rows under their heads. `right` has an `r` for each column that is aligned to the right."""
    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(columns(line[place]) for line in lines) for place in range(len(heads))]
    sides = right.ljust(len(heads), "l")
    drawn = [
        GAP.join(_cell(text, widths[place], sides[place]) for place, text in enumerate(line)).rstrip() for line in lines
    ]
    return "\n".join([paint(drawn[0]), *drawn[1:]])


def beside(
    rows: Sequence[tuple[str, ...]], texts: Sequence[str], heads: Sequence[str], width: int
) -> list[tuple[str, ...]]:
    """Rows with a last column of texts, each cut to what the others leave of `width`."""
    fixed = heads[:-1]
    taken = sum(max(columns(row[place]) for row in (fixed, *rows)) + len(GAP) for place in range(len(fixed)))
    room = max(width - taken, SHORTEST_TEXT)
    return [(*row, cut(text, room)) for row, text in zip(rows, texts, strict=True)]


def _cell(text: str, width: int, side: str) -> str:
    space = " " * (width - columns(text))
    return space + text if side == "r" else text + space


def pairs(rows: Sequence[tuple[str, str]], *, paint: Paint = str) -> str:
    """Names and what stands behind each."""
    width = max((columns(name) for name, _ in rows), default=0)
    return "\n".join(f"{paint(name)}{' ' * (width - columns(name))}{GAP}{text}".rstrip() for name, text in rows)
