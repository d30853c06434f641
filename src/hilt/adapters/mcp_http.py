"""MCP over HTTP: one listening socket, and the processes that answer on it.

    serve_http(plan, listen("127.0.0.1", 8765), workers=4)

What needs the SDK is imported in the worker. Workers are spawned, never forked: a fork would copy
threads' locks and open connections of the store.
"""

import errno
import multiprocessing
import os
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from hilt.adapters.mcp_http_plan import GRACE_S, Plan
from hilt.errors import ConfigError, HiltError

BACKLOG = 2_048
"""Connections that wait for a worker, at most."""
REAP_S = 5.0
"""Seconds beyond the grace after which a worker that does not end is ended."""
MOST_STARTS = 3
"""Workers in a row that may end before they serve; then the server ends, for the next would too."""
PAUSE_S = 0.5
"""Seconds before the place of a worker that never served is filled again."""


class WorkersFailed(HiltError):
    """No worker came so far as to serve."""

    unreachable = True


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises `ConfigError` when the address cannot be had."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        # Connections inherit it. An answer is written in two pieces, and the second would wait 40 ms for an echo.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as error:
        nowhere = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
        step = "name an address of this machine" if nowhere else "take another: --port 0"
        why = (error.strerror or str(error)).partition(" (")[0]
        raise ConfigError(f"{host} port {port} cannot be listened on: {why}", step) from None


def address(listener: socket.socket) -> tuple[str, int]:
    """Host and port, as they were bound."""
    host, port = listener.getsockname()[:2]
    return str(host), int(port)


def serve_http(plan: Plan, listener: socket.socket, *, workers: int, ready: Callable[[], None]) -> None:
    """Serve until told to end by SIGTERM, SIGINT or SIGHUP. `ready` is called when the first worker serves.

    One worker is this process itself; several are watched, and one that dies is replaced.
    Raises `WorkersFailed`.
    """
    if workers == 1:
        from hilt.adapters.mcp_http_worker import run  # lazy: the SDK takes half a second to import

        run(plan, listener, ready=ready, speaks=True)
        return
    _Workers(plan, listener, workers, ready).watch()


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    line: Connection
    serves: bool = False


class _Workers:
    """Processes that share the socket. Each holds one end of a line: it says when it serves, and ends when we do."""

    def __init__(self, plan: Plan, listener: socket.socket, count: int, ready: Callable[[], None]) -> None:
        self._plan = plan
        self._listener = listener
        self._count = count
        self._ready: Callable[[], None] | None = ready
        self._context = multiprocessing.get_context("spawn")
        self._living: dict[int, _Worker] = {}
        self._failed = 0

    def watch(self) -> None:
        """Keep as many workers as there are to be, until told to end."""
        with _told_to_end() as told:
            try:
                for _ in range(self._count):
                    self._start()
                while not self._look(told):
                    pass
            finally:
                self._end()

    def _start(self) -> None:
        from hilt.adapters.mcp_http_worker import run_worker  # lazy: see `serve_http`

        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=run_worker, args=(self._plan, self._listener, theirs, not self._living and self._ready is not None)
        )
        process.start()
        theirs.close()
        self._living[process.sentinel] = _Worker(process=process, line=ours)

    def _look(self, told: int) -> bool:
        """Wait for the next thing that happens; whether it was the word to end."""
        lines = {each.line: each for each in self._living.values() if not each.serves}
        happened = wait([told, *self._living, *lines])
        for each in happened:
            if isinstance(each, Connection):
                self._serves(lines[each])
        for each in happened:
            if each == told:
                return True
            if isinstance(each, int):
                self._replace(self._living.pop(each))
        return False

    def _serves(self, worker: _Worker) -> None:
        with suppress(EOFError, OSError):  # its end is seen by its sentinel
            worker.line.recv_bytes()
            self._failed = 0
            if self._ready is not None:
                self._ready()
                self._ready = None
        worker.serves = True

    def _replace(self, worker: _Worker) -> None:
        worker.process.join()
        worker.line.close()
        code = worker.process.exitcode
        sys.stderr.write(f"note: worker {worker.process.pid} ended with {code}; another takes its place\n")
        sys.stderr.flush()
        if not worker.serves:
            self._failed += 1
            if self._failed >= MOST_STARTS:
                raise WorkersFailed(
                    f"{self._failed} workers ended before they served, the last with {code}",
                    "see what they wrote above; --workers 1 says more",
                )
            time.sleep(PAUSE_S)
        self._start()

    def _end(self) -> None:
        self._listener.close()
        workers = deque(self._living.values())
        for each in workers:
            with suppress(ProcessLookupError):
                each.process.terminate()
        deadline = time.monotonic() + GRACE_S + REAP_S
        for each in workers:
            each.process.join(max(deadline - time.monotonic(), 0))
            if each.process.exitcode is None:
                each.process.kill()
                each.process.join()
            each.line.close()


@contextmanager
def _told_to_end() -> Generator[int]:
    """A descriptor that can be read once this process is told to end."""
    read, write = os.pipe()
    os.set_blocking(write, False)

    def tell(number: int, frame: object) -> None:
        with suppress(BlockingIOError):
            os.write(write, b"!")

    before = {each: signal.signal(each, tell) for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    try:
        yield read
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        os.close(read)
        os.close(write)
