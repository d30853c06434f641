"""From a place below a root to a descriptor, and to the folder a name lies in."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from hilt.workspace.beneath import open_beneath
from hilt.workspace.roots import Spot

FOLDER = os.O_RDONLY | os.O_DIRECTORY


@dataclass(frozen=True, slots=True, kw_only=True)
class NamePlace:
    """A name in an open folder: what system calls with `dir_fd` take, whatever happens to the path above."""

    folder: int
    name: str

    def look(self) -> os.stat_result | None:
        """What has the name now, a link as itself; None for nothing."""
        try:
            return os.stat(self.name, dir_fd=self.folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def names(self, found: os.stat_result) -> bool:
        """Whether the name leads to this very file."""
        now = self.look()
        return now is not None and same_file(now, found)


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether two descriptions are of one file, whatever its name and content."""
    kind = stat.S_IFMT(one.st_mode) == stat.S_IFMT(other.st_mode)
    return kind and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def open_spot(spot: Spot, flags: int, *, follow: bool) -> int:
    """Open below the root, itself opened afresh by its canonical path without following a link."""
    top = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        root = open_beneath(top, spot.root.real.lstrip("/"), FOLDER, follow=False)
    finally:
        os.close(top)
    try:
        return open_beneath(root, spot.relative, flags, follow=follow)
    finally:
        os.close(root)


def open_parent(spot: Spot) -> NamePlace:
    """The folder that holds a spot which is no root, opened without following a link; the caller closes it."""
    above, _, name = spot.relative.rpartition("/")
    folder = open_spot(Spot(root=spot.root, relative=above), FOLDER, follow=False)
    return NamePlace(folder=folder, name=name)


@contextmanager
def parent_of(spot: Spot) -> Generator[NamePlace]:
    """As `open_parent`, closed at the end of the block."""
    place = open_parent(spot)
    try:
        yield place
    finally:
        os.close(place.folder)
