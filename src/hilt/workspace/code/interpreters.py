"""`Interpreters`: the part that lends Python processes, fresh for one call or kept for a session."""

import json
import os
import secrets
import select
import socket
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NotRequired
from weakref import finalize

from anyio import CancelScope, Lock, create_task_group, move_on_after, sleep_forever, to_thread, wait_readable
from anyio.abc import TaskGroup
from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.session import Session
from hilt.results.failures import EnvironmentFailure, Retryable
from hilt.workspace.code.limits import CHUNK_BYTES, REPLY_BYTES
from hilt.workspace.code.written import Known
from hilt.workspace.processes import Command, Job, Processes
from hilt.workspace.processes.command import KEPT_BYTES

MOST_KEPT = 8
"""Processes kept at once, of all sessions; the one unused for longest makes room."""
BLOCK_BYTES = 1 << 20
MOST_AT_ONCE = 64
"""Packets taken in before others get their turn."""
FILES = "files"
_TOKEN_BYTES = 8
_SOURCE = str(Path(__file__).parents[3])
# The rooms' front doors stay shut: they import what takes longer to load than most code takes to run.
_START = """
import sys, types
for name in ("hilt", "hilt.workspace", "hilt.workspace.code"):
    room = types.ModuleType(name)
    room.__path__ = [sys.argv[1] + "/" + name.replace(".", "/")]
    sys.modules[name] = room
from hilt.workspace.code.worker import serve
serve(sys.argv[2])
"""
_PYTHON = (sys.executable, "-I", "-X", "utf8", "-c", _START, _SOURCE)


class Fault(TypedDict):
    """An exception of the code's: where it was raised, the code's own lines that led there, and what it `holds`."""

    type: str
    message: str
    line: NotRequired[int]
    trace: NotRequired[list[str]]
    after: NotRequired[str]
    holds: NotRequired[list[str]]


class Reply(TypedDict):
    """What the child tells of one call. `length` is the whole length of a result that may be cut."""

    result: NotRequired[str]
    length: NotRequired[int]
    error: NotRequired[Fault]


_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How one call ended. Its output stands in the log from `start` on, `early` bytes of it from before the call.

    `reply` is None where the code ended its process, or time did. `out_of_time` with a reply means that
    what the code had started went on behind its last line.
    """

    reply: Reply | None
    out_of_time: bool
    status: int | None
    start: int
    early: int
    left: tuple[str, ...] = ()


class Interpreter:
    """One Python process below the launcher, its folder of files, and what it has written."""

    def __init__(self, job: Job, channel: socket.socket, *, keep: bool) -> None:
        self.job = job
        self.files = job.place / FILES
        self.keep = keep
        self.used = time.monotonic()
        self.busy = False
        self.known: Known = {}
        self.calls = 0
        self._channel = channel
        self._hang_up = finalize(self, channel.close)
        self._read = 0

    async def run(self, code: str, timeout_s: float) -> Ran:
        """Run code and wait for its end. Only a kept process lives on, and only where it answered in time.

        Raises EnvironmentFailure where no Python runs.
        """
        self.calls += 1
        began, token = time.monotonic(), secrets.token_hex(_TOKEN_BYTES)
        start, early = self._read, self.job.written - self._read
        self._ask({"code": code, "token": token, "keep": self.keep})
        if (number := await self.job.started()) is not None:
            raise EnvironmentFailure(
                f"{sys.executable} cannot be run: {os.strerror(number)}", "report it to the person; do it another way"
            )
        reply = await self._reply(token, timeout_s)
        left: tuple[str, ...] = ()
        late = False
        if not (self.keep and reply is not None):
            late, left = await self._end(timeout_s - (time.monotonic() - began))
        self._read, self.used = self.job.written, time.monotonic()
        return Ran(
            reply=reply,
            out_of_time=late,
            status=self.job.status,
            start=start,
            early=early if self.keep else 0,
            left=left,
        )

    @property
    def alive(self) -> bool:
        """Whether it can take another call: it runs, and the log of its output has room."""
        runs = self.job.is_open and self.job.ended is None and not self.job.left
        return runs and self.job.written < KEPT_BYTES and not _hung_up(self._channel)

    async def output(self, start: int) -> AsyncGenerator[bytes]:
        """What stands in the log from `start` to where it ends now, block by block."""
        end = self.job.written
        while start < end:
            block = await to_thread.run_sync(os.pread, self.job.log, min(BLOCK_BYTES, end - start), start)
            start += len(block)
            yield block

    def close(self) -> None:
        """End it and all it started."""
        self.job.close()
        self._hang_up()

    async def remove(self) -> None:
        """End it, and remove its files."""
        self.close()
        await self.job.remove()

    def _ask(self, request: object) -> None:
        memory = os.memfd_create("call", os.MFD_CLOEXEC)
        with open(memory, "wb") as file:
            file.write(json.dumps(request).encode())
            file.flush()
            file.seek(0)
            try:
                socket.send_fds(self._channel, [b"call"], [memory], socket.MSG_NOSIGNAL)
            except OSError:  # it is gone, and its end is seen below
                return

    async def _reply(self, token: str, timeout_s: float) -> Reply | None:
        """The answer to this call; None where the process ended without one, or time passed."""
        hears = _Hears(self._channel, token)
        with move_on_after(timeout_s):
            async with create_task_group() as group:
                group.start_soon(self._watch, group)
                await hears.whole()
                group.cancel_scope.cancel()
        return hears.now()

    async def _watch(self, group: TaskGroup) -> None:
        await self.job.wait(None)
        group.cancel_scope.cancel()

    async def _end(self, rest_s: float) -> tuple[bool, tuple[str, ...]]:
        """See the process to its end: whether that was out of time, and what it had left running."""
        over = await self.job.wait(max(0.0, rest_s))
        left = tuple(f"{each.pid} {each.command}" for each in self.job.left)
        if self.job.ended is None:
            self.job.stop()
            await self.job.wait(None, whole=True)
        return not over, left


class _Hears:
    """Puts the packets of one answer together; what lacks the call's token is nobody's."""

    def __init__(self, channel: socket.socket, token: str) -> None:
        self._channel = channel
        self._token = token.encode()
        self._content = bytearray()
        self._last = self._gone = False

    async def whole(self) -> None:
        """Return when the answer is there; the end of the process is for others to see."""
        while not self._take():
            await wait_readable(self._channel)
        if self._gone:
            await sleep_forever()

    def now(self) -> Reply | None:
        """The answer, if it is there by now and is one."""
        self._take()
        if not self._last:
            return None
        try:
            return _REPLY.validate_json(bytes(self._content))
        except ValidationError:
            return None

    def _take(self) -> bool:
        """Take in what has come; whether no more is to be waited for."""
        empty = 0
        for _ in range(MOST_AT_ONCE):
            if self._last:
                break
            try:
                packet = self._channel.recv(2 * CHUNK_BYTES)
            except BlockingIOError:
                return False
            except OSError:
                packet = b""
            empty += not packet
            if packet.startswith(self._token) and len(self._content) <= REPLY_BYTES:
                mark = len(self._token)
                self._content += packet[mark + 1 :]
                self._last = packet[mark : mark + 1] == b"."
        self._gone = empty == MOST_AT_ONCE and _hung_up(self._channel)  # for the code may send an empty packet
        return self._last or self._gone


def _hung_up(channel: socket.socket) -> bool:
    """Whether nobody is at the other side any more."""
    if channel.fileno() < 0:
        return True
    ends = select.poll()
    ends.register(channel, select.POLLHUP)
    return bool(ends.poll(0))


Owner = tuple[str, str]
"""Whose a kept process is: the principal and the session."""


class Interpreters:
    """Lends interpreters. Those that are kept end when the part's `Processes` are closed, or nobody calls for long."""

    def __init__(self, processes: Processes) -> None:
        self.processes = processes
        self._kept: dict[Owner, Interpreter] = {}
        self._lock = Lock()

    @asynccontextmanager
    async def take(self, session: Session, *, keep: bool) -> AsyncGenerator[Interpreter]:
        """An interpreter for one call: the session's own with `keep`, started where there is none; else a fresh one.

        Raises Retryable while the session's own is at work, or too many are.
        """
        interpreter = await self._own((session.principal, session.id)) if keep else await self._start(keep=False)
        try:
            yield interpreter
        except BaseException:
            self._forget(interpreter)
            interpreter.close()
            with CancelScope(shield=True):
                await interpreter.remove()
            raise
        interpreter.busy = False
        if not (keep and interpreter.alive):
            self._forget(interpreter)
            await interpreter.remove()

    async def _own(self, owner: Owner) -> Interpreter:
        """The session's own, taken for a call. One at a time is looked for, or two calls would start two."""
        async with self._lock:
            found = self._running(owner) or await self._new(owner)
            found.busy = True
            return found

    def _running(self, owner: Owner) -> Interpreter | None:
        found = self._kept.get(owner)
        if found is not None and found.busy:
            raise Retryable(
                "the kept process of this session is still at work for another call",
                "wait for that call's answer",
                "leave keep out for a process of its own",
            )
        return found if found is not None and found.alive else None

    async def _new(self, owner: Owner) -> Interpreter:
        gone = self._kept.pop(owner, None)
        if gone is not None:
            await gone.remove()
        await self._make_room()
        made = self._kept[owner] = await self._start(keep=True)
        return made

    async def _make_room(self) -> None:
        while len(self._kept) >= MOST_KEPT:
            idle = [name for name, each in self._kept.items() if not each.busy]
            if not idle:
                raise Retryable(
                    f"{MOST_KEPT} kept processes are at work already",
                    "wait for one to answer",
                    "leave keep out for a process of its own",
                )
            await self._kept.pop(min(idle, key=lambda name: self._kept[name].used)).remove()

    def _forget(self, interpreter: Interpreter) -> None:
        self._kept = {name: each for name, each in self._kept.items() if each is not interpreter}

    async def _start(self, *, keep: bool) -> Interpreter:
        place = self.processes.new_place()
        files = place / FILES
        files.mkdir(mode=0o700)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(0)
        command = Command(
            argv=(*_PYTHON, str(files)), folder=str(files), passes=(theirs.fileno(),), writes=(str(files),)
        )
        try:
            with theirs:
                job = await self.processes.start(command, place=place)
        except BaseException:
            ours.close()
            raise
        return Interpreter(job, ours, keep=keep)
