"""`hilt undo`: take back what a tool changed in files."""

import os
from datetime import UTC, datetime
from functools import partial

import anyio
import click

from hilt.assembly.build import world_of
from hilt.assembly.changes import kept_changes
from hilt.cli.faults import Code, CommandError, Fault
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import table
from hilt.cli.verb import Place, places, verb
from hilt.declarations.names import nearest
from hilt.results.failures import ToolFailure
from hilt.workspace.changes.snapshots import Snapshots
from hilt.workspace.undoing import Standing, standings, undo
from hilt.workspace.workspace import Workspace

LISTED = 20
NANOSECONDS = 1_000_000_000


@verb(says="take back the last change of files, or the one named")
@click.argument("change", required=False, metavar="[ID]")
@click.option("--list", "listed", is_flag=True, help=f"Show the latest {LISTED} changes instead.")
@click.option("--session", metavar="ID", help="Only changes of this session.")
@places
def command(out: Out, place: Place, *, change: str | None, listed: bool, session: str | None) -> int:
    """ID is one that --list shows. Taking back is a change too: naming its ID brings back what was
    taken. A file that has changed again since is left alone, and you are told where its old content is.
    """
    world, snapshots = world_of(settings(place), place.workspace), kept_changes()
    changes = standings(snapshots, world, session)
    if listed:
        out.answer({"changes": [_document(each, snapshots) for each in changes[:LISTED]]}, lambda: _text(out, changes))
        return Code.FINE
    chosen = _named(changes, change) if change else next((each for each in changes if each.open), None)
    if chosen is None:
        roots = ", ".join(str(root) for root in world.roots)
        what = f"no change of files in {roots} is kept that could be taken back"
        steps = ("hilt undo --workspace DIR", "hilt undo --list")
        return out.fault(Fault(code=Code.FAILED, label="nothing_to_undo", what=what, steps=steps))
    return anyio.run(partial(_undo, out, world, snapshots, chosen, _earlier(changes, chosen)))


def _named(changes: list[Standing], asked: str) -> Standing:
    for each in changes:
        if each.snapshot.id == asked:
            return each
    near = nearest(asked, [each.snapshot.id for each in changes], most=1)
    step = f"hilt undo {near[0]}" if near else "hilt undo --list"
    raise CommandError(f"no change {asked!r} is kept for this workspace", step, label="unknown_change")


def _earlier(changes: list[Standing], chosen: Standing) -> tuple[str, ...]:
    """The command that takes back the last change before it of something else, if there is one."""
    before = changes[changes.index(chosen) + 1 :]
    others = (each.snapshot.id for each in before if each.open and each.snapshot.path != chosen.snapshot.path)
    return tuple(f"hilt undo {id}" for id in others)[:1]


async def _undo(
    out: Out, world: Workspace, snapshots: Snapshots, chosen: Standing, earlier: tuple[str, ...] = ()
) -> int:
    what = _what(chosen, world)
    if chosen.undone:
        return out.fault(
            Fault(code=Code.FAILED, label="undone", what=f"already taken back: {what}", steps=("hilt undo --list",))
        )
    try:
        await undo(world, snapshots, chosen.snapshot)
    except ToolFailure as failure:
        return out.fault(
            Fault(
                code=Code.FAILED,
                label="not_undone",
                what=failure.problem,
                why="",
                steps=(*failure.next_steps[:1], *earlier),
            )
        )
    out.answer({"undone": _document(chosen, snapshots)}, f"taken back: {what}")
    return Code.FINE


def _document(each: Standing, snapshots: Snapshots) -> dict[str, object]:
    change = each.snapshot
    kept = snapshots.content(change)
    return {
        "id": change.id,
        "at": datetime.fromtimestamp(change.at / NANOSECONDS, UTC).isoformat(timespec="milliseconds"),
        "session": change.by.session,
        "tool": change.by.tool,
        "deed": change.deed,
        "path": change.path,
        "to": change.to or None,
        "undone": each.undone,
        "undoes": change.by.undoes or None,
        "kept": str(kept) if os.path.lexists(kept) else None,
    }


def _what(each: Standing, world: Workspace) -> str:
    change = each.snapshot
    to = f" to {world.display(change.to)}" if change.to else ""
    return f"{change.by.tool or 'a program'} {change.deed} {world.display(change.path)}{to}"


def _text(out: Out, changes: list[Standing]) -> str:
    if not changes:
        return "no change of files is kept for this workspace"
    rows = [
        (_clock(each.snapshot.at), each.snapshot.id, each.snapshot.by.tool, each.snapshot.deed, _path(each))
        for each in changes[:LISTED]
    ]
    more = len(changes) - LISTED
    shown = table(("TIME", "ID", "TOOL", "DID", "PATH"), rows, right="lllll", paint=lambda head: out.paint(head, "dim"))
    return f"{shown}\n{more} more; --json lists as many" if more > 0 else shown


def _path(each: Standing) -> str:
    change = each.snapshot
    where = f"{change.path} -> {change.to}" if change.to else change.path
    return f"{where} (taken back)" if each.undone else where


def _clock(at: int) -> str:
    """Local time; with the day when it is not today."""
    when, today = datetime.fromtimestamp(at / NANOSECONDS), datetime.now()
    return when.strftime("%H:%M:%S" if when.date() == today.date() else "%Y-%m-%d %H:%M")
