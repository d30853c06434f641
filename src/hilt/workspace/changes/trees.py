"""A name and all that lies below it, through open folders and never through a link."""

import errno
import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from hilt.workspace.changes.staging import carry_over
from hilt.workspace.descent import FOLDER, NamePlace

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK_BYTES = 1 << 20

DEEPEST = 200
"""Folders within folders; each is held open on the way down, and a process may hold about 1,000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name in a tree, `path` relative to its top, with what the file system says of it."""

    path: str
    stat: os.stat_result

    @property
    def folder(self) -> bool:
        return stat.S_ISDIR(self.stat.st_mode)

    @property
    def bytes(self) -> int:
        return self.stat.st_size if stat.S_ISREG(self.stat.st_mode) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How much a tree holds, its top not counted as a folder; a digest of its names, kinds, sizes and times of change.

    `mounts` says that another file system is mounted somewhere below its top.
    """

    files: int
    folders: int
    bytes: int
    digest: str
    mounts: bool = False


def extent(place: NamePlace) -> Extent:
    """The extent of what has a name; of a file itself, 1. Raises OSError."""
    found = hashlib.sha256(usedforsecurity=False)
    files = folders = size = 0
    devices: set[int] = set()
    for entry in entries(place):
        if entry.path:
            folders += entry.folder
        files += not entry.folder
        size += entry.bytes
        devices.add(entry.stat.st_dev)
        state = entry.stat
        time = 0 if entry.folder else state.st_mtime_ns  # a folder's time moves with it
        line = f"{os.fsencode(entry.path)!r} {state.st_mode} {entry.bytes} {time}\n"
        found.update(line.encode())
    return Extent(files=files, folders=folders, bytes=size, digest=found.hexdigest(), mounts=len(devices) > 1)


def entries(place: NamePlace, depth: int = 0) -> Iterator[Entry]:
    """The name itself and everything below it, folders before what they hold, names in order.

    Raises OSError, also where folders are nested deeper than DEEPEST.
    """
    if depth > DEEPEST:
        raise OSError(errno.EOPNOTSUPP, f"folders are nested deeper than {DEEPEST}", place.name)
    top = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    yield Entry(path="", stat=top)
    if stat.S_ISDIR(top.st_mode):
        descriptor = os.open(place.name, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place.folder)
        try:
            for name in sorted(os.listdir(descriptor)):
                for entry in entries(NamePlace(folder=descriptor, name=name), depth + 1):
                    yield Entry(path=f"{name}/{entry.path}" if entry.path else name, stat=entry.stat)
        finally:
            os.close(descriptor)


def copy_tree(source: NamePlace, target: NamePlace) -> None:
    """Copy a file, link or folder to a name that nothing has, modes, owners and times included.

    Raises OSError, also for a socket, pipe or device; what was copied by then is there.
    """
    found = os.stat(source.name, dir_fd=source.folder, follow_symlinks=False)
    if stat.S_ISLNK(found.st_mode):
        os.symlink(os.readlink(source.name, dir_fd=source.folder), target.name, dir_fd=target.folder)
        times = (found.st_atime_ns, found.st_mtime_ns)
        os.utime(target.name, ns=times, dir_fd=target.folder, follow_symlinks=False)
    elif stat.S_ISDIR(found.st_mode):
        _copy_folder(source, target, found)
    elif stat.S_ISREG(found.st_mode):
        _copy_file(source, target)
    else:
        raise OSError(errno.EOPNOTSUPP, "a socket, pipe or device cannot be copied", source.name)


def remove_tree(place: NamePlace) -> None:
    """Remove what has a name and everything below it. Raises OSError."""
    found = place.look()
    if found is not None and stat.S_ISDIR(found.st_mode):
        shutil.rmtree(place.name, dir_fd=place.folder)
    elif found is not None:
        os.unlink(place.name, dir_fd=place.folder)


def copy_descriptor(old: int, new: int) -> None:
    """The content of one open file into another, empty one."""
    offset = 0
    while block := os.pread(old, _BLOCK_BYTES, offset):
        offset += len(block)
        left = memoryview(block)
        while left:
            left = left[os.write(new, left) :]


def _copy_folder(source: NamePlace, target: NamePlace, found: os.stat_result) -> None:
    old = os.open(source.name, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=source.folder)
    try:
        os.mkdir(target.name, 0o700, dir_fd=target.folder)
        new = os.open(target.name, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=target.folder)
        try:
            for name in os.listdir(old):
                copy_tree(NamePlace(folder=old, name=name), NamePlace(folder=new, name=name))
            carry_over(old, new)
            os.utime(new, ns=(found.st_atime_ns, found.st_mtime_ns))
        finally:
            os.close(new)
    finally:
        os.close(old)


def _copy_file(source: NamePlace, target: NamePlace) -> None:
    old = os.open(source.name, _READ, dir_fd=source.folder)
    try:
        new = os.open(target.name, _NEW, 0o600, dir_fd=target.folder)
        try:
            copy_descriptor(old, new)
            carry_over(old, new)
            found = os.fstat(old)
            os.utime(new, ns=(found.st_atime_ns, found.st_mtime_ns))
        finally:
            os.close(new)
    finally:
        os.close(old)
