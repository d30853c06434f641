"""The official Python client 2.x: prints what it saw as one JSON object.

    python new.py FOLDER MODE COMMAND...

MODE is `auto`, `legacy`, or a protocol's date.
"""
# pyright: basic, reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalSubscript=false
# What came is printed as it is; the test that reads it judges.

import json
import sys
from pathlib import Path

import anyio
from mcp import StdioServerParameters, types
from mcp.client.client import Client
from mcp.shared.subscriptions import ToolsListChanged

FOLDER, MODE, COMMAND = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]


async def main():
    progress, changes = [], []

    async def on_progress(done, total, message):
        progress.append([done, total, message])

    async def on_question(context, params):
        return types.ElicitResult(action="accept", content={"allow": "rocket" in params.message})

    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=str(Path.cwd()))
    async with Client(server, mode=MODE, elicitation_callback=on_question) as client:
        listed = await client.list_tools()
        echo = await client.call_tool("echo", {"text": "hé"})
        failed = await client.call_tool("echo", {"text": 7})
        unknown = await client.call_tool("nothing_of_the_kind", {})
        counted = await client.call_tool("counts", {"end": 5}, progress_callback=on_progress)
        picture = await client.call_tool("picture", {})
        launched = await client.call_tool("launches", {"what": "rocket"})
        refused = await client.call_tool("launches", {"what": "mail"})
        if client.protocol_version >= "2026":
            async with client.listen(tools_list_changed=True) as events:
                await client.call_tool("grows", {})
                with anyio.fail_after(5):
                    async for event in events:
                        changes.append("tools" if isinstance(event, ToolsListChanged) else repr(event))
                        break
        cancelled_after = await cancel(client)
        last = await client.call_tool("echo", {"text": "still here"})
        protocol = client.protocol_version
    words = {
        "protocol": protocol,
        "tools": [tool.name for tool in listed.tools],
        "echo": echo.content[0].text,
        "failed": [failed.is_error, failed.content[0].text],
        "unknown": [unknown.is_error, unknown.content[0].text],
        "counted": counted.content[0].text,
        "progress": progress,
        "picture": [block.type for block in picture.content],
        "launched": launched.content[0].text,
        "refused": refused.content[0].text,
        "changes": changes,
        "cancelled_after": cancelled_after,
        "last": last.content[0].text,
    }
    print(json.dumps(words))


async def cancel(client):
    """Seconds from the cancellation until the server's tool has seen it."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "hangs", {})
        while not (FOLDER / "hanging").exists():  # noqa: ASYNC110 - another process writes it
            await anyio.sleep(0.01)
        began = anyio.current_time()
        group.cancel_scope.cancel()
    while not (FOLDER / "cancelled").exists():  # noqa: ASYNC110 - another process writes it
        await anyio.sleep(0.01)
    return anyio.current_time() - began


anyio.run(main)
