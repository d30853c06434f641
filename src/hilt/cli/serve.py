"""`hilt serve`: the tools, offered to an MCP client over standard input and output.

The client's pipes are claimed before anything else is loaded, so that nothing can print into them.
"""

import os
import sys
import threading
import time
from functools import partial

import anyio
import click

from hilt.adapters.mcp_claim import Wire, claim_streams
from hilt.assembly.build import Assembled, open_runtime
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb
from hilt.cli.version import VERSION

LAST_WORDS_S = 2.0
"""Seconds a tool's thread that cannot be stopped may keep the process from ending."""


@verb(says="offer the tools to an MCP client")
@places
@click.option("--structured", is_flag=True, help="Also answer with structuredContent, for clients that are programs.")
def command(out: Out, place: Place, *, structured: bool) -> int:
    """Speaks MCP on standard input and output until the client goes; what tools print goes to
    standard error. A call that needs leave is put to the person at the client, if it can ask.
    """
    wire = claim_streams()
    from hilt.adapters.mcp_people import ClientPerson  # lazy: the SDK, after the streams are safe

    assembled = open_runtime(place.workspace, person=ClientPerson())
    for note in assembled.notes:
        out.note(note)
    anyio.run(partial(_serve, assembled, wire, structured=structured))
    return Code.FINE


async def _serve(assembled: Assembled, wire: Wire, *, structured: bool) -> None:
    from hilt.adapters.mcp import serve_stdio

    async with assembled:
        await serve_stdio(assembled.runtime, assembled.session, wire, version=VERSION, structured=structured)
    _end_soon()


def _end_soon() -> None:
    """End the process although a tool's thread may hang: Python itself would wait for it for ever."""

    def end() -> None:
        time.sleep(LAST_WORDS_S)
        sys.stderr.flush()
        os._exit(Code.FINE)

    threading.Thread(target=end, daemon=True).start()
