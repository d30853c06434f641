"""MCP: a runtime served over standard input and output, and its declarations in MCP's form.

    wire = claim_streams()          # before anything can print
    run_stdio(runtime, session, wire, version="1.0")

The SDK takes half a second to import, so what needs it is imported when a server starts.
"""

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import anyio

from hilt.adapters import mcp_forms as forms
from hilt.adapters.mcp_claim import Wire
from hilt.adapters.mcp_passing import Passing
from hilt.calls.adapter import Road
from hilt.calls.session import Session
from hilt.runtime.runtime import Runtime

Work = Callable[[], Coroutine[Any, Any, None]]

LAST_WORDS_S = 1.0
"""Seconds that a tool's thread which cannot be stopped may keep the process from ending."""


def offer(road: Road, session: Session) -> list[dict[str, object]]:
    """The tools of this session as `tools/list` gives them."""
    return forms.tools(road.offer(session))


def run_stdio(
    runtime: Runtime,
    session: Session,
    wire: Wire,
    *,
    version: str,
    structured: bool = False,
    passing: Passing | None = None,
    settling: Work | None = None,
    beside: Work | None = None,
    closing: Work | None = None,
) -> None:
    """Serve one client in this process; `beside` runs as long, and `closing` follows. The process is to end then.

    The first list of tools waits a while for `settling`, for servers behind that are not known yet.
    Tools' threads that hang are given `LAST_WORDS_S`; then the process ends with them.
    """

    async def serve() -> None:
        gc.freeze()  # what is loaded by now stays: the collector need not look at half a million objects again
        try:
            async with anyio.create_task_group() as group:
                if beside is not None:
                    group.start_soon(beside)
                await serve_stdio(
                    runtime, session, wire, version=version, structured=structured, passing=passing, settling=settling
                )
                group.cancel_scope.cancel()
        finally:
            if closing is not None:
                await closing()
            end_soon()

    anyio.run(serve)


async def serve_stdio(
    runtime: Runtime,
    session: Session,
    wire: Wire,
    *,
    version: str,
    instructions: str | None = None,
    structured: bool = False,
    passing: Passing | None = None,
    settling: Work | None = None,
) -> None:
    """Serve one client until it goes or the process is told to end; running calls are cancelled then.

    `structured` makes every tool promise the envelope as its output and every answer carry it.
    The runtime asks the client's person if its `person` is `mcp_people.ClientPerson`.
    """
    from hilt.adapters.mcp_server import ToolServer  # lazy: see above
    from hilt.adapters.mcp_stdio import open_streams

    incoming, outgoing = open_streams(wire)
    server = ToolServer(
        runtime,
        session,
        version=version,
        instructions=instructions,
        structured=structured,
        passing=passing,
        settling=settling,
    )
    async with anyio.create_task_group() as group:
        group.start_soon(_hang_up_when_told, incoming.hang_up)
        await server.serve(incoming, outgoing)
        group.cancel_scope.cancel()


async def _hang_up_when_told(hang_up: Callable[[], None]) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGHUP, signal.SIGINT) as signals:
        async for _ in signals:
            hang_up()


def end_soon() -> None:
    """End the process in a while even if a thread hangs: Python itself waits for its threads for ever."""

    def end() -> None:
        time.sleep(LAST_WORDS_S)
        sys.stderr.flush()
        os._exit(0)

    threading.Thread(target=end, daemon=True).start()
