"""One command that was started: how it stands, what it wrote, and the ways to end it."""

import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from anyio import Lock, move_on_after, to_thread, wait_readable

from hilt.workspace.processes.command import EXIT_FILE, LOG_FILE, STATUS_FILE
from hilt.workspace.processes.guarding import mend
from hilt.workspace.processes.identity import identity
from hilt.workspace.processes.messages import Message, receive, send, write_json

QUICKLY_REMOVED = 1 << 20
"""Bytes of a log that is removed where one is; a larger one is handed to a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A process that goes on after the command that started it."""

    pid: int
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """A part of the output that was not kept: where in the log, and how long."""

    at: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """That nothing of a command is left. `stopped` says who ended it, empty where it ended by itself.

    `status` is the exit code, negative for a signal, None where nobody saw the end: its monitor
    was killed, and the launcher has ended what it left. `mended` says what of protected names was
    put right.
    """

    status: int | None
    total: int
    gap: Gap | None = None
    stopped: str = ""
    seconds: float = 0.0
    mended: tuple[str, ...] = ()


class Job:
    """A started command of this process. Its log grows while it runs; nothing is read ahead.

    `status` is the command's exit code, negative for the signal that ended it, None while it runs;
    `left` are processes of it that go on behind it; `ended` is set when nothing is left. These
    change only in `wait`. All is ended when the job is closed, or its host dies, unless it was put in
    the background to be kept.
    """

    def __init__(self, place: Path, channel: socket.socket, log: int, emptied: Callable[[Path], None]) -> None:
        self.place = place
        self.kept = False
        self.status: int | None = None
        self.left: tuple[Left, ...] = ()
        self.ended: Ended | None = None
        self.failed: int | None = None
        self._channel = channel
        self._log = log
        self._emptied = emptied
        self._lock = Lock()
        self._started = False
        self._monitor = 0
        self.is_open = True

    @property
    def log_path(self) -> Path:
        """The file of all output, for whoever may open it."""
        return self.place / LOG_FILE

    @property
    def log_is_there(self) -> bool:
        """Whether that path still is the log: what runs may have removed or replaced it."""
        try:
            return os.path.samestat(os.lstat(self.log_path), os.fstat(self._log))
        except OSError:
            return False

    @property
    def log(self) -> int:
        """A descriptor of the log, open while the job is."""
        return self._log

    @property
    def written(self) -> int:
        """Bytes in the log now."""
        return os.fstat(self._log).st_size

    async def started(self) -> int | None:
        """Wait until it runs: None, or the number of the system's error why it does not."""
        async with self._lock:
            while not self._started and self.ended is None:
                await self._hear()
        return self.failed

    async def wait(self, seconds: float | None, *, whole: bool = False) -> bool:
        """Wait until the command has ended, with `whole` all it started too; False when time passed first."""
        with move_on_after(seconds):
            async with self._lock:
                while not self._over(whole=whole):
                    await self._hear()
        return self._over(whole=whole)

    def _over(self, *, whole: bool) -> bool:
        return self.ended is not None or (bool(self.left) and not whole)

    def stop(self) -> None:
        """Ask everything of it to end, and kill what does not within `STOP_GRACE_S`. `wait` tells of the end."""
        self._say({"stop": True})

    async def background(self, *, keep: bool) -> None:
        """Write into its folder who runs it, and have its end written there; `keep` lets it outlive this process."""
        self.kept = keep
        monitor = identity(self._monitor)
        if monitor is not None:
            write_json(str(self.place / STATUS_FILE), {**asdict(monitor), "began": time.time()})
        try:
            send(self._channel, {"background": keep})
        except OSError:  # it has ended, and says so
            await self.wait(None, whole=True)
            if self.ended is not None:
                write_json(str(self.place / EXIT_FILE), asdict(self.ended))

    def open_log(self) -> int:
        """A new descriptor of the log, also where its file was removed; the caller closes it."""
        return os.dup(self._log)

    def close(self) -> None:
        """End all that is left, unless it is kept, and let go of the log."""
        if self.is_open:
            self.is_open = False
            self._channel.close()
            os.close(self._log)

    async def remove(self) -> None:
        """Close it, and remove its folder with the log."""
        small = self.is_open and self.written <= QUICKLY_REMOVED
        over = self.ended is not None and self.ended.stopped != "lost"
        self.close()
        if small and over and not self.kept and _empty(self.place):
            self._emptied(self.place)
        elif small:  # two hops to a thread and back cost as much as a short command
            shutil.rmtree(self.place, ignore_errors=True)
        else:
            await to_thread.run_sync(lambda: shutil.rmtree(self.place, ignore_errors=True))

    def _say(self, message: Message) -> None:
        with suppress(OSError):
            send(self._channel, message)

    async def _hear(self) -> None:
        """Take in the next message of the monitor, waiting for it; none ever comes twice."""
        while True:
            try:
                message, _ = receive(self._channel)
            except BlockingIOError:
                await wait_readable(self._channel)
            else:
                break
        if message is None:
            mended = () if self.ended else tuple(mend(str(self.place)))
            self.ended = self.ended or Ended(status=None, total=self.written, stopped="lost", mended=mended)
        elif "started" in message:
            self._started, self._monitor = True, cast("int", message["started"])
        elif "failed" in message:
            self.failed = int(cast("int", message["failed"]))
            self.ended = Ended(status=None, total=0)
        elif "left" in message:
            self.status = cast("int | None", message["status"])
            found = cast("list[tuple[int, str]]", message["left"])
            self.left = tuple(Left(pid=pid, command=command) for pid, command in found)
        else:
            self.ended = ended_from(cast("Message", message["ended"]))
            self.status, self.left = self.ended.status, ()


def _empty(place: Path) -> bool:
    """Remove the files and empty folders of a folder; False where it holds more, or is gone."""
    try:
        for name in os.listdir(place):
            try:
                os.unlink(place / name)
            except IsADirectoryError:
                os.rmdir(place / name)
    except OSError:
        return False
    return True


def ended_from(message: Message) -> Ended:
    """What a monitor said or wrote at the end."""
    gap = cast("Mapping[str, int] | None", message["gap"])
    return Ended(
        status=cast("int | None", message["status"]),
        total=cast("int", message["total"]),
        gap=Gap(at=gap["at"], bytes=gap["bytes"]) if gap else None,
        stopped=cast("str", message["stopped"]),
        seconds=cast("float", message["seconds"]),
        mended=tuple(map(str, cast("list[object]", message.get("mended", ())))),
    )
