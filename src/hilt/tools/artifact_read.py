"""`artifact_read`: the rest of a result that was too long to show.

Bytes are counted, for the runtime says in bytes where it cut; pages end between characters. A
`pattern` is matched by the engine behind pydantic, the same dialect as ripgrep's and linear in the
text. Python's `re` lost: one nested quantifier stops the whole process, and no thread can help,
because a match holds the interpreter.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from anyio import to_thread
from pydantic_core import SchemaError, SchemaValidator, core_schema

from hilt.calls.artifacts import ArtifactFile, Artifacts
from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.errors import StoreError, StoreLocked
from hilt.results.counting import utf8_length
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Retryable

PAGE_BYTES = 20_000
"""Bytes of one page unless `limit` says otherwise: about 5,000 tokens."""
MOST_BYTES = 32_000
LEAST_BYTES = 4
"""The longest character in UTF-8: with less, a page could not go on."""
FRAME_BYTES = 2_000
"""What the lines around a page may take: its summary, its notes, its cut."""
LONGEST_PATTERN = 500
SEARCH_SECONDS = 5
"""How long one call searches before it hands over to its own continuation."""
BLOCK_BYTES = 1 << 18
LONGEST_LINE = 2_000
"""Bytes of a line searched and shown at once; a longer one is taken in pieces of this size."""


@tool(
    kind="perceive",
    limit=1,
    continues="offset",
    noun="part",
    effects={"reads": "private", "brings": "own"},  # whatever it brings, this session's own calls brought before
    budget=Budget(bytes=MOST_BYTES + FRAME_BYTES),
    activity="reading on in {artifact}",
    description=Description(
        use_for="reading the part of a long result that was put aside as an artifact",
        not_for={"files of the workspace": "read_file"},
        returns=f"up to {PAGE_BYTES:,} bytes of text; with pattern only matching lines, each as `offset: line`",
    ),
)
async def artifact_read(
    ctx: Context,
    artifact: Annotated[str, Param("id from the cut result", example="artifact_k3v9q2xw")],
    offset: Annotated[int, Param("first byte; negative counts from the end")] = 0,
    limit: Annotated[int, Param("most bytes", ge=LEAST_BYTES, le=MOST_BYTES)] = PAGE_BYTES,
    pattern: Annotated[
        str | None,
        Param("Rust regex", min_length=1, max_length=LONGEST_PATTERN),
    ] = None,
) -> ToolResult[str]:
    file = await _opened(ctx, artifact)
    if file is None:
        raise InvalidArguments(
            f"this session has no artifact {artifact!r}",
            "copy the id from the result that was cut",
            "repeat the call that made it: artifacts are deleted in time",
        )
    matcher = None if pattern is None else _matcher(pattern)
    start = _start(offset, file.size)
    page = _Page(artifact=artifact, limit=limit, pattern=pattern, size=file.size)
    try:
        if matcher is None:
            return await _part(ctx, file, start, page)
        return await _matches(file, start, page, _Search(matches=matcher, room=limit))
    except StoreError as error:
        raise EnvironmentFailure(
            f"the artifact {artifact} can no longer be read: {error.problem}", "repeat the call that made it"
        ) from error


async def _opened(ctx: Context, artifact: str) -> ArtifactFile | None:
    try:
        return await ctx.part(Artifacts).open(ctx.session, artifact)
    except StoreLocked as error:
        raise Retryable(f"artifacts cannot be read now: {error.problem}", "wait and call again") from error
    except StoreError as error:
        raise EnvironmentFailure(
            f"artifacts cannot be read: {error.problem}",
            "repeat the call that made it, for less at a time",
            f"ask the person to {error.next_steps[0]}",
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Page:
    """What was asked, for the answer's words."""

    artifact: str
    limit: int
    pattern: str | None
    size: int

    def next(self, offset: int) -> Mapping[str, object]:
        """The arguments that go on from `offset`."""
        given: dict[str, object] = {"artifact": self.artifact, "offset": offset}
        if self.limit != PAGE_BYTES:
            given["limit"] = self.limit
        return given if self.pattern is None else {**given, "pattern": self.pattern}


def _start(offset: int, size: int) -> int:
    if offset < 0:
        return max(0, size + offset)
    if offset >= size > 0:
        raise InvalidArguments(
            f"offset {offset:,} is past the end: the artifact has {size:,} bytes",
            f"give an offset below {size:,}, or a negative one to read its end",
        )
    return offset


async def _part(ctx: Context, file: ArtifactFile, start: int, page: _Page) -> ToolResult[str]:
    """One page of text, from a character's first byte to a line's end or another character's."""
    back = await _bytes_into_a_character(file, start)
    if back:
        start -= back
        ctx.note(f"offset moved back by {back} to {start}, the start of a character")
    content = await file.read(start, page.limit)
    end = start + len(content)
    if end < file.size:
        content = _whole_lines(_whole_characters(content))
        end = start + len(content)
    text = content.decode("utf-8", "replace")
    summary = f"bytes {start:,} to {end:,} of {page.size:,} in {page.artifact}"
    if end >= file.size:
        return ToolResult(summary=f"{summary}, its end", items=(text,) if text else ())
    return ToolResult(
        summary=summary,
        items=(text,),
        truncation=Truncation(
            shown=len(content),
            total=file.size,
            unit="bytes",
            limit=Limit(name="limit", value=page.limit),
            next=page.next(end),
        ),
    )


async def _bytes_into_a_character(file: ArtifactFile, start: int) -> int:
    """How far `start` is inside a character; 0 where the bytes around it are no UTF-8."""
    before = min(start, LEAST_BYTES - 1)
    near = await file.read(start - before, before + 1)
    if len(near) <= before or not _continues(near[before]):
        return 0
    for back in range(1, before + 1):
        if not _continues(near[before - back]):
            return back if _length(near[before - back]) > back else 0
    return 0


def _whole_characters(content: bytes) -> bytes:
    """Without the first bytes of a character whose last ones lie behind the cut."""
    for back in range(1, min(LEAST_BYTES, len(content))):
        byte = content[-back]
        if not _continues(byte):
            return content[:-back] if _length(byte) > back else content
    return content


def _continues(byte: int) -> bool:
    return byte & 0b1100_0000 == 0b1000_0000


def _length(first: int) -> int:
    """Bytes of a character that begins with this one."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _whole_lines(content: bytes) -> bytes:
    """Up to the last line's end, where that costs less than half of the page."""
    border = content.rfind(b"\n") + 1
    return content[:border] if border > len(content) // 2 else content


def _matcher(pattern: str) -> SchemaValidator:
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        raise InvalidArguments(
            f"pattern is not a regular expression this tool takes: {' '.join(str(error).split())}",
            "correct it, or escape the characters meant literally with a backslash",
        ) from None


class _Line(NamedTuple):
    """One line, or a piece of a long one: its first byte's offset, its bytes, where the next begins."""

    offset: int
    content: bytes
    end: int


@dataclass(slots=True, kw_only=True)
class _Search:
    """A search under way: lines found, where the page ended, how many matched in all."""

    matches: SchemaValidator
    room: int
    found: list[str] = field(default_factory=list[str])
    matched: int = 0
    rest: int | None = None
    deadline: float = field(default_factory=lambda: time.monotonic() + SEARCH_SECONDS)

    def look(self, lines: Iterable[_Line]) -> int | None:
        """Search these lines; where the time ran out, the offset of the first one left."""
        for line in lines:
            text = line.content.decode("utf-8", "replace")
            if self.matches.isinstance_python(text):
                self._add(line.offset, text)
            if time.monotonic() > self.deadline:
                return line.end
        return None

    def _add(self, offset: int, text: str) -> None:
        self.matched += 1
        shown = f"{offset}: {text}"
        self.room -= utf8_length(shown) + 1
        if self.rest is None and (self.room >= 0 or not self.found):
            self.found.append(shown)
        elif self.rest is None:
            self.rest = offset


async def _matches(file: ArtifactFile, start: int, page: _Page, search: _Search) -> ToolResult[str]:
    """The matching lines from `start` on. The total counts to the end, or as far as the time allowed."""
    stopped, pieces = await _searched(file, start, search)
    full = search.rest is not None
    rest = search.rest if full else stopped
    found = "1 line matches" if search.matched == 1 else f"{search.matched:,} lines match"
    to = f"{start:,} to {stopped:,}, where time ran out," if stopped else f"{start:,} on"
    return ToolResult(
        status=Status.SUCCESS if full or rest is None else Status.PARTIAL,
        summary=f"{found} from byte {to} in {page.artifact} of {page.size:,} bytes",
        items=("\n".join(search.found),) if search.found else (),
        notes=(f"lines over {LONGEST_LINE:,} bytes were searched in pieces of that size",) if pieces else (),
        truncation=None
        if rest is None
        else Truncation(
            shown=len(search.found),
            total=search.matched,
            total_is="exact" if stopped is None else "at_least",
            unit="lines",
            limit=Limit(name="limit", value=page.limit) if full else Limit(name="seconds", value=SEARCH_SECONDS),
            next=page.next(rest),
        ),
    )


async def _searched(file: ArtifactFile, start: int, search: _Search) -> tuple[int | None, bool]:
    """Search to the end: where the time ran out, if it did, and whether a line was taken in pieces."""
    offset, pieces = start, False
    while offset < file.size:
        block = await file.read(offset, BLOCK_BYTES)
        lines = list(_lines(block, offset, last=offset + len(block) >= file.size))
        if not lines:  # the file is shorter than it was
            break
        pieces = pieces or any(line.end == line.offset + len(line.content) < file.size for line in lines)
        stopped = await to_thread.run_sync(search.look, lines)
        if stopped is not None and stopped < file.size:
            return stopped, pieces
        offset = lines[-1].end
    return None, pieces


def _lines(block: bytes, offset: int, *, last: bool) -> Iterator[_Line]:
    """The whole lines of a block; one that may go on in the next block is left for it."""
    at = 0
    while at < len(block):
        border = block.find(b"\n", at, at + LONGEST_LINE + 1)
        if border >= 0:
            content, end = block[at:border], border + 1
        elif last or len(block) - at > LONGEST_LINE:
            piece = block[at : at + LONGEST_LINE]
            content = piece if at + LONGEST_LINE >= len(block) else _whole_characters(piece)
            end = at + len(content)
        else:
            return
        yield _Line(offset + at, content, offset + end)
        at = end
