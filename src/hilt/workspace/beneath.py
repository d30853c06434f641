"""Opening a file below a folder so that no link, `..` or race can lead out of it.

Check-then-open leaks: between the check and the open a link can be turned. Here the kernel
resolves the path and refuses at the step that would leave (`openat2`, Linux 5.6), or, where it
cannot, every component is opened in turn without following links, and links are read and walked
by the same rule (the fallback; slower, as strict). Hard links and bind mounts are seen by neither.
"""

import ctypes
import errno
import os
import stat
import sys
from functools import cache
from typing import Literal

Confinement = Literal["openat2", "walk"]

MOST_LINKS = 40
MOST_TRIES = 100

_OPENAT2 = 437
_NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x02, 0x04, 0x08
_PATH_ONLY = getattr(os, "O_PATH", 0)
_STEP = (_PATH_ONLY or os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _How(ctypes.Structure):
    """The kernel's `struct open_how`."""

    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


@cache
def confinement() -> Confinement:
    """How paths are confined on this machine: by the kernel, or by our own walk."""
    if sys.platform != "linux":
        return "walk"
    try:
        os.close(_by_kernel(None, b"/", os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY, resolve=0))
    except OSError:
        return "walk"
    return "openat2"


def open_beneath(
    folder: int,
    relative: str,
    flags: int,
    *,
    follow: bool = True,
    how: Confinement | None = None,
) -> int:
    """A new descriptor for `relative` below the open folder `folder`; the caller closes it.

    With `follow`, links that stay below are followed; without, any link ends it. Raises OSError:
    EXDEV where the path would leave (an absolute link also does), ELOOP at a forbidden, looping
    or `/proc` magic link, and what `open` raises. `how` is for proofs of the fallback.
    """
    if (how or confinement()) == "walk":
        return _by_walk(folder, relative, flags, follow=follow)
    resolve = _BENEATH | _NO_MAGICLINKS | (0 if follow else _NO_SYMLINKS)
    name = os.fsencode(relative or ".")
    for _ in range(MOST_TRIES):
        try:
            return _by_kernel(folder, name, flags | os.O_CLOEXEC, resolve=resolve)
        except BlockingIOError:  # EAGAIN: something above was renamed meanwhile; the kernel asks for another try
            continue
    raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN), relative)


@cache
def libc() -> ctypes.CDLL:
    """The C library, for calls that Python has no name for."""
    return ctypes.CDLL(None, use_errno=True)


def _by_kernel(folder: int | None, name: bytes, flags: int, *, resolve: int) -> int:
    how = _How(flags, 0, resolve)
    start = -100 if folder is None else folder
    descriptor: int = libc().syscall(
        ctypes.c_long(_OPENAT2),
        ctypes.c_int(start),
        ctypes.c_char_p(name),
        ctypes.byref(how),
        ctypes.c_size_t(ctypes.sizeof(how)),
    )
    if descriptor < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), os.fsdecode(name))
    return descriptor


def _by_walk(folder: int, relative: str, flags: int, *, follow: bool) -> int:
    """Component by component: `entered` holds one descriptor for each folder on the way."""
    waiting = _components(relative)
    entered = [os.dup(folder)]
    links = 0
    try:
        while waiting:
            name = waiting.pop()
            if name == "..":
                _leave(entered, relative)
                continue
            target = _link_target(name, entered[-1])
            if target is None and not waiting:
                return _open_plain(name, flags, entered[-1])
            if target is None:
                entered.append(_open_plain(name, _STEP, entered[-1]))
                continue
            links += 1
            if not follow or links > MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), relative)
            if target.startswith("/"):
                raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), relative)
            waiting.extend(_components(target))
        return os.open(".", flags | os.O_CLOEXEC, dir_fd=entered[-1])
    finally:
        for descriptor in entered:
            os.close(descriptor)


def _components(path: str) -> list[str]:
    """The steps of a path, the first one last, ready to be popped."""
    return [step for step in reversed(path.split("/")) if step not in ("", ".")]


def _leave(entered: list[int], relative: str) -> None:
    if len(entered) == 1:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), relative)
    os.close(entered.pop())


def _link_target(name: str, folder: int) -> str | None:
    """Where a link points; None for what is no link."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise


def _open_plain(name: str, flags: int, folder: int) -> int:
    """Open what was no link a moment ago; if it has become one, ELOOP."""
    descriptor = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    if stat.S_ISLNK(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    return descriptor
