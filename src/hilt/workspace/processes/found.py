"""A job that another process started, known by its folder: who runs it, how it ended, and how to end it."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import cast

from anyio import move_on_after, wait_readable

from hilt.workspace.processes.command import EXIT_FILE, INPUT_FILE, LOG_FILE, STATUS_FILE
from hilt.workspace.processes.identity import Identity
from hilt.workspace.processes.job import Ended, Left, ended_from
from hilt.workspace.processes.messages import Message

LONGEST_FACTS = 64 << 10


class FoundJob:
    """A job of the background as its folder tells of it; as `Job`, without what only its own process can know."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.left: tuple[Left, ...] = ()
        self.ended: Ended | None = None
        self._look()

    @property
    def status(self) -> int | None:
        """The exit code, where it has ended."""
        return self.ended.status if self.ended else None

    def open_log(self) -> int:
        """A descriptor of the log; the caller closes it. Raises OSError where it was removed."""
        return os.open(self.place / LOG_FILE, os.O_RDONLY | os.O_CLOEXEC)

    async def wait(self, seconds: float | None, *, whole: bool = False) -> bool:
        """Wait until nothing of it is left; False when time passed first. What goes on behind it counts always."""
        del whole
        monitor = monitor_of(self.place)
        with move_on_after(seconds):
            if self.ended is None and monitor is not None:
                await _gone(monitor)
        self._look()
        return self.ended is not None

    def stop(self) -> None:
        """Ask its monitor to end everything of it."""
        ask_to_stop(self.place)

    def _look(self) -> None:
        running = is_running(self.place)  # before the file is read: it is written while the monitor runs
        said = exit_of(self.place)
        if said is not None:
            self.ended = ended_from(said)
        elif not running:
            self.ended = Ended(status=None, total=0, stopped="lost")


async def _gone(monitor: Identity) -> None:
    """Return when a process has ended."""
    try:
        watched = os.pidfd_open(monitor.pid)
    except OSError:
        return
    try:
        if monitor.alive:
            await wait_readable(watched)
    finally:
        os.close(watched)


def is_running(place: Path) -> bool:
    """Whether the monitor of the job in this folder still runs: the same process, not only the same number."""
    monitor = monitor_of(place)
    return monitor is not None and monitor.alive


def monitor_of(place: Path) -> Identity | None:
    """The monitor that a kept job's folder names."""
    known = read_json(place / STATUS_FILE)
    if known is None:
        return None
    return Identity(pid=cast("int", known["pid"]), start=cast("int", known["start"]), boot=cast("str", known["boot"]))


def exit_of(place: Path) -> Message | None:
    """What the monitor wrote at the end; None while it runs, or where it could not."""
    return read_json(place / EXIT_FILE)


def ask_to_stop(place: Path) -> bool:
    """Have the job's monitor end it; False where it does not run any more."""
    monitor = monitor_of(place)
    if monitor is None:
        return False
    try:
        watched = os.pidfd_open(monitor.pid)
    except OSError:
        return False
    try:
        # The descriptor holds on to one process, so what is alive now cannot be another one at the signal.
        if not monitor.alive:
            return False
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(watched, signal.SIGTERM)
            signal.pidfd_send_signal(watched, signal.SIGCONT)  # a stopped one hears nothing
        return True
    finally:
        os.close(watched)


def type_into(place: Path, content: bytes) -> None:
    """Hand this to a job's terminal. Raises OSError where it has none, BlockingIOError while it reads nothing."""
    typing = os.open(place / INPUT_FILE, os.O_WRONLY | os.O_NONBLOCK)
    try:
        os.write(typing, content)
    finally:
        os.close(typing)


def read_json(path: Path) -> Message | None:
    try:
        return cast("Message", json.loads(read_regular(path, LONGEST_FACTS) or b""))
    except ValueError:
        return None


def read_regular(path: Path, most: int) -> bytes | None:
    """The beginning of a file; None for none. What a command runs may put a pipe there, to which nobody writes."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(file, most) if S_ISREG(os.fstat(file).st_mode) else None
    finally:
        os.close(file)
