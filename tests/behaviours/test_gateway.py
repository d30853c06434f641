"""Promises of the gateway, through `hilt serve` and the official client."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from hilt.assembly.gateway.settings import server_of
from hilt.catalog.naming import wire_name_of
from tests.servers.replay import instance
from tests.unit.assembly.gateway.kit import TOLD, Told, behind, entry, said

REPLAY = Path("tests/servers/replay.py").absolute()
ALL_TOOLS = 714
NOT_LOADED = "was not loaded"


class Project:
    """A folder with a hilt.toml of servers, each allowed everything, and a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "hilt.toml"
        self.environment = {**os.environ, "HILT_HOME": str(folder / "home")}

    def write(self, servers: dict[str, dict[str, object]], more: str = "") -> None:
        rules = [f'[[policy.rules]]\nword = "allow"\nnamespace = "{name}"\n' for name in servers]
        tables = [
            f"[servers.{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items())
            for name, table in servers.items()
        ]
        taint = '[policy.taint]\nmode = "off"\n'
        self.file.write_text("".join([*rules, taint, more, *tables]))

    @asynccontextmanager
    async def served(self) -> AsyncGenerator[Client]:
        command = ["-m", "hilt", "serve", "--config", str(self.file), "--workspace", str(self.folder)]
        server = StdioServerParameters(command=sys.executable, args=command, env=self.environment)
        async with Client(server) as client:
            yield client


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


async def called(client: Client, name: str, arguments: dict[str, object]) -> str:
    """What a call is answered; one that was not loaded is called again, as its answer says."""
    result = await client.call_tool(name, arguments)
    if NOT_LOADED in said(result.content[0]):
        result = await client.call_tool(name, arguments)
    return said(result.content[0])


def toolsets(shared: Path) -> list[Path]:
    return [each for each in sorted((shared / "data" / "toolsets").glob("*.json")) if each.stem != "agentdojo"]


def smallest(tool: dict[str, Any]) -> dict[str, object]:
    """The shortest arguments that fit a tool."""
    made = instance(tool["inputSchema"])
    assert isinstance(made, dict)
    return made


def replayed(file: Path) -> dict[str, object]:
    return {"command": sys.executable, "args": ["-S", str(REPLAY), str(file)]}


async def test_req_G5_each_of_714_tools_of_28_servers_can_be_called(
    shared: Path, record_property: Callable[[str, object], None]
) -> None:
    files = toolsets(shared)
    tools = [(each.stem, tool) for each in files for tool in json.loads(each.read_bytes())["tools"]]
    missed: list[str] = []

    async with behind(*(server_of(each.stem, replayed(each), {}) for each in files)) as held:
        for server, tool in tools:
            answer = await held.call(wire_name_of(server, tool["name"]), smallest(tool))
            if f'"called": "{tool["name"]}"' not in answer.text:
                missed.append(answer.text)

    assert len(tools) == ALL_TOOLS
    assert missed == []
    record_property("report", f"gateway: {len(tools)} tools of {len(files)} servers listed and called")


async def test_req_G5_28_servers_are_one_small_list_to_a_client_and_a_tool_of_each_is_called(
    project: Project, shared: Path
) -> None:
    files = toolsets(shared)
    project.write({each.stem: replayed(each) for each in files})
    firsts = {each.stem: json.loads(each.read_bytes())["tools"][0] for each in files}

    async with project.served() as client:
        names = {each.name for each in (await client.list_tools()).tools}
        answers = {
            server: await called(client, wire_name_of(server, tool["name"]), smallest(tool))
            for server, tool in firsts.items()
        }

    assert "find_tools" in names
    assert not any("__" in name for name in names)
    assert [server for server, tool in firsts.items() if f'"called": "{tool["name"]}"' not in answers[server]] == []


async def test_req_G5_a_server_that_fails_is_told_and_the_others_are_served(project: Project) -> None:
    one = Told(project.folder, "one", "read")
    project.write(
        {"one": one.table(), "dead": {"command": sys.executable, "args": ["-c", "raise SystemExit('no luck')"]}}
    )

    async with project.served() as client:
        names = {each.name for each in (await client.list_tools()).tools}
        answer = await called(client, "one__read", {})

    assert "one__read" in names
    assert '"called": "read"' in answer
    assert "the server dead cannot be used" in answer
    assert "no luck" in answer


async def test_req_G5_servers_follow_the_settings_and_a_client_hears_of_it(project: Project) -> None:
    one, two = Told(project.folder, "one", "read"), Told(project.folder, "two", "write")
    project.write({"one": one.table()})

    async with project.served() as client, client.listen(tools_list_changed=True) as events:
        before = {each.name for each in (await client.list_tools()).tools}
        project.write({"one": one.table(), "two": two.table()})
        with anyio.fail_after(20):
            async for _ in events:
                break
        after = {each.name for each in (await client.list_tools()).tools}

    assert after - before == {"two__write"}
    assert one.starts == 1


async def test_req_G5_resources_and_prompts_of_servers_pass_through(project: Project) -> None:
    one, two = Told(project.folder, "one", "read"), Told(project.folder, "two", "read")
    for server in (one, two):
        server.write("resources", [{"uri": "note://a", "name": "a"}, {"uri": f"note://{server.name}", "name": "b"}])
        server.write("resourceTemplates", [{"uriTemplate": f"{server.name}://{{path}}", "name": "t"}])
        server.write("prompts", [{"name": "greet", "description": "Greets."}])
        server.write(
            "read", {"greet": {"messages": [{"role": "user", "content": {"type": "text", "text": server.name}}]}}
        )
    project.write({"one": one.table(), "two": two.table()})

    async with project.served() as client:
        await client.list_tools()
        uris = [str(each.uri) for each in (await client.list_resources()).resources]
        shared_by_both = [said((await client.read_resource(uri)).contents[0]) for uri in uris if uri.endswith("a")]
        by_template = said((await client.read_resource("two://x/y")).contents[0])
        prompts = [each.name for each in (await client.list_prompts()).prompts]
        greeting = said((await client.get_prompt("two__greet")).messages[0].content)

    assert uris[:2] == ["note://a", "note://one"]
    assert len(set(uris)) == 4
    assert shared_by_both == ["one: note://a", "two: note://a"]
    assert by_template == "two: two://x/y"
    assert prompts == ["one__greet", "two__greet"]
    assert greeting == "two"


def test_req_G5_the_verbs_list_what_servers_have_and_say_which_do_not_answer(project: Project) -> None:
    one = Told(project.folder, "one", entry("read", "Reads one thing."), entry("write", "Writes one thing."))
    project.write({"one": one.table(), "dead": {"command": "/no/such/program"}})

    def asked(*words: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "hilt", words[0], "--config", str(project.file), *words[1:]]
        done = subprocess.run(
            command,
            cwd=project.folder,
            env=project.environment,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    tools, shown, doctor = asked("tools"), asked("show", "one/read"), asked("doctor")
    call = asked("call", "one/write", '{"a": 1}')

    assert tools[0] == 4
    assert "one__read" in tools[1]
    assert "the server dead" in tools[1]
    assert "Reads one thing." in shown[1]
    assert "lists 2 tools" in doctor[1]
    assert "server dead" in doctor[1]
    assert call[0] == 0
    assert '"called": "write"' in call[1]
    assert "dead" not in call[1]


async def test_req_E1_what_a_server_calls_an_error_is_one_or_is_told(project: Project) -> None:
    busy = {"content": [{"type": "text", "text": "Error: 429 Too Many Requests, retry after 7 seconds"}]}
    one, two = Told(project.folder, "one", "read", read=busy), Told(project.folder, "two", "read", read=busy)
    project.write({"one": one.table(), "two": two.table(error_claims="fail")})

    async with project.served() as client:
        told, failed = await client.call_tool("one__read", {}), await client.call_tool("two__read", {})

    assert told.is_error is False
    assert "its words say error" in said(told.content[0])
    assert failed.is_error is True
    assert "retryable" in said(failed.content[0])
    assert "7 s" in said(failed.content[0])


async def test_req_G5_the_first_list_waits_for_a_server_that_was_never_met(project: Project) -> None:
    one = Told(project.folder, "one", "read")
    slow = "import runpy, sys, time; time.sleep(1); runpy.run_path(sys.argv[1])"
    script = f"import sys; sys.argv[1:] = [{str(one.folder)!r}]"
    project.write({"one": one.table(args=["-c", f"{script}; {slow.replace('sys.argv[1]', repr(str(TOLD)))}"])})

    async with project.served() as client:
        names = {each.name for each in (await client.list_tools()).tools}

    assert "one__read" in names
