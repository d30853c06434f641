"""The parent of one command: keeps its output, waits for it, ends all it started, tells the host.

One process each. What it tells: `started` or `failed`, then `left` when the command ended and children
of it go on; `ended` when nothing is left. It hears `stop`, and `background`: then the end is written into the
job's folder, and where it is to be kept, it goes on when the host is gone. Else it is stopped then.
"""

import errno
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast

from hilt.workspace.processes.command import (
    CHILDREN_GRACE_S,
    EXIT_FILE,
    INPUT_FILE,
    KILL_WITHIN_S,
    STOP_GRACE_S,
)
from hilt.workspace.processes.drain import Drain
from hilt.workspace.processes.guarding import Guard
from hilt.workspace.processes.messages import Message, receive, send, write_json
from hilt.workspace.processes.spawn import SUBREAPER, output_channel, set_process, spawn
from hilt.workspace.processes.tree import ask_to_end, command_line, descendants, end_children, reap

MOST_COMMAND_LINE = 120
MOST_LEFT = 20
LOOK_EVERY_S = 1.0
"""Seconds after which protected names that have appeared are put aside while a command runs on."""
STARTED_AFTER_S = 0.005
"""A command that ends sooner needs no word of its start: waking the host for it would only slow both."""


class Monitor:
    """Runs one request to its end; `run` returns when nothing of it is left."""

    def __init__(self, request: Message, descriptors: list[int], *, host: int | None) -> None:
        self._request = request
        self._channel = socket.socket(fileno=descriptors[0])
        self._channel.settimeout(0)
        self._listens = True
        self._log = descriptors[1]
        rest = descriptors[2:]
        self._stdin = rest.pop(0) if request["stdin"] else None
        self._passes = rest
        self._host = host
        self._keep = self._told_to_write = False
        self._began = time.time()
        self._status: int | None = None
        self._told_left = False
        self._kill_at: float | None = None
        self._tell_left_at: float | None = None
        self._stopped_by = ""
        self._tell_started_at: float | None = None
        self._pid = 0
        self._wake = -1
        self._input: int | None = None
        self._guard: Guard | None = None
        self._look_at: float | None = None

    def run(self) -> None:
        with suppress(PermissionError):  # one that leads a group already
            os.setsid()
        set_process(SUBREAPER, 1)
        signal.set_wakeup_fd(-1)
        self._wake, waker = os.pipe()
        for end in (self._wake, waker):
            os.set_blocking(end, False)
        for number, act in ((signal.SIGCHLD, _ignore), (signal.SIGTERM, self._asked)):
            signal.signal(number, act)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        if self._start():
            while self._step():
                pass
            self._finish()

    def _start(self) -> bool:
        tty = bool(self._request["tty"])
        reading, writing = output_channel(tty=tty)
        self._pid, failed = self._spawn(writing)
        os.close(writing)
        for each in ([] if self._stdin is None else [self._stdin]) + self._passes:
            os.close(each)
        self._drain = Drain(reading, self._log, plain=not tty)
        self._input = self._open_input() if tty and not failed else None
        if failed:
            self._tell({"failed": failed})
            return False
        self._tell_started_at = time.monotonic() + STARTED_AFTER_S
        return True

    def _spawn(self, writing: int) -> tuple[int, int]:
        guarded = cast("str | None", self._request["guarded"])
        try:
            if guarded is not None:
                self._guard = Guard.begin(guarded, str(self._request["place"]))
                self._look_at = time.monotonic() + LOOK_EVERY_S
        except OSError as fault:
            return 0, fault.errno or errno.EIO
        return spawn(self._request, writing, self._stdin, self._passes)

    def _open_input(self) -> int:
        """A named pipe in the job's folder, held open at both ends: whoever may write there, types."""
        path = os.path.join(str(self._request["place"]), INPUT_FILE)
        os.mkfifo(path, 0o600)
        return os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def _step(self) -> bool:
        """Wait for something to happen and see to it; False when nothing of the command is left."""
        heard: dict[int | None, Callable[[], object]] = {self._host: self._host_ended, self._input: self._typed}
        if self._listens:
            heard[self._channel.fileno()] = self._hear
        if self._drain.open:
            heard[self._drain.source] = self._drain.some
        heard.pop(None, None)
        ready = _readable([self._wake, *(each for each in heard if each is not None)], self._until_next())
        for each in ready:
            heard.get(each, _ignore)()
        left = self._reap() if self._wake in ready else True
        self._keep_time()
        return left

    def _until_next(self) -> float | None:
        now = time.monotonic()
        planned = (self._kill_at, self._tell_left_at, self._tell_started_at, self._look_at)
        moments = [each for each in planned if each is not None]
        return max(0.0, min(moments) - now) if moments else None

    def _hear(self) -> None:
        """Take in all that the host has said by now."""
        while True:
            try:
                message, _ = receive(self._channel)
            except BlockingIOError:
                return
            if message is None:
                self._listens = False
                self._host_gone()
                return
            if "stop" in message:
                self._stop("asked")
            elif "background" in message:
                self._keep, self._told_to_write = bool(message["background"]), True

    def _host_gone(self) -> None:
        if not self._keep:
            self._stop("host gone")

    def _asked(self, *_: object) -> None:
        self._stop("asked")

    def _stop(self, why: str) -> None:
        if self._kill_at is None:
            self._stopped_by = why
            self._kill_at = time.monotonic() + STOP_GRACE_S
            ask_to_end(os.getpid(), spare=self._pid if self._request["prefix"] else 0)

    def _host_ended(self) -> None:
        self._host = None
        self._hear()  # its last words may be to keep the command
        self._host_gone()

    def _typed(self) -> None:
        if self._input is not None:
            self._drain.type(self._input)

    def _reap(self) -> bool:
        with suppress(BlockingIOError):
            os.read(self._wake, 4096)
        left, ended = reap()
        self._note_ended(ended)
        if left and self._status is not None and not self._told_left and self._tell_left_at is None:
            self._tell_left_at = time.monotonic() + CHILDREN_GRACE_S
        return left

    def _note_ended(self, ended: list[tuple[int, int]]) -> None:
        for pid, status in ended:
            if pid == self._pid:
                self._status = os.waitstatus_to_exitcode(status)

    def _keep_time(self) -> None:
        now = time.monotonic()
        if self._tell_started_at is not None and now >= self._tell_started_at:
            self._tell_started_at = None
            self._tell({"started": os.getpid()})
        if self._tell_left_at is not None and now >= self._tell_left_at:
            self._tell_left_at, self._told_left = None, True
            self._tell({"left": self._living(), "status": self._status})
        if self._guard is not None and self._look_at is not None and now >= self._look_at:
            self._look_at = now + LOOK_EVERY_S
            self._guard.look()
        if self._kill_at is not None and now >= self._kill_at:
            self._note_ended(end_children(KILL_WITHIN_S))
            self._kill_at = None
            os.write(self._waker_copy(), b"!")

    def _waker_copy(self) -> int:
        """The descriptor that wakes the loop, so that the end is seen even where no signal comes."""
        waker = signal.set_wakeup_fd(-1)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        return waker

    def _living(self) -> Sequence[tuple[int, str]]:
        found = [(pid, command_line(pid, MOST_COMMAND_LINE)) for pid in descendants(os.getpid())]
        isolating = f"{cast('list[str]', self._request['argv'])[0]} " if self._request["prefix"] else "\0"
        return [(pid, line) for pid, line in found if line and not line.startswith(isolating)][:MOST_LEFT]

    def _finish(self) -> None:
        """Tell how it ended. From here on the host's words fail where it says them, so that none is lost."""
        self._drain.rest()
        stopped_by = self._stopped_by
        self._channel.shutdown(socket.SHUT_RD)
        self._hear()
        last: Message = {
            "status": self._status,
            "total": self._drain.total,
            "gap": self._drain.gap(),
            "stopped": stopped_by,
            "began": self._began,
            "seconds": time.time() - self._began,
            "mended": self._guard.end() if self._guard is not None else [],
        }
        if self._told_to_write:
            write_json(os.path.join(str(self._request["place"]), EXIT_FILE), last)
        self._tell({"ended": last})

    def _tell(self, message: Message) -> None:
        with suppress(OSError):
            send(self._channel, message)


def _readable(descriptors: list[int], timeout_s: float | None) -> set[int]:
    """Which of these have something to read, or an end; interrupted and out of time alike is none."""
    poll = select.poll()
    for each in descriptors:
        poll.register(each, select.POLLIN)
    return {each for each, _ in poll.poll(None if timeout_s is None else math.ceil(timeout_s * 1000))}


def _ignore(*_: object) -> None:
    """A handler, so that the wake-up descriptor is written to."""
