"""`read_file`: the contents of one file, a page at a time, whatever kind of file it is."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.documents.images import SHOWN_BYTES, SHOWN_TYPES, Picture, sniff, type_by_name, type_name
from hilt.documents.kinds import described, is_pdf, may_be_office
from hilt.documents.notebook import NOTEBOOK_BYTES, Cell, cell_page, read_notebook
from hilt.documents.pdf import MOST_PICTURES, PDF_BYTES, PdfPages, page_range, read_pdf
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.results.parts import Image
from hilt.workspace.encodings import SAMPLE_BYTES, Encoding, detect
from hilt.workspace.handles import FileHandle
from hilt.workspace.lines import Line, Page, Range, read_lines
from hilt.workspace.seen import note_read
from hilt.workspace.text import newlines
from hilt.workspace.workspace import Workspace

LINES = 2_000
"""Lines of one page, unless asked otherwise."""

LINE_BYTES = 4_000
"""The most shown of one line among others: a record of a log or a table fits, the line of a bundle does not."""

PAGE_BYTES = 32_000
"""The most shown in one page: under the budget in tokens even where a token has little more than a byte."""

PAGE_TOKENS = 25_000

PDF_PAGES = 10
"""Pages of a PDF read at once, unless asked otherwise."""

MOST_NAMED = 3


class TextLine(TypedDict):
    """A line, from 1. `column` bytes of it come before `text`, `more_bytes` after, where it was cut."""

    line: int
    text: str
    column: NotRequired[int]
    more_bytes: NotRequired[int]


class PdfPageText(TypedDict):
    """A page of a PDF, from 1; without text where it is only a picture."""

    page: int
    text: str


Item = TextLine | Cell | PdfPageText


def shown(items: Sequence[object]) -> str:
    """Lines as number, tab, text; cells and pages under a heading."""
    return "\n".join(_item_text(cast("Mapping[str, object]", item)) for item in items)


@tool(
    kind="perceive",
    limit=LINES,
    continues="offset",
    noun="line",
    effects={"reads": "private"},
    activity="reading {path}",
    budget=Budget(tokens=PAGE_TOKENS),
    render=shown,
    description=Description(
        use_for="reading one text, image, notebook or PDF file",
        not_for={"finding which file holds something": "search_code"},
        returns=f"numbered lines, at most {LINES:,} or {PAGE_BYTES:,} bytes a call; an image as image; a PDF as text, "
        f"{PDF_PAGES} pages a call; no folders, no binary files",
        changes=f"a line over {LINE_BYTES:,} bytes is cut; column reads on in it",
    ),
)
async def read_file(
    ctx: Context,
    path: Annotated[str, Param("absolute path", example="/repo/src/app.py", role="path")],
    offset: Annotated[int, Param("first line or notebook cell", ge=1)] = 1,
    limit: Annotated[int, Param("most lines or cells", ge=1)] = LINES,
    column: Annotated[int, Param("bytes to skip in line offset; reads only that line", ge=0)] = 0,
    pages: Annotated[str | None, Param("of a PDF", example="1-5")] = None,
) -> ToolResult[Item]:
    async with ctx.part(Workspace).open(path, allowed=ctx.paths.get(path)) as file:
        head = await file.read_at(0, SAMPLE_BYTES)
        name = ctx.part(Workspace).display(path)
        special = await _special(file, path, name, head, pages, offset, limit, column)
        if special is not None:
            await note_read(ctx, file)
            return special
        encoding = detect(head, complete=len(head) < SAMPLE_BYTES)
        if encoding is None:
            raise _binary(ctx, file, name, head)
        wanted = Range(first=offset, lines=limit, column=column, line_bytes=LINE_BYTES, page_bytes=PAGE_BYTES)
        page = await read_lines(file, encoding, wanted)
        await note_read(ctx, file, start=page.start, size=sum(line.length for line in page.lines))
        return _text(path, name, page, limit, column, tuple(_text_notes(name, page, encoding, head)))


async def _special(  # the arguments of the call, and what was found out before
    file: FileHandle, path: str, name: str, head: bytes, pages: str | None, offset: int, limit: int, column: int
) -> ToolResult[Item] | None:
    """What is not read line by line; None for what is."""
    if is_pdf(head):
        if column:
            raise InvalidArguments(f"{name} is a PDF, read by pages", 'give pages, such as "1-5", and no column')
        return await _pdf(file, path, name, pages, offset)
    if pages is not None:
        raise InvalidArguments(f"{name} is no PDF and has no pages", "leave pages out; use offset and limit")
    picture = sniff(head)
    if picture is not None and picture.media_type != "image/svg+xml":
        return await _image(file, name, picture)
    return await _notebook(file, path, name, offset, limit, column) if name.endswith(".ipynb") else None


def _text(path: str, name: str, page: Page, limit: int, column: int, notes: tuple[str, ...]) -> ToolResult[Item]:
    return ToolResult(
        status=Status.PARTIAL if page.unread else Status.SUCCESS,
        summary=_text_summary(name, page),
        items=tuple(_line_item(line) for line in page.lines),
        truncation=_text_cut(path, page, limit, column),
        notes=notes,
    )


def _text_summary(name: str, page: Page) -> str:
    total = f"{'' if page.counted_all else 'at least '}{page.total:,}"
    if len(page.lines) == page.total:
        lines = f"{total} {'line' if page.total == 1 else 'lines'}"
        return f"{name}: {lines}, {page.size:,} bytes" if page.total else f"{name}: {page.size:,} bytes, {lines}"
    return f"{name}: {_span('line', [line.number for line in page.lines])} of {total}"


def _span(noun: str, numbers: Sequence[int]) -> str:
    """`line 7`, or `lines 7-9`, of numbers that follow one another."""
    return f"{noun} {numbers[0]:,}" if len(numbers) == 1 else f"{noun}s {numbers[0]:,}-{numbers[-1]:,}"


def _line_item(line: Line) -> TextLine:
    item = TextLine(line=line.number, text=line.text)
    if line.column:
        item["column"] = line.column
    if line.more:
        item["more_bytes"] = line.more
    return item


def _text_cut(path: str, page: Page, limit: int, column: int) -> Truncation | None:
    if not page.lines:
        return None
    last = page.lines[-1]
    if last.more and len(page.lines) == 1:
        by = LINE_BYTES if last.length <= LINE_BYTES else PAGE_BYTES
        return _byte_cut(path, last.number, last.length, last.column + last.length, last.more, limit=by, lines=limit)
    if page.unread or (last.number == page.total and page.counted_all and not last.more):
        return None
    by_limit = column or (len(page.lines) == limit and not last.more)
    return Truncation(
        shown=len(page.lines) - bool(last.more),
        total=page.total,
        total_is="exact" if page.counted_all else "at_least",
        unit="lines",
        limit=Limit(name="limit", value=len(page.lines)) if by_limit else Limit(name="bytes", value=_most(last)),
        next=_in_line(path, last.number, last.length, limit) if last.more else _next_page(path, last.number + 1, limit),
    )


def _most(last: Line) -> int:
    """The bound that ended a page: of its last line, where that was cut, else of the page."""
    return LINE_BYTES if last.more else PAGE_BYTES


def _next_page(path: str, offset: int, limit: int) -> Mapping[str, object]:
    return {"path": path, "offset": offset} | ({} if limit == LINES else {"limit": limit})


def _in_line(path: str, number: int, column: int, limit: int) -> Mapping[str, object]:
    """The call that goes on in line `number`; it hands the limit on to the pages behind."""
    return {**_next_page(path, number, limit), "column": column}


def _byte_cut(path: str, number: int, shown: int, at: int, more: int, *, limit: int, lines: int) -> Truncation:
    """A cut inside line or cell `number`: `at` bytes of it are known now, `more` are not."""
    return Truncation(
        shown=shown,
        total=at + more,
        unit="bytes",
        limit=Limit(name="bytes", value=limit),
        next=_in_line(path, number, at, lines),
    )


def _text_notes(name: str, page: Page, encoding: Encoding, head: bytes) -> Iterator[str]:
    if name.endswith(".ipynb"):
        yield "its name says notebook, but it is none of format 4: read as text"
    if encoding.told:
        yield f"read as {encoding.told}"
    ends = newlines(head.decode("latin-1")) if not encoding.wide else "lf"
    if ends in ("crlf", "mixed"):
        yield "lines end in CRLF" if ends == "crlf" else "some lines end in CRLF, some in LF"
    escaped = [line for line in page.lines if line.escaped]
    if escaped:
        count = sum(line.escaped for line in escaped)
        yield f"{count:,} bytes are not {encoding.name} and stand as \\xNN, in {_named(escaped)}"
    last = page.lines[-1] if page.lines else None
    if last and last.more and last.number < page.total and not last.column:
        yield f"line {last.number:,} goes on for {last.more:,} bytes; offset={last.number + 1} skips them"
    if page.unread:
        yield "the file states no size, and only its first part was read"
    if page.changed:
        yield "the file was written to while it was read: read it again before relying on it"


def _named(lines: Sequence[Line]) -> str:
    numbers = ", ".join(f"{line.number:,}" for line in lines[:MOST_NAMED])
    more = len(lines) - MOST_NAMED
    return f"line {numbers}" if len(lines) == 1 else f"lines {numbers}" + (f" and {more:,} more" if more > 0 else "")


async def _notebook(
    file: FileHandle, path: str, name: str, offset: int, limit: int, column: int
) -> ToolResult[Item] | None:
    """A notebook's cells; None for what is named like a notebook and is none."""
    cells = read_notebook(await file.read_at(0, NOTEBOOK_BYTES)) if file.size <= NOTEBOOK_BYTES else None
    if cells is None:
        return None
    items = cell_page(cells, name, first=offset, most=limit, column=column, page_bytes=PAGE_BYTES)
    count = f"{len(cells):,} {'cell' if len(cells) == 1 else 'cells'}"
    whole = len(items) == len(cells)
    return ToolResult(
        summary=f"{name}: notebook, {count}"
        if whole
        else f"{name}: notebook, {len(items):,} of {count} from {offset:,}",
        items=tuple(items),
        truncation=_cells_cut(path, items, len(cells), limit),
    )


def _cells_cut(path: str, items: Sequence[Cell], total: int, limit: int) -> Truncation | None:
    if not items:
        return None
    last = items[-1]
    more = last.get("more_bytes", 0)
    if more:
        at = last.get("column", 0) + len(last["text"].encode())
        shown_bytes = at - last.get("column", 0)
        return _byte_cut(path, last["cell"], shown_bytes, at, more, limit=PAGE_BYTES // 2, lines=limit)
    if last["cell"] == total:
        return None
    return Truncation(
        shown=len(items),
        total=total,
        limit=Limit(name="limit", value=limit) if len(items) == limit else Limit(name="bytes", value=PAGE_BYTES),
        next=_next_page(path, last["cell"] + 1, limit),
    )


async def _image(file: FileHandle, name: str, picture: Picture) -> ToolResult[Item]:
    """The picture as a part, by its real type; a note instead where no provider would take it."""
    notes: list[str] = []
    promised = type_by_name(name)
    if promised not in (None, picture.media_type):
        notes.append(f"its name says {type_name(promised or '')}, its bytes are {type_name(picture.media_type)}")
    reason = ""
    if picture.media_type not in SHOWN_TYPES:
        reason = f"models take {', '.join(map(type_name, SHOWN_TYPES))} only: convert it to PNG to see it"
    elif file.size > SHOWN_BYTES:
        reason = f"it has more than {SHOWN_BYTES:,} bytes: make a smaller copy to see it"
    parts = () if reason else (Image(content=await file.read_at(0, SHOWN_BYTES), media_type=picture.media_type),)
    return ToolResult(
        status=Status.PARTIAL if reason else Status.SUCCESS,
        summary=f"{name}: {picture.told}, {file.size:,} bytes",
        notes=(*notes, f"not shown: {reason}") if reason else tuple(notes),
        parts=parts,
    )


async def _pdf(file: FileHandle, path: str, name: str, pages: str | None, offset: int) -> ToolResult[Item]:
    """Pages, from the one at `offset` among those asked for: so a page that the runtime cut off is gone on from."""
    if file.size > PDF_BYTES:
        raise EnvironmentFailure(
            f"{name} is a PDF of {file.size:,} bytes; the largest that is read is {PDF_BYTES:,}",
            "ask the person for a smaller part of it",
        )
    first, last = page_range(pages) if pages is not None else (1, offset + PDF_PAGES - 1)
    first += offset - 1
    if first > last:
        raise InvalidArguments(f"offset {offset} is past the end of pages {pages}", "give pages alone, such as 1-5")
    read = await read_pdf(await file.read_at(0, PDF_BYTES), name, first, last, most_bytes=PAGE_BYTES)
    numbers = [page.number for page in read.pages]
    pictured = [page.number for page in read.pages if page.picture]
    return ToolResult(
        summary=f"{name}: PDF, {_span('page', numbers)} of {read.count}",
        items=tuple(PdfPageText(page=page.number, text=page.text) for page in read.pages),
        truncation=_pdf_cut(path, read, first, last, asked=pages is not None),
        notes=(f"without text, shown as pictures: {_span('page', pictured)}",) if pictured else (),
        parts=tuple(Image(content=page.picture, media_type="image/png") for page in read.pages if page.picture),
    )


def _pdf_cut(path: str, read: PdfPages, first: int, last: int, *, asked: bool) -> Truncation | None:
    """Cut where fewer pages came than were asked for, or, with none asked for, than there are."""
    reached = read.pages[-1].number
    wanted = min(last, read.count) if asked else read.count
    if reached >= wanted:
        return None
    by = Limit(name="pages", value=PDF_PAGES) if reached == last else Limit(name="bytes", value=PAGE_BYTES)
    if sum(page.picture is not None for page in read.pages) == MOST_PICTURES:
        by = Limit(name="pictures", value=MOST_PICTURES)
    return Truncation(
        shown=len(read.pages),
        total=wanted - first + 1 if asked else read.count,
        limit=by,
        next={"path": path, "pages": f"{reached + 1}-{min(reached + PDF_PAGES, wanted)}"},
    )


def _binary(ctx: Context, file: FileHandle, name: str, head: bytes) -> EnvironmentFailure:
    what = described(head)
    named = what if what == "binary" else f"{what}, which is binary"
    steps = ["look for the text it was made from"]
    if "run_command" in ctx.offered:
        steps = [f"inspect it with run_command, such as: file {file.path}"]
    if "read_document" in ctx.offered and may_be_office(head):
        steps = ["read it with read_document", *steps]
    size = f"{file.size:,} bytes" if file.size else f"it states no size; {len(head):,} bytes were looked at"
    return EnvironmentFailure(f"{name} is {named} ({size}), not text", *steps)


def _item_text(item: Mapping[str, object]) -> str:
    before = f"[{item['column']:,} bytes before] " if "column" in item else ""
    after = f" [{item['more_bytes']:,} bytes more]" if "more_bytes" in item else ""
    if "line" in item:
        return f"{item['line']}\t{before}{item['text']}{after}"
    if "page" in item:
        return f"--- page {item['page']}\n{item['text']}"
    identity = f" {item['id']}" if item["id"] else ""
    outputs = "".join(f"\n--- output\n{output}" for output in cast("list[object]", item["outputs"]))
    return f"--- cell {item['cell']}{identity} ({item['type']})\n{before}{item['text']}{after}{outputs}"
