"""The road: one call, from the model's words to the answer it reads. Nothing else runs a tool.

    resolve -> decode -> validate -> decide -> review -> execute -> verify -> answer

Each step either hands on or raises `ToolFailure` or `Refused`; whatever happens, one answer
leaves. Only `decode` alters arguments, and it tells. Each step is an event of the trace.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import cast

import anyio

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.context import Context
from hilt.calls.events import Event, Step
from hilt.calls.returns import BrokenReturn
from hilt.calls.tool import AnyTool
from hilt.policy.claims import LedgerClaim
from hilt.policy.decision import Decision
from hilt.results.envelope import Denier, Status, ToolResult
from hilt.results.failures import Aborted, InvalidArguments, Outcome, Refused, Retryable, ToolFailure
from hilt.results.kept import keep, restore
from hilt.runtime.answering import page
from hilt.runtime.decoding import Decoded, decode
from hilt.runtime.defects import Defect
from hilt.runtime.digests import text_digest
from hilt.runtime.execution import faulty, run
from hilt.runtime.outcomes import denied, failed, told
from hilt.runtime.questions import Waiting, ask_person
from hilt.runtime.road import Road
from hilt.runtime.sessions import REPEATS_STOPPED, REPEATS_TOLD, SessionState
from hilt.runtime.showing import show
from hilt.store.records import Claimed, Repeated, Running, Stored, Unknown


@dataclass(slots=True, kw_only=True)
class Trip:
    """One call under way: what each step found, for the steps behind it."""

    road: Road
    state: SessionState
    call: ToolCall
    turn: str
    approved: bool = False
    key: str = ""
    tool: AnyTool | None = None
    decoded: Decoded | None = None
    claim: LedgerClaim | None = None
    keeps: bool = True
    ran: bool = False
    notes: list[str] = field(default_factory=list[str])

    def tell(self, step: Step, **facts: object) -> None:
        """Record one step in the trace."""
        self.road.record(Event(time.time_ns(), self.state.session.id, self.key, self.call.name, step, facts))

    async def original(self, reference: str) -> str | None:
        """The id that a short name of this session stands for."""
        return await self.road.store.original(self.state.session.id, reference)


async def travel(trip: Trip) -> Answer:
    """The whole road for one call. Raises nothing but cancellation by the host, which it records first."""
    trip.key = trip.state.next_key()
    try:
        produced = await _result(trip)
    except ToolFailure as failure:
        produced = failed(failure)
    except Refused as refusal:
        produced = denied(refusal)
    except Waiting as waiting:
        produced = waiting.result
    except anyio.get_cancelled_exc_class():
        if trip.turn or trip.claim is not None:
            with anyio.CancelScope(shield=True):
                await _settle(trip, failed(_cancelled_by_host(trip)))
        raise
    return await answer(trip, produced)


async def _result(trip: Trip) -> ToolResult[object]:
    tool = trip.tool = resolve(trip)
    decoded = trip.decoded = await decode_arguments(trip, tool)
    validate(trip, tool, decoded)
    decision = decide(trip, tool, decoded)
    if decision.word == "ask" and not trip.approved:
        await review(trip, tool, decoded, decision)
    if trip.turn or tool.declaration.effects.irreversible:
        stored = await take_claims(trip, tool, decoded)
        if stored is not None:
            return stored
    value, context = await execute(trip, tool, decoded)
    result = verify(trip, tool, decoded, value)
    return told(result, adjustments=decoded.adjustments, notes=(*trip.notes, *decision.notes, *context.notes))


def resolve(trip: Trip) -> AnyTool:
    """The tool a call means; an unknown name is answered with the nearest, a deferred one with its schema."""
    call, catalog = trip.call, trip.road.catalog
    if call.cut:
        raise InvalidArguments(
            f"{call.name}: the turn was cut by the output limit, so none of its calls ran",
            "send the call again, with shorter arguments or in several calls",
        )
    tool = catalog.get(call.name)
    if tool is None:
        raise trip.road.unknown_tool(call.name)
    trip.tell("resolve", tool=tool.name)
    if tool.handling.deferred and tool.name not in trip.state.loaded:
        trip.state.loaded.add(tool.name)
        raise trip.road.now_loaded(tool)
    return tool


async def decode_arguments(trip: Trip, tool: AnyTool) -> Decoded:
    """Text to arguments. The digests of both stand in the trace as proof; people see the activity from here on."""
    if tool.references:
        await trip.road.open(trip.state)
    decoded = await decode(tool, trip.call, trip.original)
    trip.tell(
        "decode",
        text_digest=decoded.text_digest,
        digest=decoded.digest,
        adjustments=len(decoded.adjustments),
        activity=trip.road.activity(tool, decoded.values),
    )
    return decoded


def validate(trip: Trip, tool: AnyTool, decoded: Decoded) -> None:
    """Rules across fields; and the stop for a call that keeps failing the same way."""
    problems = [
        (check, expected) for check in tool.handling.checks if (expected := check.broken(decoded.values)) is not None
    ]
    if problems:
        raise trip.road.broken_checks(tool, decoded.parsed, problems)
    times = trip.state.repeats(trip.call.name, decoded.digest)
    trip.tell("validate", repeats=times)
    if times >= REPEATS_STOPPED:
        raise Refused(
            f"this call of {tool.name} has failed the same way {times} times in a row",
            "change the arguments, or take another way",
            by=Denier.BREAKER,
            rule="same-failure",
        )


def decide(trip: Trip, tool: AnyTool, decoded: Decoded) -> Decision:
    """Policy over every layer, on facts; a deny ends here, an ask goes on to review."""
    decision = trip.road.decide(tool, decoded.parsed)
    trip.tell("decide", word=decision.word, layer=decision.layer, rule=decision.rule)
    if decision.word == "deny":
        raise Refused("; ".join(decision.reasons), *trip.road.ways_out(decision), rule=decision.rule)
    return decision


async def review(trip: Trip, tool: AnyTool, decoded: Decoded, decision: Decision) -> None:
    """An `ask` is put to a person: approved, refused, kept for later, or nobody is there."""
    await trip.road.open(trip.state)
    trip.tell("review", asked=trip.road.person is not None)
    await ask_person(trip.road, trip.state, tool, decoded.parsed, decision)


async def take_claims(trip: Trip, tool: AnyTool, decoded: Decoded) -> ToolResult[object] | None:
    """The ledger: a turn presented again runs nothing twice; an irreversible act is not repeated."""
    claim = trip.claim = _ledger_claim(trip, decoded.digest)
    await trip.road.open(trip.state)
    (outcome,) = await trip.road.store.claim([claim])
    match outcome:
        case Claimed():
            return None
        case Stored(result=text):
            return restore(text)
        case Running():
            trip.keeps = False
            raise Retryable(f"this same call of {tool.name} is still running", "wait for its result", retry_after_s=1)
        case Unknown():
            raise Aborted(
                f"an earlier run of this call of {tool.name} was lost with its process; what it did is unknown",
                "check whether it took effect before calling it again",
            )
        case Repeated(when=when):
            raise Refused(
                f"this irreversible call of {tool.name} already ran at {_clock(when)}",
                "do not repeat it; if a second one is meant, change the arguments",
                by=Denier.LEDGER,
                rule="irreversible-once",
            )


async def execute(trip: Trip, tool: AnyTool, decoded: Decoded) -> tuple[object, Context]:
    """Run the function; a retryable failure of an idempotent tool is repeated as declared, and told."""
    road, session = trip.road, trip.state.session
    context = Context(
        session, road.parts, call=trip.key, offered=road.offered_names(trip.state), report=_reporter(trip)
    )
    context.arguments = decoded.values
    trip.tell("execute", activity=road.activity(tool, decoded.values))
    trip.ran = True
    for attempt in range(tool.handling.repeats + 1):
        try:
            value = await run(road, tool, decoded.values, context, trip.state)
        except Retryable as failure:
            if attempt == tool.handling.repeats:
                raise
            trip.notes.append(f"repeated after: {failure.problem}")
            await anyio.sleep(min(failure.retry_after_s or 0, road.longest_wait_s))
        else:
            return value, context
    raise AssertionError("unreachable: the last attempt returns or raises")


def verify(trip: Trip, tool: AnyTool, decoded: Decoded, value: object) -> ToolResult[object]:
    """Hold the real return to the declared one; a mismatch is the host's defect, never a success."""
    try:
        if isinstance(value, ToolResult):
            made = cast("ToolResult[object]", value)
            result = made if made.is_error else replace(made, items=tool.returns.items_of(made.items))
        else:
            result = page(tool.returns.items(value), tool, decoded.parsed)
    except BrokenReturn as broken:
        trip.tell("defect", problem=str(broken))
        trip.road.report(Defect(tool=tool.name, problem=f"broke its declared return: {broken}"))
        raise faulty(tool, f"its return is not as declared ({broken})") from None
    trip.tell("verify", items=len(result.items))
    return result


async def answer(trip: Trip, produced: ToolResult[object]) -> Answer:
    """Fit the result to its budget, keep it in the ledger, and hand out the text."""
    arguments = trip.decoded.parsed if trip.decoded else {}
    produced = _with_repeat_note(trip, produced)
    shown = await show(trip.road, trip.state, trip.tool, arguments, produced)
    if trip.turn or trip.claim is not None:
        await _settle(trip, shown.result)
    trip.tell("answer", status=shown.result.status.value, bytes=len(shown.text), truncated=shown.result.truncated)
    return Answer(call=trip.call, result=shown.result, text=shown.text, produced=produced)


def _with_repeat_note(trip: Trip, produced: ToolResult[object]) -> ToolResult[object]:
    """The second time a call fails the same way, say so: only a difference helps."""
    name, digest = trip.call.name, trip.decoded.digest if trip.decoded else text_digest(trip.call.arguments)
    times = trip.state.note_result(name, digest, produced)
    if times < REPEATS_TOLD:
        return produced
    return told(produced, notes=[f"the same call has now failed the same way {times} times; change what is named"])


async def _settle(trip: Trip, result: ToolResult[object]) -> None:
    """Keep the answer under the turn it belongs to, so that the same turn gets it again."""
    if not trip.keeps or result.status is Status.PENDING:
        return
    trip.claim = trip.claim or _ledger_claim(trip, text_digest(trip.call.arguments))
    await trip.road.open(trip.state)
    await trip.road.store.settle(trip.claim, keep(result), ran=trip.ran)


def _ledger_claim(trip: Trip, digest: str) -> LedgerClaim:
    tool = trip.tool
    return LedgerClaim(
        session=trip.state.session.id,
        turn=trip.turn or f"#{token_hex(8)}",
        position=trip.call.position,
        digest=digest,
        tool=tool.name if tool else trip.call.name,
        call_id=trip.call.id,
        irreversible=tool is not None and tool.declaration.effects.irreversible,
    )


def _cancelled_by_host(trip: Trip) -> Aborted:
    outcome = Outcome.UNKNOWN if trip.ran else Outcome.NOT_STARTED
    return Aborted(f"{trip.call.name} was cancelled by the host", "call it again when it is needed", outcome=outcome)


def _reporter(trip: Trip) -> Callable[..., None]:
    def report(**facts: object) -> None:
        trip.tell("progress", **facts)

    return report


def _clock(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
