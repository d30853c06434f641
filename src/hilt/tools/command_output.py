"""`command_output`: what a command in the background has written since it was last looked at, and whether it runs."""

import os
from typing import Annotated, NotRequired

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace.commands.answers import exit_code, output_of, output_text, page_of, summary_of, told
from hilt.workspace.commands.capture import SHOWN_BYTES
from hilt.workspace.commands.session_jobs import KnownJob, find_job, note_read
from hilt.workspace.processes import FoundJob, Job, Processes
from hilt.workspace.processes.supervisor import host_environment

MOST_WAIT_S = 600


class Written(TypedDict):
    """`exit_code` is null while the command runs."""

    exit_code: int | None
    output: str
    job: NotRequired[str]


@tool(
    kind="perceive",
    limit=1,
    continues="offset",
    effects={"reads": "private", "brings": "third-party"},
    timeout_s=None,
    activity="looking at {job}",
    render=output_text,
    description=Description(
        use_for="output of a background command",
        returns="what is new since the last look, or from byte offset, and its exit code once it ended",
    ),
)
async def command_output(
    ctx: Context,
    job: Annotated[str, Param("its name", example="job_1")],
    wait_s: Annotated[float, Param("seconds to wait for its end", ge=0, le=MOST_WAIT_S)] = 0,
    offset: Annotated[int | None, Param("first byte", ge=0)] = None,
) -> ToolResult[Written]:
    memos, processes = ctx.part(Memos), ctx.part(Processes)
    known, found = await find_job(memos, ctx.session, processes, job)
    await found.wait(wait_s)
    try:
        log = found.open_log()
    except OSError:
        raise EnvironmentFailure(f"the output of {job} was removed", "run it again") from None
    try:
        if offset is not None:
            return await _page(known, found, log, offset)
        written = os.fstat(log).st_size
        seen = await output_of(log, known.read)
    finally:
        os.close(log)
    await note_read(memos, ctx.session, job, written)
    cut = None
    if seen.cut:
        cut = Truncation(
            shown=seen.shown,
            total=seen.lines,
            unit="lines",
            limit=Limit(name="bytes", value=SHOWN_BYTES),
            next={"job": job, "offset": known.read + seen.resume},
        )
    return await _result(known, found, seen.text, cut, told(seen))


async def _page(known: KnownJob, found: Job | FoundJob, log: int, offset: int) -> ToolResult[Written]:
    """A part of the output from one byte on, nothing chosen or left out."""
    written = os.fstat(log).st_size
    if offset > written:
        raise InvalidArguments(
            f"offset {offset:,} is past the end: {known.name} has written {written:,} bytes",
            f"give an offset of at most {written}, or none for what is new",
        )
    text, end, notes = page_of(log, offset)
    cut = None
    if end < written:
        cut = Truncation(
            shown=end - offset,
            total=written - offset,
            unit="bytes",
            limit=Limit(name="bytes", value=SHOWN_BYTES),
            next={"job": known.name, "offset": end},
        )
    return await _result(known, found, text, cut, notes)


async def _result(
    known: KnownJob, found: Job | FoundJob, text: str, cut: Truncation | None, notes: list[str]
) -> ToolResult[Written]:
    summary, code = await _state(known, found)
    return ToolResult(
        status=Status.SUCCESS,
        summary=f"{known.name}: {summary}" + ("" if text else ", no new output"),
        items=(Written(exit_code=code, output=text),),
        truncation=cut,
        notes=(*notes, *(found.ended.mended if found.ended else ())),
    )


async def _state(known: KnownJob, found: Job | FoundJob) -> tuple[str, int | None]:
    code = exit_code(found.status)
    if found.ended is None:
        left = "; ".join(f"{each.pid} {each.command}" for each in found.left)
        return (f"exit code {code}, but still running: {left}" if found.left else "running"), code
    if found.ended.stopped == "lost":
        return "it is gone, and nobody saw how it ended: this machine was restarted, or it was killed", None
    if found.ended.stopped:
        return "stopped", code
    environment = host_environment()
    return await summary_of(code or 0, known.command, known.argv, known.place, environment), code
