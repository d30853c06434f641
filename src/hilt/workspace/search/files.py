"""Files by name, newest first: what a search for files answers."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from anyio import to_thread

from hilt.workspace.search.command import Selection
from hilt.workspace.search.counts import list_names
from hilt.workspace.search.place import Place
from hilt.workspace.search.refusals import Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFile:
    """One file: its path below the place, its size in bytes, its time of change in ns since 1970."""

    name: bytes
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All files of a selection: the last changed first, those of one instant by path."""

    files: Sequence[FoundFile]
    unreadable: Unreadable


async def find(place: Place, selection: Selection) -> Found:
    """Every file of a selection below a folder. Raises InvalidArguments for a glob ripgrep does not take."""
    listed = await list_names(place, selection)
    files = await to_thread.run_sync(_measured, place.descriptor, listed.names)
    files.sort(key=lambda file: (-file.mtime_ns, file.name))
    return Found(files=files, unreadable=listed.unreadable)


def _measured(folder: int, names: Sequence[bytes]) -> list[FoundFile]:
    """The files still there, without following a link at the end of a path."""
    files: list[FoundFile] = []
    for name in names:
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        files.append(FoundFile(name=name, size=found.st_size, mtime_ns=found.st_mtime_ns))
    return files
