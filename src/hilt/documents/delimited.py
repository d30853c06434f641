"""Tables in text form: the delimiter is found and told, rows are read one by one, however many there are."""

import csv
import io
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from hilt.documents import trouble
from hilt.documents.cell_ranges import CellRange, range_of
from hilt.documents.pieces import Piece, Reading, Seen
from hilt.documents.row_pieces import RowPieces
from hilt.documents.source import Source

DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}

SAMPLE_ROWS = 50


@dataclass(slots=True)
class _Lines:
    """The lines of a table; a row that comes after they have `ended` is one that was still waiting for its quote."""

    lines: Iterator[str]
    ended: bool = False

    def __iter__(self) -> Iterator[str]:
        yield from self.lines
        self.ended = True


@dataclass(slots=True, kw_only=True)
class _Table:
    """A table as it is read; `ragged` are the rows whose number of cells is not the first one's."""

    source: Source
    delimiter: str
    wanted: CellRange
    rows: RowPieces
    width: int = 0
    uneven: Seen = field(default_factory=Seen)
    stopped: str = ""
    unclosed: int = 0

    def pieces(self) -> Iterator[Piece]:
        for number, cells in enumerate(self._rows(), 1):
            if number > self.wanted.last_row:
                return
            self._compare(number, len(cells))
            if number >= self.wanted.first_row:
                first = self.wanted.first_column
                chosen = enumerate(cells[first - 1 : self.wanted.last_column], first)
                yield from self.rows.of(number, ((place, cell) for place, cell in chosen if cell))

    def facts(self) -> Iterator[str]:
        if self.uneven:
            yield f"the first row has {self.width:,} cells; others have more or fewer: row {self.uneven}"
        if self.unclosed:
            yield f"a quote that opens in row {self.unclosed:,} is never closed: all that follows stands in that cell"
        if self.stopped:
            yield self.stopped
        yield from self.rows.facts()

    def _rows(self) -> Iterator[list[str]]:
        lines = _Lines(decoded(self.source))
        rows = csv.reader(lines, delimiter=self.delimiter)
        number = 0
        try:
            for number, cells in enumerate(rows, 1):
                if lines.ended:
                    self.unclosed = number
                yield cells
        except csv.Error as error:
            why = f"row {number + 1:,} cannot be read ({error}); a quote may never be closed there"
            if not number:
                raise trouble.broken(self.source.name, "a table in text form", why) from None
            self.stopped = f"what follows is not read: {why}"

    def _compare(self, number: int, count: int) -> None:
        if number == 1:
            self.width = count
        elif count and count != self.width:
            self.uneven.add(f"{number:,}")


@contextmanager
def read(source: Source, part: str | None) -> Generator[Reading, None, None]:
    """Rows of a table; `part` is a range of cells such as "A1:F40", columns "B:D", or rows "5:9"."""
    delimiter = _delimiter(source)
    wanted = range_of(part, source.name) if part is not None else CellRange()
    table = _Table(source=source, delimiter=delimiter, wanted=wanted, rows=RowPieces(wanted=wanted))
    told = f"{DELIMITERS.get(delimiter, repr(delimiter))}-separated"
    span = f", cells {part}" if part is not None else ""
    yield Reading(
        told=f"{told}{span}",
        pieces=table.pieces(),
        decoded=True,
        facts=table.facts,
        stopped=lambda: bool(table.stopped),
    )


def decoded(source: Source) -> io.TextIOWrapper:
    """The text of a source, line ends as they are; bytes that are none stand as \\xNN."""
    stream = source.stream()
    stream.seek(source.mark)
    return io.TextIOWrapper(stream, encoding=source.codec or "utf-8", errors="backslashreplace", newline="")


def _delimiter(source: Source) -> str:
    """The delimiter that cuts the first rows most evenly; of several that do, the one that gives most cells."""
    text = source.head[source.mark :].decode(source.codec or "utf-8", "ignore")
    whole = len(source.head) >= source.size
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = _widths(text, delimiter, whole=whole)
        usual, count = widths.most_common(1)[0] if widths else (1, 0)
        score = (count / max(widths.total(), 1), usual) if usual > 1 else (0.0, 0)
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _widths(text: str, delimiter: str, *, whole: bool) -> Counter[int]:
    """How many cells the first rows have; the last row of a part may be cut and does not count."""
    widths: list[int] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if row:
                widths.append(len(row))
            if len(widths) > SAMPLE_ROWS:
                break
    except csv.Error:
        return Counter()
    return Counter(widths if whole or len(widths) == 1 else widths[:-1])
