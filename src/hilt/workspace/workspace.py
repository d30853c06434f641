"""`Workspace`: the only way from a path to a file.

Tools ask it for handles and never open anything themselves. It answers policy's questions about
paths (`path`), and its `open` refuses on its own what leads out of the roots, whatever was asked.
"""

import errno
import os
import stat
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from anyio import CapacityLimiter, to_thread

from hilt.calls.resolver import PathFact, PathKind
from hilt.errors import ConfigError
from hilt.workspace import wording
from hilt.workspace.beneath import MOST_TRIES, Confinement, confinement, open_beneath
from hilt.workspace.facts import fact, misshapen
from hilt.workspace.handles import FileHandle, version_of
from hilt.workspace.names import visible
from hilt.workspace.roots import Spot, by_real_path, by_spelling, root_of

MANY_FILES_AT_ONCE = 2
"""Calls that may hold hundreds of files open at once; a process may usually hold 1,024."""
_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_LEADS_OUT = (errno.EXDEV, errno.ELOOP)
_ABSENT = (errno.ENOENT, errno.ENOTDIR)


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderEntry:
    """One name in a folder. A link is described, not followed."""

    name: str
    kind: PathKind
    link: bool


class Workspace:
    """The roots a session may touch. Holds no descriptor between calls; safe to share.

    Raises ConfigError where a root is no folder or none is given. Roots are made canonical once;
    both their canonical and their given spelling are accepted in paths.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        if not roots:
            raise ConfigError("a workspace needs at least one root", "name a folder, such as --workspace .")
        self.many_files = CapacityLimiter(MANY_FILES_AT_ONCE)
        """Held by whoever opens hundreds of files together, so that parallel calls do not use up the descriptors."""
        self._roots = tuple({root.real: root for root in map(root_of, roots)}.values())

    @property
    def roots(self) -> tuple[Path, ...]:
        """The canonical roots, in the order given."""
        return tuple(Path(root.real) for root in self._roots)

    @property
    def confinement(self) -> Confinement:
        """What keeps an open inside: the kernel's own resolution, or our walk where it has none."""
        return confinement()

    def path(self, asked: str) -> PathFact:
        """The fact for one path argument, as `Resolver` promises; never raises."""
        return fact(self._roots, asked)

    def display(self, path: str | Path) -> str:
        """A path relative to its root, fit for one line; absolute where it is in none."""
        text = os.fspath(path)
        spot = by_spelling(self._roots, text)
        return visible(text if spot is None else spot.relative or ".")

    def root_holding(self, path: str | Path) -> Path | None:
        """The innermost root that holds `path` by its spelling."""
        spot = by_spelling(self._roots, os.fspath(path))
        return Path(spot.root.real) if spot else None

    @asynccontextmanager
    async def open(self, path: str, *, allowed: PathFact | None = None) -> AsyncGenerator[FileHandle, None]:
        """An open regular file, closed at the end of the block. Never waits on a pipe or device.

        `allowed` is the fact policy decided on: what it no longer describes is Refused. Raises
        Refused outside the roots, InvalidArguments for no absolute path, EnvironmentFailure for
        what is missing (naming what is near), forbidden or no regular file.
        """
        file = await to_thread.run_sync(self._open_file, path, allowed)
        try:
            yield file
        finally:
            os.close(file.descriptor)

    async def locate(self, path: str) -> PathFact:
        """The fact for a path that exists inside the roots. Raises as `open` does, for folders too."""
        return await to_thread.run_sync(self._locate, path)

    async def list_folder(self, path: str) -> tuple[FolderEntry, ...]:
        """The entries of a folder, sorted by name. Raises as `open` does."""
        return await to_thread.run_sync(self._list_folder, path)

    def _open_file(self, asked: str, allowed: PathFact | None) -> FileHandle:
        for _ in range(MOST_TRIES):
            seen = self._look(asked)
            if not stat.S_ISREG(seen.st_mode):
                raise wording.wrong_kind(asked, seen.st_mode, "a file")
            descriptor = self._descend(asked, _READ)
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) != (seen.st_dev, seen.st_ino):
                os.close(descriptor)  # replaced between the two opens: look again at what it is now
                continue
            real = _real_path(descriptor, asked)
            if allowed is not None and real != allowed.real:
                os.close(descriptor)
                raise wording.changed(asked)
            return FileHandle(
                path=asked,
                real=real,
                version=version_of(found),
                mode=found.st_mode,
                links=found.st_nlink,
                descriptor=descriptor,
            )
        raise wording.changed(asked)

    def _look(self, asked: str) -> os.stat_result:
        """What a path is, without opening it: opening a pipe or a device would already act on it."""
        descriptor = self._descend(asked, _PATH_ONLY)
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def _locate(self, asked: str) -> PathFact:
        self._look(asked)
        return self.path(asked)

    def _list_folder(self, asked: str) -> tuple[FolderEntry, ...]:
        seen = self._look(asked)
        if not stat.S_ISDIR(seen.st_mode):
            raise wording.wrong_kind(asked, seen.st_mode, "a folder")
        descriptor = self._descend(asked, _FOLDER)
        try:
            with os.scandir(descriptor) as entries:
                return tuple(sorted(map(_folder_entry, entries), key=lambda entry: entry.name))
        finally:
            os.close(descriptor)

    def _descend(self, asked: str, flags: int) -> int:
        """Open `asked` inside the roots: as spelled, or, where a link leads out, where it really is."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        spelled = by_spelling(self._roots, asked)
        if spelled is not None:
            try:
                return _open_spot(spelled, flags, follow=True)
            except OSError as error:
                if error.errno not in _LEADS_OUT:
                    raise self._failure(asked, error) from None
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        try:
            return _open_spot(spot, flags, follow=False)
        except OSError as error:
            raise self._failure(asked, error) from None

    def _failure(self, asked: str, error: OSError) -> Exception:
        if error.errno not in _ABSENT:
            return wording.system_failure(asked, error)
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            return wording.outside(self._roots, asked, real)
        return self._missing(asked, spot)

    def _missing(self, asked: str, spot: Spot) -> Exception:
        """Walk down from the root to the component that is not there, and read its neighbours' names."""
        parent = ""
        for name in spot.relative.split("/"):
            folder_spot = Spot(root=spot.root, relative=parent)
            try:
                folder = _open_spot(folder_spot, _FOLDER, follow=True)
            except OSError as error:
                if error.errno == errno.ENOTDIR:
                    return wording.not_a_folder(asked, folder_spot.path)
                if error.errno == errno.ENOENT and not parent:
                    return wording.root_gone(spot.root)
                return wording.system_failure(asked, error)
            try:
                names = os.listdir(folder)
            finally:
                os.close(folder)
            if name not in names:
                return wording.missing(asked, folder_spot.path, name, names)
            parent = f"{parent}/{name}" if parent else name
        return wording.changed(asked)


def _open_spot(spot: Spot, flags: int, *, follow: bool) -> int:
    """Open below the root, itself opened afresh by its canonical path without following a link."""
    top = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        root = open_beneath(top, spot.root.real.lstrip("/"), _FOLDER, follow=False)
    finally:
        os.close(top)
    try:
        return open_beneath(root, spot.relative, flags, follow=follow)
    finally:
        os.close(root)


def _real_path(descriptor: int, asked: str) -> str:
    """The canonical path of an open file: the kernel's word where it gives one."""
    try:
        named = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return os.path.realpath(asked)
    return named if named.startswith("/") else os.path.realpath(asked)


def _folder_entry(entry: "os.DirEntry[str]") -> FolderEntry:
    kind: PathKind = "special"
    if entry.is_dir():
        kind = "folder"
    elif entry.is_file():
        kind = "file"
    elif entry.is_symlink():
        kind = "missing"
    return FolderEntry(name=entry.name, kind=kind, link=entry.is_symlink())
