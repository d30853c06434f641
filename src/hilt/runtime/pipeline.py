"""The road: one call, from the model's words to the answer it reads. Nothing else runs a tool.

    resolve -> decode -> validate -> decide -> review -> execute -> verify -> answer

Each step either hands on or raises `ToolFailure` or `Refused`; whatever happens, one answer
leaves. Only `decode` alters arguments, and it tells. Each step is an event of the trace.
"""

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import cast

import anyio

from hilt.calls.context import Context
from hilt.calls.returns import BrokenReturn, check_form, json_items
from hilt.calls.tool import AnyTool
from hilt.errors import StoreError
from hilt.policy.decision import Decision
from hilt.results.envelope import Denier, ToolResult
from hilt.results.failures import Aborted, InvalidArguments, Outcome, Refused, Retryable, ToolFailure
from hilt.results.render import model_text, plain_lines
from hilt.runtime.admission import admit
from hilt.runtime.answering import Shown, page
from hilt.runtime.decoding import Decoded, decode, dereferenced
from hilt.runtime.defects import Defect
from hilt.runtime.digests import text_digest
from hilt.runtime.entries import note_end
from hilt.runtime.execution import blamed, broken_off, faulty, run
from hilt.runtime.facts import NO_LABELS, facts_of, runs_commands
from hilt.runtime.ledger import let_go, recall, settle
from hilt.runtime.loading import callable_names, known_names, load_called, load_named, now_loaded
from hilt.runtime.outcomes import denied, failed, told, withheld_refusal, without_store
from hilt.runtime.parsing import parse
from hilt.runtime.questions import Waiting, leave_claim, worn_out
from hilt.runtime.reviewing import (
    check_after,
    close_breaker,
    note_refusal,
    note_success,
    person_asked,
    see_before,
    weigh,
)
from hilt.runtime.sessions import REPEATS_STOPPED, REPEATS_TOLD
from hilt.runtime.showing import show, whole
from hilt.runtime.sightings import note_sighting, remark, taint_of
from hilt.runtime.trip import Trip
from hilt.runtime.words import heard


async def travel(trip: Trip) -> Shown:
    """The whole road for one call. Raises nothing but cancellation by the host, which it records first."""
    trip.begin()
    try:
        try:
            trip.produced = await _result(trip)
        except Exception as ending:
            trip.produced = await note_refusal(trip, _ended(trip, ending))
        if trip.produced.notes or trip.produced.truncation or trip.produced.is_error:
            await _load_named(trip, trip.produced)
        return await answer(trip, trip.produced)
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            ended = trip.produced = trip.produced or failed(_cancelled_by_host(trip))
            await note_end(trip)
            await settle(trip, trip.shown or Shown(result=ended, text=model_text(ended, plain_lines(ended.items))))
        raise
    finally:
        let_go(trip)


async def _load_named(trip: Trip, produced: ToolResult[object]) -> None:
    with suppress(StoreError):  # the answer is there, and what it names can be found
        await load_named(trip.road, trip.state, trip.tool, produced)


def _ended(trip: Trip, ending: Exception) -> ToolResult[object]:
    match ending:
        case ToolFailure():
            return failed(ending)
        case Refused():
            return denied(ending)
        case Waiting():
            return ending.result
        case StoreError():
            return failed(without_store(ending))
        case _:
            return failed(broken_off(trip, ending))


async def _result(trip: Trip) -> ToolResult[object]:
    if trip.turn and (kept := await recall(trip)) is not None:
        return kept
    tool = trip.tool = await resolve(trip)
    decoded = trip.decoded = await decode_arguments(trip, tool)
    validate(trip, tool, decoded)
    decision = await review(trip, tool, decoded)
    after = trip.road.review.after
    if after:
        await see_before(trip, tool, decoded)
    value = await execute(trip, tool, decoded)
    result = verify(trip, tool, decoded, value)
    if after:
        result = await check_after(trip, tool, decoded, result)
    if trip.refused:
        await note_success(trip, result)
    notes = (*decision.notes, *remark(tool.declaration.effects, result))
    standing = trip.state.untold(notes) if notes else ()
    if decoded.adjustments or trip.notes or standing:
        return told(result, adjustments=decoded.adjustments, notes=(*standing, *trip.notes))
    return result


async def resolve(trip: Trip) -> AnyTool:
    """The tool a call means; an unknown name is answered with the nearest, a deferred one with its schema."""
    call, catalog = trip.call, trip.road.catalog
    if call.cut:
        raise InvalidArguments(
            f"{call.name}: the turn was cut by the output limit, so none of its calls ran",
            "send the call again, with shorter arguments or in several calls",
        )
    tool = catalog.get(call.name)
    if tool is None:
        if (kept_back := catalog.withheld(call.name)) is not None:
            raise withheld_refusal(kept_back)
        raise trip.road.unknown_tool(call.name)
    trip.tell("resolve", {"tool": tool.name})
    unseen = tool.handling.deferred and tool.name not in callable_names(catalog, trip.state)
    if unseen and await load_called(trip.road, trip.state, tool):
        raise now_loaded(tool)
    return tool


async def decode_arguments(trip: Trip, tool: AnyTool) -> Decoded:
    """Text to arguments. The digests of both stand in the trace as proof; people see the activity from here on."""
    trip.at_work = "the reading of its arguments"
    parsed = values = parse(tool, trip.call.arguments)
    if tool.given_references:
        await trip.road.open(trip.state)
        values = await dereferenced(tool, parsed, trip.original)
    decoded = decode(tool, trip.call, parsed, values)
    trip.at_work = ""
    trip.activity = trip.road.activity(tool, decoded.values)
    facts = {
        "text_digest": decoded.text_digest,
        "digest": decoded.digest,
        "adjustments": len(decoded.adjustments),
        "activity": trip.activity,
    }
    trip.tell("decode", facts)
    return decoded


def validate(trip: Trip, tool: AnyTool, decoded: Decoded) -> None:
    """The shape of paths and rules across fields; and the stop for a call that keeps failing the same way."""
    if tool.handling.checks or tool.declaration.effects.roles:
        _check(trip, tool, decoded)
    times = trip.state.repeats(trip.call.name, decoded.digest)
    trip.tell("validate", {"repeats": times})
    if times >= REPEATS_STOPPED:
        raise Refused(
            f"this call of {tool.name} has failed the same way {times} times in a row",
            "change the arguments, or take another way",
            by=Denier.BREAKER,
            rule="same-failure",
        )


def _check(trip: Trip, tool: AnyTool, decoded: Decoded) -> None:
    with blamed(trip.road, tool, "a check"):
        problems = [
            (each, expected)
            for each in tool.handling.checks
            if (expected := each.broken({**tool.defaults, **decoded.values})) is not None
        ]
    paths = tuple(trip.road.misshapen_paths(tool, decoded.parsed))
    if problems or paths:
        raise trip.road.broken_checks(tool, decoded.parsed, problems, paths)


async def decide(trip: Trip, tool: AnyTool, decoded: Decoded) -> Decision:
    """Policy's word; a deny ends here, an ask goes on to review."""
    decision = trip.decision = await judge(trip, tool, decoded)
    said = {"word": decision.word, "kind": decision.kind, "layer": decision.layer, "rule": decision.rule}
    labels = trip.facts.labels if trip.facts else NO_LABELS
    trip.tell("decide", {**said, "labels": sorted(labels)} if labels else said)
    if decision.word == "deny":
        raise Refused("; ".join(decision.reasons), *trip.road.ways_out(decision), rule=decision.rule)
    return decision


async def judge(trip: Trip, tool: AnyTool, decoded: Decoded) -> Decision:
    """Policy over every layer, on facts and on what the session has seen."""
    road, effects = trip.road, tool.declaration.effects
    if (known := road.standing(tool)) is not None:
        return known
    taint = await taint_of(road, trip.state) if effects.does or effects.also or not road.policy.static else None
    labels = taint.labels if taint else NO_LABELS
    folder = await road.command_folder(trip.state) if runs_commands(tool) else None
    session = trip.state.session
    facts = trip.facts = facts_of(tool, decoded.parsed, road.resolver, labels=labels, folder=folder, session=session)
    return road.policy.decide(facts, taint)


async def review(trip: Trip, tool: AnyTool, decoded: Decoded) -> Decision:
    """Policy's word with the reviewers' beside it; what is in doubt is settled by leave given before, or by a person.

    When it returns, all that the call needs was taken in one transaction.
    """
    decision, doubt = await weigh(trip, tool, decoded, partial(decide, trip, tool, decoded))
    leave = None if doubt is None or trip.approved else leave_claim(trip, tool, decoded.parsed, doubt)
    if not await admit(trip, tool, decoded, decision, leave):
        kept = await person_asked(trip, tool, decoded, doubt)
        if not await admit(trip, tool, decoded, decision, kept):
            raise worn_out(tool.name)
    if doubt is not None:
        await close_breaker(trip)
    return decision


async def execute(trip: Trip, tool: AnyTool, decoded: Decoded) -> object:
    """Run the function; a retryable failure of an idempotent tool is repeated as declared, and told."""
    road, repeats = trip.road, tool.handling.repeats
    context = _context(trip, decoded) if tool.context is not None else None
    trip.tell("execute", {"activity": trip.activity})
    trip.ran = True
    while True:
        try:
            # A repeat must not meet what the first attempt did to its arguments.
            values = deepcopy(decoded.values) if tool.handling.repeats else decoded.values
            value = await run(trip, tool, values, context)
        except Retryable as failure:
            if not repeats:
                raise
            repeats -= 1
            trip.notes += (f"repeated after: {failure.problem}",)
            await anyio.sleep(min(failure.retry_after_s or 0, road.longest_wait_s))
        else:
            if context is not None:
                trip.notes += tuple(context.notes)
            return value


def _context(trip: Trip, decoded: Decoded) -> Context:
    """What a tool may touch that asks for it."""
    road = trip.road
    offered = known_names(road.catalog, trip.state)
    context = Context(trip.state.session, road.parts, call=trip.key, offered=offered, report=_reporter(trip))
    context.arguments = decoded.values
    context.paths = {fact.asked: fact for fact in trip.facts.paths} if trip.facts else {}
    return context


def verify(trip: Trip, tool: AnyTool, decoded: Decoded, value: object) -> ToolResult[object]:
    """Hold the real return to the declared one; a mismatch is the host's defect, never a success."""
    try:
        trip.at_work = "its return"
        result = _held(tool, decoded, value)
        trip.at_work = ""
    except BrokenReturn as broken:
        trip.tell("defect", {"problem": str(broken)})
        trip.road.report(Defect(tool=tool.name, problem=f"broke its declared return: {broken}"))
        raise faulty(tool, f"it ran, but its return is not as declared ({broken})", Outcome.DONE) from None
    trip.tell("verify", {"items": len(result.items)})
    return result


def _held(tool: AnyTool, decoded: Decoded, value: object) -> ToolResult[object]:
    if not isinstance(value, ToolResult):
        return page(tool.returns.items(value), tool, decoded.parsed)
    made = cast("ToolResult[object]", value)
    check_form(made)
    return replace(made, items=json_items(made.items) if made.is_error else tool.returns.items_of(made.items))


async def answer(trip: Trip, produced: ToolResult[object]) -> Shown:
    """Fit the result to its budget, keep it in the ledger, and hand out the text; one kept before is as it was."""
    shown = trip.shown
    if shown is None:
        produced = trip.produced = await _with_late_words(trip, _with_repeat_note(trip, produced))
        shown = whole(trip.road, trip.tool, produced) if trip.tokens is None and not trip.claims else None
        trip.shown = shown = shown or await fit_and_keep(trip, produced)
        await note_sighting(trip, shown)
        if trip.road.trail is not None:
            await note_end(trip)
    trip.tell("answer", _ending(trip.call.id, shown))
    return shown


def _ending(call_id: str, shown: Shown) -> dict[str, object]:
    """What the trace says of an answer: the provider's id where there is one, and the class of a failure."""
    result, text = shown
    facts: dict[str, object] = {"status": result.status, "bytes": len(text), "truncated": result.truncation is not None}
    if call_id:
        facts["id"] = call_id
    if result.artifact is not None:
        facts["produced"] = result.artifact.bytes
    if result.failure is not None:
        facts["failure"] = result.failure.kind
    if result.denied is not None:
        facts["denied"] = result.denied.by
    return facts


async def fit_and_keep(trip: Trip, produced: ToolResult[object], *, tokens: int | None = None) -> Shown:
    """The result within its tool's budget, or one of `tokens`; what is shown is what is kept."""
    tokens = tokens or trip.tokens
    shown = whole(trip.road, trip.tool, produced) if tokens is None else None
    if shown is None:
        shown = await _fitted(trip, produced, tokens)
    trip.shown = shown
    if trip.claims:
        await settle(trip, shown)
    return shown


async def _fitted(trip: Trip, produced: ToolResult[object], tokens: int | None) -> Shown:
    arguments = trip.decoded.parsed if trip.decoded else {}
    tool = trip.tool
    if tool is None:
        return await show(trip.road, trip.state, None, arguments, produced, tokens=tokens)
    try:
        with blamed(trip.road, tool, "its rendering"):
            return await show(trip.road, trip.state, tool, arguments, produced, tokens=tokens)
    except ToolFailure as failure:
        plain = replace(tool, handling=replace(tool.handling, render=plain_lines))
        produced = told(produced, notes=[f"shown plainly, for {failure.problem}"])
        return await show(trip.road, trip.state, plain, arguments, produced, tokens=tokens)


async def _with_late_words(trip: Trip, produced: ToolResult[object]) -> ToolResult[object]:
    """What became, meanwhile, of calls that waited for a person: said once, beside whatever is answered next."""
    state = trip.state
    if trip.late or not (state.late or state.unheard):
        return produced
    words, state.late = tuple(state.late), []
    if state.unheard:
        with suppress(StoreError):  # they stay where they are, and are told later
            words += await heard(trip.road, state)
    return told(produced, notes=words)


def _with_repeat_note(trip: Trip, produced: ToolResult[object]) -> ToolResult[object]:
    """The second time a call fails the same way, say so: only a difference helps."""
    if not (produced.is_error or trip.state.failing):
        return produced
    name, digest = trip.call.name, trip.decoded.digest if trip.decoded else text_digest(trip.call.arguments)
    times = trip.state.note_result(name, digest, produced)
    if times < REPEATS_TOLD:
        return produced
    return told(produced, notes=[f"the same call has now failed the same way {times} times; change what is named"])


def _cancelled_by_host(trip: Trip) -> Aborted:
    outcome = Outcome.UNKNOWN if trip.ran else Outcome.NOT_STARTED
    return Aborted(f"{trip.call.name} was cancelled by the host", "call it again when it is needed", outcome=outcome)


def _reporter(trip: Trip) -> Callable[..., None]:
    def report(**facts: object) -> None:
        trip.tell("progress", facts)

    return report
