"""What every reader gives: pieces of text and rows of cells, in order, each small enough for a page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

PIECE_BYTES = 4_000
"""The most of one piece; longer text goes on in the next, so that an offset reaches every byte."""

EMPTY_CELLS = 8
"""So many empty cells in a row are left out, and what comes behind them begins a new piece."""

OUTLINE_BYTES = 1_500
"""The most of an outline that is shown."""


MOST_NAMED = 12
"""So many of a kind are named in a note; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of text: a heading, a paragraph, a table, a page. `place` says where it stands: "page 3".

    `level` is that of a heading, 0 for other text; `picture` what is shown instead of text.
    """

    text: str
    place: str = ""
    level: int = 0
    picture: bytes | None = None
    media_type: str = "image/png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Cells of one row, as shown. `row` counts from 1, `column` is the letter of the first cell."""

    row: int
    column: str
    cells: tuple[str, ...]


Piece = Block | Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Onward:
    """How reading goes on behind some pieces, where a part says it better than a longer offset.

    `total` is exact with `whole`, else at least that many exist.
    """

    part: str
    offset: int
    shown: int
    total: int
    whole: bool = True


@dataclass(slots=True, kw_only=True)
class Reading:
    """A document under way. `pieces` are read as they are asked for; `facts` are called behind them.

    `told` says what is being read, for the summary; `outline` what parts there are; `onward` maps a
    number of pieces read to the way on; `counted` says whether the rest is worth counting; `stopped`,
    asked behind the pieces, whether some could not be read. An outline that is `essential` is shown
    also where everything else was. `decoded` text is read in the source's own encoding.
    """

    told: str
    pieces: Iterable[Piece]
    outline: str = ""
    counted: bool = True
    essential: bool = False
    decoded: bool = False
    facts: Callable[[], Iterable[str]] = tuple
    stopped: Callable[[], bool] = bool
    onward: Callable[[int], Onward] | None = None


@dataclass(slots=True)
class Seen:
    """Names of what was seen, the first few kept and the others counted."""

    first: list[str] = field(default_factory=list[str])
    count: int = 0

    def add(self, name: str) -> None:
        self.count += 1
        if len(self.first) < MOST_NAMED:
            self.first.append(name)

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        more = self.count - len(self.first)
        return ", ".join(self.first) + (f" and {more:,} more" if more else "")


def split_text(text: str, most: int = PIECE_BYTES) -> Iterator[str]:
    """`text` in pieces of at most `most` bytes, at a line's border where one is near, else at a word's."""
    at = 0
    while at < len(text):
        kept = text[at : at + most].encode()[:most].decode("utf-8", "ignore")
        end = at + len(kept)
        borders = (kept.rfind("\n") + 1, kept.rfind(" ") + 1)
        border = next((each for each in borders if each > len(kept) // 2), 0)
        if end < len(text) and border:
            end = at + border
        yield text[at:end]
        at = end


def blocks(text: str, *, place: str = "", level: int = 0) -> Iterator[Block]:
    """`text` as one block, or as several where it is long."""
    for number, part in enumerate(split_text(text)):
        yield Block(text=part, place=place, level=0 if number else level)


def column_letters(number: int) -> str:
    """The name of a column, from 1: A, Z, AA."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def rows_of(row: int, first: int, cells: Iterable[tuple[int, str]]) -> Iterator[Row]:
    """One row as pieces, of its cells that are not empty, by the number of their column, ascending.

    It begins at column `first` unless many empty cells come before; a long row gives several pieces.
    """
    kept: list[str] = []
    start, size = first, 0
    for number, cell in cells:
        gap = number - start - len(kept)
        cost = len(cell.encode()) + gap + 1
        if gap >= EMPTY_CELLS or (kept and size + cost > PIECE_BYTES):
            if kept:
                yield Row(row=row, column=column_letters(start), cells=tuple(kept))
            kept, start, size, gap = [], number, 0, 0
        kept += [*[""] * gap, cell]
        size += cost
    if kept:
        yield Row(row=row, column=column_letters(start), cells=tuple(kept))


def outline(entries: Sequence[str], noun: str) -> str:
    """Entries on one line, as many as fit, and how many more there are."""
    kept: list[str] = []
    room = OUTLINE_BYTES
    for entry in entries:
        room -= len(entry.encode()) + 3
        if room < 0:
            break
        kept.append(entry)
    more = len(entries) - len(kept)
    return " | ".join(kept) + (f" | and {more:,} more {noun}" if more else "") if entries else ""
