"""`edit_notebook`: one cell of a notebook inserted, replaced or deleted, the rest of the file left as it is."""

import codecs
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from anyio import to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.checks import Check
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.documents.notebook import NOTEBOOK_BYTES
from hilt.documents.notebook_edit import CellType, NotANotebook, NotebookText
from hilt.results.envelope import ToolResult
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.results.unicode import well_formed
from hilt.workspace.changes.replacing import FileChange
from hilt.workspace.changes.snapshots import Author
from hilt.workspace.edits.invisible import clipped
from hilt.workspace.seen import note_shown, note_written, sight, unfit
from hilt.workspace.workspace import Workspace

MOST_IDS = 40
"""Ids listed where an unknown one was given."""

SHOWN_CHARACTERS = 600
"""The most shown of a cell that is not as it was seen."""

Action = Literal["insert", "replace", "delete"]


class EditedCell(TypedDict):
    """The cell, by its place from 1 and its id; `cells` are in the notebook now. A deleted one by its place before."""

    path: str
    cell: int
    id: str
    cells: int


def _source_needed(arguments: Mapping[str, object]) -> str | None:
    given, action = arguments.get("source") is not None, arguments.get("action")
    if action == "delete":
        return "no source with action delete" if given else None
    return None if given else f"source, for action {action}"


def _cell_needed(arguments: Mapping[str, object]) -> str | None:
    needed = arguments.get("action") != "insert" and arguments.get("cell_id") is None
    return f"cell_id, for action {arguments.get('action')}" if needed else None


def nothing_more(items: Sequence[object]) -> str:
    """The summary says all of the item."""
    return ""


@tool(
    kind="act",
    effects={"reads": "private", "does": "write", "undoable": True},
    idempotent=False,
    undo="hilt undo",
    activity="editing {path}",
    noun="cell",
    render=nothing_more,
    checks=[
        Check(path="source", broken=_source_needed, next_step="give the cell's whole source, only where it is needed"),
        Check(path="cell_id", broken=_cell_needed, next_step="give the id that read_file shows"),
    ],
    description=Description(
        use_for="changing one cell of a Jupyter notebook that was read",
        not_for={"other files": "edit_file"},
        returns="the cell's place and id, no text",
        traps="insert puts the cell after cell_id, or last without one; replace clears a code cell's outputs",
    ),
)
async def edit_notebook(
    ctx: Context,
    path: Annotated[str, Param("absolute path", example="/repo/plot.ipynb", role="path")],
    action: Annotated[Action, Param("what to do")],
    cell_id: Annotated[str | None, Param("as read_file shows it; its number where cells have no ids")] = None,
    source: Annotated[str | None, Param("the cell's whole text")] = None,
    cell_type: Annotated[CellType | None, Param("code if new, else as it is")] = None,
) -> ToolResult[EditedCell]:
    workspace = ctx.part(Workspace)
    name = workspace.display(path)
    author = Author(session=ctx.session.id, tool="edit_notebook")
    if source is not None and not well_formed(source):
        raise InvalidArguments("source holds half of a surrogate pair", "write the whole character")
    async with workspace.change(path, allowed=ctx.paths.get(path), by=author) as change:
        content = await change.content()
        book, mark = await to_thread.run_sync(partial(_notebook, content, name))
        place = _place(book, cell_id, name)
        await _check_seen(ctx, change, name, book, place)
        done = await to_thread.run_sync(partial(_changed, book, name, action, place, source, cell_type))
        replaced = await change.replace(mark + done.text.encode("utf-8"))
        ctx.did(f"edited {name}")
        await note_written(ctx, change.file.real, replaced.digest, replaced.version)
    return _result(done, path, name, replaced.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """The notebook's new text, and what was done to which cell (from 0)."""

    text: str
    said: str
    place: int
    id: str
    cells: int
    notes: tuple[str, ...] = ()


def _notebook(content: bytes, name: str) -> tuple[NotebookText, bytes]:
    """The notebook and its byte order mark. Blocks."""
    if len(content) > NOTEBOOK_BYTES:
        raise EnvironmentFailure(
            f"{name} has {len(content):,} bytes; the largest notebook that is edited has {NOTEBOOK_BYTES:,}",
            "clear large outputs in it first",
        )
    mark = codecs.BOM_UTF8 if content.startswith(codecs.BOM_UTF8) else b""
    try:
        return NotebookText(content[len(mark) :].decode("utf-8")), mark
    except (NotANotebook, UnicodeDecodeError):
        raise EnvironmentFailure(f"{name} is no notebook of format 4", "edit it as the text it is") from None


def _place(book: NotebookText, cell_id: str | None, name: str) -> int:
    """The cell meant, from 0; for none given, the last, -1 in an empty notebook."""
    if cell_id is None:
        return len(book.cells) - 1
    found = book.index(cell_id)
    if found is not None:
        return found
    if cell_id and (twins := book.twins(cell_id)):
        shared = clipped(cell_id, 80)
        raise InvalidArguments(
            f"{len(twins):,} cells of {name} have the id {shared!r}; nothing was changed",
            f"say which by its place: {', '.join(twins[:MOST_IDS])}",
        )
    ids = ", ".join(book.ids[:MOST_IDS]) or "none, for it has no cells"
    more = f" and {len(book.ids) - MOST_IDS:,} more" if len(book.ids) > MOST_IDS else ""
    raise InvalidArguments(f"{name} has no cell {clipped(cell_id, 80)!r}; its ids are {ids}{more}", "give one of these")


async def _check_seen(ctx: Context, change: FileChange, name: str, book: NotebookText, place: int) -> None:
    seen = await sight(ctx, change)
    if seen.state == "current":
        return
    await note_shown(ctx, change)
    cell = book.cells[place] if book.cells else None
    now = f"; cell {place + 1} {cell.id} now reads\n{clipped(cell.source, SHOWN_CHARACTERS)}" if cell else ""
    problem = unfit(ctx, name, seen, why=f"so nothing was changed; it has {len(book.cells):,} cells").problem
    raise InvalidArguments(f"{problem}{now}", "send the same call again, if this is the cell you meant")


def _changed(
    book: NotebookText, name: str, action: Action, place: int, source: str | None, cell_type: CellType | None
) -> _Done:
    """Do it to the text. Blocks."""
    cells = len(book.cells)
    if action == "insert":
        text, made = book.inserted(place, source or "", cell_type or "code")
        return _Done(text=text, said=f"{cell_type or 'code'} cell inserted", place=place + 1, id=made, cells=cells + 1)
    cell = book.cells[place]
    if action == "delete":
        return _Done(
            text=book.deleted(place), said=f"{cell.type} cell deleted", place=place, id=book.ids[place], cells=cells - 1
        )
    if source == cell.source and cell_type in (None, cell.type):
        raise InvalidArguments(
            f"cell {book.ids[place]} of {name} holds exactly this source already; nothing was changed",
            "go on: nothing is left to do for it",
        )
    cleared = cell.type == "code" and (cell.value.get("outputs") or cell.value.get("execution_count") is not None)
    return _Done(
        text=book.replaced(place, source or "", cell_type),
        said=f"{cell_type or cell.type} cell replaced",
        place=place,
        id=book.ids[place],
        cells=cells,
        notes=("its outputs, which the old source made, were cleared",) if cleared else (),
    )


def _result(done: _Done, path: str, name: str, notes: tuple[str, ...]) -> ToolResult[EditedCell]:
    where = f"it was cell {done.place + 1:,}; {done.cells:,} are left"
    if "deleted" not in done.said:
        where = f"it is cell {done.place + 1:,} of {done.cells:,}"
    return ToolResult(
        summary=f"{name}: {done.said}, id {done.id}; {where}",
        items=(EditedCell(path=path, cell=done.place + 1, id=done.id, cells=done.cells),),
        notes=(*done.notes, *notes),
    )
