"""New content that has no name yet in the folder it is meant for.

It is written whole into an unnamed file (`O_TMPFILE`), which is gone when the process dies, and
gets its name in one step. A name can be given to an unnamed file but not taken over by it, so a
replacement needs a second name for a moment: it lies in a private folder of Hilt's on the same
file system, swept later. Only where there is none (another disk) the second name is in the user's
folder, hidden, from `link` to `rename`: two system calls with nothing between them. That is the
one moment in which a killed process leaves something there. File systems without unnamed files
have it for as long as the writing takes.
"""

import errno
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Literal

from hilt.errors import HiltError
from hilt.workspace.changes.renaming import rename_without_replacing
from hilt.workspace.descent import FOLDER, NamePlace
from hilt.workspace.digests import Buffer

SWEPT_AFTER_S = 60.0
"""Age at which a file of the private folder is removed whose process is gone."""

NEW_FILE_MODE = 0o666
"""The mode of a new file before the umask or the folder's default ACL, which the kernel applies."""

_PRIVATE_MODE = 0o600
_HIDDEN = ".hilt-"
_NAME_BYTES = 9
_MOST_BUFFERS = 512
_UNNAMED: int = getattr(os, "O_TMPFILE", 0)
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
_NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.EXDEV, errno.ENOENT, errno.ENOSYS)

# Attributes that a program's own write would clear; carrying them over would give new bytes old powers.
_NOT_CARRIED = frozenset({"security.capability", "security.ima", "security.evm"})
Kept = Literal["owner", "mode", "attributes"]


@dataclass(slots=True, kw_only=True)
class Staged:
    """A whole file that waits for its name: unnamed, or under `name` in the open `folder`."""

    descriptor: int
    folder: int
    name: str | None

    def put_new(self, place: NamePlace) -> None:
        """Give it a name that nothing has. Raises FileExistsError where something has it."""
        if self.name is None:
            _link(self.descriptor, place)
            return
        try:
            os.link(self.name, place.name, src_dir_fd=self.folder, dst_dir_fd=place.folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            rename_without_replacing(NamePlace(folder=self.folder, name=self.name), place)
            self.name = None

    def put_over(self, place: NamePlace) -> None:
        """Let it take over a name, whatever has it. Raises OSError, EXDEV where the folders lie too far apart."""
        if self.name is None:
            self.name = fresh_name()
            try:
                _link(self.descriptor, NamePlace(folder=self.folder, name=self.name))
            except OSError:
                self.name = None
                raise
        os.rename(self.name, place.name, src_dir_fd=self.folder, dst_dir_fd=place.folder)
        self.name = None

    def close(self) -> None:
        """Let go of it; what got no name is gone."""
        if self.name is not None:
            with suppress(OSError):
                os.unlink(self.name, dir_fd=self.folder)
        os.close(self.descriptor)


class Staging:
    """The private folders of this process's replacements: the one given, and one among the temporary files."""

    def __init__(self, folder: Callable[[], Path] | None = None) -> None:
        self._asked = [folder, _temporary] if folder else [_temporary]
        self._swept: set[Path] = set()

    def folders(self, place: NamePlace) -> Generator[int]:
        """Open folders to write in, the best first, ending with the name's own; each is closed behind its use."""
        wanted = _mount(place.folder)
        for asked in self._asked:
            descriptor = self._open(asked)
            if descriptor is None:
                continue
            try:
                if _mount(descriptor) == wanted:
                    yield descriptor
            finally:
                os.close(descriptor)
        yield place.folder

    def _open(self, asked: Callable[[], Path]) -> int | None:
        """The folder, made when it is missing; None where it cannot be or is not ours alone."""
        try:
            path = asked()
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(path, FOLDER | os.O_NOFOLLOW | os.O_CLOEXEC)
        except (OSError, HiltError):
            return None
        found = os.fstat(descriptor)
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            os.close(descriptor)
            return None
        if path not in self._swept:
            self._swept.add(path)
            sweep(descriptor)
        return descriptor


def stage(folder: int, buffers: Sequence[Buffer], mode: int = _PRIVATE_MODE) -> Staged:
    """Write content into a file without a name in `folder`. Raises OSError, and then there is no file."""
    if _UNNAMED and os.path.exists("/proc/self/fd"):
        try:
            descriptor = os.open(".", _UNNAMED | os.O_RDWR | os.O_CLOEXEC, mode, dir_fd=folder)
            return _written(Staged(descriptor=descriptor, folder=folder, name=None), buffers)
        except OSError as error:
            if error.errno not in _NO_UNNAMED:
                raise
    return stage_named(folder, buffers, mode)


def stage_named(folder: int, buffers: Sequence[Buffer], mode: int = _PRIVATE_MODE) -> Staged:
    """As `stage`, under a hidden name, where the file system knows no unnamed files."""
    name = fresh_name()
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(name, flags, mode, dir_fd=folder)
    return _written(Staged(descriptor=descriptor, folder=folder, name=name), buffers)


def _written(staged: Staged, buffers: Sequence[Buffer]) -> Staged:
    try:
        _write_all(staged.descriptor, buffers)
    except BaseException:
        staged.close()
        raise
    return staged


def carry_over(old: int, new: int) -> list[Kept]:
    """Give the new file the owner, mode and attributes of the old one; what could not be kept."""
    lost: list[Kept] = []
    before, now = os.fstat(old), os.fstat(new)
    if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.fchown(new, before.st_uid, before.st_gid)
        except OSError:
            lost.append("owner")
    try:
        os.fchmod(new, stat.S_IMODE(before.st_mode))  # after the owner: a change of owner clears bits of the mode
    except OSError:
        lost.append("mode")
    if not _carry_attributes(old, new):
        lost.append("attributes")
    return lost


def _carry_attributes(old: int, new: int) -> bool:
    if sys.platform != "linux":
        return True
    try:
        names = os.listxattr(old)
    except OSError:
        return True
    whole = True
    for name in names:
        if name in _NOT_CARRIED:
            continue
        try:
            os.setxattr(new, name, os.getxattr(old, name))
        except OSError:
            whole = False
    return whole


def sweep(folder: int) -> None:
    """Remove what dead processes left in a private folder."""
    old = time.time() - SWEPT_AFTER_S
    for name in os.listdir(folder):
        with suppress(OSError, ValueError):
            process, started, _ = name.removeprefix(_HIDDEN).split("-", 2)
            gone = _started(int(process)) != started
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if gone and found.st_mtime < old:
                _remove(folder, name, found)


def _remove(folder: int, name: str, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def _link(descriptor: int, place: NamePlace) -> None:
    """The first name of an unnamed file."""
    os.link(f"/proc/self/fd/{descriptor}", place.name, dst_dir_fd=place.folder, follow_symlinks=True)


def _write_all(descriptor: int, buffers: Sequence[Buffer]) -> None:
    waiting = deque(memoryview(buffer) for buffer in buffers if len(buffer))
    while waiting:
        count = os.writev(descriptor, list(islice(waiting, _MOST_BUFFERS)))
        while count:
            first = waiting.popleft()
            if count < len(first):
                waiting.appendleft(first[count:])
            count -= min(count, len(first))


def fresh_name() -> str:
    """Whose it is, and chance; no longer than a name may be, however long the file's own is."""
    return f"{_HIDDEN}{_this_process(os.getpid())}-{secrets.token_hex(_NAME_BYTES)}"


@cache
def _this_process(process: int) -> str:
    """By number, for a forked child is another."""
    return f"{process}-{_started(process)}"


def _started(process: int) -> str:
    """When a process started, in the kernel's ticks, which tells it from a later one of the same number."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return "0"


def _mount(descriptor: int) -> tuple[int, str]:
    """What two folders must have in common for a rename between them: the device and the mount."""
    device = os.fstat(descriptor).st_dev
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:
            return device, next((line for line in file if line.startswith("mnt_id")), "")
    except OSError:
        return device, ""


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / f"hilt-staging-{os.geteuid()}"
