"""Reading a document's bytes in tests, as the tool does in a thread."""

from dataclasses import dataclass

from hilt.documents.formats import FileType, find_format
from hilt.documents.paging import Page, take
from hilt.documents.pieces import Block, Row
from hilt.documents.readers import READERS
from hilt.documents.source import Source
from hilt.workspace.encodings import SAMPLE_BYTES, detect


@dataclass(frozen=True, kw_only=True)
class Read:
    """What came of it: texts, or rows as (number, first column, cells)."""

    type: FileType
    told: str
    page: Page
    notes: list[str]
    outline: str
    stopped: bool

    @property
    def texts(self) -> list[str]:
        blocks = [piece for piece in self.page.pieces if isinstance(piece, Block)]
        return [f"{'#' * each.level} {each.text}" if each.level else each.text for each in blocks]

    @property
    def rows(self) -> list[tuple[int, str, list[str]]]:
        return [(each.row, each.column, list(each.cells)) for each in self.page.pieces if isinstance(each, Row)]

    @property
    def places(self) -> list[str]:
        return [piece.place for piece in self.page.pieces if isinstance(piece, Block)]


def source(content: bytes, name: str = "a") -> Source:
    head = content[:SAMPLE_BYTES]
    encoding = detect(head, complete=len(content) < SAMPLE_BYTES)
    return Source(
        name=name,
        size=len(content),
        head=head,
        read=lambda size, offset: content[offset : offset + size],
        codec=encoding.name if encoding else None,
        mark=encoding.mark if encoding else 0,
        told=encoding.told if encoding else "",
    )


def read(
    content: bytes,
    part: str | None = None,
    *,
    name: str = "a",
    asked: FileType | None = None,
    offset: int = 1,
    limit: int = 10_000,
    page_bytes: int = 1_000_000,
) -> Read:
    given = source(content, name)
    form = find_format(given, asked)
    with READERS[form.type](given, part) as reading:
        page = take(reading, offset=offset, limit=limit, page_bytes=page_bytes)
        notes = [*([form.note] if form.note else []), *reading.facts()]
        return Read(
            type=form.type,
            told=reading.told,
            page=page,
            notes=notes,
            outline=reading.outline,
            stopped=reading.stopped(),
        )
