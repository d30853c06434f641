"""`Workspace`: the only way from a path to a file.

Tools ask it for handles and never open anything themselves. It answers policy's questions about
paths (`path`), and its `open` refuses on its own what leads out of the roots, whatever was asked.
"""

import os
import stat
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event

from anyio import CapacityLimiter, to_thread

from hilt.calls.memos import Memos
from hilt.calls.resolver import CommandFact, PathFact, PathKind, Property
from hilt.calls.session import Session
from hilt.errors import ConfigError
from hilt.results.failures import Refused, ToolFailure
from hilt.workspace import wording
from hilt.workspace.beneath import MOST_TRIES, Confinement, confinement
from hilt.workspace.changes import wording as changing_wording
from hilt.workspace.changes.creating import Created, create
from hilt.workspace.changes.keeping import Keeper
from hilt.workspace.changes.locks import PathLocks, lock_descriptor
from hilt.workspace.changes.relocating import Moved, move
from hilt.workspace.changes.removing import Removed, check_holds_no_root, remove, restore
from hilt.workspace.changes.replacing import FileChange
from hilt.workspace.changes.snapshots import Author, Snapshot, Snapshots
from hilt.workspace.changes.staging import Staging
from hilt.workspace.commands.folder import next_folder
from hilt.workspace.descent import FOLDER, open_parent
from hilt.workspace.digests import Buffer
from hilt.workspace.facts import fact
from hilt.workspace.finding import Finder
from hilt.workspace.handles import FileHandle, FileVersion, version_of
from hilt.workspace.names import visible
from hilt.workspace.proof.proving import prove
from hilt.workspace.roots import by_spelling, root_of
from hilt.workspace.threads import to_its_end

MANY_FILES_AT_ONCE = 2
"""Calls that may hold hundreds of files open at once; a process may usually hold 1,024."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY

_DELETED = " (deleted)"
"""What the kernel puts behind the name of an open file that has none any more."""


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

    def __init__(self, roots: Sequence[Path], *, snapshots: Snapshots | None = None) -> None:
        if not roots:
            raise ConfigError("a workspace needs at least one root", "name a folder, such as --workspace .")
        self.many_files = CapacityLimiter(MANY_FILES_AT_ONCE)
        """Held by whoever opens hundreds of files together, so that parallel calls do not use up the descriptors."""
        self._roots = tuple({root.real: root for root in map(root_of, roots)}.values())
        self._find = Finder(self._roots)
        self._locks = PathLocks()
        self._staging = Staging(snapshots.staging if snapshots else None)
        self.snapshots = snapshots

    @property
    def roots(self) -> tuple[Path, ...]:
        """The canonical roots, in the order given."""
        return tuple(Path(root.real) for root in self._roots)

    @property
    def kept_inside_by(self) -> Confinement:
        """What keeps an open inside: the kernel's own resolution, or our walk where it has none."""
        return confinement()

    def path(self, asked: str) -> PathFact:
        """The fact for one path argument, as `Resolver` promises; never raises."""
        return fact(self._roots, asked)

    def command(self, asked: str | Sequence[str], folder: str | None = None) -> CommandFact:
        """The fact for one command, as `Resolver` promises; one without a folder starts in the first root."""
        return prove(asked, folder or self._roots[0].real, self.path)

    async def folder(self, session: Session, memos: Memos) -> str:
        """Where the session's next command starts, as `Resolver` promises."""
        return await next_folder(memos, session, self)

    @property
    def confinement(self) -> frozenset[Property]:
        """Nothing: files alone isolate no command. See `Resolving` for a workspace with isolation."""
        return frozenset()

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
        file = await to_its_end(lambda _: self._open_file(path, allowed))  # else its descriptor would stay open
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
            keeper = Keeper(self.snapshots, by)
            change = await to_its_end(partial(self._open_to_change, path, allowed, keeper))
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
            return await to_its_end(
                lambda _: create(path, self._find.new_spot(path, allowed), buffers, Keeper(self.snapshots, by))
            )

    async def move(
        self,
        source: str,
        destination: str,
        *,
        allowed: Sequence[PathFact | None] = (None, None),
        by: Author | None = None,
    ) -> Moved:
        """Give a file, link or folder another place where nothing is; `allowed` are the facts of both paths.

        Raises as `create` does, and InvalidArguments for a root and for a place inside the source.
        """
        here, there = self._find.name_spot(source, allowed[0]), self._find.name_spot(destination, allowed[1])
        check_holds_no_root(source, here, self._roots)
        if not there.relative:
            raise changing_wording.appeared(destination)
        keeper = Keeper(self.snapshots, by)
        first, second = sorted((here.path, there.path))
        async with self._locks.hold(first), self._locks.hold(second if second != first else ""):
            return await to_its_end(
                lambda _: self._find.at_name(source, here, lambda place: move(here, place, there, destination, keeper))
            )

    async def remove(
        self,
        path: str,
        *,
        recursive: bool = False,
        expected: str = "",
        allowed: PathFact | None = None,
        by: Author | None = None,
    ) -> Removed:
        """Take away a file, link (not its target) or folder, and keep it among the snapshots.

        Without snapshots it is gone for good. `expected` is the digest it must have. Raises as
        `open` does, InvalidArguments for a root and, unless `recursive`, for a folder that holds
        something.
        """
        spot = self._find.name_spot(path, allowed)
        check_holds_no_root(path, spot, self._roots)
        keeper = Keeper(self.snapshots, by)
        async with self._locks.hold(spot.path):
            return await to_its_end(
                lambda _: self._find.at_name(
                    path,
                    spot,
                    lambda place: remove(path, spot, place, keeper, recursive=recursive, expected=expected),
                )
            )

    async def restore(self, snapshot: Snapshot, snapshots: Snapshots, *, by: Author | None = None) -> None:
        """Put back what was removed. Raises as `create` does."""
        spot = self._find.name_spot(snapshot.path, None)
        async with self._locks.hold(spot.path):
            await to_its_end(lambda _: restore(spot, snapshot, snapshots, Keeper(self.snapshots, by)))

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
            seen = self._find.look(asked)
            if not stat.S_ISREG(seen.st_mode):
                raise wording.wrong_kind(asked, seen.st_mode, "a file")
            descriptor = self._find.descend(asked, _READ)
            found = os.fstat(descriptor)
            if (found.st_dev, found.st_ino) != (seen.st_dev, seen.st_ino):
                os.close(descriptor)  # replaced between the two opens: look again at what it is now
                continue
            real = _real_path(descriptor, asked)
            if real.endswith(_DELETED) and not os.path.lexists(real):
                os.close(descriptor)  # replaced since it was opened, as every atomic save does: look again
                continue
            try:
                self._find.check_not_mounted(asked, real)
                if allowed is not None and real != allowed.real:
                    raise wording.changed(asked)
            except Refused:
                os.close(descriptor)
                raise
            return FileHandle(
                path=asked,
                real=real,
                version=version_of(found),
                mode=found.st_mode,
                links=found.st_nlink,
                descriptor=descriptor,
            )
        raise wording.changed(asked)

    def _open_to_change(self, asked: str, allowed: PathFact | None, keeper: Keeper, given_up: Event) -> FileChange:
        """Open and lock; again, where the file was replaced before it was locked."""
        for _ in range(MOST_TRIES):
            file = self._open_file(asked, allowed)
            try:
                self._find.check_still(asked, allowed, file.real, file.links)
                change = self._locked(file, keeper, given_up)
            except BaseException:
                os.close(file.descriptor)
                raise
            if change is not None:
                return change
            os.close(file.descriptor)
        raise wording.changed(asked)

    def _locked(self, file: FileHandle, keeper: Keeper, given_up: Event) -> FileChange | None:
        """The change of an open file; None where its name leads to another by now."""
        lock_descriptor(file.descriptor, file.path, given_up)
        found = os.fstat(file.descriptor)
        file = replace(file, version=version_of(found), mode=found.st_mode, links=found.st_nlink)
        try:
            place = open_parent(self._find.spot_of(file))
        except OSError:  # a folder above it was moved or turned into a link since: look again
            return None
        if place.names(found) and _may_be_written(file):
            return FileChange(file, place, linked=os.path.islink(file.path), staging=self._staging, keeper=keeper)
        os.close(place.folder)
        if not _may_be_written(file):
            raise changing_wording.read_only(file.path, file.mode)
        return None

    def _version(self, asked: str) -> FileVersion | None:
        try:
            found = self._find.look(asked)
        except (ToolFailure, Refused):
            return None
        return version_of(found) if stat.S_ISREG(found.st_mode) else None

    def _locate(self, asked: str) -> PathFact:
        self._find.look(asked)
        return self.path(asked)

    def _list_folder(self, asked: str) -> tuple[FolderEntry, ...]:
        seen = self._find.look(asked)
        if not stat.S_ISDIR(seen.st_mode):
            raise wording.wrong_kind(asked, seen.st_mode, "a folder")
        descriptor = self._find.descend(asked, FOLDER)
        try:
            with os.scandir(descriptor) as entries:
                return tuple(sorted(map(_folder_entry, entries), key=lambda entry: entry.name))
        finally:
            os.close(descriptor)


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
    try:
        if entry.is_dir():
            kind = "folder"
        elif entry.is_file():
            kind = "file"
        elif entry.is_symlink():
            kind = "missing"
    except OSError:  # links in a circle, which lead to nothing
        kind = "missing"
    return FolderEntry(name=entry.name, kind=kind, link=entry.is_symlink())
