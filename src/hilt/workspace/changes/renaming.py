"""Giving a file or folder another name that must be free, in one step."""

import ctypes
import errno
import os
import stat
from collections.abc import Callable

from hilt.workspace.beneath import libc
from hilt.workspace.descent import NamePlace

_NO_REPLACE = 1
_NO_SUCH_CALL = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)


def rename_without_replacing(source: NamePlace, destination: NamePlace) -> None:
    """Rename, through open folders. Raises FileExistsError where the name is taken, OSError as `rename` does."""
    call = getattr(libc(), "renameat2", None)
    if call is None or not _by_kernel(call, source, destination):
        rename_by_steps(source, destination)


def _by_kernel(call: Callable[..., int], source: NamePlace, destination: NamePlace) -> bool:
    """False where this kernel or file system has no such call."""
    failed = call(
        ctypes.c_int(source.folder),
        ctypes.c_char_p(os.fsencode(source.name)),
        ctypes.c_int(destination.folder),
        ctypes.c_char_p(os.fsencode(destination.name)),
        ctypes.c_uint(_NO_REPLACE),
    )
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _NO_SUCH_CALL:
        return False
    raise OSError(number, os.strerror(number), destination.name)


def rename_by_steps(source: NamePlace, destination: NamePlace) -> None:
    """As `rename_without_replacing`, where the kernel has no such call.

    For a file: a second name, and then the first one gone; for a folder: an empty one that it takes
    over. Both fail at the first step where the name is taken.
    """
    found = source.look()
    if found is not None and stat.S_ISDIR(found.st_mode):
        os.mkdir(destination.name, dir_fd=destination.folder)
        try:
            os.rename(source.name, destination.name, src_dir_fd=source.folder, dst_dir_fd=destination.folder)
        except OSError:
            os.rmdir(destination.name, dir_fd=destination.folder)
            raise
        return
    os.link(
        source.name, destination.name, src_dir_fd=source.folder, dst_dir_fd=destination.folder, follow_symlinks=False
    )
    os.unlink(source.name, dir_fd=source.folder)
