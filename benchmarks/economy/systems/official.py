"""The official servers for files, git and fetching, side by side."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from economy import peers
from economy.systems.opened import Opened, servers


@asynccontextmanager
async def official(root: Path, home: Path) -> AsyncIterator[Opened]:
    program = peers.modules(peers.FILESYSTEM) / "@modelcontextprotocol" / "server-filesystem" / "dist" / "index.js"
    python = peers.python_servers()
    commands = (
        [peers.node(), str(program), str(root)],
        [str(python / "mcp-server-git"), "--repository", str(root)],
        [str(python / "mcp-server-fetch"), "--ignore-robots-txt", "--allow-private-ips"],
    )
    async with servers(commands, root, home) as opened:
        yield opened
