"""`search_code`: which files, and which lines in them, match a regular expression.

Not a reader: a page of lines comes with exact totals, so that the next call can be a narrow one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from itertools import groupby
from typing import Annotated, Literal, NotRequired, TypedDict, cast

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.tool import RESULT_TOKENS
from hilt.declarations.checks import Check
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.counting import utf8_length
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import InvalidArguments
from hilt.workspace.names import visible
from hilt.workspace.search import wording
from hilt.workspace.search.ripgrep import (
    LONGEST_LINE,
    Counts,
    Hit,
    Page,
    Place,
    Query,
    Selection,
    checked_query,
    checked_selection,
    count_matches,
    open_place,
    reach,
    read_page,
)
from hilt.workspace.seen import note_found
from hilt.workspace.workspace import Workspace

DEFAULT_LIMIT = 250
NO_LIMIT = 0
MOST_CONTEXT = 50
INLINE_BYTES = 20_000
PREVIEW_BYTES = 8_000
"""Of lines that do not all fit into a page so many bytes are shown, unless the call gives a limit of its own: whoever
finds thousands narrows the search, and seldom reads on."""
NUMBERED = 8
"""Bytes that stand around a line shown: its number, two signs and the line's end."""
NEIGHBOURS = ("before", "after", "context")
_MAY_CROSS = re.compile(r"\\[sWDP]|\[\^|\(\?[a-zA-Z]*s")
"""What can match a line's end without naming it: ripgrep leaves the line's end out without a word."""

Output = Literal["paths", "content", "counts"]
Pattern = Annotated[str, Param("regular expression", example="def \\w+_test", min_length=1)]
Where = Annotated[str | None, Param("absolute folder or file; default: root", role="path")]
Glob = Annotated[
    str | None,
    Param("only files below path; no slash = any depth; ! excludes; spell leading dots", example="src/**/*.{ts,tsx}"),
]
Language = Annotated[str | None, Param("file type such as py")]
Most = Annotated[int, Param(f"most files or lines; {NO_LIMIT} = all, may flood your context", ge=0)]
Before = Annotated[int, Param("content lines before", ge=0)]
After = Annotated[int, Param("lines after", ge=0)]
Around = Annotated[int, Param("lines on both sides", ge=0)]


class Match(TypedDict):
    """A file, a file and how often it matches, or a match; cut is true where a text is longer than shown."""

    path: str
    line: NotRequired[int]
    text: NotRequired[str]
    before: NotRequired[list[str]]
    after: NotRequired[list[str]]
    count: NotRequired[int]
    cut: NotRequired[bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The call's arguments, with the declared defaults."""

    pattern: str
    path: str | None = None
    glob: str | None = None
    type: str | None = None
    output: Output = "paths"
    limit: int = DEFAULT_LIMIT
    offset: int = 0
    before: int = 0
    after: int = 0
    context: int = 0
    ignore_case: bool = False
    multiline: bool = False
    line_numbers: bool = True

    @property
    def query(self) -> Query:
        return checked_query(Query(pattern=self.pattern, ignore_case=self.ignore_case, multiline=self.multiline))

    @property
    def unit(self) -> tuple[str, str]:
        """What limit, offset and total count, as one and as many."""
        if self.output != "content":
            return "matching file", "matching files"
        return _matches(multiline=self.multiline)

    @property
    def neighbours(self) -> tuple[int, int]:
        """Lines wanted before and after each match."""
        return self.before or self.context, self.after or self.context

    def following(self, offset: int) -> Mapping[str, object]:
        """The same call from `offset`; what is left out is at its default."""
        defaults = {field.name: field.default for field in fields(self)}
        return {name: value for name, value in asdict(self).items() if value != defaults[name]} | {"offset": offset}


def rendered(items: Sequence[object]) -> str:
    """Items in the fewest tokens: the shared folder once, then paths, `count path`, or lines below their path."""
    matches = cast("Sequence[Match]", items)  # the declared return holds them to it
    folder = wording.shared_folder([match["path"] for match in matches])
    lines = [visible(folder)] if folder else []
    for path, group in groupby(matches, key=lambda match: match["path"]):
        name = visible(path.removeprefix(folder))
        held = list(group)
        if "text" in held[0]:
            lines += [name, *(_numbered(held) if "line" in held[0] else _unnumbered(held))]
        else:
            lines += [f"{match['count']} {name}" if "count" in match else name for match in held]
    return "\n".join(lines)


def _numbered(matches: Iterable[Match]) -> Iterator[str]:
    """`12: text` for a match, `11- text` for a neighbour; each line once, however many matches it is near to."""
    around: dict[int, str] = {}
    matching: dict[int, str] = {}
    for match in matches:
        first, texts, before = match.get("line", 0), match.get("text", "").split("\n"), match.get("before", [])
        around |= enumerate(before, first - len(before))
        around |= enumerate(match.get("after", []), first + len(texts))
        matching |= enumerate(texts, first)
    for number in sorted({**around, **matching}):
        yield f"{number}: {matching[number]}" if number in matching else f"{number}- {around[number]}"


def _unnumbered(matches: Iterable[Match]) -> Iterator[str]:
    for match in matches:
        yield from (f"- {line}" for line in match.get("before", []))
        yield from (f": {line}" for line in match.get("text", "").split("\n"))
        yield from (f"- {line}" for line in match.get("after", []))


def _contradiction(arguments: Mapping[str, object]) -> str | None:
    both = arguments.get("context")
    apart = [name for name in ("before", "after") if arguments.get(name, 0) not in (0, both)]
    return f"context, or {' and '.join(apart)}, not both" if both and apart else None


def _too_many(name: str, arguments: Mapping[str, object]) -> str | None:
    """The bound stands here and not in the schema, where it would cost each request its tokens three times."""
    lines = arguments.get(name)
    return f"at most {MOST_CONTEXT}" if isinstance(lines, int) and lines > MOST_CONTEXT else None


@tool(
    kind="perceive",
    limit=DEFAULT_LIMIT,
    continues="offset",
    noun="match",
    effects={"reads": "private"},
    activity="searching for {pattern}",
    budget=Budget(tokens=RESULT_TOKENS, bytes=INLINE_BYTES),
    render=rendered,
    checks=[
        Check(path="context", broken=_contradiction, next_step="give context alone, or before and after"),
        *(Check(path=name, broken=partial(_too_many, name), next_step="read the file instead") for name in NEIGHBOURS),
    ],
    examples=[{"pattern": "interface\\{\\}", "path": "/repo", "type": "go", "output": "content", "context": 2}],
    description=Description(
        use_for="finding files and lines that match a regular expression",
        not_for={"finding files by name": "find_files"},
        returns=(
            "paths in path order (default), matching lines (output=content) or lines per file (counts), exact totals; "
            f"nothing ignored, hidden or binary unless path is or lies in it; never {wording.VERSION_CONTROL}"
        ),
        inputs="Rust regex, no look-around; escape literal braces: interface\\{\\}",
        changes=f"Lines over {LONGEST_LINE} characters are cut around the match; content over one page to "
        f"{PREVIEW_BYTES:,} bytes unless limit is given",
        traps="When cut, first narrow pattern, glob or path",
    ),
)
async def search_code(
    ctx: Context,
    pattern: Pattern,
    path: Where = None,
    glob: Glob = None,
    type: Language = None,
    output: Annotated[Output, Param("what to return")] = "paths",
    limit: Most = DEFAULT_LIMIT,
    offset: Annotated[int, Param("skip so many", ge=0)] = 0,
    before: Before = 0,
    after: After = 0,
    context: Around = 0,
    ignore_case: Annotated[bool, Param("ignore case")] = False,
    multiline: Annotated[bool, Param("match across lines; . needs (?s)")] = False,
    line_numbers: Annotated[bool, Param("number lines")] = True,
) -> ToolResult[Match]:
    workspace = ctx.part(Workspace)
    asked = Asked(
        pattern=pattern,
        path=path,
        glob=glob,
        type=type,
        output=output,
        limit=limit,
        offset=offset,
        before=before,
        after=after,
        context=context,
        ignore_case=ignore_case,
        multiline=multiline,
        line_numbers=line_numbers,
    )
    query = asked.query
    async with open_place(workspace, wording.searched_path(workspace, path)) as place:
        selection = checked_selection(place.path, Selection(glob=glob, file_type=type))
        counts = await count_matches(place, query, selection)
        if not counts.files:
            notes = await _across_lines(place, query, selection)
            return await _nothing(place, asked, selection, counts, notes)
        return await _found(ctx, place, asked, counts)


async def _across_lines(place: Place, query: Query, selection: Selection) -> list[str]:
    """Whether a pattern that can match a line's end, and found nothing, does so across lines."""
    if query.multiline or not _MAY_CROSS.search(query.pattern):
        return []
    counts = await count_matches(place, replace(query, multiline=True), selection)
    if not counts.files:
        return []
    found = f"{wording.counted(counts.matches, 'match', 'matches')} in {wording.counted(counts.files, 'file', 'files')}"
    return [f"with multiline=true it matches across lines: {found}"]


async def _nothing(
    place: Place, asked: Asked, selection: Selection, counts: Counts, notes: list[str]
) -> ToolResult[Match]:
    notes += _unused(place, asked)
    looked = place.path
    if place.kind == "folder":
        covered = await reach(place, selection)
        looked = f"{visible(place.path)}: {wording.covered(covered, selection)}"
        notes.append(wording.left_out_note(covered))
    return _result(counts, f"nothing matches in {looked}", (), notes=notes)


async def _found(ctx: Context, place: Place, asked: Asked, counts: Counts) -> ToolResult[Match]:
    total = counts.matches if asked.output == "content" else counts.files
    if asked.offset >= total:
        raise InvalidArguments(
            f"offset {asked.offset:,} is past the end: there {'is' if total == 1 else 'are'} "
            f"{wording.counted(total, *asked.unit)}",
            f"give an offset of at most {total - 1}",
        )
    end = min(asked.offset + asked.limit, total) if asked.limit else total
    limit = Limit(name="limit", value=asked.limit)
    notes = _unused(place, asked)
    if asked.output == "content":
        before, after = asked.neighbours
        page = await read_page(
            place, asked.query, counts, offset=asked.offset, limit=asked.limit, before=before, after=after
        )
        items = tuple(_line(place.shown(file.name), hit, asked) for file in page.files for hit in file.hits)
        if end < total and "limit" not in ctx.arguments:
            items = _preview(items)
            limit = limit if asked.offset + len(items) == end else Limit(name="bytes", value=PREVIEW_BYTES)
            end = asked.offset + len(items)
        notes += _about(place, page)
        await note_found(ctx, {place.canonical(file.name): file.version for file in page.files})
    else:
        items = tuple(_files(place, counts, slice(asked.offset, end), counted=asked.output == "counts"))
    summary = (
        f"{wording.counted(counts.matches, *_matches(multiline=asked.multiline))} "
        f"in {wording.counted(counts.files, 'file', 'files')}"
    )
    cut = Truncation(
        shown=len(items),
        total=total,
        unit="lines" if asked.output == "content" and not asked.multiline else "items",
        limit=limit,
        next=asked.following(end),
    )
    return _result(counts, summary, items, notes=notes, truncation=cut if end < total else None)


def _result(
    counts: Counts,
    summary: str,
    items: tuple[Match, ...],
    *,
    notes: Sequence[str],
    truncation: Truncation | None = None,
) -> ToolResult[Match]:
    trouble = counts.unreadable
    return ToolResult(
        summary=summary,
        items=items,
        status=Status.PARTIAL if trouble.count else Status.SUCCESS,
        truncation=truncation,
        notes=(*([wording.unreadable_note(trouble)] if trouble.count else []), *notes),
    )


def _preview(items: tuple[Match, ...]) -> tuple[Match, ...]:
    """The first of the lines, as many as fit into `PREVIEW_BYTES`, and one at least."""
    folder = wording.shared_folder([match["path"] for match in items])
    room, path, count = PREVIEW_BYTES - utf8_length(folder), "", 0
    for match in items:
        room -= sum(utf8_length(line) + NUMBERED for line in _lines_of(match))
        if match["path"] != path:
            path = match["path"]
            room -= utf8_length(path) - utf8_length(folder) + 1
        if room < 0:
            break
        count += 1
    return items[: max(1, count)]


def _lines_of(match: Match) -> Iterator[str]:
    yield from match.get("before", ())
    yield match.get("text", "")
    yield from match.get("after", ())


def _files(place: Place, counts: Counts, page: slice, *, counted: bool) -> Iterator[Match]:
    for name, count in zip(counts.names[page], counts.counts[page], strict=True):
        path = place.shown(name)
        yield {"path": path, "count": count} if counted else {"path": path}


def _line(path: str, hit: Hit, asked: Asked) -> Match:
    match: Match = {"path": path}
    if asked.line_numbers:
        match["line"] = hit.line
    match["text"] = hit.text
    before, after = asked.neighbours
    if before:
        match["before"] = list(hit.before)
    if after:
        match["after"] = list(hit.after)
    if hit.cut:
        match["cut"] = True
    return match


def _unused(place: Place, asked: Asked) -> list[str]:
    """Arguments that had no effect on this call."""
    notes: list[str] = []
    given = [name for name in NEIGHBOURS if getattr(asked, name)]
    if asked.output != "content" and given:
        notes.append(f"{', '.join(given)} not used: lines come with output=content only")
    filters = [name for name in ("glob", "type") if getattr(asked, name) is not None]
    if place.kind == "file" and filters:
        notes.append(f"{', '.join(filters)} not used: path is a file")
    return notes


def _about(place: Place, page: Page) -> list[str]:
    """What a reader of this page must know to read it rightly."""
    hits = [hit for file in page.files for hit in file.hits]
    notes: list[str] = []
    if any(hit.cut for hit in hits):
        notes.append(f"lines over {LONGEST_LINE} characters are cut around the match")
    if any(hit.escaped for hit in hits):
        notes.append("bytes that are not UTF-8 are shown as \\xNN")
    if page.changed:
        files = ", ".join(visible(place.shown(name)) for name in page.changed[:3])
        notes.append(
            f"{wording.counted(len(page.changed), 'file', 'files')} changed during the search, so that totals and "
            f"lines may not agree: {files}"
        )
    return notes


def _matches(*, multiline: bool) -> tuple[str, str]:
    return ("match", "matches") if multiline else ("matching line", "matching lines")
