"""`hilt log`: what happened, from the store: calls latest first, one call's steps, sessions, upkeep."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial

import anyio
import click

from hilt.assembly.changes import kept_changes
from hilt.assembly.config import Config
from hilt.assembly.durations import duration
from hilt.assembly.health import store_place
from hilt.assembly.history import NANOSECONDS, Called, Step, calls
from hilt.assembly.storing import store_of
from hilt.cli.faults import CommandError
from hilt.cli.filters import Test, matcher
from hilt.cli.listing import settings
from hilt.cli.log_export import export
from hilt.cli.output import Out
from hilt.cli.table import beside, pairs, table
from hilt.cli.verb import Place, places, verb
from hilt.cli.worded import Worded
from hilt.declarations.schema import is_object
from hilt.store.records import PurgeReport, StoredSession

LATEST = 20
DEFAULT = "calls"
FIRST_CALL = """hilt call search_code '{"pattern": "TODO"}'"""


class Log(Worded):
    """See `Worded`."""

    default = DEFAULT


@click.group(cls=Log, short_help="what happened: sessions, calls, steps")
def command() -> None:
    """What happened, latest first.

    WORDS choose calls: tool:read_* status:error session:ID since:2h, ! in front for all others, any
    other word is looked for in the tool's name and its activity.
    """


@verb(name=DEFAULT, says="calls, latest first; `hilt log WORDS` is the same")
@click.argument("words", nargs=-1)
@click.option("--limit", type=click.IntRange(min=1), default=LATEST, show_default=True, help="The most calls to show.")
@places
def list_calls(out: Out, place: Place, *, words: tuple[str, ...], limit: int) -> int:
    """WORDS: tool: status: session: call: rule: since: and plain words, ! in front for all others."""
    chosen = matcher(words)
    found = anyio.run(partial(_calls, settings(place), chosen.session, chosen.wanted, limit))
    out.answer({"calls": [_document(each) for each in found]}, lambda: _calls_text(out, found, filtered=bool(words)))
    return 0


async def _calls(config: Config, session: str | None, wanted: Test, limit: int) -> list[Called]:
    store = store_of(config)
    try:
        return await calls(store, session=session, wanted=wanted, most=limit)
    finally:
        await store.close()


def _document(call: Called) -> dict[str, object]:
    return {
        "at": _rfc3339(call.at),
        "session": call.session,
        "call": call.call,
        "tool": call.tool,
        "status": call.status,
        "milliseconds": call.milliseconds,
        "decision": call.fact("decide", "word"),
        "rule": call.fact("decide", "rule"),
        "bytes": call.fact("answer", "bytes"),
        "truncated": call.fact("answer", "truncated"),
        "activity": call.activity,
    }


def _calls_text(out: Out, found: list[Called], *, filtered: bool) -> str:
    if not found:
        return "no call matches" if filtered else f"no call has been made yet; try: {FIRST_CALL}"
    heads = ("TIME", "TOOL", "STATUS", "MS", "BYTES", "CALL", "ACTIVITY")
    fixed = [
        (
            _clock(each.at),
            each.tool,
            _status(each),
            _number(each.milliseconds),
            _number(each.fact("answer", "bytes")),
            each.call,
        )
        for each in found
    ]
    rows = beside(fixed, [each.activity for each in found], heads, out.width)
    return table(heads, rows, right="lllrr", paint=lambda head: out.paint(head, "dim"))


def _status(call: Called) -> str:
    rule = call.fact("decide", "rule")
    return f"{call.status} by {rule}" if call.status == "denied" and rule else call.status


def _number(value: object) -> str:
    return f"{value:,.0f}" if isinstance(value, int | float) else ""


@verb(name="show", says="every step of one call")
@click.argument("call")
@places
def show_call(out: Out, place: Place, *, call: str) -> int:
    """CALL is what the column CALL shows: the session, a stroke, and the call's number in it."""
    session = call.rpartition("/")[0]
    found = anyio.run(partial(_calls, settings(place), session or None, lambda each: each.call == call, 1))
    if not session or not found:
        raise CommandError(f"no call {call!r} is kept", "hilt log lists the latest", label="unknown_call")
    steps = found[0].steps
    out.answer({**_document(found[0]), "steps": list(steps)}, lambda: _steps_text(out, found[0]))
    return 0


def _steps_text(out: Out, call: Called) -> str:
    rows = [(f"{_at(step) - call.at:8.3f} s", str(step.get("step")), _facts(step.get("facts"))) for step in call.steps]
    return table(("AFTER", "STEP", "FACTS"), rows, right="r", paint=lambda head: out.paint(head, "dim"))


def _at(step: Step) -> float:
    return float(str(step.get("time_ns", 0))) / NANOSECONDS


def _facts(facts: object) -> str:
    if not is_object(facts):
        return ""
    return "  ".join(f"{name}={value}" for name, value in facts.items() if value not in (None, ""))


def _rfc3339(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clock(at: float) -> str:
    """Local time; with the day when it is not today."""
    when, today = datetime.fromtimestamp(at), datetime.now()
    return when.strftime("%H:%M:%S" if when.date() == today.date() else "%Y-%m-%d %H:%M")


@verb(name="sessions", says="sessions, the last used first")
@click.option("--limit", type=click.IntRange(min=1), default=LATEST, show_default=True, help="The most to show.")
@places
def list_sessions(out: Out, place: Place, *, limit: int) -> int:
    found = anyio.run(partial(_sessions, settings(place), limit))
    document = {
        "sessions": [
            {"id": each.id, "principal": each.principal, "opened": _rfc3339(each.opened), "used": _rfc3339(each.used)}
            | {"answers": each.calls, "events": each.events}
            for each in found
        ]
    }
    out.answer(document, lambda: _sessions_text(out, found))
    return 0


async def _sessions(config: Config, limit: int) -> list[StoredSession]:
    store = store_of(config)
    try:
        return await store.sessions(limit)
    finally:
        await store.close()


def _sessions_text(out: Out, found: list[StoredSession]) -> str:
    rows = [(_clock(each.used), each.id, each.principal, f"{each.events:,}") for each in found]
    if not rows:
        return "no session is kept"
    return table(("USED", "SESSION", "FOR", "EVENTS"), rows, right="lllr", paint=lambda head: out.paint(head, "dim"))


@verb(name="path", says="print where state is kept")
@places
def path(out: Out, place: Place) -> int:
    where = store_place(settings(place))
    out.answer({"path": where}, where)
    return 0


@verb(name="purge", says="remove what is older than is kept")
@click.option("--older", metavar="LENGTH", help="Older than this, such as 36h or 7d; else log.keep of the settings.")
@places
def purge(out: Out, place: Place, *, older: str | None) -> int:
    """Removes events, put-aside results, answers, closed questions, idle sessions whole, and what `hilt
    undo` keeps of changed files. A session in use keeps what holds off a second run of an irreversible act.
    """
    config = settings(place)
    length = duration(older) if older else config.duration("log.keep")
    if length is None:
        raise CommandError(f"{older!r} is no length of time", "--older 36h or --older 7d")
    report = anyio.run(partial(_purge, config, length))
    removed = {**_purged(report), "file_changes": kept_changes().purge(length.total_seconds())}
    out.answer(removed, lambda: _purge_text(out, removed))
    return 0


async def _purge(config: Config, older: timedelta) -> PurgeReport:
    store = store_of(config)
    try:
        return await store.purge(older)
    finally:
        await store.close()


def _purged(report: PurgeReport) -> dict[str, int]:
    return {
        "sessions": report.sessions,
        "answers": report.calls,
        "events": report.events,
        "artifacts": report.blobs,
        "artifact_bytes": report.bytes,
        "questions": report.pending,
    }


def _purge_text(out: Out, removed: Mapping[str, int]) -> str:
    rows = [(name.replace("_", " "), f"{count:,} removed") for name, count in removed.items()]
    return pairs(rows, paint=lambda name: out.paint(name, "dim"))


for _each in (list_calls, show_call, list_sessions, export, path, purge):
    command.add_command(_each)
