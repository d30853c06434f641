"""A server whose tools misbehave: it prints, forks, hangs, raises and lies, and Hilt serves it all the same.

    python -m tests.mcp_clients.server FOLDER

What a tool has to tell a test it writes into FOLDER.
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Literal, TypedDict

import anyio
import anyio.lowlevel

from hilt import Context, Image, Param, ToolResult, schema_tool, tool
from hilt.adapters.mcp import run_stdio
from hilt.adapters.mcp_claim import claim_streams
from hilt.calls.session import Session
from hilt.calls.tool import Handling
from hilt.declarations.effects import Effects
from hilt.results.render import compact_json
from hilt.runtime.runtime import Runtime

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
RED_DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8d"
    "b00000000049454e44ae426082"
)
HUGE = 100_000_000
SAFE = Effects(reads="none", brings="own", does=frozenset())


class Ticket(TypedDict):
    id: int
    title: str


@tool(kind="perceive", limit=1, effects=SAFE)
async def echo(text: Annotated[str, Param("anything")]) -> str:
    """Say the text again."""
    return text


@tool(kind="perceive", limit=5, continues="offset", noun="ticket", effects=SAFE)
async def tickets(offset: Annotated[int, Param("tickets to skip")] = 0) -> list[Ticket]:
    """List tickets."""
    return [{"id": number, "title": f"ticket {number}"} for number in range(offset, 12)]


@tool(kind="perceive", limit=1, effects=SAFE)
async def prints() -> str:
    """Write to standard output in every way there is."""
    print("from print")
    sys.stdout.write("from sys.stdout\n")
    print("from sys.__stdout__", file=sys.__stdout__)
    os.write(1, b'{"jsonrpc":"2.0","id":1,"result":{"from":"descriptor 1"}}\n')
    subprocess.run(["echo", "from a program"], check=True)  # noqa: ASYNC221 - a tool that knows no better
    return f"read {sys.stdin.read()!r}"


@tool(kind="perceive", limit=1, effects=SAFE)
async def forks() -> str:
    """Fork, and let the child go on as if it were the server."""
    child = os.fork()
    (FOLDER / "forked").open("a").write(f"{os.getpid()}\n")
    return f"child {child}"


@tool(kind="perceive", limit=1, effects=SAFE)
def forks_in_a_thread() -> str:
    """Fork in the thread that a sync tool runs in."""
    child = os.fork()
    if child:
        (FOLDER / "thread_child").write_text(str(child))
    return f"child {child}"


@tool(kind="perceive", limit=1, effects=SAFE, timeout_s=None)
async def hangs() -> str:
    """Wait for ever, and note who ends it."""
    (FOLDER / "hanging").write_text(str(os.getpid()))
    try:
        await anyio.sleep_forever()
    finally:
        (FOLDER / "cancelled").write_text("the handler saw it")
    return "never"


@tool(kind="perceive", limit=1, effects=SAFE, timeout_s=None)
def blocks() -> str:
    """Hang in a thread that nobody can stop."""
    (FOLDER / "blocking").write_text(str(os.getpid()))
    threading.Event().wait()
    return "never"


@tool(kind="perceive", limit=1, effects=SAFE)
async def raises() -> str:
    """Fail."""
    raise ValueError("the secret of the house")


@tool(kind="perceive", limit=1, effects=SAFE)
async def lies() -> int:
    """Return something else than is declared."""
    return "no number"  # type: ignore[return-value]  # that is the point


@tool(kind="perceive", limit=1, effects=SAFE)
async def huge() -> str:
    """Return far too much."""
    return "x" * HUGE


@tool(kind="perceive", limit=1, effects=SAFE, activity="counting to {end}")
async def counts(ctx: Context, end: Annotated[int, Param("where to stop")]) -> str:
    """Count, and say how far it is."""
    for number in range(1, end + 1):
        ctx.progress(f"at {number}", done=number, total=end)
        await anyio.lowlevel.checkpoint()
    return f"counted to {end}"


@tool(kind="perceive", limit=1, effects=SAFE)
def counts_in_a_thread(ctx: Context, end: Annotated[int, Param("where to stop")]) -> str:
    """Count in a thread."""
    for number in range(1, end + 1):
        ctx.progress(f"at {number}")
        time.sleep(0.001)
    return f"counted to {end}"


@tool(kind="perceive", limit=1, effects=SAFE)
async def picture(honest: Annotated[bool, Param("whether it is what it says")] = True) -> ToolResult[str]:
    """Show a picture."""
    shown = Image(content=RED_DOT, media_type="image/png" if honest else "image/jpeg")
    return ToolResult(summary="a red dot", items=(), parts=(shown,))


@tool(kind="act", effects={"does": "run"}, idempotent=False, undo="none: a test")
async def launches(what: Annotated[Literal["rocket", "mail"], Param("what to launch")]) -> str:
    """Do what a person has to allow."""
    with (FOLDER / "launched").open("a") as file:
        file.write(f"{what}\n")
    return f"launched {what}"


@tool(kind="perceive", limit=1, effects=SAFE)
async def grows() -> str:
    """Add a tool to the catalog."""
    runtime.catalog.add(echo.renamed(f"echo_{len(runtime.catalog)}"))
    return "there is one tool more"


async def exact(arguments: object) -> str:
    return compact_json(arguments)


TOOLS = [
    echo, tickets, prints, forks, forks_in_a_thread, hangs, blocks, raises, lies, huge, counts, counts_in_a_thread,
    picture, launches, grows,
    schema_tool(
        "exact", exact, parameters={"type": "object", "properties": {"value": {}}}, description="Say the arguments.",
        effects=SAFE, handling=Handling(parallel=True),
    ),
]  # fmt: skip
runtime: Runtime


def main() -> None:
    global runtime
    wire = claim_streams()
    from hilt.adapters.mcp_people import ClientPerson

    runtime = Runtime(TOOLS, person=ClientPerson())
    run_stdio(runtime, Session(), wire, version="0", structured="--structured" in sys.argv)


if __name__ == "__main__":
    main()
