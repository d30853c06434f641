"""`edit_file`: old text replaced by new, found by the text itself and not by its line; all edits of a call or none."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NoReturn, NotRequired

from anyio import from_thread, to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param, Repair
from hilt.results.envelope import ToolResult
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.changes.replacing import FileChange
from hilt.workspace.changes.snapshots import Author
from hilt.workspace.edits.anchors import Edit, Place, check_edits, place_edits
from hilt.workspace.edits.difference import MOST_COMPARED, difference
from hilt.workspace.edits.encoded import EncodedText, whole_encoding
from hilt.workspace.edits.invisible import clipped, made_visible
from hilt.workspace.edits.neighbours import neighbourhood
from hilt.workspace.edits.refusals import Unplaced
from hilt.workspace.edits.splicing import changed_lines, new_starts, spliced
from hilt.workspace.seen import note_shown, note_written, sight, unfit
from hilt.workspace.workspace import Workspace

MOST_RANGES = 10
"""Changed ranges of lines that an answer lists."""

MOST_SHOWN = 2
"""Lines that all=true changed and that are shown, where it changed so many."""

SHOWN_CHARACTERS = 100

FOUND_CHARACTERS = 160
"""The most shown of text that an anchor only looks like."""

_OTHER_NAMES = {"old": ("old_string", "oldText"), "new": ("new_string", "newText"), "all": ("replace_all",)}
"""What other tools of this kind call these fields, where models learned them."""


class EditForm(TypedDict):
    old: str  # no docstring: it would stand in the declaration, and say nothing new
    new: str
    all: NotRequired[bool]


class Edited(TypedDict):
    """A file that was edited; `lines` are those that changed, as they are numbered now: `12-14, 30`."""

    path: str
    replacements: int
    lines: str


def nothing_more(items: Sequence[object]) -> str:
    """The summary says all of the item."""
    return ""


async def _shown(ctx: Context, path: str, edits: list[EditForm]) -> str:
    """What the edits would change, for people and reviewers."""
    workspace = ctx.part(Workspace)
    name = workspace.display(path)
    async with workspace.open(path, allowed=ctx.paths.get(path)) as file:
        old = await file.read_at(0, MOST_COMPARED + 1)
    if len(old) > MOST_COMPARED:
        return f"{name}: more than {MOST_COMPARED:,} bytes, more than is compared"
    asked = [Edit(old=each["old"], new=each["new"], all=each.get("all", False)) for each in edits]
    plan = await to_thread.run_sync(partial(_plan, old, asked, name))
    if isinstance(plan, Unplaced):
        raise plan
    return await to_thread.run_sync(difference, old, b"".join(plan.buffers), name)


@tool(
    kind="act",
    effects={"reads": "private", "does": "write", "undoable": True},
    preview=_shown,
    idempotent=False,
    undo="hilt undo",
    activity="editing {path}",
    noun="file",
    render=nothing_more,
    repairs=[
        Repair(old=old, new=f"edits[].{field}") for field, names in _OTHER_NAMES.items() for old in (field, *names)
    ],
    description=Description(
        use_for="replacing text in a file that was read, all edits or none",
        not_for={"new files": "write_file"},
        returns="the changed line numbers, no text",
        inputs="old is exact text, without line numbers, long enough to be unique",
        traps="every old is looked for in the text before the call",
    ),
)
async def edit_file(
    ctx: Context,
    path: Annotated[str, Param("absolute path", example="/repo/src/app.py", role="path")],
    edits: Annotated[
        list[EditForm],
        Param("all: wherever old stands", min_length=1),
    ],
) -> ToolResult[Edited]:
    workspace = ctx.part(Workspace)
    asked = [Edit(old=each["old"], new=each["new"], all=each.get("all", False)) for each in edits]
    check_edits(asked)
    name = workspace.display(path)
    author = Author(session=ctx.session.id, tool="edit_file")
    async with workspace.change(path, allowed=ctx.paths.get(path), by=author) as change:
        plan = await to_thread.run_sync(partial(_plan, await change.content(), asked, name))
        if isinstance(plan, Unplaced):
            await _refuse(ctx, change, plan, name)
        lines: list[tuple[int, int]] = []

        def check() -> None:
            """Called when the new content is written but not in place: both digests are worked out beside that."""
            from_thread.run(_check_seen, ctx, change, plan, name)
            lines.extend(changed_lines(plan.file, plan.places))

        replaced = await change.replace(plan.buffers, same=plan.places[0].start, check=check)
        ctx.did(f"edited {name}")
        await note_written(ctx, change.file.real, replaced.digest, replaced.version)
    count = len(plan.places)
    ranges = _ranges(lines)
    return ToolResult(
        summary=f"{name}: {count:,} {'replacement' if count == 1 else 'replacements'}, "
        f"{'line' if ranges.isdecimal() else 'lines'} {ranges}",
        items=(Edited(path=path, replacements=count, lines=ranges),),
        notes=(*_notes(plan, asked, lines), *replaced.notes),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What the edits come to, before anything is written."""

    file: EncodedText
    places: Sequence[Place]
    buffers: Sequence[bytes | memoryview]


def _plan(content: bytes, edits: Sequence[Edit], name: str) -> _Plan | Unplaced:
    """Worked out whether or not the file was seen, for its digest is worked out beside it. Blocks."""
    encoding = whole_encoding(content)
    if encoding is None:
        raise EnvironmentFailure(f"{name} is binary, not text", "change what it was made from, or report it")
    file = EncodedText(content, encoding)
    try:
        places = place_edits(file, edits, name)
    except Unplaced as unplaced:
        return unplaced
    return _Plan(file=file, places=places, buffers=spliced(file, places))


async def _refuse(ctx: Context, change: FileChange, unplaced: Unplaced, name: str) -> NoReturn:
    """What was shown of a file on the way is seen; that it was not seen as it is may be all that is wrong."""
    problem, steps = unplaced.problem, unplaced.next_steps
    seen = await sight(ctx, change)
    if seen.state != "current":
        why = unfit(ctx, name, seen, why="so its text may not be what old says")
        first, feed, lines = problem.partition("\n")
        problem = f"{first}; {why.problem}{feed}{lines}"
        if unplaced.shows:
            await note_shown(ctx, change)
        else:
            steps = (steps[0], *why.next_steps)
    if name.endswith(".ipynb") and "edit_notebook" in ctx.offered:
        steps = (steps[0], "change a cell by its id with edit_notebook")
    raise InvalidArguments(problem, *steps)


async def _check_seen(ctx: Context, change: FileChange, plan: _Plan, name: str) -> None:
    """Refuse for a file that the session has not seen as it is, and show it the text that is there."""
    seen = await sight(ctx, change)
    if seen.state == "current":
        return
    shown = await to_thread.run_sync(partial(neighbourhood, plan.file, plan.places))
    await note_shown(ctx, change)
    why = "so nothing was changed; where the edits would go it now reads"
    raise InvalidArguments(
        f"{unfit(ctx, name, seen, why=why).problem}\n{shown}", "send the same call again, if this is what you meant"
    )


def _ranges(lines: Sequence[tuple[int, int]]) -> str:
    """`12-14, 30 and 5 more`."""
    ranges = list(dict.fromkeys(f"{first}" if first >= last else f"{first}-{last}" for first, last in lines))
    more = len(ranges) - MOST_RANGES
    return ", ".join(ranges[:MOST_RANGES]) + (f" and {more:,} more" if more > 0 else "")


def _notes(plan: _Plan, edits: Sequence[Edit], lines: Sequence[tuple[int, int]]) -> Iterator[str]:
    file, places = plan.file, plan.places
    endings = dict.fromkeys(place.endings for place in places if place.endings)
    if endings:
        yield f"line endings {' and '.join(endings)} kept"
    if any(_more_lines(edits[place.edit]) and not place.endings for place in places) and file.mixed_endings:
        yield "the file's line endings are mixed; those of new were written as given"
    for place in places:
        if set(place.differences) - {"line endings"} or (place.differences and not place.endings):
            was = clipped(made_visible(file.shown(place.start, place.end)), FOUND_CHARACTERS)
            yield f'edits[{place.edit}] differed in {" and ".join(place.differences)}; it replaced "{was}"'
    if any(place.start < file.encoding.mark and not place.new.startswith(file.mark) for place in places):
        yield "the byte order mark was part of old and not of new: it is gone"
    if file.encoding.known in ("guessed", "unknown") and not all(place.new.isascii() for place in places):
        yield f"new text was written as {file.encoding.name}; the file is in {file.encoding.told}"
    yield from _shown_lines(plan, edits, lines)


def _more_lines(edit: Edit) -> bool:
    return edit.new.count("\n") > edit.old.count("\n")


def _shown_lines(plan: _Plan, edits: Sequence[Edit], lines: Sequence[tuple[int, int]]) -> Iterator[str]:
    """A few of the lines that all=true changed, for nobody wrote those whole."""
    every = zip(plan.places, lines, new_starts(plan.places), strict=True)
    starts = {line: start for place, (line, _), start in every if edits[place.edit].all}
    if len(starts) < MOST_SHOWN:
        return
    now = EncodedText(b"".join(plan.buffers), plan.file.encoding)
    for line, start in list(starts.items())[:MOST_SHOWN]:
        text = now.glimpse(start).removesuffix("\r")
        yield f"line {line} is now: {clipped(made_visible(text), SHOWN_CHARACTERS)}"
