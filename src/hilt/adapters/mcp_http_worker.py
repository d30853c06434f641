"""One process that answers HTTP on a socket which others may answer on too."""

import gc
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection

import anyio
import uvicorn

from hilt.adapters.mcp import end_soon
from hilt.adapters.mcp_http_app import HttpServer
from hilt.adapters.mcp_http_plan import GRACE_S, Opened, Plan
from hilt.adapters.mcp_http_tokens import Callers

MOST_CONNECTIONS = 1_000
"""Connections a worker answers on; one more is told 503."""
LAST_WORD_S = 0.5
"""Seconds of the grace in which calls that still run are ended, and their clients told."""
READY = b"serves"


class _Web(uvicorn.Server):
    """uvicorn's server. Signals are ours to hear: it would raise them again before what we opened is closed."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def run_worker(plan: Plan, listener: socket.socket, line: Connection, speaks: bool) -> None:  # noqa: FBT001 - as spawned
    """One of several workers, in a process of its own. `line` leads to whoever watches: it ends when they do."""

    def ready() -> None:
        with suppress(OSError):
            line.send_bytes(READY)

    def follow() -> None:
        with suppress(EOFError, OSError):
            line.recv_bytes()
        os.kill(os.getpid(), signal.SIGTERM)

    for each in (signal.SIGINT, signal.SIGHUP):  # of a terminal, to the whole group: whoever watches passes it on
        signal.signal(each, signal.SIG_IGN)
    threading.Thread(target=follow, daemon=True).start()
    run(plan, listener, ready=ready, speaks=speaks, signals=(signal.SIGTERM,))


def run(
    plan: Plan,
    listener: socket.socket,
    *,
    ready: Callable[[], None],
    speaks: bool,
    signals: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
) -> None:
    """Serve until told to end. The process is to end then: threads of tools that hang are given a moment."""
    opened = plan.open(speaks)
    gc.freeze()  # as over stdio: what is loaded by now stays
    anyio.run(partial(_serve, plan, opened, listener, ready, signals))


async def _serve(
    plan: Plan,
    opened: Opened,
    listener: socket.socket,
    ready: Callable[[], None],
    signals: tuple[signal.Signals, ...],
) -> None:
    server = HttpServer(
        opened.runtime,
        Callers(plan.tokens, plan.scope),
        version=plan.version,
        structured=plan.structured,
        passing=opened.passing,
        settling=opened.settling,
        hosts=plan.hosts,
        origins=plan.origins,
        know=opened.know,
    )
    web = _Web(_settings(server))
    try:
        async with server.open(), anyio.create_task_group() as group:
            await group.start(_leave_when_told, server, web, signals)
            group.start_soon(opened.beside)
            ready()
            await web.serve(sockets=[listener])
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await opened.closing()
        end_soon()


def _settings(server: HttpServer) -> uvicorn.Config:
    """No word of a client decides who it is, and nothing it sends is logged."""
    return uvicorn.Config(
        server.app,
        lifespan="off",
        ws="none",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_S,
    )


async def _leave_when_told(
    server: HttpServer,
    web: uvicorn.Server,
    signals: tuple[signal.Signals, ...],
    *,
    task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    with anyio.open_signal_receiver(*signals) as told:
        task_status.started()
        async for _ in told:
            server.hang_up()
            web.should_exit = True
            await anyio.sleep(GRACE_S - LAST_WORD_S)
            server.end_calls()
