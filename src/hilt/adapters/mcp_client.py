"""The tools an MCP server offers, listed and nothing more: no tool of it is called here.

The server is started or connected to, asked, and left. What goes wrong on the way is
`ServerUnreachable`, with the last lines the server wrote to its standard error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import anyio

from hilt.adapters.upstream import HttpPlace, Limits, Place, ServerUnreachable, StdioPlace, Upstream

WAIT_S = 20.0
"""Seconds a server may take to start, and to list its tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTools:
    """What a server calls itself, and its tools as it wrote them."""

    name: str
    tools: tuple[Mapping[str, object], ...]


async def list_stdio(command: Sequence[str], *, wait_s: float = WAIT_S) -> ServerTools:
    """The tools of a server that is a command line. Raises `ServerUnreachable`."""
    return await _listed(PurePath(command[0]).name, StdioPlace(tuple(command)), wait_s)


async def list_http(url: str, *, wait_s: float = WAIT_S) -> ServerTools:
    """The tools of a server at a URL. Raises `ServerUnreachable`."""
    place = HttpPlace(url)
    return await _listed(place.shown, place, wait_s)


async def _listed(name: str, place: Place, wait_s: float) -> ServerTools:
    upstream = Upstream(name, place, Limits(start_s=wait_s, list_s=wait_s, tries=1))
    unreachable: ServerUnreachable | None = None
    tools: tuple[Mapping[str, object], ...] = ()
    async with anyio.create_task_group() as group:
        group.start_soon(upstream.run)
        try:
            tools = await upstream.tools()
        except ServerUnreachable as error:
            unreachable = error
        await upstream.close()
    if unreachable is not None:
        raise unreachable
    return ServerTools(name=upstream.server_name, tools=tools)


__all__ = ["ServerTools", "ServerUnreachable", "list_http", "list_stdio"]
