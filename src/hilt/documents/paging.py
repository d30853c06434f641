"""One page out of a reading: which pieces are shown, and whether more follow."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from hilt.documents.pieces import Block, Piece, Reading
from hilt.results.failures import InvalidArguments

COUNTED = 50_000
"""So many pieces behind a page are read to give an exact total; of what is longer, only that there is more."""

PICTURE_COUNT = 4
"""The most pictures of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Pieces from `offset`, from 1. `total` is exact with `whole`, else at least that many exist.

    `by` names what ended the page: "limit", "bytes", "pictures", or nothing where it is the end.
    """

    pieces: tuple[Piece, ...]
    offset: int
    total: int
    whole: bool
    by: str = ""


def take(
    reading: Reading, *, offset: int, limit: int, page_bytes: int, pulse: Callable[[], None] = lambda: None
) -> Page:
    """The page at `offset`. Raises InvalidArguments past the end.

    `pulse` is called for each piece, and may raise the cancellation of the waiting call.
    """
    pieces = _beating(reading.pieces, pulse)
    skipped = sum(1 for _ in islice(pieces, offset - 1))
    kept: list[Piece] = []
    by, left = _fill(pieces, kept, limit, page_bytes)
    if not kept and offset > 1:
        raise InvalidArguments(
            f"offset {offset:,} is past the end: there are {skipped:,} items of {reading.told}",
            f"give an offset of at most {max(skipped, 1)}",
        )
    seen = skipped + len(kept) + left
    if not by:
        return Page(pieces=tuple(kept), offset=offset, total=seen, whole=True)
    most = COUNTED if reading.counted else 0
    behind = sum(1 for _ in islice(pieces, most))
    return Page(pieces=tuple(kept), offset=offset, total=seen + behind, whole=reading.counted and behind < most, by=by)


def _beating(pieces: Iterable[Piece], pulse: Callable[[], None]) -> Iterator[Piece]:
    for piece in pieces:
        pulse()
        yield piece


def _fill(pieces: Iterator[Piece], kept: list[Piece], limit: int, page_bytes: int) -> tuple[str, int]:
    """Fill `kept`; what ended it, and how many pieces were read that no longer fitted."""
    room, pictures = page_bytes, PICTURE_COUNT
    for piece in pieces:
        room -= _cost(piece)
        pictures -= isinstance(piece, Block) and piece.picture is not None
        if len(kept) == limit:
            return "limit", 1
        if kept and room < 0:
            return "bytes", 1
        if pictures < 0:
            return "pictures", 1
        kept.append(piece)
    return "", 0


def _cost(piece: Piece) -> int:
    if isinstance(piece, Block):
        return len(piece.text.encode()) + len(piece.place) + 1
    return sum(len(cell.encode()) + 1 for cell in piece.cells) + len(str(piece.row))
