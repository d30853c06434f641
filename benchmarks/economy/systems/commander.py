"""desktop-commander, as it is after installation, its counting of use switched off."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from economy import peers
from economy.systems.opened import Opened, servers


@asynccontextmanager
async def commander(root: Path, home: Path) -> AsyncIterator[Opened]:
    program = peers.modules(peers.COMMANDER) / "@wonderwhy-er" / "desktop-commander" / "dist" / "index.js"
    settings = home / ".claude-server-commander" / "config.json"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(json.dumps({"telemetryEnabled": False, "allowedDirectories": []}))
    async with servers([[peers.node(), str(program)]], root, home) as opened:
        yield opened
