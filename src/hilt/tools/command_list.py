"""`command_list`: the background commands of a session."""

import time
from typing import Annotated

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import Limit, ToolResult, Truncation
from hilt.workspace.commands.answers import exit_code
from hilt.workspace.commands.session_jobs import KnownJob, known_jobs
from hilt.workspace.processes import Processes

MOST_JOBS = 20
LONGEST_COMMAND = 80


class Listed(TypedDict):
    """A job: `state` is running or how it ended, `seconds` since it was started."""

    job: str
    state: str
    seconds: int
    command: str


@tool(
    kind="perceive",
    limit=MOST_JOBS,
    continues="offset",
    noun="job",
    effects={"reads": "private", "brings": "own"},
    activity="listing background commands",
    description=Description(
        use_for="listing this session's background commands", returns=f"up to {MOST_JOBS}, the last started first"
    ),
)
async def command_list(ctx: Context, offset: Annotated[int, Param("jobs to skip", ge=0)] = 0) -> ToolResult[Listed]:
    processes = ctx.part(Processes)
    jobs = list((await known_jobs(ctx.part(Memos), ctx.session)).values())[::-1]
    listed = [await _listed(processes, each) for each in jobs]
    items = listed[offset : offset + MOST_JOBS]
    more = len(jobs) - offset - len(items)
    running = sum(item["state"].startswith("running") for item in listed)
    return ToolResult(
        summary=f"{running} of {len(jobs)} jobs run" if jobs else "no command is or was in the background",
        items=tuple(items),
        truncation=Truncation(
            shown=len(items),
            total=len(jobs),
            limit=Limit(name="limit", value=MOST_JOBS),
            next={"offset": offset + MOST_JOBS},
        )
        if more > 0
        else None,
    )


async def _listed(processes: Processes, known: KnownJob) -> Listed:
    job = processes.job_at(known.place)
    state = "output removed"
    if job is not None:
        await job.wait(0)
        code = exit_code(job.status)
        state = "running" if job.ended is None else f"exit code {code}" if code is not None else "lost"
        if job.ended is None and job.left:
            state = f"running: {', '.join(str(each.pid) for each in job.left)}; exit code {code}"
    line = " ".join(known.command.split())
    return Listed(
        job=known.name,
        state=state,
        seconds=round(time.time() - known.began),
        command=line if len(line) <= LONGEST_COMMAND else line[: LONGEST_COMMAND - 3] + "...",
    )
