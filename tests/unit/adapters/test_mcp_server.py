"""The server behind any transport of the SDK's: here its own, inside the process."""

import subprocess
import sys

import anyio
from mcp.client.client import Client
from mcp_types import TextContent

from hilt.adapters.mcp_server import ToolServer
from hilt.calls.session import Session
from hilt.runtime.runtime import Runtime
from tests.unit.adapters.samples import ticket_search


async def asked(server: ToolServer, arguments: dict[str, object], mode: str) -> tuple[str, bool]:
    with anyio.fail_after(5):
        async with Client(server.server, mode=mode) as client:
            result = await client.call_tool("ticket_search", arguments)
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text, result.is_error


async def test_arguments_that_a_transport_has_parsed_are_written_out_again() -> None:
    for mode in ("legacy", "auto"):
        server = ToolServer(Runtime([ticket_search]), Session(), version="0")
        text, is_error = await asked(server, {"state": "open"}, mode)
        wrong, wrong_is_error = await asked(server, {"state": "ajar"}, mode)

        assert not is_error, text
        assert wrong_is_error
        assert '"ajar"' in wrong


async def test_a_call_that_the_road_cannot_answer_is_a_result_with_words() -> None:
    runtime = Runtime([ticket_search])
    session = Session(principal="ann")
    await runtime.call(session, "ticket_search", {"state": "open"})
    server = ToolServer(runtime, Session(id=session.id, principal="bob"), version="0")
    text, is_error = await asked(server, {"state": "open"}, "legacy")

    assert is_error
    assert "belongs to another principal" in text


async def test_a_change_made_outside_a_call_is_told_when_the_host_says_so() -> None:
    runtime = Runtime([ticket_search])
    server = ToolServer(runtime, Session(), version="0")
    heard: list[object] = []

    async def hear(message: object) -> None:
        heard.append(message)

    with anyio.fail_after(5):
        async with Client(server.server, mode="legacy", message_handler=hear) as client:
            await server.tools_changed()
            before = await client.list_tools()
            runtime.catalog.add(ticket_search.renamed("another"))
            await server.tools_changed()
            await server.tools_changed()
            after = await client.list_tools()

    assert [type(each).__name__ for each in heard] == ["ToolListChangedNotification"]
    assert [tool.name for tool in after.tools] == [*(tool.name for tool in before.tools), "another"]


def test_the_verb_loads_the_sdk_only_when_it_serves() -> None:
    program = "import sys, hilt.cli.serve, hilt.adapters.mcp; print('mcp' in sys.modules, 'mcp_types' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
