"""The second rung, where no namespaces can be made: Landlock, with a filter that takes every socket away.

What it keeps: content is written only in the roots, and read only there and in the system's and
the tools' folders; there is no way to the network, not to sockets of the machine either; other
processes cannot be signalled, traced or read; root's powers are gone.

What it does not: mode, owner and times of the user's own files elsewhere can be changed, and that
such files exist can be seen, for Landlock knows no rights for these. Protected names inside the
roots are not refused, for it knows no exception inside a folder it grants: they are looked at
before and after, and what was changed is put back when the command has ended, or at the next
start where all of us was killed. Until then the change is there. /proc is not shown but for facts
on the machine, so programs that read about themselves there do without; and neither are shared
memory and terminals other than the command's own, which it would share with everybody's: locks of
Python's multiprocessing and `script` do not work here. Nor does anything that needs a socket.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from hilt.workspace.isolation.isolation import Bounds
from hilt.workspace.isolation.protecting import Protecting
from hilt.workspace.isolation.seccomp import seccomp_filter
from hilt.workspace.isolation.system import SYSTEM, etc_paths, home_of, there, tool_folders
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.landlock import DEVICE, OF_FILES, READ, WRITE, version
from hilt.workspace.processes.walls import Walls

LEAST_VERSION = 3
"""Before it, files outside can be emptied."""
SCOPED_VERSION = 6
"""Before it, other processes of the same user can be signalled."""
PRIVATE = "private"
"""The folder in a job's own that is home and place for temporary files at once."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx")
_FACTS = (
    *(f"/proc/{each}" for each in ("cpuinfo", "meminfo", "stat", "loadavg", "uptime", "version", "filesystems", "sys")),
    "/sys/devices/system/cpu",
)
_HOMES = {"RUSTUP_HOME": ".rustup", "PYENV_ROOT": ".pyenv", "NVM_DIR": ".nvm", "VOLTA_HOME": ".volta"}
"""Where tools look in a home unless told: they are told of the real one."""


class Landlock:
    """The wall of this rung. One serves all commands of its roots."""

    def __init__(self, bounds: Bounds, program: bytes) -> None:
        self._bounds = bounds
        self._filter = program
        self._protecting = Protecting(bounds.roots)
        facts = there((*SYSTEM, *etc_paths(network=False), *_FACTS))
        self._system = (
            *((each, READ if os.path.isdir(each) else READ & OF_FILES) for each in facts),
            *((f"/dev/{each}", DEVICE) for each in _DEVICES),
        )

    def close(self) -> None:
        """Nothing is kept running."""

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """What confines this command. Blocks for a moment."""
        bounds, home = self._bounds, home_of(environment)
        holes, private = self._protecting.holes(), place / PRIVATE
        private.mkdir(mode=0o700, exist_ok=True)
        readable = (*tool_folders(environment.get("PATH", ""), home, bounds.hidden), *bounds.readable, str(place))
        writable = (*bounds.roots, *bounds.writable, *command.writes, str(private))
        return Walls(
            grants=(*self._system, *((each, READ) for each in readable), *((each, WRITE) for each in writable)),
            filter=self._filter,
            environment={**_tools(home, environment), "HOME": str(private), "TMPDIR": str(private)},
            guarded=self._protecting.guarded(holes, (*holes.there, *holes.links), place),
        )


def _tools(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that lead tools to where they are, for their home is another now."""
    return {
        name: str(home / folder)
        for name, folder in _HOMES.items()
        if name not in environment and os.path.isdir(home / folder)
    }


def make(bounds: Bounds) -> Landlock | None:
    """The wall, where this kernel has what it needs."""
    program = seccomp_filter(sockets=False)
    return Landlock(bounds, program) if program is not None and version() >= LEAST_VERSION else None
