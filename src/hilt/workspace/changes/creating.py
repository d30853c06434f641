"""A new file: nothing has its name before its content is whole, and nothing that has it is replaced."""

import errno
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from hilt.workspace.beneath import open_beneath
from hilt.workspace.changes import wording
from hilt.workspace.changes.keeping import Keeper
from hilt.workspace.changes.staging import NEW_FILE_MODE, stage
from hilt.workspace.descent import FOLDER, NamePlace, open_spot
from hilt.workspace.digests import Buffer, Hashing
from hilt.workspace.handles import FileVersion, version_of
from hilt.workspace.roots import Spot, steps
from hilt.workspace.wording import changed, system_failure

NEW_FOLDER_MODE = 0o777
"""The mode of a new folder before the umask, which the kernel applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Created:
    """A new file: its digest and version, its canonical path, the folders made for it, and what must be told."""

    real: str
    digest: str
    version: FileVersion
    folders: tuple[str, ...] = ()
    note: str = ""


@dataclass(slots=True, kw_only=True)
class MadeFolders:
    """Folders made on the way, the outermost first; taken away again where they turn out not to be needed."""

    paths: list[str] = field(default_factory=list[str])
    places: list[NamePlace] = field(default_factory=list[NamePlace])

    def take_back(self) -> None:
        """Remove them, unless somebody has put something there meanwhile."""
        for place in reversed(self.places):
            with suppress(OSError):
                os.rmdir(place.name, dir_fd=place.folder)

    def close(self) -> None:
        """Let go of the descriptors."""
        for place in self.places:
            os.close(place.folder)


def create(asked: str, spot: Spot, buffers: Sequence[Buffer], keeper: Keeper) -> Created:
    """Make a file at a spot where nothing is, and the folders above it. Blocks.

    Raises InvalidArguments where something is there, EnvironmentFailure where it cannot be
    written; then no folder is left behind.
    """
    hashing = Hashing(buffers)
    made = MadeFolders()
    try:
        with new_place(asked, spot, made) as place:
            staged = stage(place.folder, buffers, NEW_FILE_MODE)
            try:
                keeper.creating(spot.path, after=hashing.hexdigest(), folders=made.paths)
                staged.put_new(place)
                version = version_of(os.fstat(staged.descriptor))
            finally:
                staged.close()
    except BaseException as error:
        keeper.dropped()
        made.take_back()
        if isinstance(error, FileExistsError):
            looping = os.path.islink(spot.path)  # a canonical path that is a link leads to itself
            loop = OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            raise (system_failure(asked, loop) if looping else wording.appeared(asked)) from None
        if isinstance(error, OSError):
            raise wording.unwritable(asked, error) from None
        raise
    finally:
        made.close()
    notes = [wording.through_a_link(asked, spot.path)] if os.path.islink(asked) else []
    notes += [keeper.note] if keeper.note else []
    return Created(
        real=spot.path, digest=hashing.hexdigest(), version=version, folders=tuple(made.paths), note="; ".join(notes)
    )


@contextmanager
def new_place(asked: str, spot: Spot, made: MadeFolders) -> Generator[NamePlace]:
    """The open folder of a spot, with the folders above it made where they are missing."""
    *above, name = steps(spot.relative)
    folder = open_spot(Spot(root=spot.root, relative=""), FOLDER, follow=False)
    at = spot.root.real
    try:
        for step in above:
            at = os.path.join(at, step)
            below = _enter(asked, NamePlace(folder=folder, name=step), at, made)
            os.close(folder)
            folder = below
        yield NamePlace(folder=folder, name=name)
    finally:
        os.close(folder)


def _enter(asked: str, place: NamePlace, path: str, made: MadeFolders) -> int:
    """Open a folder in a folder, made when nothing is there."""
    try:
        return open_beneath(place.folder, place.name, FOLDER, follow=False)
    except FileNotFoundError:
        with suppress(FileExistsError):  # made by somebody else meanwhile, which is as good
            os.mkdir(place.name, NEW_FOLDER_MODE, dir_fd=place.folder)
            made.paths.append(path)
            made.places.append(NamePlace(folder=os.dup(place.folder), name=place.name))
        return open_beneath(place.folder, place.name, FOLDER, follow=False)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EXDEV):  # a link since the path was made canonical
            raise changed(asked) from None
        if error.errno == errno.ENOTDIR:
            raise wording.below_a_file(asked, path) from None
        raise
