"""`run_code`: Python in a process of its own; the value of the last expression, the output, and the files written."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.artifacts import Artifacts
from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.memos import Memos
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.documents.images import SHOWN_BYTES, SHOWN_TYPES, sniff
from hilt.errors import StoreError
from hilt.results.envelope import Artifact, Failure, Limit, OtherTool, Status, ToolResult, Truncation
from hilt.results.failures import FailureKind, Outcome
from hilt.results.parts import Image
from hilt.workspace.code import Fault, Interpreter, Interpreters, Ran
from hilt.workspace.code.limits import MEMORY_GIB
from hilt.workspace.code.wording import HEAD_CHARS, RESULT_SHOWN, ending, fault_lines, hints, is_exit, shown_result
from hilt.workspace.code.written import KeptFile, Source, keep_written
from hilt.workspace.commands.answers import cut_of, exit_code, extent, output_of, told
from hilt.workspace.commands.capture import Capture
from hilt.workspace.commands.isolation_notes import explained_by_isolation, isolation_note
from hilt.workspace.processes.command import KEPT_BYTES
from hilt.workspace.seen import stale_notes

DEFAULT_TIMEOUT_S = 30
MOST_TIMEOUT_S = 600
MOST_PICTURES = 4
"""Pictures of one call that the model sees."""
ARTIFACT_TOOL = "artifact_read"
MEMO = "code:kept"


class Value(TypedDict):
    """`result` is the repr of the last expression; absent where that is None, or there is none."""

    output: str
    result: NotRequired[str]
    error: NotRequired[Fault]
    exit_code: NotRequired[int]
    files: NotRequired[list[KeptFile]]


@dataclass(slots=True, kw_only=True)
class _Rest:
    """What is put aside because it is shown in part, and the cut."""

    artifact: Artifact | None = None
    cut: Truncation | None = None


def shown(items: Sequence[object]) -> str:
    """Output, result, error and files, each in lines of its own."""
    return "\n".join(line for item in items for line in _lines(cast("Value", item)))


def _lines(item: Value) -> list[str]:
    lines = [item["output"]] if item["output"] else []
    if "result" in item:
        lines.append(f"result: {item['result']}")
    if "error" in item:
        lines += fault_lines(item["error"])
    return lines + [
        f"file {each['name']}: {each['media_type']}, {each['bytes']:,} bytes, {each['artifact']}"
        for each in item.get("files", ())
    ]


@tool(
    kind="act",
    effects={
        "reads": "private",
        "brings": "third-party",
        "does": "run",
        "isolated": True,
        "roles": {"code": "content"},
    },
    idempotent=False,
    undo="none: code may do anything",
    noun="value",
    timeout_s=None,
    activity="running Python code",
    render=shown,
    description=Description(
        use_for="exact arithmetic, symbolic maths (sympy), numpy, data, checking a claim",
        not_for={"the project's programs and tests": "run_command", "changing files": "edit_file"},
        returns="the last expression's value, output, exceptions; files written to the current, scratch folder as "
        "artifacts, images shown",
        traps=f"stdin is empty; killed past timeout_s; {MEMORY_GIB} GiB of memory",
    ),
)
async def run_code(
    ctx: Context,
    code: Annotated[str, Param("Python", example="2**64 + 1")],
    keep: Annotated[bool, Param("in a process whose variables stay")] = False,
    timeout_s: Annotated[float, Param("seconds", gt=0, le=MOST_TIMEOUT_S)] = DEFAULT_TIMEOUT_S,
) -> ToolResult[Value]:
    async with ctx.part(Interpreters).take(ctx.session, keep=keep) as interpreter:
        notes = await _lost(ctx, interpreter)
        ctx.did("the code was started; it and all it started end with this call")
        ran = await interpreter.run(code, timeout_s)
        return await _answer(ctx, interpreter, ran, timeout_s, notes)


async def _lost(ctx: Context, interpreter: Interpreter) -> list[str]:
    """Remember that the session keeps a process; a note where an earlier one is gone with its variables."""
    if not (interpreter.keep and interpreter.calls == 0):
        return []
    had: object = None
    with suppress(StoreError):
        had = await ctx.part(Memos).get(ctx.session, MEMO)
        await ctx.part(Memos).put(ctx.session, MEMO, value=True)
    return ["the process of earlier calls has ended: their variables and files are gone"] if had else []


async def _answer(
    ctx: Context, interpreter: Interpreter, ran: Ran, timeout_s: float, notes: list[str]
) -> ToolResult[Value]:
    seen = await output_of(interpreter.job.log, ran.start)
    item = Value(output=seen.text)
    late = ran.reply is None and ran.out_of_time
    if ran.reply is None and not late and (code := exit_code(ran.status)) is not None:
        item["exit_code"] = code
    rest = await _told_reply(ctx, ran, item, notes)
    if seen.cut or seen.changes.reduced:
        rest = await _put_output_aside(ctx, interpreter, ran, seen, rest, notes)
    pictures = await _told_files(ctx, interpreter, item, notes)
    notes += [*await _told_end(ctx, interpreter, ran, seen), *await stale_notes(ctx), *_isolation(ctx, item)]
    problem = f"the code passed its {timeout_s:g} s and was killed with everything it had started"
    return ToolResult(
        status=Status.ERROR if late else Status.SUCCESS,
        summary=problem if late else ending(ran) + extent(seen),
        items=(item,),
        failure=_late(problem, timeout_s) if late else None,
        truncation=rest.cut,
        artifact=rest.artifact,
        notes=(*told(seen, rest.artifact if seen.cut or seen.changes.reduced else None), *notes),
        parts=pictures,
    )


def _isolation(ctx: Context, item: Value) -> list[str]:
    """What is told of isolation the first time, and where it may be why the code failed."""
    processes = ctx.part(Interpreters).processes
    said = item["error"]["message"] if "error" in item else ""
    return isolation_note(processes, ctx.session) + explained_by_isolation(processes, len(said), said)


def _late(problem: str, timeout_s: float) -> Failure:
    longer = f"give a timeout_s up to {MOST_TIMEOUT_S}, or make the work smaller"
    smaller = "make the work smaller, and check what the code had changed outside before running it again"
    steps = (longer, "check what it had changed outside its folder") if timeout_s < MOST_TIMEOUT_S else (smaller,)
    return Failure(kind=FailureKind.ABORTED, problem=problem, next_steps=steps, outcome=Outcome.UNKNOWN)


async def _told_reply(ctx: Context, ran: Ran, item: Value, notes: list[str]) -> _Rest:
    """Put what the code came to into the item; the whole of a long result is put aside."""
    if ran.reply is None:
        return _Rest()
    fault = ran.reply.get("error")
    if fault is not None and not is_exit(fault):
        item["error"] = fault
        notes += hints(fault, ctx.offered)
    text = ran.reply.get("result")
    if text is None:
        return _Rest()
    length = ran.reply.get("length", len(text))
    item["result"], shown_chars = shown_result(text, length)
    if length <= RESULT_SHOWN:
        return _Rest()
    if len(text) < length:
        notes.append(f"the result has {length:,} characters, {len(text):,} are kept: write such a one to a file")
    content = text.encode("utf-8", "backslashreplace")
    artifact = None
    with suppress(StoreError):
        artifact = await ctx.part(Artifacts).keep(ctx.session, content, "text/plain")
    cut = Truncation(
        shown=shown_chars,
        total=max(length, len(content)),
        total_is="exact" if len(content) == length else "at_least",
        unit="bytes",
        limit=Limit(name="result", value=RESULT_SHOWN),
        next={},
        otherwise=_reads(ctx, artifact, len(text[:HEAD_CHARS].encode("utf-8", "backslashreplace"))),
    )
    return _Rest(artifact=artifact, cut=cut)


def _reads(ctx: Context, artifact: Artifact | None, offset: int) -> OtherTool | None:
    if artifact is None or ARTIFACT_TOOL not in ctx.offered:
        return None
    return OtherTool(tool=ARTIFACT_TOOL, arguments={"artifact": artifact.id, "offset": offset})


async def _put_output_aside(  # what was found out before
    ctx: Context, interpreter: Interpreter, ran: Ran, seen: Capture, rest: _Rest, notes: list[str]
) -> _Rest:
    """Keep the whole output. Where the result was cut too, its artifact is named in a note."""
    artifact = None
    try:
        artifact = await _kept_output(ctx, interpreter, ran)
    except StoreError:
        notes.append("the whole output could not be put aside; print less, or into a file")
    if rest.artifact is not None:
        notes.append(f"the whole result is in {rest.artifact.id}")
    return _Rest(artifact=artifact, cut=cut_of(seen, _reads(ctx, artifact, seen.resume)) or rest.cut)


async def _kept_output(ctx: Context, interpreter: Interpreter, ran: Ran) -> Artifact:
    artifacts = ctx.part(Artifacts)
    if not (ran.start or interpreter.alive):
        with suppress(StoreError):  # the code has removed the file; its descriptor is open
            return await artifacts.keep_file(ctx.session, interpreter.job.log_path, "text/plain")
    return await artifacts.keep(ctx.session, interpreter.output(ran.start), "text/plain")


async def _told_files(ctx: Context, interpreter: Interpreter, item: Value, notes: list[str]) -> tuple[Image, ...]:
    """Hand out what was written, and show the pictures among it."""
    source = Source(folder=interpreter.files, known=interpreter.known, goes_on=interpreter.alive)
    kept = await keep_written(source, ctx.part(Artifacts), ctx.session, _is_shown)
    interpreter.known = kept.known
    notes += kept.notes
    if kept.files:
        item["files"] = kept.files
    notes += [
        f"{each['name']} is not shown: a picture that is may have {SHOWN_BYTES:,} bytes"
        for each in kept.files
        if each["media_type"] in SHOWN_TYPES and each["bytes"] > SHOWN_BYTES
    ]
    if len(kept.contents) > MOST_PICTURES:
        notes.append(f"{MOST_PICTURES} of {len(kept.contents)} pictures are shown")
    return tuple(Image(content=each, media_type=_type_of(each)) for each in kept.contents[:MOST_PICTURES])


def _is_shown(head: bytes, size: int) -> bool:
    return _type_of(head) in SHOWN_TYPES and size <= SHOWN_BYTES


def _type_of(head: bytes) -> str:
    picture = sniff(head)
    return picture.media_type if picture else ""


async def _told_end(ctx: Context, interpreter: Interpreter, ran: Ran, seen: Capture) -> list[str]:
    notes: list[str] = []
    if ran.early:
        notes.append(f"the first {ran.early:,} bytes of output came after the call before this one had ended")
    ended = interpreter.job.ended
    if ended is not None and ended.gap:
        notes.append(f"{ended.gap.bytes:,} bytes of output were not kept: the most is {KEPT_BYTES:,}")
    if ended is not None:
        notes += ended.mended
    if ran.left:
        notes.append(f"ended with this call though it still ran: {'; '.join(ran.left)}")
    if ran.reply is not None and ran.out_of_time:
        notes.append("threads or processes the code had started ran on past timeout_s and were killed")
    if interpreter.keep and not interpreter.alive:
        notes.append("the kept process is gone with it, and its variables and files")
        with suppress(StoreError):
            await ctx.part(Memos).put(ctx.session, MEMO, value=False)
    if ran.reply is not None and not (ran.reply or seen.bytes):
        notes.append("nothing was printed and the last line has no value: print what you want to see")
    return notes
