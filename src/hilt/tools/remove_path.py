"""`remove_path`: a file, link or folder taken away, so that a person can have it back."""

from typing import Annotated

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult
from hilt.results.render import no_lines
from hilt.workspace.changes.removing import Removed
from hilt.workspace.changes.snapshots import Author
from hilt.workspace.search.wording import counted
from hilt.workspace.seen import forget
from hilt.workspace.workspace import Workspace


class RemovedPath(TypedDict):
    """What was removed, and how many files that were."""

    path: str
    files: int
    bytes: int


@tool(
    kind="act",
    noun="path",
    effects={"reads": "none", "does": "write", "undoable": True},
    idempotent=False,
    undo="hilt undo",
    activity="removing {path}",
    render=no_lines,
    description=Description(
        use_for="removing a file, link or folder",
        returns="one line with how much it was",
        traps="A link is removed, not its target",
    ),
)
async def remove_path(
    ctx: Context,
    path: Annotated[str, Param("absolute path", role="path")],
    recursive: Annotated[bool, Param("remove what a folder holds too")] = False,
) -> ToolResult[RemovedPath]:
    world = ctx.part(Workspace)
    by = Author(session=ctx.session.id, tool="remove_path")
    removed = await world.remove(path, recursive=recursive, allowed=ctx.paths.get(path), by=by)
    ctx.did(f"{world.display(removed.real)} was removed")
    await forget(ctx, removed.real)
    return ToolResult(
        summary=f"{world.display(removed.real)}: {_what(removed)} removed",
        items=(RemovedPath(path=path, files=removed.extent.files, bytes=removed.extent.bytes),),
        notes=() if removed.kept else ("no snapshots are kept here: it is gone for good",),
    )


def _what(removed: Removed) -> str:
    if removed.kind == "link":
        return "link"
    size = counted(removed.extent.bytes, "byte", "bytes")
    if removed.kind == "file":
        return f"file of {size}"
    files = removed.extent.files
    return f"folder with {counted(files, 'file', 'files')}, {size}" if files else "empty folder"
