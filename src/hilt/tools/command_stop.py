"""`command_stop`: end a command of the background, and all it started."""

import os
from typing import Annotated

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import ToolResult
from hilt.results.failures import Aborted
from hilt.workspace.commands.answers import last_lines
from hilt.workspace.commands.capture import LAST_LINES
from hilt.workspace.commands.session_jobs import find_job
from hilt.workspace.processes import Processes
from hilt.workspace.processes.command import KILL_WITHIN_S, STOP_GRACE_S

WITHIN_S = STOP_GRACE_S + KILL_WITHIN_S + 5


@tool(
    kind="act",
    effects={"reads": "private", "does": ()},  # ends what this session was given leave to begin, and nothing else
    idempotent=True,
    undo="none: what was ended is not started again",
    activity="stopping {job}",
    description=Description(
        use_for="ending a background command and all it started",
        returns=f"its last {LAST_LINES} lines",
    ),
)
async def command_stop(ctx: Context, job: Annotated[str, Param("its name", example="job_1")]) -> ToolResult[str]:
    _, found = await find_job(ctx.part(Memos), ctx.session, ctx.part(Processes), job)
    if found.ended is not None:
        return ToolResult(summary=f"{job} had ended already")
    found.stop()
    if not await found.wait(WITHIN_S, whole=True):
        raise Aborted(f"{job} was asked to end, and killed, and has not ended in {WITHIN_S:g} s", "look at it later")
    try:
        log = found.open_log()
    except OSError:
        return ToolResult(summary=f"{job} and all it started is ended")
    try:
        return ToolResult(summary=f"{job} and all it started is ended", items=(last_lines(log),))
    finally:
        os.close(log)
