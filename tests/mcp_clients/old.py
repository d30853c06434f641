"""The official Python client 1.x, run by a Python that has it: prints what it saw as one JSON object.

python old.py FOLDER COMMAND...
"""
# pyright: basic, reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false, reportOptionalSubscript=false
# Run by another release of the SDK than the one that is checked against.

import json
import sys
from pathlib import Path

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

FOLDER, COMMAND = Path(sys.argv[1]), sys.argv[2:]


async def main():
    progress, changes = [], []

    async def on_progress(done, total, message):
        progress.append([done, total, message])

    async def on_message(message):
        if isinstance(getattr(message, "root", None), types.ToolListChangedNotification):
            changes.append("tools")

    async def on_question(context, params):
        return types.ElicitResult(action="accept", content={"allow": "rocket" in params.message})

    server = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=Path.cwd())
    async with stdio_client(server) as (read, write):  # noqa: SIM117 - the second needs the first
        async with ClientSession(read, write, elicitation_callback=on_question, message_handler=on_message) as session:
            greeting = await session.initialize()
            await session.send_ping()
            listed = await session.list_tools()
            echo = await session.call_tool("echo", {"text": "hé"})
            failed = await session.call_tool("echo", {"text": 7})
            unknown = await session.call_tool("nothing_of_the_kind", {})
            counted = await session.call_tool("counts", {"end": 5}, progress_callback=on_progress)
            picture = await session.call_tool("picture", {})
            launched = await session.call_tool("launches", {"what": "rocket"})
            refused = await session.call_tool("launches", {"what": "mail"})
            await session.call_tool("grows", {})
            cancelled_after = await cancel(session)
            last = await session.call_tool("echo", {"text": "still here"})
    words = {
        "protocol": greeting.protocolVersion,
        "tools": [tool.name for tool in listed.tools],
        "echo": echo.content[0].text,
        "failed": [failed.isError, failed.content[0].text],
        "unknown": [unknown.isError, unknown.content[0].text],
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


async def cancel(session):
    """Seconds from the cancellation until the server's tool has seen it."""
    id = session._request_id
    async with anyio.create_task_group() as group:
        group.start_soon(session.call_tool, "hangs", {})
        while not (FOLDER / "hanging").exists():  # noqa: ASYNC110 - another process writes it
            await anyio.sleep(0.01)
        began = anyio.current_time()
        note = types.CancelledNotification(
            method="notifications/cancelled", params=types.CancelledNotificationParams(requestId=id, reason="enough")
        )
        await session.send_notification(types.ClientNotification(note))
        while not (FOLDER / "cancelled").exists():  # noqa: ASYNC110 - another process writes it
            await anyio.sleep(0.01)
        group.cancel_scope.cancel()
    return anyio.current_time() - began


anyio.run(main)
