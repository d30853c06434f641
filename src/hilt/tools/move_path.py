"""`move_path`: another name or place for a file or folder."""

from typing import Annotated

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult
from hilt.results.render import no_lines
from hilt.workspace.changes.snapshots import Author
from hilt.workspace.seen import note_moved
from hilt.workspace.workspace import Workspace


class MovedPath(TypedDict):
    """Where it was, and where it is."""

    source: str
    destination: str


@tool(
    kind="act",
    noun="path",
    effects={"reads": "none", "does": "write", "undoable": True},
    idempotent=False,
    undo="hilt undo",
    activity="moving {source}",
    render=no_lines,
    description=Description(
        use_for="moving or renaming a file or folder",
        not_for={"new content": "write_file"},
        returns="one line; refused where destination exists",
        traps="Missing folders are made. A link itself is moved",
    ),
)
async def move_path(
    ctx: Context,
    source: Annotated[str, Param("absolute path", role="path")],
    destination: Annotated[str, Param("whole new path, absolute", role="path")],
) -> ToolResult[MovedPath]:
    world = ctx.part(Workspace)
    allowed = (ctx.paths.get(source), ctx.paths.get(destination))
    by = Author(session=ctx.session.id, tool="move_path")
    moved = await world.move(source, destination, allowed=allowed, by=by)
    ctx.did(f"{world.display(moved.real)} was moved to {world.display(moved.to)}")
    await note_moved(ctx, moved.real, moved.to)
    notes = [f"made the folder {world.display(folder)}" for folder in moved.folders[-1:]]
    return ToolResult(
        summary=f"{world.display(moved.real)} moved to {world.display(moved.to)}",
        items=(MovedPath(source=source, destination=destination),),
        notes=(*notes, *([moved.note] if moved.note else [])),
    )
