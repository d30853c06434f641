"""OpenCode's tools, each call a run of its own `debug agent build --tool`, which needs no model.

What it declares is what its server lists for a model of Anthropic's.
"""

import json
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio.to_thread

from economy import peers
from economy.systems.opened import Opened, environment
from economy.talk import Answering, declared

LISTING = "/experimental/tool?provider=anthropic&model=claude-sonnet-4-5"
LONGEST_S = 120
START_S = 30
NOT_FOR_MODELS = ("invalid",)


@asynccontextmanager
async def opencode(root: Path, home: Path) -> AsyncIterator[Opened]:
    program = str(peers.modules(peers.OPENCODE) / ".bin" / "opencode")
    variables = environment(home)

    def answered(name: str, arguments: dict[str, Any]) -> str:
        command = [program, "debug", "agent", "build", "--tool", name, "--params", json.dumps(arguments)]
        done = subprocess.run(
            command,
            cwd=root,
            env=variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
        )
        start = done.stdout.find("{")
        if done.returncode == 0 and start >= 0:
            return json.loads(done.stdout[start:])["result"]["output"]
        # for people, the message stands under a heading; a model gets the message
        return (done.stderr + done.stdout).split("Unexpected error", 1)[-1].strip()

    async def answering(name: str, arguments: dict[str, Any]) -> str:
        return await anyio.to_thread.run_sync(answered, name, arguments)

    @asynccontextmanager
    async def talking() -> AsyncIterator[Answering]:
        yield answering

    listed = await anyio.to_thread.run_sync(_listed, program, root, variables)
    costs = {
        each["id"]: declared(each["id"], each["description"], each["parameters"])
        for each in listed
        if each["id"] not in NOT_FOR_MODELS
    }
    yield Opened(declared=costs, talking=talking)


def _listed(program: str, root: Path, variables: dict[str, str]) -> list[dict[str, Any]]:
    server = subprocess.Popen(
        [program, "serve", "--port", "0"],
        cwd=root,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            line = server.stdout.readline()
            if "listening on " in line:
                with urllib.request.urlopen(
                    line.split("listening on ")[1].strip() + LISTING, timeout=START_S
                ) as answer:
                    return json.load(answer)
            if not line:
                break
        raise peers.NotAvailable("OpenCode's server did not start")
    finally:
        server.kill()
        server.wait()
