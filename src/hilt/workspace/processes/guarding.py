"""Protected names that no wall can keep: looked at before a command and after it, and put right.

Nothing is deleted: what should not be there, or is not as it was, goes to a folder aside. What is
to be kept is written into the job's folder first, so that the next start puts right what we could
not because all of us was killed. Every step below a root is taken without following a link: what
runs meanwhile would lead us elsewhere.
"""

import fcntl
import json
import os
import stat
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from typing import cast

from hilt.workspace.processes.messages import Message
from hilt.workspace.processes.newborn import is_harmless

JOURNAL = "guarded.json"
LONGEST_JOURNAL = 4 << 20
TICK_NS = 50_000_000
"""The coarsest step in which a kernel's file systems note the time of a change, with room."""
MOST_ENTRIES = 2_000
"""Entries of one protected folder that are compared."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Guard:
    """The protected names of one command. `mended` says, for people, what was put right."""

    def __init__(self, noted: Message, journal: str, lock: int) -> None:
        self.mended: list[str] = []
        self._aside = str(noted["aside"])
        self._absent = cast("Mapping[str, list[str]]", noted["absent"])
        self._kept = cast("list[tuple[str, str, str, object]]", noted["kept"])
        self._placed = cast("list[tuple[str, str, int]]", noted.get("placed", []))
        self._folders = cast("list[tuple[str, int]]", noted["folders"])
        self._journal = journal
        self._lock = lock

    @classmethod
    def begin(cls, asked: str, place: str) -> "Guard":
        """Write down in the job's folder how everything was. Raises OSError where that cannot be."""
        journal = os.path.join(place, JOURNAL)
        lock = os.open(journal, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.write(lock, asked.encode())
        return cls(cast("Message", json.loads(asked)), journal, lock)

    def look(self) -> None:
        """Put aside what has appeared; what runs may go on running."""
        if all(was > 0 and changed_at(folder) == was for folder, was in self._folders):
            return
        for root, names in self._absent.items():
            with _opened(root) as folder:
                for name in names if folder is not None else ():
                    if _begins(cast("int", folder), name):
                        self._look_at(cast("int", folder), root, name)

    def end(self) -> list[str]:
        """Put everything right, now that nothing of the command runs; what was done about it."""
        self.look()
        for root, name, number in self._placed:
            self._look_at_placed(root, name, number)
        for root, name, copy, was in self._kept:
            if state_of(root, name) != was:
                self._put_back(root, name, copy)
        with suppress(OSError):  # once: what a person changes from now on is theirs
            os.unlink(self._journal)
        os.close(self._lock)
        return self.mended

    def _look_at(self, folder: int, root: str, name: str) -> None:
        with _found(folder, name) as found:
            if found is None or is_harmless(*found, name):
                return
            above, step = found
            target = self._move_aside(above, step)
            self.mended.append(f"{os.path.join(root, name)} was made and is protected; it was put aside as {target}")

    def _look_at_placed(self, root: str, name: str, number: int) -> None:
        with _opened(root) as folder:
            if folder is None or file_number(folder, name) in (0, number):
                return
            with _found(folder, name) as found:
                if found is not None:
                    target = self._move_aside(*found)
                    told = f"{os.path.join(root, name)} came in the place of another and is protected"
                    self.mended.append(f"{told}; it was put aside as {target}")

    def _move_aside(self, above: int, step: str) -> str:
        os.makedirs(self._aside, mode=0o700, exist_ok=True)
        target = os.path.join(self._aside, f"{len(os.listdir(self._aside))}-{step}")
        try:
            os.rename(step, target, src_dir_fd=above)
        except OSError:  # another file system
            import shutil  # lazy: the launcher does without it

            shutil.move(f"/proc/self/fd/{above}/{step}", target)
        return target

    def _put_back(self, root: str, name: str, copy: str) -> None:
        import shutil  # lazy: the launcher does without it

        if not copy:
            path = os.path.join(root, name)
            self.mended.append(f"{path} was changed and is protected; it was too large to be copied, so look at it")
            return
        target = ""
        with _opened(root) as folder:
            if folder is None:
                return
            with _found(folder, name) as found:
                if found is not None:
                    target = self._move_aside(*found)
            with _leading_to(folder, name) as above, suppress(OSError):
                place = f"/proc/self/fd/{above}/{name.rpartition('/')[2]}"
                if os.path.isdir(copy) and not os.path.islink(copy):
                    shutil.copytree(copy, place, symlinks=True)
                else:
                    shutil.copy2(copy, place, follow_symlinks=False)
        now = f"; as it became it lies in {target}" if target else ""
        self.mended.append(f"{os.path.join(root, name)} was changed and is protected; it was put back{now}")


@contextmanager
def _leading_to(root: int, name: str) -> Generator[int]:
    """The open folder that a name is in, made where it is gone; a link in its place raises OSError."""
    folder = os.dup(root)
    try:
        for step in name.split("/")[:-1]:
            with suppress(FileExistsError):
                os.mkdir(step, dir_fd=folder)
            inner = os.open(step, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)


def mend(place: str) -> list[str]:
    """Put right what a job left whose monitor was killed; nothing where it still runs, or ended well."""
    journal = os.path.join(place, JOURNAL)
    try:
        lock = os.open(journal, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return Guard(json.loads(os.read(lock, LONGEST_JOURNAL)), journal, os.dup(lock)).end()
    except (OSError, ValueError, KeyError):
        return []
    finally:
        os.close(lock)


@contextmanager
def _opened(path: str) -> Generator[int | None]:
    try:
        folder = os.open(path, _FOLDER)
    except OSError:
        yield None
        return
    try:
        yield folder
    finally:
        os.close(folder)


def changed_at(folder: str) -> int:
    """When an entry last came into a folder or left it; 0 where that is so recent that the next might not show."""
    try:
        changed = os.lstat(folder).st_ctime_ns
    except OSError:
        return -1
    return changed if time.time_ns() - changed > TICK_NS else 0


def _begins(folder: int, name: str) -> bool:
    """Whether the first step of a name is there: mostly it is not, and nothing more need be looked at."""
    return _status(folder, name.partition("/")[0]) is not None


@contextmanager
def _found(root: int, name: str) -> Generator[tuple[int, str] | None]:
    """The open folder and the step in it that make a name be there: its last, or a link on the way."""
    *above, last = name.split("/")
    opened: list[int] = []
    folder = root
    try:
        for step in above:
            try:
                folder = os.open(step, _FOLDER, dir_fd=folder)
            except OSError:
                yield (folder, step) if _is_link(folder, step) else None
                return
            opened.append(folder)
        yield (folder, last) if _status(folder, last) else None
    finally:
        for each in opened:
            os.close(each)


def _status(folder: int, step: str) -> os.stat_result | None:
    try:
        return os.lstat(step, dir_fd=folder)
    except OSError:
        return None


def _is_link(folder: int, step: str) -> bool:
    status = _status(folder, step)
    return status is not None and stat.S_ISLNK(status.st_mode)


def file_number(folder: int, name: str) -> int:
    """Which file a name below an open folder is; 0 where it is not there."""
    with _found(folder, name) as found:
        status = None if found is None else _status(*found)
        return 0 if status is None else status.st_ino


def placed_in(root: str, name: str) -> int:
    """The same, below a root."""
    with _opened(root) as folder:
        return 0 if folder is None else file_number(folder, name)


def state_of(root: str, name: str) -> object:
    """How a name below a root is, so that any change shows: no program can set the time of a change back."""
    with _opened(root) as folder:
        if folder is None:
            return None
        with _found(folder, name) as found:
            return None if found is None else _states(*found, [MOST_ENTRIES])


def _states(folder: int, step: str, left: list[int]) -> object:
    status = _status(folder, step)
    left[0] -= 1
    if status is None or left[0] < 0:
        return None
    own = [status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]
    if not stat.S_ISDIR(status.st_mode):
        return own
    try:
        inner = os.open(step, _FOLDER, dir_fd=folder)
    except OSError:
        return own
    try:
        return [own, [[each, _states(inner, each, left)] for each in sorted(os.listdir(inner))]]
    finally:
        os.close(inner)
