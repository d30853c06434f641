"""The tools an MCP server offers, listed and nothing more: no tool of it is called here.

The server is started or connected to, asked, and left. What goes wrong on the way is
`ServerUnreachable`, with the last lines the server wrote to its standard error.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, cast

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from hilt.errors import HiltError

WAIT_S = 20.0
"""Seconds a server may take to start and to list its tools."""
TAIL_LINES = 5
TAIL_BYTES = 4_096
MOST_PAGES = 1_000
"""Pages of one list; a server that never ends its list is broken."""


class ServerUnreachable(HiltError):
    """An MCP server did not start, did not answer, or answered without a list of tools."""

    unreachable = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTools:
    """What a server calls itself, and its tools as it wrote them."""

    name: str
    tools: tuple[Mapping[str, object], ...]


async def list_stdio(command: Sequence[str], *, wait_s: float = WAIT_S) -> ServerTools:
    """The tools of a server that is a command line. Raises `ServerUnreachable`."""
    program, *arguments = command
    parameters = StdioServerParameters(command=program, args=list(arguments))
    shown = " ".join(command)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            return await _listed(Client(stdio_client(parameters, errlog=errors)), PurePath(program).name, wait_s)
        except (OSError, ValueError, MCPError, TimeoutError, ExceptionGroup) as error:
            raise _unreachable(f"the server `{shown}`", error, _tail(errors), f"run it by hand: {shown}") from None


async def list_http(url: str, *, wait_s: float = WAIT_S) -> ServerTools:
    """The tools of a server at a URL. Raises `ServerUnreachable`."""
    try:
        return await _listed(Client(streamable_http_client(url)), url, wait_s)
    except (OSError, ValueError, MCPError, TimeoutError, ExceptionGroup) as error:
        raise _unreachable(f"the server at {url}", error, "", f"check the address: curl -i {url}") from None


async def _listed(client: Client, fallback: str, wait_s: float) -> ServerTools:
    found: list[Mapping[str, object]] = []
    with anyio.fail_after(wait_s):
        async with client:
            cursor: str | None = None
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += [each.model_dump(by_alias=True, exclude_none=True, mode="json") for each in page.tools]
                cursor = page.next_cursor
                if not cursor:
                    break
            server = client.server_info
            return ServerTools(name=server.name if server and server.name else fallback, tools=tuple(found))


def _unreachable(server: str, error: BaseException, tail: str, step: str) -> ServerUnreachable:
    first = error
    while isinstance(first, ExceptionGroup):
        first = cast("ExceptionGroup[Exception]", first).exceptions[0]
    why = "it did not answer in time" if isinstance(first, TimeoutError) else str(first) or type(first).__name__
    said = f"; it last wrote: {tail}" if tail else ""
    return ServerUnreachable(f"{server} cannot be asked for its tools: {why}{said}", step)


def _tail(errors: IO[str]) -> str:
    errors.flush()
    size = errors.seek(0, 2)
    errors.seek(max(size - TAIL_BYTES, 0))
    lines = [line.strip() for line in errors.read().splitlines() if line.strip()]
    return " | ".join(lines[-TAIL_LINES:])
