"""Runs in the child: takes calls from the host on a socket, and answers each one with the call's own token.

What the code prints never meets the answers, and what it may write to the socket lacks the token. A copy of this
process that a `fork` of the code's made never answers. Everything process-wide is this child's own.
"""

import fcntl
import gc
import io
import json
import os
import resource
import signal
import socket
import stat
import struct
import sys
import termios
from collections.abc import Mapping
from time import monotonic, sleep
from types import ModuleType

from hilt.workspace.code.evaluate import Json, Told, evaluate
from hilt.workspace.code.limits import (
    CHANNEL,
    CHUNK_BYTES,
    FILE_BYTES,
    IDLE_S,
    LOST_EXIT,
    MEMORY_BYTES,
    RESERVE_BYTES,
)

HIGH = 200
"""Our own descriptors are above those that code is likely to close or count on."""
DRAIN_S = 1.0
"""The longest wait for output to leave, where something goes on writing."""
_loads, _getpid, _exit, _quoted = json.loads, os.getpid, os._exit, json.encoder.encode_basestring_ascii
_RECURSION = 1_000


def serve(folder: str) -> None:
    """Answer calls until the host is gone, one call alone unless it says `keep`."""
    for name in [each for each in sys.modules if each == "hilt" or each.startswith("hilt.")]:
        del sys.modules[name]  # stand-ins that let this file be found; the code may import the real ones
    sys.argv = [""]
    sys.path.append(folder)
    sys.set_int_max_str_digits(0)
    _limit()
    Worker().run()


def _limit() -> None:
    """Bounds of this process and what it starts; the code can lift none of them beyond the reserve."""
    for which, bound in (
        (resource.RLIMIT_DATA, MEMORY_BYTES + RESERVE_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        most = resource.getrlimit(which)[1]
        value = bound if most == resource.RLIM_INFINITY else min(bound, most)
        resource.setrlimit(which, (value, value))


def _bound_memory(most: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (min(most, hard), hard))


class Worker:
    """The loop of the child. `run` returns after the last call, and the interpreter then ends as any does."""

    def __init__(self) -> None:
        self._pid = _getpid()
        self._channel = socket.socket(fileno=_lifted(CHANNEL))
        os.close(CHANNEL)
        self._input, self._output = _lifted(0), _lifted(1)
        self._namespace = ModuleType("__main__")
        self._calls = 0
        self._tracer = sys.gettrace()
        sys.modules["__main__"] = self._namespace

    def run(self) -> None:
        while (request := self._next()) is not None:
            self._calls += 1
            self._restore()
            _bound_memory(MEMORY_BYTES)
            told = evaluate(str(request["code"]), self._namespace, self._calls)
            if _getpid() != self._pid:  # a copy that ran on into our lines
                self._leave(0)
            try:
                self._make_room()
                self._settle(keep=bool(request["keep"]))
            except BaseException:  # the code left us without descriptors, memory or a name we need: tell all the same
                pass
            self._tell(str(request["token"]), told)
            if not request["keep"]:
                return

    def _next(self) -> Mapping[str, object] | None:
        """The next call, handed over as a file; None when there will be none."""
        self._channel.settimeout(IDLE_S)
        try:
            _, descriptors, _, _ = socket.recv_fds(self._channel, 16, 1)
        except OSError:
            return None
        if not descriptors:
            return None
        with open(descriptors[0], "rb") as file:
            return _loads(file.read())

    def _restore(self) -> None:
        """Give the code its three streams, whatever an earlier call did to them; both outputs keep one order."""
        os.dup2(self._input, 0)
        os.dup2(self._output, 1)
        os.dup2(self._output, 2)
        sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115  # the code's own
        bytes_out = io.BufferedWriter(io.FileIO(1, "wb", closefd=False))
        for name in ("stdout", "stderr"):
            text = io.TextIOWrapper(
                bytes_out, encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=True
            )
            setattr(sys, name, text)
            setattr(sys, f"__{name}__", text)
        self._stream = bytes_out

    def _make_room(self) -> None:
        """Undo what would keep us from telling: used up memory, a low limit of recursion, a tracer, an alarm."""
        _bound_memory(MEMORY_BYTES + RESERVE_BYTES)
        sys.settrace(self._tracer)
        sys.setprofile(None)
        sys.setrecursionlimit(max(_RECURSION, sys.getrecursionlimit()))
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _settle(self, *, keep: bool) -> None:
        """Let everything written so far arrive. A kept process does not end, so its open files are flushed."""
        for each in gc.get_objects() if keep and _writes_files() else ():
            if type(each) in {io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom} and _is_file(each):
                _flush(each)
        _flush(self._stream)
        until = monotonic() + DRAIN_S
        while _waiting(self._output) and monotonic() < until:
            sleep(0.001)

    def _tell(self, token: str, told: Told) -> None:
        try:
            content = _json(told).encode()
            self._channel.settimeout(None)
            for at in range(0, len(content), CHUNK_BYTES):
                last = b"." if at + CHUNK_BYTES >= len(content) else b"+"
                self._channel.send(token.encode() + last + content[at : at + CHUNK_BYTES])
        except BaseException:  # the code closed the socket, or broke what we stand on
            self._leave(LOST_EXIT)

    def _leave(self, status: int) -> None:
        _flush(self._stream)
        _exit(status)


def _json(value: Json) -> str:
    """What is told, as JSON. The library's own writer is put together of parts that the code may have changed."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{','.join([_json(each) for each in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join([f'{_quoted(name)}:{_json(each)}' for name, each in value.items()])}}}"
    return repr(value)


def _lifted(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)


def _waiting(pipe: int) -> int:
    """Bytes in a pipe that nobody has read yet; none where it is no pipe any more."""
    try:
        return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"))[0]
    except OSError:
        return 0


def _is_file(stream: io.TextIOWrapper | io.BufferedWriter | io.BufferedRandom) -> bool:
    """Whether it writes to a plain file, which never makes us wait."""
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


def _writes_files() -> bool:
    """Whether a plain file is open for writing: looking through all objects costs more than most calls."""
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        return True
    for name in names:
        try:
            plain = stat.S_ISREG(os.fstat(int(name)).st_mode)
            if plain and fcntl.fcntl(int(name), fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                return True
        except OSError:  # the one through which the list was read
            continue
    return False


def _flush(stream: object) -> None:
    try:
        stream.flush()  # type: ignore[attr-defined]
    except BaseException:  # closed, detached, or full: the code's own affair
        return
