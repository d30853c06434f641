"""What a system gives when it is opened, and the client of MCP that two of them share."""

import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from economy.talk import Answering, declared


@dataclass(frozen=True, kw_only=True)
class Opened:
    """`declared` is tokens by tool; `talking` opens one conversation, as fresh as the system allows.

    `resident` names the tools that a system says are always in the request, where it tells them apart.
    `listing`, when a system keeps tasks itself, is the call that lists them; the runner makes it
    after the job and does not count it.
    """

    declared: dict[str, int]
    talking: Callable[[], AbstractAsyncContextManager[Answering]]
    resident: tuple[str, ...] = ()
    listing: str = ""
    versions: Sequence[str] = field(default_factory=tuple)


Opener = Callable[[Path, Path], AbstractAsyncContextManager[Opened]]
"""Given the workspace and an empty home folder."""


def environment(home: Path) -> dict[str, str]:
    """A system's environment: a home of its own, this Python and its programs first on the path."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR")}
    path = f"{Path(sys.executable).parent}:{kept.get('PATH', '')}"
    return kept | {"HOME": str(home), "PATH": path, "GIT_PAGER": "cat", "PYTHONDONTWRITEBYTECODE": "1"}


@asynccontextmanager
async def servers(commands: Sequence[Sequence[str]], root: Path, home: Path) -> AsyncIterator[Opened]:
    """MCP servers over stdio as one system."""
    from mcp import StdioServerParameters
    from mcp.client.client import Client

    async with AsyncExitStack() as stack:
        log = stack.enter_context((home / "servers.log").open("w"))
        owner, costs = {}, {}
        for program, *arguments in commands:
            server = StdioServerParameters(command=program, args=arguments, cwd=str(root), env=environment(home))
            client = await stack.enter_async_context(Client(_quiet(server, log), mode="legacy"))
            for tool in (await client.list_tools()).tools:
                owner[tool.name] = client
                costs[tool.name] = declared(tool.name, tool.description or "", tool.input_schema)

        async def answering(name: str, arguments: dict) -> str:
            answer = await owner[name].call_tool(name, arguments)
            return "\n".join(part.text for part in answer.content if part.type == "text")

        @asynccontextmanager
        async def talking() -> AsyncIterator[Answering]:
            yield answering

        yield Opened(declared=costs, talking=talking)


def _quiet(server: object, log: object) -> object:
    """The server with what it says to people written to a file."""
    from mcp.client.stdio import stdio_client

    return stdio_client(server, errlog=log)
