"""Taking a file, link or folder away, and putting back what was taken."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from hilt.errors import HiltError
from hilt.workspace.changes import wording
from hilt.workspace.changes.creating import MadeFolders, new_place
from hilt.workspace.changes.keeping import TREE, Keeper, NotKept
from hilt.workspace.changes.moving import contains
from hilt.workspace.changes.snapshots import Snapshot, Snapshots
from hilt.workspace.changes.trees import Extent, extent, remove_tree
from hilt.workspace.descent import NamePlace
from hilt.workspace.digests import digest_descriptor
from hilt.workspace.roots import Root, Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What was taken away: its canonical path, what it was, and whether it can be had back."""

    real: str
    kind: str
    extent: Extent
    kept: bool


def remove(asked: str, spot: Spot, place: NamePlace, keeper: Keeper, *, recursive: bool, expected: str = "") -> Removed:
    """Take away what has the name, a link as itself. Blocks. A folder with something in it only when `recursive`.

    With `expected`, only what has this digest. Raises InvalidArguments, or EnvironmentFailure
    where it cannot be kept or removed; then it is still there.
    """
    try:
        found = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
        size = extent(place)
        if size.mounts or found.st_dev != os.fstat(place.folder).st_dev:
            raise wording.holds_a_mount(asked)
        if expected and not still(place, expected):
            raise wording.not_as_left(asked)
        folder = stat.S_ISDIR(found.st_mode)
        if folder and not recursive and size.files + size.folders:
            raise wording.not_empty(asked, size.files, size.folders, size.bytes)
        keeper.removing(spot.path, place)
        if not keeper.able:
            remove_tree(place)
    except OSError as error:
        raise wording.unremovable(asked, error) from None
    except NotKept as unkept:
        raise wording.unkept(asked, unkept.error) from None
    except HiltError as error:
        raise wording.unkept(asked, error) from None
    kind = "folder" if folder else "link" if stat.S_ISLNK(found.st_mode) else "file"
    return Removed(real=spot.path, kind=kind, extent=size, kept=keeper.able)


def restore(spot: Spot, snapshot: Snapshot, snapshots: Snapshots, keeper: Keeper) -> None:
    """Put back what was taken, where nothing has its name. Blocks. Raises as `create` does."""
    made = MadeFolders()
    try:
        with new_place(spot.path, spot, made) as place:
            if place.look() is not None:
                raise wording.appeared(spot.path)
            keeper.creating(spot.path, after=snapshot.before, folders=made.paths)
            snapshots.give_back(snapshot, place)
    except BaseException as error:
        keeper.dropped()
        made.take_back()
        if isinstance(error, FileExistsError):
            raise wording.appeared(spot.path) from None
        if isinstance(error, OSError):
            raise wording.unwritable(spot.path, error) from None
        raise
    finally:
        made.close()


def still(place: NamePlace, expected: str) -> bool:
    """Whether what has the name has this digest: of its content, or of a tree."""
    if expected.startswith(TREE):
        return TREE + extent(place).digest == expected
    descriptor = os.open(place.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=place.folder)
    try:
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and digest_descriptor(descriptor) == expected
    finally:
        os.close(descriptor)


def check_holds_no_root(asked: str, spot: Spot, roots: Sequence[Root]) -> None:
    """Refuse what is a root of the workspace or holds one: a session does not take away the floor it stands on."""
    if not spot.relative or any(contains(spot.path, root.real) for root in roots):
        raise wording.a_root(asked)
