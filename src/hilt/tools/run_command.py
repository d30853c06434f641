"""`run_command`: a shell command or a program, watched from outside, its output and exit code told as they are."""

import errno
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, NotRequired

from anyio import to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.artifacts import Artifacts
from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.checks import exactly_one
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.errors import StoreError
from hilt.results.envelope import Artifact, Failure, OtherTool, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, FailureKind, InvalidArguments, Outcome, ToolFailure
from hilt.workspace.commands.answers import cut_of, exit_code, extent, output_of, output_text, summary_of, told
from hilt.workspace.commands.capture import SHOWN_BYTES, Capture
from hilt.workspace.commands.exit_explained import missing_program
from hilt.workspace.commands.folder import end_folder, start_folder
from hilt.workspace.commands.isolation_notes import explained_by_isolation, isolation_note, withheld_note
from hilt.workspace.commands.passing import passable
from hilt.workspace.commands.session_jobs import forget_ended, remember_job
from hilt.workspace.commands.shell import may_move, new_place, prepare, read_report, report_file
from hilt.workspace.processes import Command, Ended, Job, Processes
from hilt.workspace.processes.command import KEPT_BYTES
from hilt.workspace.seen import stale_notes
from hilt.workspace.workspace import Workspace

DEFAULT_TIMEOUT_S = 120
MOST_TIMEOUT_S = 3_600
ARTIFACT_TOOL, OUTPUT_TOOL, STOP_TOOL = "artifact_read", "command_output", "command_stop"


class Ran(TypedDict):
    """`exit_code` is null while it runs, and 128 plus the signal's number where one ended it."""

    exit_code: int | None
    output: str
    job: NotRequired[str]


@dataclass(slots=True, kw_only=True)
class _Run:
    """One call under way: what is run, where, and what is to be told of it."""

    command: str | None
    argv: tuple[str, ...]
    folder: str
    kept_folder: bool
    environment: Mapping[str, str]
    notes: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """What is run, for people and lists."""
        return self.command if self.command is not None else " ".join(self.argv)


@tool(
    kind="act",
    effects={
        "reads": "private",
        "brings": "third-party",
        "does": "run",
        "isolated": True,
        "roles": {"command": "command", "argv": "command", "workdir": "path"},
    },
    idempotent=False,
    undo="none: a command may do anything",
    noun="command",
    timeout_s=None,
    activity="running {command}",
    checks=[exactly_one("command", "argv"), *passable("command"), *passable("argv")],
    render=output_text,
    description=Description(
        use_for="running a program: tests, builds, git, package managers",
        not_for={"reading files": "read_file", "searching": "search_code", "changing files": "edit_file"},
        returns=f"exit code and output, both streams in order; over {SHOWN_BYTES:,} bytes its start, errors, end",
        traps="stdin is empty; the next call starts in the folder this one ends in; past timeout_s it goes on as a job",
    ),
)
async def run_command(
    ctx: Context,
    command: Annotated[str | None, Param("bash", example="npm test")] = None,
    argv: Annotated[list[str] | None, Param("without a shell", min_length=1)] = None,
    timeout_s: Annotated[float, Param("seconds", gt=0, le=MOST_TIMEOUT_S)] = DEFAULT_TIMEOUT_S,
    background: Annotated[bool | None, Param("true: a job at once; false: killed past timeout_s")] = None,
    workdir: Annotated[str | None, Param("absolute folder, for this call only")] = None,
    tty: Annotated[bool, Param("give it a terminal")] = False,
) -> ToolResult[Ran]:
    run = await _prepared(ctx, command, argv, workdir)
    job = await _started(ctx, run, tty=tty)
    try:
        if background:
            await job.started()
            await _check_started(ctx, run, job)
            return await _in_background(ctx, run, job, began=True)
        if await job.wait(timeout_s):
            await _check_started(ctx, run, job)
            return await _over(ctx, run, job)
        if background is None:
            return await _in_background(ctx, run, job, began=False, after_s=timeout_s)
        job.stop()
        await job.wait(None, whole=True)
        problem = f"killed past {timeout_s:g} s, with all it started"
        return await _aborted(ctx, run, job, problem, "raise timeout_s")
    except BaseException:
        ctx.did("the command was started, and ended with everything it had started")
        job.close()
        raise


async def _prepared(ctx: Context, command: str | None, argv: list[str] | None, workdir: str | None) -> _Run:
    workspace = ctx.part(Workspace)
    if argv and not argv[0]:
        raise InvalidArguments("argv begins with an empty word, which names no program", "begin it with the program")
    if workdir is not None:
        fact = await workspace.locate(workdir)
        if fact.kind != "folder":
            raise EnvironmentFailure(f"{workdir} is no folder", "give the folder that holds it as workdir")
        return _Run(
            command=command,
            argv=tuple(argv or ()),
            folder=workdir,
            kept_folder=False,
            environment=ctx.part(Processes).environment,
        )
    try:
        start = await start_folder(ctx.part(Memos), ctx.session, workspace)
    except StoreError as fault:
        raise EnvironmentFailure(f"the command was not started: {fault}", "report it to the person") from fault
    return _Run(
        command=command,
        argv=tuple(argv or ()),
        folder=start.folder,
        kept_folder=True,
        environment=ctx.part(Processes).environment,
        notes=[start.note] if start.note else [],
    )


async def _started(ctx: Context, run: _Run, *, tty: bool) -> Job:
    processes = ctx.part(Processes)
    place = new_place(processes)
    argv, environment = run.argv, run.environment
    try:
        if run.command is not None:
            argv, environment = prepare(run.command, place, run.environment)
        writes = (str(report_file(place)),)
        command = Command(argv=argv, folder=run.folder, environment=environment, tty=tty, writes=writes)
        return await processes.start(command, place=place)
    except ToolFailure:
        await processes.remove(place)
        raise


async def _check_started(ctx: Context, run: _Run, job: Job) -> None:
    """Raises EnvironmentFailure where the program could not be started."""
    failed = job.failed
    if failed is None:
        run.notes += isolation_note(ctx.part(Processes), ctx.session)
        run.notes += withheld_note(ctx.part(Processes), run.command or "")
        return
    name = run.argv[0] if run.argv else "bash"
    await job.remove()
    if failed == errno.ENOENT and "/" not in name:
        near = await to_thread.run_sync(missing_program, name, run.environment)
        raise EnvironmentFailure(f"{name}: {near or 'it cannot be found'}", "give the name of a program that is there")
    raise EnvironmentFailure(
        f"{name} in {run.folder} could not be run: {os.strerror(failed)}",
        "give the path of an executable file" if failed != errno.E2BIG else "give fewer or shorter arguments",
    )


async def _over(ctx: Context, run: _Run, job: Job) -> ToolResult[Ran]:
    """The command has ended; children of it may go on."""
    if job.ended is None:
        return await _with_children(ctx, run, job)
    code = exit_code(job.ended.status)
    if code is None:
        return await _aborted(
            ctx, run, job, "what watched the command was killed from outside, and the command with it"
        )
    seen = await output_of(job.log)
    await _note_folder(ctx, run, job)
    result = await _result(ctx, run, job, seen, job.ended, code)
    await job.remove()
    return result


async def _result(ctx: Context, run: _Run, job: Job, seen: Capture, ended: Ended, code: int) -> ToolResult[Ran]:
    lost = ended.total - seen.bytes - (ended.gap.bytes if ended.gap else 0)
    if lost > 0:
        run.notes.append(f"{lost:,} bytes of output are missing: something else changed the log")
    if ended.gap:
        run.notes.append(f"{ended.gap.bytes:,} bytes of output were not kept: the most is {KEPT_BYTES:,}")
    run.notes += (*ended.mended, *explained_by_isolation(ctx.part(Processes), code, seen.text))
    summary = await summary_of(code, run.text, run.argv, job.place, run.environment)
    artifact, cut = await _rest(ctx, job, seen)
    return ToolResult(
        summary=summary + extent(seen),
        items=(Ran(exit_code=code, output=seen.text),),
        truncation=cut,
        artifact=artifact,
        notes=(*told(seen, artifact), *run.notes, *await stale_notes(ctx)),
    )


async def _rest(ctx: Context, job: Job, seen: Capture) -> tuple[Artifact | None, Truncation | None]:
    """The log put aside where not all of it is shown as it was, and the cut."""
    if not (seen.cut or seen.changes.reduced):
        return None, None
    artifact = None
    try:
        if not job.log_is_there:
            raise StoreError("the log was removed or replaced")
        artifact = await ctx.part(Artifacts).keep_file(ctx.session, job.log_path, "text/plain")
    except StoreError:
        ctx.note("the whole output could not be put aside; run it again with less output, or into a file")
    otherwise = None
    if artifact is not None and ARTIFACT_TOOL in ctx.offered:
        otherwise = OtherTool(tool=ARTIFACT_TOOL, arguments={"artifact": artifact.id, "offset": seen.resume})
    return artifact, cut_of(seen, otherwise)


async def _note_folder(ctx: Context, run: _Run, job: Job) -> None:
    if run.command is None or not run.kept_folder:
        return
    report = read_report(job.place)
    if report is None:
        if may_move(run.command):
            run.notes.append(f"which folder it ended in is not known; the next command starts in {run.folder}")
        return
    try:
        note = await end_folder(ctx.part(Memos), ctx.session, ctx.part(Workspace), run.folder, report.folder)
    except StoreError:
        note = f"it ended in {report.folder}, which could not be remembered"
    if note:
        run.notes.append(note)


async def _with_children(ctx: Context, run: _Run, job: Job) -> ToolResult[Ran]:
    await _note_folder(ctx, run, job)
    seen = await output_of(job.log)
    name = await _named(ctx, run, job, seen)
    left = "; ".join(f"{each.pid} {each.command}" for each in job.left)
    run.notes.append("; ".join([f"still running: {left}", *_ways(ctx, read=False)]))
    return ToolResult(
        summary=f"exit code {exit_code(job.status)}; processes it started go on as {name}",
        items=(Ran(exit_code=exit_code(job.status), output=seen.text, job=name),),
        truncation=cut_of(seen, _output_from(ctx, name, seen)),
        notes=(*told(seen), *run.notes, *await stale_notes(ctx)),
    )


async def _in_background(ctx: Context, run: _Run, job: Job, *, began: bool, after_s: float = 0) -> ToolResult[Ran]:
    seen = await output_of(job.log)
    name = await _named(ctx, run, job, seen)
    how = "runs in the background" if began else f"still running after {after_s:g} s, moved to the background"
    run.notes += _ways(ctx)
    return ToolResult(
        status=Status.SUCCESS if began else Status.PARTIAL,
        summary=f"{how} as {name}",
        items=(Ran(exit_code=None, output=seen.text, job=name),),
        truncation=cut_of(seen, _output_from(ctx, name, seen)),
        notes=(*told(seen), *run.notes),
    )


def _ways(ctx: Context, *, read: bool = True) -> list[str]:
    ways = [f"read on with {OUTPUT_TOOL}"] if read and OUTPUT_TOOL in ctx.offered else []
    ways += [f"end it with {STOP_TOOL}"] if STOP_TOOL in ctx.offered else []
    return ["; ".join(ways)] if ways else []


def _output_from(ctx: Context, name: str, seen: Capture) -> OtherTool | None:
    arguments = {"job": name, "offset": seen.resume}
    return OtherTool(tool=OUTPUT_TOOL, arguments=arguments) if OUTPUT_TOOL in ctx.offered else None


async def _named(ctx: Context, run: _Run, job: Job, seen: Capture) -> str:
    memos, processes = ctx.part(Memos), ctx.part(Processes)
    name = await remember_job(memos, ctx.session, job.place, command=run.text, argv=run.argv, read=seen.bytes)
    await processes.background(job)
    await forget_ended(memos, ctx.session, processes)
    return name


async def _aborted(ctx: Context, run: _Run, job: Job, problem: str, *steps: str) -> ToolResult[Ran]:
    """The command was ended before it was done; what it wrote until then is shown."""
    seen = await output_of(job.log)
    run.notes += job.ended.mended if job.ended else ()
    artifact, cut = await _rest(ctx, job, seen)
    await job.remove()
    steps = ("check what it did before a rerun", *steps)
    return ToolResult(
        status=Status.ERROR,
        summary=problem,
        items=(Ran(exit_code=None, output=seen.text),),
        failure=Failure(kind=FailureKind.ABORTED, problem=problem, next_steps=steps, outcome=Outcome.UNKNOWN),
        truncation=cut,
        artifact=artifact,
        notes=(*told(seen, artifact), *run.notes),
    )
