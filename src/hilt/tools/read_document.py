"""`read_document`: an office document, book, table or page, a part of it at a time, as text and cells."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.documents.cell_ranges import column_number
from hilt.documents.formats import TITLES, FileType, find_format
from hilt.documents.paging import Page, take
from hilt.documents.pieces import Block, Piece, Reading, Row, column_letters
from hilt.documents.readers import READERS
from hilt.documents.source import Source
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.parts import Image
from hilt.workspace.encodings import SAMPLE_BYTES, detect
from hilt.workspace.handles import Source as OpenFile
from hilt.workspace.workspace import Workspace

ITEMS = 500
"""Paragraphs, rows or pages of one call, unless asked otherwise."""

PAGE_BYTES = 24_000
"""The most text of one call."""

PAGE_TOKENS = 20_000

MOST_LETTERS = 60
"""Columns whose letters are all written; of wider rows the first and the last."""


class Text(TypedDict):
    """A heading (with its `level`), paragraph, table or page; `place` says where: "page 3"."""

    text: str
    place: NotRequired[str]
    level: NotRequired[int]


class Cells(TypedDict):
    """Cells of one row as the file shows them; `column` is the letter of the first."""

    row: int
    column: str
    cells: list[str]


Item = Text | Cells


def shown(items: Sequence[object]) -> str:
    """Places once, headings with #, tables apart; rows as number, tab, cells under the letters of their columns."""
    rows = [cast("Cells", item) for item in items if "row" in cast("Mapping[str, object]", item)]
    texts = [cast("Text", item) for item in items if "text" in cast("Mapping[str, object]", item)]
    return "\n".join((*_text_lines(texts), *_row_lines(rows)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    file_type: FileType | None
    part: str | None
    offset: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What a thread read: a page, the way on, and what is told beside it."""

    type: FileType
    told: str
    page: Page
    cut: Truncation | None
    notes: tuple[str, ...]
    stopped: bool


@tool(
    kind="perceive",
    limit=ITEMS,
    continues="offset",
    noun="item",
    effects={"reads": "private"},
    activity="reading {path}",
    budget=Budget(tokens=PAGE_TOKENS),
    render=shown,
    description=Description(
        use_for="reading office files, PDFs, books, CSV, HTML",
        not_for={"plain text": "read_file"},
        returns=f"the part, or outline and beginning, {PAGE_BYTES:,} bytes a call; formula -> value; "
        "pictures only listed",
    ),
)
async def read_document(
    ctx: Context,
    path: Annotated[str, Param("absolute", role="path")],
    part: Annotated[str | None, Param('pages "2-5", "Sheet1!A1:F40", heading, picture')] = None,
    file_type: Annotated[Literal["auto", FileType], Param("by content")] = "auto",
    offset: Annotated[int, Param("first item", ge=1)] = 1,
    limit: Annotated[int, Param("most items", ge=1)] = ITEMS,
) -> ToolResult[Item]:
    workspace = ctx.part(Workspace)
    name = workspace.display(path)
    wanted = _Wanted(file_type=None if file_type == "auto" else file_type, part=part, offset=offset, limit=limit)
    async with workspace.open(path, allowed=ctx.paths.get(path)) as file:
        read = await file.work(lambda opened: _read(opened, name, file.size, path, wanted))
        changed = await file.current_version() != file.version
    notes = (*read.notes, *(("the file was written to while it was read: read it again",) if changed else ()))
    blocks = [piece for piece in read.page.pieces if isinstance(piece, Block)]
    return ToolResult(
        status=Status.PARTIAL if read.stopped else Status.SUCCESS,
        summary=f"{name}: {TITLES[read.type]}, {read.told}{_span(read.page)}",
        items=tuple(_item(piece) for piece in read.page.pieces),
        truncation=read.cut,
        notes=notes,
        parts=tuple(Image(content=each.picture, media_type=each.media_type) for each in blocks if each.picture),
    )


def _read(opened: OpenFile, name: str, size: int, path: str, wanted: _Wanted) -> _Read:
    """The whole work on an open file, in a thread."""
    head = opened.read(SAMPLE_BYTES, 0)
    encoding = detect(head, complete=len(head) < SAMPLE_BYTES)
    source = Source(
        name=name,
        size=size,
        head=head,
        read=opened.read,
        codec=encoding.name if encoding else None,
        mark=encoding.mark if encoding else 0,
        told=encoding.told if encoding else "",
    )
    form = find_format(source, wanted.file_type)
    with READERS[form.type](source, wanted.part) as reading:
        page = take(reading, offset=wanted.offset, limit=wanted.limit, page_bytes=PAGE_BYTES, pulse=opened.pulse)
        return _Read(
            type=form.type,
            told=reading.told,
            page=page,
            cut=_cut(reading, page, path, wanted),
            notes=tuple(_notes(form.note, source.told, reading, page, wanted)),
            stopped=reading.stopped(),
        )


def _notes(odd: str, told: str, reading: Reading, page: Page, wanted: _Wanted) -> Iterator[str]:
    if odd:
        yield odd
    if told and reading.decoded:
        yield f"read as {told}"
    beginning = wanted.part is None and wanted.offset == 1
    if reading.outline and (not page.pieces or (beginning and (page.by or reading.essential))):
        yield f"parts: {reading.outline}"
    if any("\n" in cell or "\t" in cell for piece in page.pieces if isinstance(piece, Row) for cell in piece.cells):
        yield "line breaks and tabs inside cells stand as \\n and \\t"
    yield from reading.facts()


def _cut(reading: Reading, page: Page, path: str, wanted: _Wanted) -> Truncation | None:
    if not page.by:
        return None
    values = {"limit": wanted.limit, "bytes": PAGE_BYTES, "pictures": len(page.pieces)}
    limit = Limit(name=page.by, value=values[page.by])
    kept: Mapping[str, object] = {"path": path} | ({"file_type": wanted.file_type} if wanted.file_type else {})
    rest: Mapping[str, object] = {} if wanted.limit == ITEMS else {"limit": wanted.limit}
    read = page.offset - 1 + len(page.pieces)
    if reading.onward is not None:
        on = reading.onward(read)
        following = {**kept, "part": on.part, **({"offset": on.offset} if on.offset > 1 else {}), **rest}
        total_is = "exact" if on.whole else "at_least"
        return Truncation(shown=on.shown, total=on.total, total_is=total_is, limit=limit, next=following)
    following = {**kept, **({"part": wanted.part} if wanted.part is not None else {}), "offset": read + 1, **rest}
    return Truncation(
        shown=len(page.pieces),
        total=page.total,
        total_is="exact" if page.whole else "at_least",
        limit=limit,
        next=following,
    )


def _span(page: Page) -> str:
    """Which rows these are, where there are any; nothing where everything is shown."""
    rows = [piece.row for piece in page.pieces if isinstance(piece, Row)]
    total = f"{'' if page.whole else 'at least '}{page.total:,}"
    if rows and not page.by and page.offset == 1:
        return f", {total} {'row' if page.total == 1 else 'rows'}"
    if rows:
        return f", rows {rows[0]:,}-{rows[-1]:,}"
    return "" if page.pieces else ", nothing in it"


def _item(piece: Piece) -> Item:
    if isinstance(piece, Row):
        return Cells(row=piece.row, column=piece.column, cells=list(piece.cells))
    item = Text(text=piece.text)
    if piece.place:
        item["place"] = piece.place
    if piece.level:
        item["level"] = piece.level
    return item


def _text_lines(texts: Sequence[Text]) -> Iterator[str]:
    place = ""
    before = ""
    for item in texts:
        if item.get("place", "") != place:
            place = item.get("place", "")
            yield f"[{place}]" if place else "[text]"
        level, text = item.get("level", 0), item["text"]
        if before.startswith("|") and "\n|---" in text:
            yield ""
        yield f"{'#' * level} {text}" if level else text
        before = text


def _row_lines(rows: Sequence[Cells]) -> Iterator[str]:
    """Rows below the letters of their columns; one that begins at another column names it."""
    if not rows:
        return
    first = Counter(row["column"] for row in rows).most_common(1)[0][0]
    yield _header(first, max(len(row["cells"]) for row in rows if row["column"] == first))
    for row in rows:
        cells = "\t".join(cell.replace("\n", "\\n").replace("\t", "\\t") for cell in row["cells"])
        apart = "" if row["column"] == first else f"[from {row['column']}]\t"
        yield f"{row['row']}\t{apart}{cells}"


def _header(first: str, width: int) -> str:
    start = column_number(first)
    if width > MOST_LETTERS:
        return f"\t{first} ... {column_letters(start + width - 1)}"
    return "\t" + "\t".join(column_letters(start + place) for place in range(width))
