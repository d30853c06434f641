"""pi's four tools, called directly by a small driver in Node."""

import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread

from economy import peers
from economy.systems.opened import Opened, environment
from economy.talk import Answering, declared

DRIVER = Path(__file__).with_name("pi_driver.mjs")
LOG = "pi.log"


@asynccontextmanager
async def pi(root: Path, home: Path) -> AsyncIterator[Opened]:
    folder = peers.modules(peers.PI) / "@earendil-works" / "pi-coding-agent"
    process = _started([peers.node(), str(DRIVER), str(folder), str(root)], root, home)

    def answered(line: str) -> Any:
        process.stdin.write(line)
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    async def answering(name: str, arguments: dict[str, Any]) -> str:
        line = json.dumps({"name": name, "given": arguments}) + "\n"
        return (await anyio.to_thread.run_sync(answered, line))["text"]

    @asynccontextmanager
    async def talking() -> AsyncIterator[Answering]:
        yield answering

    try:
        first = process.stdout.readline()
        if not first:
            raise peers.NotAvailable(f"pi did not start: {(home / LOG).read_text()[-200:]}")
        costs = {
            each["name"]: declared(each["name"], each["description"], each["parameters"]) for each in json.loads(first)
        }
        yield Opened(declared=costs, talking=talking)
    finally:
        process.kill()
        process.wait()


def _started(command: list[str], root: Path, home: Path) -> subprocess.Popen[str]:
    with (home / LOG).open("w") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=root,
            env=environment(home),
            text=True,
        )
