"""`command_input`: type into a background command that has a terminal."""

from typing import Annotated

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Retryable
from hilt.workspace.commands.session_jobs import find_job
from hilt.workspace.processes import Processes
from hilt.workspace.processes.found import type_into

MOST_BYTES = 4_000
"""A terminal takes no more at once."""


@tool(
    kind="act",
    effects={"reads": "none", "does": "run", "isolated": True, "roles": {"text": "content"}},
    idempotent=False,
    undo="none: what was typed was read",
    activity="typing into {job}",
    description=Description(
        use_for="typing into a background command started with tty",
        returns="nothing; read what it answers with command_output",
        traps="text is typed as it is: end a line with a line feed",
    ),
)
async def command_input(
    ctx: Context,
    job: Annotated[str, Param("its name", example="job_1")],
    text: Annotated[str, Param("what to type", example="y\n", role="command", min_length=1)],
) -> ToolResult[str]:
    known, found = await find_job(ctx.part(Memos), ctx.session, ctx.part(Processes), job)
    content = text.encode("utf-8", "surrogatepass")
    if len(content) > MOST_BYTES:
        raise InvalidArguments(f"text has {len(content):,} bytes; at once goes {MOST_BYTES:,}", "type it in parts")
    if found.ended is not None:
        raise EnvironmentFailure(f"{job} has ended", "start it again")
    try:
        type_into(known.place, content)
    except BlockingIOError:
        raise Retryable(f"{job} does not read what is typed", "wait and type again") from None
    except OSError:
        raise EnvironmentFailure(f"{job} has no terminal, and its input is empty", "start it with tty") from None
    return ToolResult(summary=f"typed {len(content):,} bytes into {job}")
