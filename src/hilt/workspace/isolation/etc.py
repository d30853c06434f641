"""A copy of the few files of /etc that programs look up, so that one mount shows them all.

A mount for each costs a fifth of a millisecond, forty of them more than everything else together.
"""

import hashlib
import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from hilt.workspace.isolation.system import etc_paths

MOST_ENTRIES = 64
"""A folder with more is mounted for itself."""
ETC = "/etc"
_TOKEN_BYTES = 8


class Etc:
    """The copy, made when it is first asked for and again when a file has changed. One serves all commands."""

    def __init__(self, *, network: bool) -> None:
        self._network = network
        self._was: tuple[tuple[str, int], ...] = ()
        self._copy = ""
        self._mounted: tuple[str, ...] = ()

    def shown(self, within: Path) -> tuple[str, tuple[str, ...]]:
        """The folder to show as /etc, and the folders to mount inside of it. Blocks, the first time for longer."""
        now = tuple((path, _changed(path)) for path in etc_paths(network=self._network))
        if now != self._was or not os.path.isdir(self._copy):
            name = hashlib.sha256(repr(now).encode()).hexdigest()[:16]
            self._copy, self._mounted = _made(within / f"etc-{name}", [path for path, _ in now])
            self._was = now
        return self._copy, self._mounted


def _changed(path: str) -> int:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns
    return 0


def _made(folder: Path, paths: list[str]) -> tuple[str, tuple[str, ...]]:
    """The copy at that place, whole or not at all: another process may make the same one."""
    mounted = tuple(path for path in paths if os.path.isdir(path) and _is_large(path))
    if folder.is_dir():
        os.utime(folder)  # what nobody uses for long is removed
    else:
        fresh = folder.with_name(f"etc-new-{secrets.token_hex(_TOKEN_BYTES)}")
        fresh.mkdir(mode=0o755, parents=True)
        for path in paths:
            _add(path, fresh / os.path.relpath(path, ETC), empty=path in mounted)
        try:
            fresh.rename(folder)
        except OSError:
            shutil.rmtree(fresh, ignore_errors=True)
    return str(folder), mounted


def _is_large(path: str) -> bool:
    count = 0
    for _, folders, files in os.walk(path):
        count += len(folders) + len(files)
        if count > MOST_ENTRIES:
            return True
    return False


def _add(path: str, place: Path, *, empty: bool) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(OSError, shutil.Error):  # one that may not be read is not shown either
        if empty:
            place.mkdir(exist_ok=True)
        elif os.path.islink(path):
            place.symlink_to(os.readlink(path))
        elif os.path.isdir(path):
            shutil.copytree(path, place, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy2(path, place)
