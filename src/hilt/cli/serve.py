"""`hilt serve`: the tools, offered to an MCP client over standard input and output.

The client's pipes are claimed before the tools are loaded, so that nothing can print into them.
"""

import sys
from functools import partial

import anyio
import click

from hilt.adapters.mcp import run_stdio
from hilt.adapters.mcp_claim import claim_streams
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb
from hilt.cli.version import VERSION


@verb(says="offer the tools to an MCP client")
@places
@click.option("--structured", is_flag=True, help="Also answer with structuredContent, for clients that are programs.")
def command(out: Out, place: Place, *, structured: bool) -> int:
    """Speaks MCP on standard input and output until the client goes; what tools print goes to
    standard error. A call that needs leave is put to the person at the client, if it can ask.
    """
    if sys.stdin.isatty():
        out.note("waiting for an MCP client on standard input; name this command in a client's settings (docs/mcp.md)")
    wire = claim_streams()
    from hilt.adapters.mcp_people import ClientPerson  # lazy: `hilt serve --help` need not load the SDK

    config = read_config(place.workspace, file=place.config, settings=place.settings)
    assembled = open_runtime(
        place.workspace, config=config, person=ClientPerson(inbox=config.value("review.inbox") is True)
    )
    for note in assembled.notes:
        out.note(note)
    run_stdio(
        assembled.runtime,
        assembled.session,
        wire,
        version=VERSION,
        structured=structured,
        beside=partial(_beside, assembled),
        closing=assembled.close,
    )
    if assembled.trace.dropped:
        out.note(f"{assembled.trace.dropped} events were not kept: {assembled.trace.fault}")
    return Code.FINE


async def _beside(assembled: Assembled) -> None:
    """What goes on while a client is served: the trace is written, and late words are heard."""
    async with anyio.create_task_group() as group:
        group.start_soon(assembled.trace.keep_flushing)
        group.start_soon(assembled.runtime.keep_answering, assembled.session)
