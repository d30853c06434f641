"""The first rung: bubblewrap's namespaces, with a filter of system calls.

A command sees the system's folders and its tools, read only; an empty home and /tmp; the roots,
which it may write but for protected names; no network but its own loopback; none of the machine's
other processes. Mounts that protect what exists cannot be undone from inside. A protected name
that does not exist yet is guarded instead: a mount would need a file in its place, which the person
and `git add` would see; so what appears there is put aside when the command has ended.
"""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.workspace.egress import Egress
from hilt.workspace.egress.egress import proxy_environment
from hilt.workspace.isolation.etc import Etc
from hilt.workspace.isolation.isolation import Bounds
from hilt.workspace.isolation.protecting import Protecting, named_twice
from hilt.workspace.isolation.seccomp import seccomp_filter
from hilt.workspace.isolation.system import SYSTEM, home_of, is_inside, there, tool_folders
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.walls import FIRST_PASSED, Walls

PLACES = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap")
"""Looked at first: where a distribution lets only its own make namespaces, it is one of these."""
_ALWAYS = [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-net",
    "--unshare-cgroup-try",
    "--cap-drop",
    "ALL",
    "--hostname",
    "hilt",
]
_SHOWN_EMPTY = ("/tmp", "/var/tmp", "/run")  # mounted over, never used here


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a command sees of the disk beside the system.

    Some is `readable` and some `writable`, in which `kept` stays as it is, `pinned` stays in its place
    and `hidden` is empty. `place` holds the command's own files, of which it writes `own`. `etc` is
    shown as /etc, with folders `in_etc` of the real one.
    """

    home: str
    place: str
    readable: Sequence[str] = ()
    writable: Sequence[str] = ()
    kept: Sequence[str] = ()
    pinned: Sequence[str] = ()
    hidden: Sequence[str] = ()
    own: Sequence[str] = ()
    etc: str
    in_etc: Sequence[str] = ()


def find_bubblewrap(path: str | None = None) -> str | None:
    """The program, the distribution's own before others."""
    return next((each for each in PLACES if os.access(each, os.X_OK)), None) or shutil.which("bwrap", path=path)


def options(program: str, view: View, folder: str, filter_at: int | None) -> tuple[str, ...]:
    """The words before a command that starts in `folder`; the filter is read from descriptor `filter_at`."""
    home = () if view.home == "/" else (view.home,)
    return (
        program,
        *_ALWAYS,
        *(word for each in SYSTEM for word in _system(each)),
        *("--ro-bind", view.etc, "/etc"),
        *_mounts("--ro-bind-try", view.in_etc),
        *("--proc", "/proc", "--dev", "/dev"),
        *(word for each in (*_SHOWN_EMPTY, *home) for word in ("--tmpfs", each)),
        *_mounts("--ro-bind-try", sorted(view.readable)),
        *_mounts("--bind-try", (*sorted(view.writable), *view.pinned)),
        *_mounts("--ro-bind-try", view.kept),
        *(word for each in view.hidden for word in _hide(each)),
        *_mounts("--ro-bind", (view.place,)),
        *_mounts("--bind-try", view.own),
        *(() if filter_at is None else ("--seccomp", str(filter_at))),
        *("--remount-ro", "/", "--chdir", folder, "--"),
    )


def _mounts(option: str, paths: Sequence[str]) -> Iterator[str]:
    for each in paths:
        yield from (option, each, each)


def _system(folder: str) -> tuple[str, ...]:
    if os.path.islink(folder):
        return ("--symlink", os.readlink(folder), folder)
    return ("--ro-bind", folder, folder) if os.path.isdir(folder) else ()


def _hide(path: str) -> tuple[str, ...]:
    return ("--tmpfs", path) if os.path.isdir(path) else ("--ro-bind", os.devnull, path)


class Bubblewrap:
    """The wall of this rung. One serves all commands of its roots."""

    def __init__(self, program: str, bounds: Bounds) -> None:
        self._program = program
        self._bounds = bounds
        self._protecting = Protecting(bounds.roots)
        self._etc = Etc(network=bool(bounds.hosts))
        self._filter = seccomp_filter(sockets=True) or b""
        self._egress = Egress(bounds.hosts) if bounds.hosts else None

    def close(self) -> None:
        """Let go of the proxy for the allowed hosts."""
        if self._egress is not None:
            self._egress.close()

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """What confines this command. Blocks for a moment."""
        bounds, holes = self._bounds, self._protecting.holes()
        home, (etc, in_etc) = home_of(environment), self._etc.shown(place.parent)
        proxy = () if self._egress is None else (str(self._egress.socket().parent),)
        view = View(
            home=str(home),
            place=str(place),
            readable=(*tool_folders(environment.get("PATH", ""), home, bounds.hidden), *there(bounds.readable), *proxy),
            writable=(*bounds.roots, *there(bounds.writable)),
            pinned=holes.pinned,
            kept=["/".join(each) for each in holes.there],
            hidden=[each for each in there(bounds.hidden) if is_inside(each, bounds.roots)],
            own=command.writes,
            etc=etc,
            in_etc=in_etc,
        )
        filter_at = FIRST_PASSED + len(command.passes) if self._filter else None
        return Walls(
            prefix=(
                *options(self._program, view, command.folder, filter_at),
                *(() if self._egress is None else self._egress.words()),
            ),
            filter=self._filter,
            environment={} if self._egress is None else proxy_environment(),
            guarded=self._protecting.guarded(holes, (*holes.links, *filter(named_twice, holes.there)), place),
        )
