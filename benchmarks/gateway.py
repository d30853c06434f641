"""A call of an upstream's tool through the gateway, against the official client's call of the same stdio server.

As a host holds the runtime, and as a client sees it through `hilt serve`, one more process with its state on disk.
Then a thousand calls at once over twenty servers, with servers among them that hang, flood or die.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
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
GOAL = 1.25
OFFICIAL = """
from mcp.server.mcpserver import MCPServer
server = MCPServer("one", log_level="CRITICAL")
@server.tool()
def echo(text: str) -> str:
    "Echoes."
    return text
server.run()
"""
SERVED = {
    "declared": 'effects = "effects.toml"\n',
    "allowed": '[policy.taint]\nmode = "off"\n[[policy.rules]]\nword = "allow"\nnamespace = "one"\n',
}
"""The settings of a tool that reads, by a file of effects; and of one that may do anything, let by a rule."""
EVERYTHING = Policy(rules=(Rule(word="allow"),), switches=Switches(mode="off"))


def main(asked: Options) -> None:
    rounds = 41 if asked.full else 15
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(one_server(asked, rounds, Path(folder)))
        asyncio.run(many_servers(asked, Path(folder)))


async def one_server(asked: Options, rounds: int, folder: Path) -> None:
    """Each way to the same server: one that does nothing but echo, and one made with the official SDK."""
    for kind, command in (("echo", server(folder)), ("SDK", ["-c", OFFICIAL])):
        async with AsyncExitStack() as stack:
            direct = await stack.enter_async_context(
                Client(StdioServerParameters(command=sys.executable, args=command))
            )
            held = await stack.enter_async_context(gateway(one=command))
            session = Session()

            async def through_runtime(held: Runtime = held, session: Session = session) -> None:
                answer = await held.answer_one(session, "one__echo", ARGUMENTS)
                assert not answer.result.is_error, answer.text

            contenders = {"direct": calls(partial(direct.call_tool, "echo", ARGUMENTS)), "host": calls(through_runtime)}
            for way, says in SERVED.items():
                served = await stack.enter_async_context(Client(serving(folder / f"{kind} {way}", command, says)))
                await served.list_tools()
                answer = await served.call_tool("one__echo", ARGUMENTS)
                assert not answer.is_error, answer
                contenders[way] = calls(partial(served.call_tool, "one__echo", ARGUMENTS))
            await in_turns_async(contenders, 2)
            measured = await in_turns_async(contenders, rounds)
        for way in (each for each in contenders if each != "direct"):
            name = f"gateway, {kind} server, {'in the host' if way == 'host' else f'hilt serve, {way}'} / direct"
            detail = medians({each: measured[each] for each in ("direct", way)}, "us")
            goal = GOAL if way == "host" else None
            report(Row(name=name, goal=goal, value=ratio(measured, way, "direct"), detail=detail), asked)


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


def serving(folder: Path, command: list[str], says: str) -> StdioServerParameters:
    """`hilt serve` as it is set up by default, but for what `says` of the server's tool."""
    folder.mkdir()
    (folder / "effects.toml").write_text('[effects."one.echo"]\nreads = "public"\nbrings = "own"\ndoes = []\n')
    file = folder / "hilt.toml"
    table = f"[servers.one]\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps(command)}\n"
    file.write_text(table + says)
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
