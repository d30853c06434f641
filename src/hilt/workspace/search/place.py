"""The folder or file a search looks into, held by descriptor from the first look to the last.

Ripgrep starts inside the folder that was opened, so no link turned meanwhile leads it elsewhere.
It opens what it walks over by name, which leaves a race it could lose; so the first pass only
counts, and every line comes from a file opened here, beneath the folder and through no link.
"""

import errno
import os
import stat
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from anyio import CapacityLimiter, to_thread

from hilt.calls.resolver import PathFact
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.beneath import open_beneath
from hilt.workspace.names import visible
from hilt.workspace.search.command import in_version_control
from hilt.workspace.wording import changed, system_failure
from hilt.workspace.workspace import Workspace

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
NO_MORE_FILES = (errno.EMFILE, errno.ENFILE)
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where to search: an open folder, or one open file.

    `path` is absolute and fit to be shown: what was asked for, or the canonical path where that
    held `.` or `..`. `real` is the canonical path in any case.
    """

    path: str
    real: str
    kind: Literal["folder", "file"]
    descriptor: int
    many_files: CapacityLimiter

    def canonical(self, name: bytes) -> str:
        """The canonical path of a file found here."""
        return self.real if self.kind == "file" else f"{self.real.rstrip('/')}/{os.fsdecode(name)}"

    def shown(self, name: bytes) -> str:
        """The absolute path of a file found here, bytes that are not UTF-8 as `\\xff`."""
        if self.kind == "file":
            return self.path
        return f"{self.path.rstrip('/')}/{name.decode('utf-8', 'backslashreplace')}"


@asynccontextmanager
async def open_place(workspace: Workspace, path: str) -> AsyncGenerator[Place]:
    """The folder or file at `path`, open until the end of the block.

    Raises as `Workspace.open` does, EnvironmentFailure for what is neither file nor folder, and
    InvalidArguments inside a version control folder, which no search enters.
    """
    fact = await workspace.locate(path)
    if folder := in_version_control(fact.real):
        raise InvalidArguments(
            f"{visible(path)} lies in {folder}: version control folders are never searched",
            "give a path outside it",
        )
    shown = path if not {".", ".."} & set(path.split("/")) else fact.real
    if fact.kind == "file":
        async with workspace.open(path, allowed=fact) as file:
            yield Place(
                path=shown, real=fact.real, kind="file", descriptor=file.descriptor, many_files=workspace.many_files
            )
        return
    if fact.kind != "folder":
        raise EnvironmentFailure(f"{visible(path)} is neither a folder nor a file", "give the path of a folder")
    descriptor = await to_thread.run_sync(_open_folder, workspace, fact)
    try:
        yield Place(path=shown, real=fact.real, kind="folder", descriptor=descriptor, many_files=workspace.many_files)
    finally:
        os.close(descriptor)


def _open_folder(workspace: Workspace, fact: PathFact) -> int:
    """Open a canonical path below its root, through no link: a link there now is a change since."""
    root = workspace.root_holding(fact.real)
    if root is None:
        raise changed(fact.asked)
    try:
        top = os.open(root, _FOLDER)
        try:
            return open_beneath(top, os.path.relpath(fact.real, root), _FOLDER, follow=False)
        finally:
            os.close(top)
    except PermissionError as error:
        raise system_failure(fact.asked, error) from None
    except OSError:
        raise changed(fact.asked) from None


@asynccontextmanager
async def open_files(place: Place, names: Sequence[bytes]) -> AsyncGenerator[list[int | None]]:
    """The regular files with these names, each beneath the place and through no link; None for what is gone.

    Waits until few others hold as many open. Raises `Retryable` when this process can open no more.
    """
    async with place.many_files:
        descriptors = await to_thread.run_sync(_open_files, place, names)
        try:
            yield descriptors
        finally:
            _close(descriptors)


def _open_files(place: Place, names: Sequence[bytes]) -> list[int | None]:
    opened: list[int | None] = []
    try:
        for name in names:
            opened.append(os.dup(place.descriptor) if place.kind == "file" else _open_file(place, name))  # noqa: PERF401  # what is open must be known when one fails
    except OSError as error:
        _close(opened)
        raise system_failure(place.path, error) from None
    return opened


def _close(descriptors: Sequence[int | None]) -> None:
    for descriptor in descriptors:
        if descriptor is not None:
            os.close(descriptor)


def _open_file(place: Place, name: bytes) -> int | None:
    try:
        descriptor = open_beneath(place.descriptor, os.fsdecode(name), _FILE, follow=False)
    except OSError as error:
        if error.errno in NO_MORE_FILES:
            raise
        return None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None
