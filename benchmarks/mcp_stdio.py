"""One call over MCP's stdio, against the SDK's own decorated server: 20 tools each, both through the same client.

Bare pipes measure the server alone; the SDK's client adds its own time to both.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from contenders import ARGUMENTS, functions, hilt_tools, mcp_server
from measuring import Options, Row, in_turns, in_turns_async, medians, options, ratio, report

SERVERS = ("hilt", "mcp")
GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
CALLS = 200
AT_ONCE = 200


def main(asked: Options) -> None:
    rounds = 41 if asked.full else 15
    piped(asked, rounds)
    asyncio.run(official(asked, rounds))
    started(asked, 21 if asked.full else 9)


def piped(asked: Options, rounds: int) -> None:
    pipes = {name: Pipe(name) for name in SERVERS}
    for pipe in pipes.values():
        pipe.greet()
    one = {name: pipe.one_by_one for name, pipe in pipes.items()}
    together = {name: pipe.at_once for name, pipe in pipes.items()}
    in_turns(one, 3)  # warm
    measured = in_turns(one, rounds)
    report_ratio("stdio call, bare pipes / MCPServer", measured, "us", 1.0, asked)
    measured = in_turns(together, rounds)
    report_ratio(f"{AT_ONCE} stdio calls at once, bare pipes / MCPServer", measured, "ms", 1.0, asked)
    for pipe in pipes.values():
        pipe.close()


def report_ratio(name: str, measured: dict, unit: str, goal: float | None, asked: Options) -> None:
    detail = medians(measured, unit, *SERVERS)
    report(Row(name=name, goal=goal, value=ratio(measured, "hilt", "mcp"), detail=detail), asked)


class Pipe:
    """A server on bare pipes: a line in, a line out."""

    def __init__(self, name: str) -> None:
        self._process = subprocess.Popen(command(name), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def greet(self) -> None:
        """The handshake."""
        self._put("initialize", GREETING)
        self._take()
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def one_by_one(self) -> float:
        """Microseconds a call."""
        begun = time.perf_counter()
        for _ in range(CALLS):
            self._call()
            self._take()
        return (time.perf_counter() - begun) / CALLS * 1e6

    def at_once(self) -> float:
        """Milliseconds for all."""
        begun = time.perf_counter()
        for _ in range(AT_ONCE):
            self._call()
        for _ in range(AT_ONCE):
            self._take()
        return (time.perf_counter() - begun) * 1e3

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()

    def _call(self) -> None:
        self._put("tools/call", {"name": "search_000", "arguments": ARGUMENTS})

    def _put(self, method: str, params: object) -> None:
        self._number += 1
        self._write({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})

    def _write(self, message: object) -> None:
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def _take(self) -> None:
        answer = json.loads(self._process.stdout.readline())
        if answer.get("result", {}).get("isError", "result" not in answer):
            raise RuntimeError(f"a server answered {answer}")


async def official(asked: Options, rounds: int) -> None:
    from mcp import StdioServerParameters
    from mcp.client.client import Client

    async with AsyncExitStack() as stack:
        contenders: dict[str, Callable[[], Awaitable[float]]] = {}
        for name in SERVERS:
            program, *arguments = command(name)
            server = StdioServerParameters(command=program, args=arguments, cwd=str(Path(__file__).parent))
            client = await stack.enter_async_context(Client(server, mode="legacy"))
            contenders[name] = called(client)
        await in_turns_async(contenders, 2)  # warm
        measured = await in_turns_async(contenders, rounds)
    report_ratio("stdio call, the SDK's client / MCPServer", measured, "us", 1.0, asked)


def called(client: object) -> Callable[[], Awaitable[float]]:
    async def microseconds() -> float:
        begun = time.perf_counter()
        for _ in range(CALLS // 4):
            await client.call_tool("search_000", ARGUMENTS)
        return (time.perf_counter() - begun) / (CALLS // 4) * 1e6

    return microseconds


def started(asked: Options, rounds: int) -> None:
    def milliseconds(name: str) -> float:
        begun = time.perf_counter()
        pipe = Pipe(name)
        pipe.greet()
        taken = (time.perf_counter() - begun) * 1e3
        pipe.close()
        return taken

    contenders = {name: lambda name=name: milliseconds(name) for name in SERVERS}
    in_turns(contenders, 1)  # warm
    report_ratio("from process start to initialize / MCPServer", in_turns(contenders, rounds), "ms", None, asked)


def command(name: str) -> list[str]:
    return [sys.executable, __file__, "--serve", name]


def serve(name: str) -> None:
    made = functions(20)
    if name == "mcp":
        mcp_server(made).run("stdio")
        return
    from hilt import Runtime, Session
    from hilt.adapters.mcp import run_stdio
    from hilt.adapters.mcp_claim import claim_streams

    wire = claim_streams()
    run_stdio(Runtime(tools=hilt_tools(made)), Session(), wire, version="0")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        main(options(__doc__))
