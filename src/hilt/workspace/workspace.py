"""`Workspace`: the only way from a path to a file.

Tools ask it for handles and never open anything themselves. It answers policy's questions about
paths (`path`), and its `open` refuses on its own what leads out of the roots, whatever was asked.
"""

import errno
import os
import stat
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event

from anyio import CapacityLimiter, to_thread

from hilt.calls.resolver import PathFact, PathKind
from hilt.errors import ConfigError
from hilt.results.failures import Refused, ToolFailure
from hilt.workspace import changing_wording, wording
from hilt.workspace.beneath import MOST_TRIES, Confinement, confinement
from hilt.workspace.creating import Created, create
from hilt.workspace.descent import FOLDER, open_parent, open_spot
from hilt.workspace.digests import Buffer
from hilt.workspace.facts import fact, misshapen
from hilt.workspace.handles import FileHandle, FileVersion, version_of
from hilt.workspace.locks import PathLocks, lock_descriptor
from hilt.workspace.names import visible
from hilt.workspace.replacing import Author, FileChange
from hilt.workspace.roots import Spot, by_real_path, by_spelling, root_of
from hilt.workspace.staging import Staging
from hilt.workspace.threads import to_its_end

MANY_FILES_AT_ONCE = 2
"""Calls that may hold hundreds of files open at once; a process may usually hold 1,024."""
_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY | os.O_NONBLOCK)
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
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
        self._locks = PathLocks()
        self._staging = Staging()

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

    @asynccontextmanager
    async def change(
        self, path: str, *, allowed: PathFact | None = None, by: Author | None = None
    ) -> AsyncGenerator[FileChange, None]:
        """An existing regular file to give new content, locked against other changes for the block.

        Changes of one file wait for one another in the order they came, those of other processes
        too. A link is followed and stays. Raises as `open` does; EnvironmentFailure for a read-only
        file, Retryable where another process does not let go of it. `by` says for whom the old
        content is kept.
        """
        async with self._locks.hold(allowed.real if allowed else self.path(path).real):
            change = await to_its_end(partial(self._open_to_change, path, allowed, by))
            try:
                yield change
            finally:
                change.close()

    async def create(
        self, path: str, content: bytes | Sequence[Buffer], *, allowed: PathFact | None = None, by: Author | None = None
    ) -> Created:
        """Make a new file of this content, and the folders above it that are missing.

        Raises as `open` does for what leads out; InvalidArguments where something has the name,
        EnvironmentFailure where it cannot be written.
        """
        buffers = [content] if isinstance(content, bytes) else list(content)
        async with self._locks.hold(allowed.real if allowed else self.path(path).real):
            return await to_its_end(lambda _: create(path, self._new_spot(path, allowed), buffers))

    async def locate(self, path: str) -> PathFact:
        """The fact for a path that exists inside the roots. Raises as `open` does, for folders too."""
        return await to_thread.run_sync(self._locate, path)

    async def version(self, path: str) -> FileVersion | None:
        """The state of a regular file, without opening it; None where there is none to be had."""
        return await to_thread.run_sync(self._version, path)

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

    def _open_to_change(self, asked: str, allowed: PathFact | None, by: Author | None, given_up: Event) -> FileChange:
        """Open and lock; again, where the file was replaced before it was locked."""
        for _ in range(MOST_TRIES):
            file = self._open_file(asked, allowed)
            try:
                change = self._locked(file, given_up)
            except BaseException:
                os.close(file.descriptor)
                raise
            if change is not None:
                return change
            os.close(file.descriptor)
        raise wording.changed(asked)

    def _locked(self, file: FileHandle, given_up: Event) -> FileChange | None:
        """The change of an open file; None where its name leads to another by now."""
        lock_descriptor(file.descriptor, file.path, given_up)
        found = os.fstat(file.descriptor)
        file = replace(file, version=version_of(found), mode=found.st_mode, links=found.st_nlink)
        place = open_parent(self._spot(file))
        if place.names(found) and _may_be_written(file):
            return FileChange(file, place, linked=os.path.islink(file.path), staging=self._staging, keeper=None)
        os.close(place.folder)
        if not _may_be_written(file):
            raise changing_wording.read_only(file.path, file.mode)
        return None

    def _new_spot(self, asked: str, allowed: PathFact | None) -> Spot:
        """Where a path that need not exist really lies."""
        wrong = misshapen(asked)
        if wrong:
            raise wording.misshapen_path(self._roots, asked, wrong)
        if asked.endswith("/"):
            raise changing_wording.no_file_name(asked)
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        if allowed is not None and real != allowed.real:
            raise wording.changed(asked)
        if not spot.relative:
            raise changing_wording.appeared(asked)
        return spot

    def _spot(self, file: FileHandle) -> Spot:
        spot = by_real_path(self._roots, file.real)
        if spot is None:  # renamed out of the roots since it was opened
            raise wording.changed(file.path)
        return spot

    def _look(self, asked: str) -> os.stat_result:
        """What a path is, without opening it: opening a pipe or a device would already act on it."""
        descriptor = self._descend(asked, _PATH_ONLY)
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)

    def _version(self, asked: str) -> FileVersion | None:
        try:
            found = self._look(asked)
        except (ToolFailure, Refused):
            return None
        return version_of(found) if stat.S_ISREG(found.st_mode) else None

    def _locate(self, asked: str) -> PathFact:
        self._look(asked)
        return self.path(asked)

    def _list_folder(self, asked: str) -> tuple[FolderEntry, ...]:
        seen = self._look(asked)
        if not stat.S_ISDIR(seen.st_mode):
            raise wording.wrong_kind(asked, seen.st_mode, "a folder")
        descriptor = self._descend(asked, FOLDER)
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
                return open_spot(spelled, flags, follow=True)
            except OSError as error:
                if error.errno not in _LEADS_OUT:
                    raise self._failure(asked, error) from None
        real = os.path.realpath(asked)
        spot = by_real_path(self._roots, real)
        if spot is None:
            raise wording.outside(self._roots, asked, real)
        try:
            return open_spot(spot, flags, follow=False)
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
                folder = open_spot(folder_spot, FOLDER, follow=True)
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


def _real_path(descriptor: int, asked: str) -> str:
    """The canonical path of an open file: the kernel's word where it gives one."""
    try:
        named = os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return os.path.realpath(asked)
    return named if named.startswith("/") else os.path.realpath(asked)


def _may_be_written(file: FileHandle) -> bool:
    """Whether its mode lets anybody write and its file system and lists let us; root may do what the mode forbids."""
    if not file.mode & 0o222:
        return False
    return os.access(f"/proc/self/fd/{file.descriptor}", os.W_OK) or not os.path.exists("/proc/self/fd")


def _folder_entry(entry: "os.DirEntry[str]") -> FolderEntry:
    kind: PathKind = "special"
    if entry.is_dir():
        kind = "folder"
    elif entry.is_file():
        kind = "file"
    elif entry.is_symlink():
        kind = "missing"
    return FolderEntry(name=entry.name, kind=kind, link=entry.is_symlink())
