"""`write_file`: a file's whole content, exactly as given."""

from collections.abc import Sequence
from typing import Annotated

from anyio import to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult
from hilt.results.render import no_lines
from hilt.workspace.changes.snapshots import Author
from hilt.workspace.edits.difference import MOST_COMPARED, difference
from hilt.workspace.encodings import SAMPLE_BYTES, detect
from hilt.workspace.search.wording import counted
from hilt.workspace.seen import note_written, sight, unfit
from hilt.workspace.text import decode, newlines
from hilt.workspace.workspace import Workspace

_MARK = "\ufeff"


class Written(TypedDict):
    """The file, its bytes now, and whether it is new."""

    path: str
    bytes: int
    created: bool


async def _shown(ctx: Context, path: str, content: str) -> str:
    """What writing would change, for people and reviewers."""
    world = ctx.part(Workspace)
    if world.path(path).kind == "missing":
        return difference(b"", content.encode(), world.display(path))
    async with world.open(path, allowed=ctx.paths.get(path)) as file:
        old = await file.read_at(0, MOST_COMPARED + 1)
    return await to_thread.run_sync(difference, old, content.encode(), world.display(path))


@tool(
    kind="act",
    noun="file",
    effects={"reads": "none", "does": "write", "undoable": True},
    preview=_shown,
    idempotent=True,
    undo="hilt undo",
    activity="writing {path}",
    render=no_lines,
    description=Description(
        use_for="creating a file, or replacing all of one",
        not_for={"changing parts of a file": "edit_file"},
        returns="one line, no content",
        traps="An existing file must have been read before. Missing folders are made",
    ),
)
async def write_file(
    ctx: Context,
    path: Annotated[str, Param("absolute path", role="path")],
    content: Annotated[str, Param("all of it, written as it is in UTF-8", role="content")],
) -> ToolResult[Written]:
    new = content.encode()
    world = ctx.part(Workspace)
    by = Author(session=ctx.session.id, tool="write_file")
    allowed = ctx.paths.get(path)
    if (allowed or world.path(path)).kind == "missing":
        made = await world.create(path, new, allowed=allowed, by=by)
        ctx.did(f"{world.display(path)} was created")
        await note_written(ctx, made.real, made.digest, made.version, whole=True)
        folders = [f"made the folder {world.display(folder)}" for folder in made.folders[-1:]]
        folders += [made.note] if made.note else []
        return _result(world, path, new, "created", created=True, notes=folders)
    async with world.change(path, allowed=allowed, by=by) as change:
        old = await change.content()
        if old == new:
            await note_written(ctx, change.file.real, await change.digest(), change.version, whole=True)
            return _result(world, path, new, "unchanged, it holds exactly this")
        seen = await sight(ctx, change)
        if seen.state != "current" or seen.by != "read":
            instead = ("change parts of it with edit_file",) if "edit_file" in ctx.offered else ()
            raise unfit(ctx, path, seen, why="and writing would replace all of it unseen", instead=instead)
        replaced = await change.replace(new)
        ctx.did(f"{world.display(path)} was written")
        await note_written(ctx, change.file.real, replaced.digest, replaced.version, whole=True)
        return _result(
            world, path, new, f"written, before {len(old):,}", notes=[*replaced.notes, *_other_form(old, content)]
        )


def _result(
    world: Workspace, path: str, content: bytes, what: str, *, created: bool = False, notes: Sequence[str] = ()
) -> ToolResult[Written]:
    return ToolResult(
        summary=f"{world.display(path)}: {counted(len(content), 'byte', 'bytes')} {what}",
        items=(Written(path=path, bytes=len(content), created=created),),
        notes=tuple(notes),
    )


def _other_form(old: bytes, content: str) -> list[str]:
    """How the file was written before, where it is not any more."""
    sample = old[:SAMPLE_BYTES]
    encoding = detect(sample, complete=len(old) <= SAMPLE_BYTES)
    if encoding is None:
        return ["it was a binary file, and is text now"] if old else []
    notes: list[str] = []
    if encoding.told and not (encoding.name == "utf-8" and encoding.mark and content.startswith(_MARK)):
        notes.append(f"it was {encoding.told}, and is UTF-8 without a byte order mark now")
    before = newlines(decode(old, encoding.name)[0])
    after = newlines(content)
    if before == "crlf" and after in ("lf", "mixed"):
        notes.append("its lines ended in CRLF; " + ("they end in LF now" if after == "lf" else "only some do now"))
    return notes
