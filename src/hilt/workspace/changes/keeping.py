"""Keeping what was there, for one change that is about to be made."""

from collections.abc import Sequence
from dataclasses import replace

from hilt.errors import HiltError
from hilt.workspace.changes.snapshots import Author, Deed, Snapshot, Snapshots, snapshot_of
from hilt.workspace.changes.trees import extent
from hilt.workspace.descent import NamePlace
from hilt.workspace.digests import Buffer

TREE = "tree:"


class NotKept(Exception):
    """What was to be removed could not be kept first, and is still there; `error` says why."""

    def __init__(self, error: OSError | HiltError) -> None:
        super().__init__(str(error))
        self.error = error


class Keeper:
    """Keeps for one change, and forgets it where the change was not made after all.

    A change that cannot be kept is made all the same and `note` says so; what would be gone for
    good is another matter, which its caller decides.
    """

    def __init__(self, snapshots: Snapshots | None, by: Author | None) -> None:
        self._snapshots = snapshots
        self._by = by
        self._kept: Snapshot | None = None
        self.note = ""

    @property
    def able(self) -> bool:
        """Whether there is a place to keep anything."""
        return self._snapshots is not None

    def replacing(self, real: str, descriptor: int, content: Sequence[Buffer], *, before: str, after: str) -> None:
        """Keep the old content of a file."""
        if self._snapshots is None:
            return
        snapshot = replace(self._new("replaced", real), before=before, after=after)
        try:
            self._snapshots.link(snapshot, descriptor, content)
            self._snapshots.record(snapshot, sum(map(len, content)))
        except (OSError, HiltError) as error:
            self._unkept(error)

    def creating(self, real: str, *, after: str, folders: Sequence[str] = ()) -> None:
        """Note that a file, or a tree, is new."""
        self._record(replace(self._new("created", real), after=after, folders=tuple(folders)))

    def moving(self, real: str, to: str, folders: Sequence[str]) -> None:
        """Note a move."""
        self._record(replace(self._new("moved", real), to=to, folders=tuple(folders)))

    def removing(self, real: str, place: NamePlace) -> None:
        """Take what has a name away and keep it. Raises OSError, and NotKept where there is no keeping it."""
        if self._snapshots is None:
            return
        found = extent(place)
        before = TREE + found.digest
        snapshot = replace(self._new("removed", real), before=before)
        try:
            self._snapshots.record(snapshot, found.bytes)
        except (OSError, HiltError) as error:
            self.dropped()
            raise NotKept(error) from error
        try:
            self._snapshots.take(snapshot, place, found.bytes)
        except (OSError, HiltError):
            if place.look() is not None and TREE + extent(place).digest == before:
                self.dropped()
            raise

    def dropped(self) -> None:
        """The change was not made."""
        if self._kept is not None and self._snapshots is not None:
            self._snapshots.drop(self._kept)

    def _new(self, deed: Deed, real: str) -> Snapshot:
        self._kept = snapshot_of(deed, real, self._by)
        return self._kept

    def _record(self, snapshot: Snapshot) -> None:
        if self._snapshots is None:
            return
        try:
            self._snapshots.record(snapshot)
        except (OSError, HiltError) as error:
            self._unkept(error)

    def _unkept(self, error: Exception) -> None:
        self.dropped()
        self._kept = None
        why = error.problem if isinstance(error, HiltError) else str(error)
        self.note = f"this change cannot be undone: no snapshot of it could be kept ({why})"
