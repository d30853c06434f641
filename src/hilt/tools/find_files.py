"""`find_files`: files by name, the last changed first. Nothing is opened."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypedDict, cast

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.tool import RESULT_TOKENS
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.names import visible
from hilt.workspace.search import wording
from hilt.workspace.search.ripgrep import Found, FoundFile, Place, Selection, checked_selection, find, open_place, reach
from hilt.workspace.workspace import Workspace

DEFAULT_LIMIT = 100
NO_LIMIT = 0
INLINE_BYTES = 20_000

_NANOSECONDS = 1_000_000_000
_FIRST_SECOND = int(datetime.min.replace(tzinfo=UTC).timestamp())
_LAST_SECOND = int(datetime.max.replace(microsecond=0, tzinfo=UTC).timestamp())


class File(TypedDict):
    """One file: its absolute path, its size, and when it was last changed (UTC)."""

    path: str
    bytes: int
    modified: str


def rendered(items: Sequence[object]) -> str:
    """The shared folder once, then `path bytes modified` a line."""
    files = cast("Sequence[File]", items)  # the declared return holds them to it
    folder = wording.shared_folder([file["path"] for file in files])
    lines = [visible(folder)] if folder else []
    lines += [f"{visible(file['path'].removeprefix(folder))} {file['bytes']} {file['modified']}" for file in files]
    return "\n".join(lines)


@tool(
    kind="perceive",
    limit=DEFAULT_LIMIT,
    continues="offset",
    noun="file",
    effects={"reads": "private"},
    activity="looking for {pattern}",
    budget=Budget(tokens=RESULT_TOKENS, bytes=INLINE_BYTES),
    render=rendered,
    description=Description(
        use_for="finding files whose names fit a glob",
        not_for={"text inside files": "search_code"},
        returns=(
            "files, last changed first, with bytes and time of change, exact total; no folders, no contents; "
            "ignored and hidden ones only if pattern spells the dot or path lies in them; never "
            f"{wording.VERSION_CONTROL}"
        ),
        inputs="one glob: * within a name, ** across folders, {a,b} either",
        traps="Without / it fits at any depth",
    ),
)
async def find_files(
    ctx: Context,
    pattern: Annotated[str, Param("glob below path", example="src/**/*.{ts,tsx}", min_length=1)],
    path: Annotated[
        str | None,
        Param("absolute folder; default: root", role="path"),
    ] = None,
    limit: Annotated[int, Param(f"most files; {NO_LIMIT} = all, may flood your context", ge=0)] = DEFAULT_LIMIT,
    offset: Annotated[int, Param("files to skip", ge=0)] = 0,
) -> ToolResult[File]:
    workspace = ctx.part(Workspace)
    async with open_place(workspace, wording.searched_path(workspace, path)) as place:
        if place.kind == "file":
            raise EnvironmentFailure(
                f"{visible(place.path)} is a file, not a folder", "give the path of the folder it lies in"
            )
        selection = checked_selection(place.path, Selection(glob=pattern), glob_name="pattern")
        found = await find(place, selection)
        if not found.files:
            return await _nothing(place, selection, found)
    total = len(found.files)
    if offset >= total:
        raise InvalidArguments(
            f"offset {offset:,} is past the end: the pattern fits {wording.counted(total, 'file', 'files')}",
            f"give an offset of at most {total - 1}",
        )
    end = min(offset + limit, total) if limit else total
    cut = Truncation(
        shown=end - offset,
        total=total,
        limit=Limit(name="limit", value=limit),
        next=_following(pattern, path, limit, end),
    )
    items = tuple(_item(place, file) for file in found.files[offset:end])
    return _result(
        found,
        f"{wording.counted(total, 'file fits', 'files fit')} {visible(pattern)}, the last changed first",
        items,
        truncation=cut if end < total else None,
    )


async def _nothing(place: Place, selection: Selection, found: Found) -> ToolResult[File]:
    everything = await reach(place, Selection())
    fitting = await reach(place, selection)
    summary = (
        f"no file in {visible(place.path)} fits {visible(selection.glob or '')}: "
        f"{wording.at_least(everything.searched)} looked at"
    )
    return _result(found, summary, (), notes=(wording.left_out_names_note(fitting),))


def _result(
    found: Found,
    summary: str,
    items: tuple[File, ...],
    *,
    notes: tuple[str, ...] = (),
    truncation: Truncation | None = None,
) -> ToolResult[File]:
    trouble = found.unreadable
    return ToolResult(
        summary=summary,
        items=items,
        status=Status.PARTIAL if trouble.count else Status.SUCCESS,
        truncation=truncation,
        notes=(*([wording.unreadable_note(trouble)] if trouble.count else []), *notes),
    )


def _item(place: Place, file: FoundFile) -> File:
    return {"path": place.shown(file.name), "bytes": file.size, "modified": _time(file.mtime_ns // _NANOSECONDS)}


def _time(seconds: int) -> str:
    """UTC, in RFC 3339; a time that no calendar holds, which some file systems do, as the nearest that one does."""
    seconds = max(_FIRST_SECOND, min(_LAST_SECOND, seconds))
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def _following(pattern: str, path: str | None, limit: int, offset: int) -> dict[str, object]:
    """The same call from `offset`; what is left out is at its default."""
    given: dict[str, object] = {"pattern": pattern}
    if path is not None:
        given["path"] = path
    if limit != DEFAULT_LIMIT:
        given["limit"] = limit
    return given | {"offset": offset}
