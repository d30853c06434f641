"""`hilt serve`: the tools, offered to an MCP client over standard input and output, or to many over HTTP.

The client's pipes are claimed before the tools are loaded, so that nothing can print into them.
"""

import sys
from functools import partial
from pathlib import Path

import anyio
import click

from hilt.adapters.mcp import run_stdio
from hilt.adapters.mcp_claim import claim_streams
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.serve_asked import HOST, PORT, Asked
from hilt.cli.verb import Place, places, verb
from hilt.cli.version import VERSION


@verb(says="offer the tools to MCP clients")
@places
@click.option("--structured", is_flag=True, help="Also answer with structuredContent, for clients that are programs.")
@click.option("--http", is_flag=True, help="Serve over HTTP, to any number of clients that send a token.")
@click.option("--host", default=HOST, show_default=True, metavar="HOST", help="With --http: the address to listen on.")
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65_535), help="0 takes a free one.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes that answer.")
@click.option(
    "--token-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Tokens, one a line, each with the name of its principal before it; else HILT_TOKEN, else one is made.",
)
@click.option("--allow-origin", multiple=True, metavar="URL", help="A web page's origin that may call; none may else.")
def command(
    out: Out,
    place: Place,
    *,
    structured: bool,
    http: bool,
    host: str,
    port: int,
    workers: int,
    token_file: Path | None,
    allow_origin: tuple[str, ...],
) -> int:
    """Speaks MCP on standard input and output until the client goes; what tools print goes to
    standard error. A call that needs leave is put to the person at the client, if it can ask.

    With --http it answers at http://HOST:PORT/mcp until it is told to end. Every request needs a token.
    """
    if http:
        from hilt.cli.serve_http import serve_over_http  # lazy: over pipes none of it is needed

        asked = Asked(host=host, port=port, workers=workers, token_file=token_file, origins=allow_origin)
        return serve_over_http(out, place, asked, structured=structured)
    return _serve_stdio(out, place, structured=structured)


def _serve_stdio(out: Out, place: Place, *, structured: bool) -> int:
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
        passing=assembled.gateway.passing if assembled.gateway else None,
        settling=assembled.gateway.ready if assembled.gateway else None,
        beside=partial(_beside, assembled),
        closing=assembled.close,
    )
    if assembled.trace.dropped:
        out.note(f"{assembled.trace.dropped} events were not kept: {assembled.trace.fault}")
    return Code.FINE


async def _beside(assembled: Assembled) -> None:
    """What goes on while a client is served: the trace is written, late words are heard, servers behind are run."""
    async with anyio.create_task_group() as group:
        if assembled.gateway is not None:
            group.start_soon(assembled.gateway.run)
        group.start_soon(assembled.trace.keep_flushing)
        group.start_soon(assembled.runtime.keep_answering, assembled.session)
