"""Folders below a root that are really somewhere else: mounted there from a place outside that has its own path.

`openat2` could refuse to cross any mount (`RESOLVE_NO_XDEV`); but a workspace in a container is made
of mounts, volumes and temporary file systems that are nowhere else, and belong to it. What must not
pass as inside is a folder of this machine that is outside by its other path, such as `/etc` bound
into a root. So the table of mounts is read, and such a folder has that other path.
"""

import os
import re
import select
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from hilt.workspace.roots import Root, by_real_path

_TABLE = "/proc/self/mountinfo"
_MOST_BYTES = 16 << 20
_ESCAPED = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mount:
    """Which part of which file system is seen where."""

    device: str
    part: str
    at: str


def mounted_from(real: str, roots: Sequence[Root]) -> str:
    """The path outside the roots that a canonical path inside them has as well, by a mount; empty for none."""
    for at, origin in foreign(_reading().text(), tuple(roots)):
        if real == at or real.startswith(f"{at}/"):
            return origin + real[len(at) :]
    return ""


def has_foreign(roots: Sequence[Root]) -> bool:
    """Whether anything from outside is mounted below a root."""
    return bool(foreign(_reading().text(), tuple(roots)))


@lru_cache(maxsize=16)
def foreign(text: str, roots: tuple[Root, ...]) -> tuple[tuple[str, str], ...]:
    """Where something from outside is mounted below a root, and where it is from; the innermost first."""
    mounts = list(_mounts(text))
    found = [
        (mount.at, origin)
        for mount in mounts
        if (spot := by_real_path(roots, mount.at)) is not None and spot.relative
        for origin in _elsewhere(mount, mounts)
        if by_real_path(roots, origin) is None
    ]
    return tuple(sorted(found, key=lambda each: -len(each[0])))


def _elsewhere(mount: _Mount, mounts: Sequence[_Mount]) -> Iterator[str]:
    """The other paths that the top of a mount has."""
    for other in mounts:
        below = _below(mount.part, other.part)
        if other.device == mount.device and other.at != mount.at and below is not None:
            yield other.at.rstrip("/") + below or "/"


def _below(path: str, top: str) -> str | None:
    """What of a path lies behind `top`; None where it does not lie there."""
    bare = top.rstrip("/")
    return path[len(bare) :].rstrip("/") if path == top or path.startswith(f"{bare}/") else None


def _mounts(text: str) -> Iterator[_Mount]:
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) > 4:
            yield _Mount(device=fields[2], part=_plain(fields[3]), at=_plain(fields[4]))


def _plain(field: str) -> str:
    """A path as it is: blanks and the like are written as three octal digits of a byte."""
    raw = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), field.encode("utf-8", "surrogateescape").decode("latin-1"))
    return raw.encode("latin-1").decode("utf-8", "surrogateescape")


class _Reading:
    """The table, read again when the kernel says that it has changed: to ask for that costs next to nothing."""

    def __init__(self) -> None:
        self._text = ""
        self._descriptor = os.open(_TABLE, os.O_RDONLY | os.O_CLOEXEC)
        self._read = False

    def text(self) -> str:
        """The table as it is now."""
        changed = select.poll()  # one cannot be asked by two threads at once
        changed.register(self._descriptor, select.POLLPRI)
        if changed.poll(0) or not self._read:
            self._text = os.pread(self._descriptor, _MOST_BYTES, 0).decode("utf-8", "surrogateescape")
            self._read = True
        return self._text


class _Nothing(_Reading):
    """Where there is no table."""

    def __init__(self) -> None:
        """Open nothing."""

    def text(self) -> str:
        """No mounts."""
        return ""


@cache
def _reading() -> _Reading:
    if sys.platform != "linux":
        return _Nothing()
    try:
        return _Reading()
    except OSError:
        return _Nothing()
