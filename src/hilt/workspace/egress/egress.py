"""`Egress`: the proxy for a person's allowed hosts, as what starts sandboxes needs it."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from hilt.workspace.egress.events import Event, read
from hilt.workspace.egress.hosts import Hosts

PORT = 3128
"""The port in a sandbox that programs are told of; each sandbox has all ports to itself."""
SOCKET = "socket"
LEAVE_WITHIN_S = 5.0
_FORWARDER = str(Path(__file__).with_name("forwarder.py"))
_SOURCE = str(Path(__file__).parents[3])
# The rooms' front doors stay shut: they bring what a proxy does not need.
_START = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
for name in ("hilt.workspace", "hilt.workspace.network", "hilt.workspace.egress"):
    room = types.ModuleType(name)
    room.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
    sys.modules[name] = room
from hilt.workspace.egress.process import main
main(int(sys.argv[2]), json.loads(sys.argv[3]))
"""


class Egress:
    """Lets sandboxes reach some hosts. Starts a process of its own with the first that asks; safe between threads.

    That process ends when this one is gone, or `close` was called, and the last command that it
    serves has ended. `tell` is called in a thread for each connection that ended. Raises
    ConfigError for what is no host.
    """

    def __init__(self, hosts: Sequence[str], tell: Callable[[Event], None] | None = None) -> None:
        self._hosts = tuple(hosts)
        Hosts(hosts)
        self._tell = tell
        self._lock = Lock()
        self._owner = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None

    def socket(self) -> Path:
        """The socket on which ports are handed out; a sandbox must see its folder. Raises OSError."""
        with self._lock:
            running = self._child is not None and self._child.poll() is None and self._owner == os.getpid()
            if not running or self._folder is None:
                self._folder = self._start()
            return self._folder / SOCKET

    def words(self, python: str = sys.executable) -> tuple[str, ...]:
        """The words to put before a command in a sandbox, so that its programs reach the proxy."""
        return (python, "-I", "-S", _FORWARDER, str(self.socket()), str(PORT))

    def close(self) -> None:
        """Let go of the process, which ends behind the last command it serves. Blocks for a moment."""
        with self._lock:
            child, self._child = self._child, None
            if child is None or self._owner != os.getpid():
                return
            if child.stdin is not None:
                child.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                child.wait(LEAVE_WITHIN_S)
            if child.poll() is not None and self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="hilt-egress-"))
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(folder / SOCKET))
            listening.listen()
            number = listening.fileno()
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-c", _START, _SOURCE, str(number), json.dumps(self._hosts)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[number],
                start_new_session=True,
                cwd="/",
            )
        self._owner = os.getpid()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        Thread(target=_listen, args=(self._child, self._tell), daemon=True, name="hilt-egress").start()
        return folder


def proxy_environment() -> Mapping[str, str]:
    """The variables by which programs in a sandbox find the proxy; their own loopback stays theirs."""
    address, own = f"http://127.0.0.1:{PORT}", "localhost,127.0.0.1,::1"
    names = ("http_proxy", "https_proxy", "all_proxy")
    found = {spelled: address for name in names for spelled in (name, name.upper())}
    return {**found, "no_proxy": own, "NO_PROXY": own}


def _listen(child: "subprocess.Popen[bytes]", tell: Callable[[Event], None] | None) -> None:
    if child.stdout is None:
        return
    with child.stdout as lines:
        for line in lines:
            event = read(line.decode("utf-8", "replace"))
            if event is not None and tell is not None:
                tell(event)
