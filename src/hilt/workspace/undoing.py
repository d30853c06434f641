"""Taking a change of files back. A person's verb: it runs no tool, and is itself kept to be taken back."""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from anyio import to_thread

from hilt.results.failures import EnvironmentFailure, Refused, ToolFailure
from hilt.workspace.changes.keeping import TREE
from hilt.workspace.changes.snapshots import Author, Snapshot, Snapshots
from hilt.workspace.digests import digest
from hilt.workspace.names import visible
from hilt.workspace.workspace import Workspace

UNDO = "undo"
BY_HAND = "put it right by hand, then undo again"


class NotUndone(EnvironmentFailure):
    """A change that cannot be taken back, in words for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A change, and whether it stands: `undone` where somebody took it back, `undoes` where it takes another back."""

    snapshot: Snapshot
    undone: bool
    forward: bool

    @property
    def open(self) -> bool:
        """Whether it is one that the next undo may take back."""
        return self.forward and not self.undone


def standings(snapshots: Snapshots, world: Workspace, session: str | None = None) -> list[Standing]:
    """The changes in a workspace, of one session or of all, the latest first. Blocks."""
    every = list(snapshots.all())
    undone = {each.by.undoes for each in every if each.by.undoes}
    forward = _forward(reversed(every))
    return [
        Standing(snapshot=each, undone=each.id in undone, forward=each.id in forward)
        for each in every
        if world.root_holding(each.path) is not None and session in (None, each.by.session)
    ]


def _forward(oldest_first: Iterable[Snapshot]) -> set[str]:
    """The changes that go forward: those of tools, and those that take back a taking back."""
    found: set[str] = set()
    for each in oldest_first:
        if not each.by.undoes or each.by.undoes not in found:
            found.add(each.id)
    return found


async def undo(world: Workspace, snapshots: Snapshots, snapshot: Snapshot) -> None:
    """Take one change back. Raises ToolFailure or Refused where it cannot be, and then nothing was changed."""
    by = Author(session=snapshot.by.session, tool=UNDO, undoes=snapshot.id)
    try:
        if snapshot.deed == "replaced":
            await _put_back(world, snapshots, snapshot, by)
        elif snapshot.deed == "created":
            await _take_away(world, snapshot, by)
        elif snapshot.deed == "moved":
            await world.move(snapshot.to, snapshot.path, by=by)
            await to_thread.run_sync(_remove_empty, snapshot.folders)
        else:
            await _restore(world, snapshots, snapshot, by)
    except NotUndone as failure:
        raise EnvironmentFailure(f"{failure.problem}{_where(snapshots, snapshot)}", *failure.next_steps) from None
    except ToolFailure as failure:  # its steps are a model's, which would call a tool again
        raise EnvironmentFailure(f"{failure.problem}{_where(snapshots, snapshot)}", BY_HAND) from None
    except Refused as refused:
        raise EnvironmentFailure(f"{refused.reason}{_where(snapshots, snapshot)}", BY_HAND) from None


async def _put_back(world: Workspace, snapshots: Snapshots, snapshot: Snapshot, by: Author) -> None:
    old = await to_thread.run_sync(_content, snapshots, snapshot)
    async with world.change(snapshot.path, by=by) as change:
        now = await change.digest()
        if now == snapshot.before:
            raise NotUndone(f"{visible(snapshot.path)} is as it was before the change", "nothing is to be done")
        if now != snapshot.after:
            raise _changed_again(snapshot.path)
        await change.replace(old)


async def _take_away(world: Workspace, snapshot: Snapshot, by: Author) -> None:
    await world.remove(snapshot.path, recursive=True, expected=snapshot.after, by=by)
    await to_thread.run_sync(_remove_empty, snapshot.folders)


async def _restore(world: Workspace, snapshots: Snapshots, snapshot: Snapshot, by: Author) -> None:
    kept = await to_thread.run_sync(snapshots.extent, snapshot)
    if kept is None:
        raise _gone(snapshot)
    if TREE + kept.digest != snapshot.before:
        raise NotUndone(
            f"what is kept of {visible(snapshot.path)} was written to since by something that had it open",
            "copy what you need from there by hand",
        )
    await world.restore(snapshot, snapshots, by=by)


def _content(snapshots: Snapshots, snapshot: Snapshot) -> bytes:
    try:
        content = snapshots.content(snapshot).read_bytes()
    except OSError:
        raise _gone(snapshot) from None
    if digest(content) != snapshot.before:
        raise NotUndone(
            f"what is kept of {visible(snapshot.path)} was written to since under another of its names",
            "copy what you need from there by hand",
        )
    return content


def _changed_again(path: str) -> NotUndone:
    return NotUndone(
        f"{visible(path)} is no longer what the change left there",
        "undo the later changes first, or copy what you need by hand",
    )


def _gone(snapshot: Snapshot) -> NotUndone:
    return NotUndone(
        f"nothing is kept any more of what {visible(snapshot.path)} was before", "look for it in version control"
    )


def _where(snapshots: Snapshots, snapshot: Snapshot) -> str:
    kept = snapshots.content(snapshot)
    return f"; what was there before is kept in {kept}" if os.path.lexists(kept) else ""


def _remove_empty(folders: Iterable[str]) -> None:
    """Remove folders that were made for what is gone again, unless something else lies in them now."""
    for folder in reversed(list(folders)):
        with suppress(OSError):
            os.rmdir(folder)
