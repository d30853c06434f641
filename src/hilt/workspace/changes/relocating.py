"""Another place for a file, link or folder of the workspace."""

import errno
from dataclasses import dataclass

from hilt.workspace.changes import wording
from hilt.workspace.changes.creating import MadeFolders, new_place
from hilt.workspace.changes.keeping import Keeper
from hilt.workspace.changes.moving import contains, put_elsewhere
from hilt.workspace.descent import NamePlace
from hilt.workspace.roots import Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What was moved: its canonical path before and after, the folders that were made, and what must be told."""

    real: str
    to: str
    folders: tuple[str, ...]
    note: str


def move(source: Spot, place: NamePlace, target: Spot, asked: str, keeper: Keeper) -> Moved:
    """Move to a name that nothing has, making the folders above it. Blocks.

    Raises InvalidArguments where something is there already or the place lies inside what is moved,
    EnvironmentFailure where it cannot be moved; then nothing was.
    """
    if contains(source.path, target.path):
        raise wording.into_itself(source.path, asked)
    made = MadeFolders()
    try:
        with new_place(asked, target, made) as there:
            if (taken := there.look()) is not None:
                raise wording.taken(asked, taken, place.name)
            keeper.moving(source.path, target.path, made.paths)
            put_elsewhere(place, there)
    except BaseException as error:
        keeper.dropped()
        made.take_back()
        if isinstance(error, FileExistsError):
            raise wording.appeared(asked) from None
        if isinstance(error, OSError):
            if error.errno == errno.EBUSY:
                raise wording.busy(source.path, error) from None
            raise wording.unwritable(asked, error) from None
        raise
    finally:
        made.close()
    return Moved(real=source.path, to=target.path, folders=tuple(made.paths), note=keeper.note)
