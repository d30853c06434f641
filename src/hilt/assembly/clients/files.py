"""Files of other programs: seen as they are, and written whole, with a copy of what was there before."""

import errno
import os
import re
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from hilt.assembly.kept_files import PRIVATE, write_whole
from hilt.errors import ConfigError
from hilt.store.home import home

BACKUPS = "clients/backups"
"""The folder in HILT_HOME for copies of files before they were changed."""
MOST_BACKUPS = 100
"""Copies that are kept; the oldest go first."""
DIGEST_BYTES = 16
NEW_MODE = 0o644
LEFT_S = 60.0
"""Seconds after which a half-written file is nobody's any more."""
FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A file as it was read: `content` is None where there is none, `target` where a link leads."""

    file: Path
    target: Path
    content: bytes | None
    mode: int | None = None
    owner: tuple[int, int] | None = None

    @property
    def digest(self) -> str:
        """A digest of what it held; empty where there is no file."""
        return digest(self.content)


def digest(content: bytes | None) -> str:
    """A digest of content; empty for none."""
    return "" if content is None else blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def look(file: Path) -> Seen:
    """A file as it is now. Raises `ConfigError`."""
    target = Path(os.path.realpath(file))
    try:
        found = target.stat()
        if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for without end
            raise ConfigError(f"{file} is no file", f"ls -ld {target}")
        content = target.read_bytes()
    except FileNotFoundError:
        return Seen(file=file, target=target, content=None)
    except OSError as fault:
        raise ConfigError(f"{file} cannot be read: {fault.strerror}", f"ls -l {file}") from None
    mode = stat.S_IMODE(found.st_mode)
    return Seen(file=file, target=target, content=content, mode=mode, owner=(found.st_uid, found.st_gid))


def writable(seen: Seen) -> None:
    """Raise `ConfigError` where a file may not be written: nothing is to be begun that cannot be ended."""
    if seen.mode is not None and not (seen.mode & 0o222 and os.access(seen.target, os.W_OK)):
        mine = seen.owner is None or os.geteuid() in (0, seen.owner[0])
        problem = (
            f"{seen.file} is read-only" if mine else f"{seen.file} belongs to another user, and is not yours to write"
        )
        raise ConfigError(problem, f"chmod u+w {seen.target}" if mine else f"ls -l {seen.target}")
    folder = next(each for each in seen.target.parents if each.exists())
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ConfigError(f"{seen.file} cannot be written: the folder {folder} is read-only", f"ls -ld {folder}")


def write(seen: Seen, content: bytes | None, *, mode: int | None = None, copied: bool = True) -> Path | None:
    """Put `content` in the place of what was seen, or take the file away; returns the copy of what was there.

    Without `copied` there is none, and no room is needed for it. Raises `ConfigError`, and then nothing was written,
    where the file is another one than was seen.
    """
    writable(seen)
    if look(seen.file) != seen:
        raise ConfigError(f"{seen.file} changed in the meantime; nothing was written to it", "run the command again")
    kept = _kept(seen) if copied else None
    try:
        if content is None:
            seen.target.unlink(missing_ok=True)
            return kept
        seen.target.parent.mkdir(parents=True, exist_ok=True)
        _swept(seen.target)
        write_whole(seen.target, content, mode=mode or seen.mode or NEW_MODE)
    except OSError as fault:
        parent = seen.target.parent
        raise ConfigError(f"{seen.file} cannot be written: {fault.strerror}", step_of(fault, parent)) from None
    _owned(seen)
    return kept


def _swept(target: Path) -> None:
    """Take away halves that a sudden end left beside a file: they may hold credentials."""
    left = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{8}}")
    for each in target.parent.iterdir():
        if left.fullmatch(each.name) and time.time() - each.lstat().st_mtime > LEFT_S:
            each.unlink(missing_ok=True)


def step_of(fault: OSError, folder: Path) -> str:
    """What to do where a folder cannot be written to."""
    return f"make room on the disk of {folder}" if fault.errno in FULL else f"ls -ld {folder}"


def _owned(seen: Seen) -> None:
    """Leave a file to whom it belonged: what root writes in somebody's home stays theirs."""
    if seen.owner is not None and os.geteuid() == 0 and seen.owner != (0, 0):
        with suppress(OSError):
            os.chown(seen.target, *seen.owner)


def _kept(seen: Seen) -> Path | None:
    if seen.content is None:
        return None
    folder = home() / BACKUPS
    when = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    copy = folder / f"{when}-{seen.target.name.lstrip('.')}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(copy, seen.content, mode=PRIVATE)
    except OSError as fault:
        problem = f"no copy of {seen.file} can be kept in {folder}, so it was not written: {fault.strerror}"
        raise ConfigError(problem, step_of(fault, folder)) from None
    for old in sorted(folder.iterdir())[:-MOST_BACKUPS]:
        old.unlink(missing_ok=True)
    return copy
