"""A call of an upstream's tool through the gateway, against the official client's call of the same stdio server.

Two ways: as a host holds the runtime, and as a client sees it, through `hilt serve` and one more process. Then a
thousand calls at once over twenty servers, with servers among them that hang, flood or die.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from mcp import StdioServerParameters
from mcp.client.client import Client
from measuring import Options, Row, in_turns_async, medians, options, ratio, report

from hilt import Runtime, Session
from hilt.assembly.gateway.gateway import Gateway
from hilt.assembly.gateway.settings import server_of
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Switches
from hilt.store import MemoryStore

REPLAY = Path(__file__).parent.parent / "tests" / "servers" / "replay.py"
TOOLS = {"name": "one", "tools": [{"name": "echo", "description": "Echoes.", "inputSchema": {"type": "object"}}]}
ARGUMENTS = {"text": "hello"}
CALLS = 100
SERVERS, AT_ONCE = 20, 1_000
HANGS = "import sys\nfor line in sys.stdin: pass"
FLOODS = "import sys\nsys.stdin.readline()\nfor _ in range(50): sys.stdout.write('x' * (1 << 20))\nsys.stdin.read()"
DIES = "raise SystemExit('no luck')"
EVERYTHING = Policy(rules=(Rule(word="allow"),), switches=Switches(mode="off"))


def main(asked: Options) -> None:
    rounds = 41 if asked.full else 15
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(one_server(asked, rounds, Path(folder)))
        asyncio.run(many_servers(asked, Path(folder)))


async def one_server(asked: Options, rounds: int, folder: Path) -> None:
    command = server(folder)
    async with AsyncExitStack() as stack:
        direct = await stack.enter_async_context(Client(StdioServerParameters(command=sys.executable, args=command)))
        held = await stack.enter_async_context(gateway(one=command))
        served = await stack.enter_async_context(Client(serving(folder, command)))
        await served.list_tools()
        session = Session()

        async def through_runtime() -> None:
            answer = await held.answer_one(session, "one__echo", ARGUMENTS)
            assert not answer.result.is_error, answer.text

        contenders: dict[str, Callable[[], Awaitable[None]]] = {
            "direct": calls(lambda: direct.call_tool("echo", ARGUMENTS)),
            "runtime": calls(through_runtime),
            "serve": calls(lambda: served.call_tool("one__echo", ARGUMENTS)),
        }
        await in_turns_async(contenders, 2)
        measured = await in_turns_async(contenders, rounds)
    for name, says, goal in (
        ("runtime", "gateway call, in the host / official client", 1.25),
        ("serve", "gateway call, through hilt serve / official client", None),
    ):
        detail = medians(measured, "us", name, "direct")
        report(Row(name=says, goal=goal, value=ratio(measured, name, "direct"), detail=detail), asked)


def calls(one: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[float]]:
    async def timed() -> float:
        began = time.perf_counter()
        for _ in range(CALLS):
            await one()
        return (time.perf_counter() - began) / CALLS * 1_000_000

    return timed


async def many_servers(asked: Options, folder: Path) -> None:
    commands = {f"s{number}": server(folder) for number in range(SERVERS)}
    hostile = {name: ["-c", code] for name, code in (("hangs", HANGS), ("floods", FLOODS), ("dies", DIES))}
    session = Session()
    async with gateway(**commands, **hostile) as held:
        began = time.perf_counter()
        answers = await asyncio.gather(
            *(held.answer_one(session, f"s{at % SERVERS}__echo", {"text": str(at)}) for at in range(AT_ONCE))
        )
        took = time.perf_counter() - began
    right = sum(json.dumps({"text": str(at)}) in each.text for at, each in enumerate(answers))
    detail = f"{took * 1_000:.0f} ms; {len(hostile)} of the servers hang, flood or die"
    name = f"{AT_ONCE} calls at once over {SERVERS} servers, lost"
    report(Row(name=name, goal=0, value=AT_ONCE - right, unit="errors", detail=detail), asked)


def server(folder: Path) -> list[str]:
    file = folder / "one.json"
    file.write_text(json.dumps(TOOLS))
    return ["-S", str(REPLAY), str(file)]


def serving(folder: Path, command: list[str]) -> StdioServerParameters:
    file = folder / "hilt.toml"
    file.write_text(
        '[policy.taint]\nmode = "off"\n[[policy.rules]]\nword = "allow"\nnamespace = "one"\n'
        f"[servers.one]\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps(command)}\n"
    )
    arguments = ["-m", "hilt", "serve", "--config", str(file), "--workspace", str(folder)]
    return StdioServerParameters(
        command=sys.executable, args=arguments, env={**os.environ, "HILT_HOME": str(folder / "home")}
    )


@asynccontextmanager
async def gateway(**commands: list[str]) -> AsyncGenerator[Runtime]:
    held = Runtime(policy=EVERYTHING, store=MemoryStore())
    tables = {
        name: {"command": sys.executable, "args": each, "startup_timeout_s": 5} for name, each in commands.items()
    }
    specs = [server_of(name, table, {}) for name, table in tables.items()]
    async with Gateway(held, specs, session=Session()) as running:
        await running.ready()
        yield held


if __name__ == "__main__":
    main(options(__doc__))
