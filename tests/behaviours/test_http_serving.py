"""`hilt serve --http` as a process, or several: started, asked at random, hurt, and told to end."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import anyio
import anyio.to_thread
import httpx2
import pytest
from mcp_types import TextContent

from hilt.adapters.mcp_http import MOST_STARTS
from hilt.adapters.mcp_http_tokens import LOCAL
from hilt.assembly.history import calls
from hilt.store import open_store
from tests.command import as_process
from tests.mcp_clients.raw import ROOT, alive, gone
from tests.mcp_clients.web import (
    ANN,
    BOB,
    ERAS,
    PATIENCE_S,
    START_S,
    Poster,
    Running,
    official,
    poster,
    started,
    text_of,
)
from tests.postgres import Server

TOLD = ROOT / "tests" / "servers" / "told.py"
TOOLS = '''
import os
from pathlib import Path
from typing import Annotated
import anyio
from hilt import Context, Param, tool
from hilt.calls.memos import Memos
from hilt.declarations.effects import Effects

SAFE = Effects(reads="none", brings="own", does=frozenset())
FOLDER = Path(__file__).parent

@tool(kind="perceive", limit=1, effects=SAFE)
async def adds(ctx: Context, number: Annotated[int, Param("what to add")]) -> str:
    """Add to the session's sum, and say which process did and what it knows."""
    def add(old):
        return (old or 0) + number, (old or 0) + number
    found = await ctx.part(Memos).change(ctx.session, "sum", add)
    return f"{os.getpid()} {found} {os.environ.get('HILT_TOKEN', 'untold')}"

@tool(kind="perceive", limit=1, effects=SAFE, timeout_s=None)
async def hangs() -> str:
    """Wait for ever."""
    (FOLDER / "hanging").write_text(str(os.getpid()))
    try:
        await anyio.sleep_forever()
    finally:
        (FOLDER / "cancelled").write_text("seen")
    return "never"
'''
CALLS = 300
MOST_UNWRITTEN = 150
"""Calls whose events a worker that was killed may not have written yet."""
AT_ONCE = 8
ONLY = ("shelf=[]",)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    return tmp_path


def tools_of(folder: Path) -> str:
    return str(folder / "tools.py")


async def called_at_random(url: str, count: int, token=ANN) -> tuple[Counter[str], list[int]]:
    """Who answered how often, and the sums that came; each call on a connection of its own."""
    who: Counter[str] = Counter()
    sums: list[int] = []
    left = iter(range(count))

    async def work(seed: int) -> None:
        chance = random.Random(seed)
        async with poster(url, token, keeps=False) as ann:
            for number in left:
                text = text_of(await ann.call("adds", {"number": 1}, id=number, modern=chance.random() < 0.5))
                worker, found, _ = text.split()
                who[worker] += 1
                sums.append(int(found))

    async with anyio.create_task_group() as group:
        for seed in range(AT_ONCE):
            group.start_soon(work, seed)
    return who, sums


@pytest.mark.timeout(180)
async def test_req_A8_four_workers_answer_random_requests_without_one_error_and_one_that_dies_is_replaced(
    folder: Path,
) -> None:
    async with started(folder, "--workers", "4", tools=tools_of(folder), settings=ONLY) as running:
        await running.until(lambda: len(running.workers) == 4, START_S)
        first = running.workers
        who, sums = await called_at_random(running.url, CALLS)
        os.kill(first[0], signal.SIGKILL)
        await running.until(lambda: len(set(running.workers) - set(first)) == 1, START_S)
        _, after = await called_at_random(running.url, AT_ONCE)

    assert await each_call_is_known_apart(folder)
    assert sorted(sums) == list(range(1, CALLS + 1))
    assert set(who) <= {str(each) for each in first}
    assert len(who) > 1
    assert sorted(after) == list(range(CALLS + 1, CALLS + AT_ONCE + 1))
    assert f"worker {first[0]} ended with -9; another takes its place" in running.said


async def each_call_is_known_apart(folder: Path) -> bool:
    """Whether the log has every call under a key of its own, with its end, though four processes numbered them."""
    store = open_store(str(folder / "home" / "hilt.db"))
    try:
        made = await calls(store, session=None, wanted=lambda each: each.tool == "adds", most=2 * CALLS)
    finally:
        await store.close()
    answered = {each.call for each in made if each.status == "success"}
    return len(made) == len({each.call for each in made}) and len(answered) >= CALLS - MOST_UNWRITTEN


@pytest.mark.timeout(180)
async def test_req_A8_workers_on_postgresql_answer_random_requests_without_one_error(
    folder: Path, postgres: Server
) -> None:
    settings = (*ONLY, f"store.where={postgres.database()}")
    async with started(folder, "--workers", "2", tools=tools_of(folder), settings=settings) as running:
        await running.until(lambda: len(running.workers) == 2, START_S)
        _, sums = await called_at_random(running.url, CALLS)

    assert sorted(sums) == list(range(1, CALLS + 1))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("workers", ["1", "2"])
async def test_req_A4_a_server_told_to_end_ends_its_calls_and_then_itself(folder: Path, workers: str) -> None:
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(
            started(folder, "--workers", workers, tools=tools_of(folder), settings=ONLY)
        )
        ann = await stack.enter_async_context(poster(running.url))
        group = await stack.enter_async_context(anyio.create_task_group())
        answer = text_of(await ann.call("adds", {"number": 1}))
        await ann.send(b"{", authorization=f"Bearer {BOB.text}")
        told: list[str] = []
        group.start_soon(give_up_in_time, ann, told)
        await running.until((folder / "hanging").exists)
        those = [running.process.pid, *running.workers]
        running.process.send_signal(signal.SIGTERM)
        with anyio.fail_after(PATIENCE_S * 2):
            code = await anyio.to_thread.run_sync(running.process.wait)
        await running.until(lambda: bool(told))
        group.cancel_scope.cancel()

        assert code == 0
        assert (folder / "cancelled").read_text() == "seen"
        assert told == ["the server ends; call again at its next start"]
        assert "Traceback" not in running.said
        assert [each for each in those if alive(each)] == []
        said_nothing_secret(running, answer)


def said_nothing_secret(running: Running, answer: str) -> None:
    """Neither a program that tools start, nor what the server said, holds a token."""
    assert answer.endswith("untold")
    assert ANN.text not in running.said
    assert BOB.text not in running.said
    add = f'claude mcp add --transport http hilt {running.url} --header "Authorization: Bearer $HILT_TOKEN"'
    assert add in running.said
    assert "HILT_TOKEN is the token: what HILT_TOKEN was set to" in running.said


async def give_up_in_time(ann: Poster, told: list[str]) -> None:
    """A call that its server ends, and what it was told of that."""
    with suppress(httpx2.HTTPError, TimeoutError):
        told.append((await ann.ask("tools/call", {"name": "hangs", "arguments": {}}))["error"]["message"])


@pytest.mark.timeout(120)
async def test_req_A4_workers_end_when_whoever_watches_them_is_killed(folder: Path) -> None:
    async with started(folder, "--workers", "2", tools=tools_of(folder), settings=ONLY) as running:
        await running.until(lambda: len(running.workers) == 2, START_S)
        workers = running.workers
        await called_at_random(running.url, 2)
        running.process.send_signal(signal.SIGKILL)
        ended = [await gone(each) for each in workers]

    assert ended == [True, True]


@pytest.mark.timeout(120)
async def test_req_G5_without_a_token_one_is_made_and_shown_once(folder: Path) -> None:
    async with started(folder, tools=tools_of(folder), settings=ONLY, token=None) as running:
        await running.until(lambda: "token: " in running.said)
        token = running.line("token: ")
        async with poster(running.url, None) as nobody:
            refused = await nobody.send(b"{}")
            taken = await nobody.send(b"{}", authorization=f"Bearer {token}")

    assert len(token) >= 40
    assert running.said.count(token) == 1
    assert (refused.status_code, taken.status_code) == (401, 400)


@pytest.mark.timeout(120)
async def test_req_A8_each_name_in_a_file_of_tokens_is_a_principal_with_a_session_of_its_own(folder: Path) -> None:
    file = folder / "tokens"
    file.write_text(f"\ufeffann {ANN.text}\r\nbob {BOB.text}\r\n")  # as an editor on Windows writes it
    file.chmod(0o644)
    options = ("--token-file", str(file))
    async with (
        started(folder, *options, tools=tools_of(folder), settings=ONLY, token=None) as running,
        poster(running.url, ANN) as ann,
        poster(running.url, BOB) as bob,
    ):
        sums = [text_of(await each.call("adds", {"number": 5})).split()[1] for each in (ann, ann, bob)]

    assert sums == ["5", "10", "5"]
    assert f"HILT_TOKEN is the token: in {file}" in running.said
    assert f"others on this machine can read the tokens in {file}: chmod 600 {file}" in running.said


@pytest.mark.timeout(120)
async def test_req_G5_servers_behind_are_served_over_http_with_what_they_have_beside_tools(folder: Path) -> None:
    (folder / "house").mkdir()
    tool = {"name": "greets", "description": "Greets.", "inputSchema": {"type": "object", "properties": {}}}
    (folder / "house" / "tools.json").write_text(json.dumps([tool]))
    (folder / "house" / "resources.json").write_text(json.dumps([{"uri": "note://a", "name": "a"}]))
    table = f"command = {json.dumps(sys.executable)}\nargs = {json.dumps([str(TOLD), str(folder / 'house')])}\n"
    file = folder / "hilt.toml"
    file.write_text(
        f'set.defer = "never"\n[[policy.rules]]\nword = "allow"\nnamespace = "house"\n[servers.house]\n{table}'
    )
    # One worker: another would find the server pinned, and not start it to be asked for resources.
    async with started(folder, "--workers", "1", "--config", str(file), settings=ONLY) as running:
        for mode in ERAS:
            async with official(running.url, mode) as client:
                names = [each.name for each in (await client.list_tools()).tools]
                said = [(await client.call_tool("house__greets", {})).content[0] for _ in range(4)]
                uris = [str(each.uri) for each in (await client.list_resources()).resources]

                assert names == ["house__greets"]
                assert ["greets" in each.text for each in said if isinstance(each, TextContent)] == [True] * 4
                assert uris == ["note://a"]


def refused(folder: Path, *options: str, **environment: str) -> str:
    ran = as_process("serve", "--http", *options, folder=folder, home=folder, **environment)
    assert ran.code in (2, 4), ran
    return ran.err


def test_req_G5_a_door_to_other_machines_needs_a_token_that_a_person_gave(tmp_path: Path) -> None:
    said = refused(tmp_path, "--host", "0.0.0.0", "--port", "0")

    assert "error: --host 0.0.0.0 lets other machines in, and no token was given" in said
    assert "--token-file FILE" in said


def test_req_G5_what_cannot_be_served_is_said_before_anything_listens(tmp_path: Path) -> None:
    short = tmp_path / "tokens"
    short.write_text("ann hunter2\n")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        busy = refused(tmp_path, "--port", port)
    unshared = refused(tmp_path, "--workers", "2", "-c", "store.where=memory")
    weak = refused(tmp_path, "--token-file", str(short))
    both = refused(tmp_path, "--token-file", str(short), HILT_TOKEN=ANN.text)
    anybody = refused(tmp_path, "--allow-origin", "null"), refused(tmp_path, "--allow-origin", "*")
    elsewhere = refused(tmp_path, "--host", "203.0.113.9", HILT_TOKEN=ANN.text)
    nowhere = refused(tmp_path, "--host", "no.such.host.invalid", HILT_TOKEN=ANN.text)

    assert f"127.0.0.1 port {port} cannot be listened on" in busy
    assert "serve with --workers 1" in unshared
    assert "16 or more" in weak
    assert "hunter2" not in weak
    assert "leave one of them out" in both
    assert "name an address of this machine" in nowhere
    assert "203.0.113.9 port 8765 cannot be listened on: Cannot assign requested address\n" in elsewhere
    assert "name an address of this machine" in elsewhere
    assert all("is no web origin" in each for each in anybody)


@pytest.mark.timeout(120)
def test_req_G5_workers_that_cannot_start_end_the_server_with_a_reason(tmp_path: Path) -> None:
    said = refused(tmp_path, "--workers", "2", "--port", "0", "-c", 'tools=["no_such_module"]', HILT_TOKEN=ANN.text)

    assert f"{MOST_STARTS} workers ended before they served" in said
    assert "no_such_module" in said


def test_req_G5_the_verb_names_what_it_takes_and_loads_the_sdk_only_in_workers() -> None:
    program = (
        "import sys, hilt.cli.serve, hilt.adapters.mcp_http; print('mcp' in sys.modules, 'uvicorn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
    assert LOCAL == "local"
