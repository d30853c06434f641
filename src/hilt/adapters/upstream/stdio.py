"""A server that is a command: its pipes on the event loop, its process and all it starts ended whole."""

import asyncio
import json
import logging
import os
import shutil
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from anyio.abc import TaskStatus

from hilt.adapters.mcp_frames import FrameFault, read_frame
from hilt.adapters.upstream.faults import BrokenAnswer, CannotConnect, Lost, NotSent, TooLarge
from hilt.adapters.upstream.frames import Endless, Flood, Frames, LastLines, Oversize
from hilt.adapters.upstream.peer import Message, Peer
from hilt.adapters.upstream.places import Limits, StdioPlace
from hilt.adapters.upstream.wording import with_lines
from hilt.results.failures import ToolFailure
from hilt.workspace.commands.environment import command_environment
from hilt.workspace.processes import Command, Job, Processes

PIECE = 262_144
"""Bytes read, or written, at a time."""
MOST_UNSENT = 8 * 1_048_576
"""Bytes a server has not taken yet; beyond them it is busy."""
CALM_S = 0.002
"""Seconds for which a standard error that brings a whole piece at a time is left alone."""
LEAVE_S = 1.0
"""Seconds a server gets to end by itself once its input is closed."""
KILLED_S = 8.0
PATH_CHARS = 300

_log = logging.getLogger(__name__)
_INSTALLED_WITH = {"npx": "Node.js", "node": "Node.js", "uvx": "uv", "docker": "Docker"}
_REDIRECT = ("/bin/sh", "-c", 'exec "$@" >&3 2>&4 3>&- 4>&-', "hilt")
"""Gives the command the pipes at 3 and 4 as its two outputs, and becomes it."""


@asynccontextmanager
async def started(
    place: StdioPlace, peer: Peer, processes: Processes, limits: Limits, lines: LastLines
) -> AsyncGenerator["StdioLink"]:
    """The server, running, and gone with all it started when the context ends. Raises CannotConnect."""
    environment = {**command_environment().given, **place.env}
    folder = str((place.cwd or Path.cwd()).absolute())
    _look_for(place, environment, folder)
    input_, inner_input = os.pipe()[::-1]
    output, inner_output = os.pipe()
    errors, inner_errors = os.pipe()
    inner = (inner_input, inner_output, inner_errors)
    command = Command(
        argv=(*_REDIRECT, *place.command),
        folder=folder,
        environment=environment,
        stdin=inner_input,
        passes=(inner_output, inner_errors),
    )
    try:
        job = await processes.start(command)
    except ToolFailure as failure:
        _close(input_, output, errors)
        raise CannotConnect(failure.problem, failure.next_steps[0]) from None
    finally:
        _close(*inner)
    link = StdioLink(peer, job, (input_, output, errors), limits, lines)
    try:
        yield link
    finally:
        with anyio.CancelScope(shield=True):
            await link.close()


class StdioLink:
    """The pipes to a running server. `ended` is set when they are of no use any more, and `failure` says why."""

    def __init__(self, peer: Peer, job: Job, pipes: tuple[int, int, int], limits: Limits, lines: LastLines) -> None:
        self.failure: Exception = Lost("it is being closed")
        self._why = ""
        self._if_alive = "it closed its output"
        self.ended = anyio.Event()
        self._peer = peer
        self._job = job
        self._input, self._output, self._errors = pipes
        self._limits = limits
        self._lines = lines
        self._frames = Frames(limits.frame_bytes)
        self._unsent = bytearray()
        self._over = anyio.Event()
        self._strays = 0
        self._flood = Flood()
        self._loop = asyncio.get_running_loop()
        for each in pipes:
            os.set_blocking(each, False)
        peer.link = self
        self._loop.add_reader(self._output, self._read)
        self._loop.add_reader(self._errors, self._read_errors)

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Wait until the server is gone, or no longer usable; then end what is under way."""
        task_status.started()
        async with anyio.create_task_group() as group:
            group.start_soon(self._watch)
            await self._over.wait()
            group.cancel_scope.cancel()
        why = self._why or await self._ending()
        self.failure = Lost(with_lines(why, self._lines))
        self.ended.set()
        self._peer.end(self.failure)

    async def _watch(self) -> None:
        """Its own process may end while what it started holds the pipes open."""
        await self._job.wait(None)
        self._read()
        self._end()

    async def _ending(self) -> str:
        if not await self._job.wait(LEAVE_S):
            return self._if_alive
        while self._read_errors():
            pass
        self._lines.end()
        if self._job.failed is not None:
            return f"it could not be run: {os.strerror(self._job.failed)}"
        status = self._job.status
        if status is None:
            return "it was killed"
        return f"it ended with exit code {status}" if status >= 0 else f"it was killed by signal {-status}"

    def send(self, message: Message, /, *, id: int | None) -> None:
        """Write a message; nothing waits for the server to read it. Raises NotSent."""
        if self._over.is_set():
            raise NotSent(self._why or "it has just ended")
        if len(self._unsent) > MOST_UNSENT:
            raise NotSent(f"it has not read the last {len(self._unsent):,} bytes it was sent", busy=True)
        idle = not self._unsent
        self._unsent += json.dumps(message, separators=(",", ":")).encode() + b"\n"
        if idle and not self._flush():  # what has not come whole is no message to the server
            raise NotSent("it no longer reads")

    async def settle(self) -> None:
        """Nothing to wait for: what is sent arrives in its order."""

    def agreed(self, protocol: str) -> None:
        """Nothing to do: no message says which protocol it is in but by itself."""

    def learn(self, tools: Sequence[Message]) -> None:
        """Nothing to note: a message is all that is sent."""

    def abandon(self, id: int, /) -> None:
        """Tell the server that nobody waits any more; it may go on all the same."""
        self._peer.notify("notifications/cancelled", {"requestId": id, "reason": "the caller cancelled"})

    def _flush(self) -> bool:
        """Write what the pipe takes; False when the server reads no more."""
        while self._unsent:
            try:
                with memoryview(self._unsent) as view:
                    written = os.write(self._input, view[:PIECE])
            except (BlockingIOError, InterruptedError):
                self._loop.add_writer(self._input, self._flush)
                return True
            except OSError:
                self._loop.remove_writer(self._input)
                self._if_alive = "it closed its input"
                self._end()
                return False
            del self._unsent[:written]
        self._loop.remove_writer(self._input)
        return True

    def _read(self) -> None:
        if self._output < 0:
            return
        try:
            piece = os.read(self._output, PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        if not piece:
            self._loop.remove_reader(self._output)
            self._end()
        else:
            self._take_in(piece)

    def _take_in(self, piece: bytes) -> None:
        try:
            for line in self._frames.feed(piece):
                self._take(line)
            if self._flood.is_over(self._peer.unasked + self._strays, self._loop.time()):
                self._lose(self._flood.words)
        except Endless:
            self._lose("it writes a line without end to its standard output")
        except Exception as error:  # whatever it wrote, it must not be met again and again, nor by others
            _log.exception("a message of a server could not be taken in")
            self._lose(f"a message of it cannot be taken in ({type(error).__name__})")

    def _take(self, line: bytes | Oversize) -> None:
        if isinstance(line, Oversize):
            self._peer.received += self._limits.frame_bytes
            error = TooLarge(f"its answer is over {self._limits.frame_bytes:,} bytes")
            if not self._peer.fail(line.id, error) and line.id is None and self._peer.busy:
                self._lose("a message of it is too large to tell whom it answers")
        elif line.startswith(b"{"):
            self._peer.received += len(line)
            try:
                message = read_frame(line).message
            except FrameFault as fault:
                self._broken(line, fault)
            else:
                self._peer.receive(message)
        elif line.strip():
            self._stray(line)

    def _broken(self, line: bytes, fault: FrameFault) -> None:
        """Its writer is told apart from one who prints JSON for people by the word every message has."""
        if fault.id is not None or b'"jsonrpc"' in line:
            self._peer.fail(fault.id, BrokenAnswer(f"its answer is no JSON-RPC message: {fault.problem}"))
        self._stray(line)

    def _stray(self, line: bytes) -> None:
        self._strays += 1
        self._lines.add(line, origin="on its standard output: ")

    def _lose(self, why: str) -> None:
        self._why = self._why or why
        self._loop.remove_reader(self._output)
        self._end()

    def _end(self) -> None:
        """From now on nothing is sent; why it ended may take a moment to learn."""
        self._peer.link = None
        self._over.set()

    def _read_errors(self) -> bool:
        """Read a piece of its standard error; False when there is no more at present."""
        if self._errors < 0:
            return False
        try:
            piece = os.read(self._errors, PIECE)
        except OSError as fault:
            if not isinstance(fault, BlockingIOError):
                self._loop.remove_reader(self._errors)
            return False
        if not piece:
            self._loop.remove_reader(self._errors)
            return False
        self._lines.feed(piece)
        if len(piece) >= PIECE // 8:
            self._loop.remove_reader(self._errors)
            self._loop.call_later(CALM_S, self._listen_to_errors)
        return True

    def _listen_to_errors(self) -> None:
        if self._errors >= 0:
            self._loop.add_reader(self._errors, self._read_errors)

    async def close(self) -> None:
        """End the server and all it started: by closing its input, then by asking, then by force."""
        self._end()
        self._loop.remove_writer(self._input)
        self._loop.remove_reader(self._output)
        _close(self._input, self._output)
        self._output = -1
        if self._job.failed is None and not await self._job.wait(LEAVE_S, whole=True):
            self._job.stop()
            await self._job.wait(KILLED_S, whole=True)
        self._loop.remove_reader(self._errors)
        _close(self._errors)
        self._errors = -1
        await self._job.remove()


def _look_for(place: StdioPlace, environment: Mapping[str, str], folder: str) -> None:
    """Raises CannotConnect where the program or the folder is not there."""
    if not place.command:
        raise CannotConnect("its command is empty", "give the program and its arguments", final=True)
    program, path = place.command[0], environment.get("PATH", os.defpath)
    if not Path(folder).is_dir():
        raise CannotConnect(f"its folder {folder} is not there", "correct `cwd`", final=True)
    if os.sep in program:
        if os.access(Path(folder, program), os.X_OK):
            return
        raise CannotConnect(f"the program {program} is not there, or may not be run", "correct its path", final=True)
    if shutil.which(program, path=path) is None:
        known = _INSTALLED_WITH.get(program)
        shown = path if len(path) <= PATH_CHARS else path[: PATH_CHARS - 3] + "..."
        raise CannotConnect(
            f"the program `{program}` is not on the PATH it is started with ({shown})",
            f"install {known}, or give the program's whole path" if known else "give the program's whole path",
            final=True,
        )


def _close(*descriptors: int) -> None:
    for each in descriptors:
        with suppress(OSError):
            os.close(each)
