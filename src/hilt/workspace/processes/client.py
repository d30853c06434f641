"""The host's side of the launcher: started with the first command, and again should it be gone."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock

from hilt.workspace.processes.messages import Message, send

_SOURCE = str(Path(__file__).parents[3])
# The rooms' front doors stay shut: they import what takes longer to load than a command takes.
_START = """
import sys, types
for name in ("hilt", "hilt.workspace", "hilt.workspace.processes"):
    room = types.ModuleType(name)
    room.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
    sys.modules[name] = room
from hilt.workspace.processes.launcher import serve
serve(int(sys.argv[2]))
"""
_PYTHON = (sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, _SOURCE)
LEAVE_WITHIN_S = 5.0


class Launcher:
    """Sends requests to the launcher child. Safe to use from several threads; starts nothing before it must."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._channel: socket.socket | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def request(self, message: Message, descriptors: Sequence[int]) -> None:
        """Hand a request over. Raises OSError where no launcher can be started. Blocks while one starts."""
        with self._lock:
            try:
                send(self._listening(), message, descriptors)
            except (BrokenPipeError, ConnectionError):
                self._let_go(wait=True)
                send(self._listening(), message, descriptors)

    def close(self, *, wait: bool = True) -> None:
        """Let go of the launcher, which ends when the last of its commands has; `wait` for that. Blocks."""
        with self._lock:
            self._let_go(wait=wait)

    def _listening(self) -> socket.socket:
        if self._channel is None or self._owner != os.getpid():
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            number = theirs.fileno()
            with theirs:
                self._child = subprocess.Popen(
                    [*_PYTHON, str(number)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    pass_fds=[number],
                    start_new_session=True,
                    cwd="/",
                )
            self._channel, self._owner = ours, os.getpid()
        return self._channel

    def _let_go(self, *, wait: bool) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._child is not None and self._owner == os.getpid():
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(LEAVE_WITHIN_S if wait else 0)
            _left[:] = [each for each in (*_left, self._child) if each.poll() is None]
        self._child = None


_left: list[subprocess.Popen[bytes]] = []
"""Launchers that live on with a job that is kept; each is reaped when another is let go of, or with this process."""
