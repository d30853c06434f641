"""Should it? Reviewers beside and before, the breaker, what the irreversible needs, and a person where any is in doubt.

    decide ---------------> before --> refused | a person is asked, once, with every reason | on
       beside (in parallel) ----^

A reviewer's no is final for the call, also where a person gave leave beforehand: the model reads why
and what to do instead. A reviewer without a verdict never counts as a yes.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import anyio

from hilt.calls.context import Context
from hilt.calls.memos import Memos
from hilt.calls.tool import AnyTool
from hilt.errors import StoreError
from hilt.policy.claims import ApprovalClaim
from hilt.policy.decision import Decision
from hilt.policy.facts import Facts
from hilt.results.envelope import Denier, Status, ToolResult
from hilt.results.failures import Refused, ToolFailure
from hilt.results.render import model_text, plain_lines
from hilt.review import breaker
from hilt.review.judging import JudgeReviewer
from hilt.review.review import irreversible
from hilt.review.reviewer import Reviewer, View, verdict_of
from hilt.review.verdict import Verdict
from hilt.runtime.decoding import Decoded
from hilt.runtime.defects import Defect
from hilt.runtime.outcomes import told
from hilt.runtime.questions import Doubt, settle_doubt, worn_out
from hilt.runtime.trip import Trip

PREVIEW_S = 5.0
"""Seconds a tool may take to show what a call would do."""
MOST_PREVIEW = 20_000
"""Characters of a preview that are shown."""
MOST_OUTCOME = 20_000
"""Characters of a result that a reviewer sees afterwards."""

Deciding = Callable[[], Awaitable[Decision]]


@dataclass(frozen=True, slots=True)
class Said:
    """One reviewer's verdict."""

    reviewer: Reviewer
    verdict: Verdict


async def weigh(trip: Trip, tool: AnyTool, decoded: Decoded, decide: Deciding) -> tuple[Decision, Doubt | None]:
    """Policy's decision, and what a person has to settle before the call may run. Raises `Refused` for a no."""
    effects = tool.declaration.effects
    if not (effects.does or effects.also or effects.irreversible):
        decision = await decide()
        return decision, _doubt(trip, decision, ()) if decision.word == "ask" else None
    decision, said = await _heard(trip, tool, decoded, decide)
    trip.refused = await _refusals(trip)
    return decision, _doubt(trip, decision, said)


async def person_asked(trip: Trip, tool: AnyTool, decoded: Decoded, doubt: Doubt | None) -> ApprovalClaim | None:
    """Put what is in doubt to a person. Returns when they say yes, with the leave that is to be taken for it, if any.

    Raises `Refused` for every other word and `Waiting` for one that comes later. A call that was
    approved through the store asks nobody again: its leave is worn out.
    """
    if trip.late or doubt is None:
        raise worn_out(tool.name)
    trip.preview = await _preview(trip, tool, decoded)
    return await settle_doubt(trip, tool, decoded.parsed, doubt)


async def close_breaker(trip: Trip) -> None:
    """A person has let a call through: what was refused before it counts no more."""
    if _open(trip):
        await _count(trip, 0)


async def _heard(trip: Trip, tool: AnyTool, decoded: Decoded, decide: Deciding) -> tuple[Decision, Sequence[Said]]:
    """The decision with every verdict. Those who see the arguments alone work while the rest is prepared."""
    known = Facts(tool=tool.name, effects=tool.declaration.effects, arguments=decoded.parsed)
    beside = tuple(trip.road.review.concerned("beside", known))
    if not beside:
        decision = await decide()
        return decision, await _before(trip, tool, decoded, decision)
    said: list[Said] = []
    decision: Decision | None = None
    ending: Exception | None = None
    async with anyio.create_task_group() as group:
        view = View(tool=tool.name, arguments=decoded.parsed)
        for each in beside:
            group.start_soon(_hear, trip, each, view, said, group.cancel_scope)
        try:
            decision = await decide()
            said += await _before(trip, tool, decoded, decision)
        except Exception as error:  # raised again below: a group would wrap it
            ending = error
            group.cancel_scope.cancel()
    _raise_rejection(trip, tool, said)
    if ending is not None or decision is None:
        raise ending or Refused(f"{tool.name} was not decided", "call it again")
    return decision, said


async def _hear(trip: Trip, reviewer: Reviewer, view: View, said: list[Said], scope: anyio.CancelScope) -> None:
    verdict = await _verdict(trip, reviewer, view)
    said.append(Said(reviewer, verdict))
    if verdict.word == "reject":
        scope.cancel()


async def _before(trip: Trip, tool: AnyTool, decoded: Decoded, decision: Decision) -> list[Said]:
    """The verdicts of those who see the whole question: quick ones first, then those that wait, beside each other."""
    facts = trip.facts or Facts(tool=tool.name, effects=tool.declaration.effects, arguments=decoded.parsed)
    reviewers = tuple(trip.road.review.concerned("before", facts))
    slow = [each for each in reviewers if each.waits]
    view = View(
        tool=tool.name,
        arguments=decoded.parsed,
        facts=facts,
        reasons=decision.reasons if decision.word == "ask" else (),
        user_words=trip.state.session.user_words,
    )
    said = [Said(each, await _verdict(trip, each, view)) for each in reviewers if not each.waits]
    _raise_rejection(trip, tool, said)
    if slow:
        view = replace(view, preview=await _preview(trip, tool, decoded))
        async with anyio.create_task_group() as group:
            for each in slow:
                group.start_soon(_hear, trip, each, view, said, group.cancel_scope)
        _raise_rejection(trip, tool, said)
    return said


async def _verdict(trip: Trip, reviewer: Reviewer, view: View) -> Verdict:
    verdict = await verdict_of(reviewer, view)
    if reviewer.waits or verdict.word != "approve":
        facts = {"reviewer": reviewer.name, "when": reviewer.when, "verdict": verdict.word, "reason": verdict.reason}
        trip.tell("review", facts)
    return verdict


def _raise_rejection(trip: Trip, tool: AnyTool, said: Sequence[Said]) -> None:
    for each in said:
        if each.verdict.word == "reject":
            why = f": {each.verdict.reason}" if each.verdict.reason else ""
            trip.verdict = f"rejected by {each.reviewer.name}"
            raise Refused(
                f"the reviewer {each.reviewer.name} refused {tool.name}{why}",
                each.verdict.suggestion or "change what it objects to, or take another way",
                by=Denier.REVIEWER,
                rule=each.reviewer.name,
            )


def _doubt(trip: Trip, decision: Decision, said: Sequence[Said]) -> Doubt | None:
    """Everything for which a person is asked, put together; None where there is nothing."""
    escalated = [each for each in said if each.verdict.word == "escalate"]
    doubts = [f"{each.reviewer.name}: {each.verdict.reason or 'a person should look at it'}" for each in escalated]
    doubts += _need(trip, said)
    opened = _open(trip)
    if decision.word != "ask" and not doubts and not opened:
        return None
    asked = decision.word == "ask"
    reasons = (*(decision.reasons if asked else ()), *doubts, *([breaker.open_words(trip.refused)] if opened else ()))
    own = decision.layer if asked and decision.layer in ("taint", "built-in") else ""
    account = "breaker" if opened else "review" if doubts else own
    if asked:
        return Doubt(decision=decision, reasons=reasons, account=account, rule=decision.rule)
    rule = breaker.RULE if opened else escalated[0].reviewer.name if escalated else "irreversible"
    return Doubt(
        decision=decision,
        reasons=reasons,
        account=account,
        by=Denier.BREAKER if opened else Denier.REVIEWER if escalated else Denier.NOBODY_TO_ASK,
        rule=rule,
        suggestion=next((each.verdict.suggestion for each in escalated), ""),
    )


def _need(trip: Trip, said: Sequence[Said]) -> list[str]:
    """What a call lacks that cannot be taken back, by the host's word on such calls."""
    need = trip.road.review.irreversible
    if need == "none" or trip.facts is None or not irreversible(trip.facts):
        return []
    if need == "person":
        return ["it cannot be taken back, which needs a person"]
    judged = any(isinstance(each.reviewer, JudgeReviewer) and each.verdict.word == "approve" for each in said)
    return [] if judged else ["it cannot be taken back, and no judge approved it"]


async def check_after(trip: Trip, tool: AnyTool, decoded: Decoded, result: ToolResult[object]) -> ToolResult[object]:
    """What reviewers say of what a call came to, as notes: it has run, and is neither undone nor hidden."""
    reviewers = _after(trip)
    if not reviewers or result.is_error:
        return result
    view = View(
        tool=tool.name,
        arguments=decoded.parsed,
        facts=trip.facts,
        user_words=trip.state.session.user_words,
        preview=trip.preview or "",
        outcome=model_text(result, plain_lines(result.items))[:MOST_OUTCOME],
    )
    said: list[Said] = []
    async with anyio.create_task_group() as group:
        for each in reviewers:
            group.start_soon(_hear_after, trip, each, view, said)
    notes = [_after_words(each) for each in said if each.verdict.word != "approve"]
    rejected = any(each.verdict.word == "reject" for each in said)
    found = told(result, notes=notes)
    return replace(found, status=Status.PARTIAL) if rejected and found.status is Status.SUCCESS else found


async def _hear_after(trip: Trip, reviewer: Reviewer, view: View, said: list[Said]) -> None:
    said.append(Said(reviewer, await _verdict(trip, reviewer, view)))


def _after_words(said: Said) -> str:
    verdict = said.verdict
    what = "found this wrong" if verdict.word == "reject" else "would have a person look at this"
    step = f"; {verdict.suggestion}" if verdict.suggestion else ""
    return f"it ran, and the reviewer {said.reviewer.name} {what}: {verdict.reason or 'no reason given'}{step}"


async def see_before(trip: Trip, tool: AnyTool, decoded: Decoded) -> None:
    """Make the preview that reviewers will be shown afterwards, while it can still be made."""
    if _after(trip):
        trip.preview = await _preview(trip, tool, decoded)


def _after(trip: Trip) -> tuple[Reviewer, ...]:
    return tuple(trip.road.review.concerned("after", trip.facts)) if trip.facts is not None else ()


async def _preview(trip: Trip, tool: AnyTool, decoded: Decoded) -> str:
    """What the call would do, as its tool shows it; "" for a tool that shows nothing. Made once a call."""
    show = tool.handling.preview
    if trip.preview is not None or show is None:
        return trip.preview or ""
    values: Mapping[str, object] = decoded.values
    if tool.context is not None:
        context = Context(trip.state.session, trip.road.parts, call=trip.key)
        context.arguments = decoded.values
        context.paths = {fact.asked: fact for fact in trip.facts.paths} if trip.facts else {}
        values = {**values, tool.context: context}
    try:
        with anyio.fail_after(PREVIEW_S):
            shown = await show(**values)
    except (ToolFailure, Refused) as failure:
        shown = f"what it would do cannot be shown: {failure}"
    except Exception as error:
        trip.road.report(Defect(tool=tool.name, problem=f"its preview raised {type(error).__name__}", error=error))
        shown = f"what it would do cannot be shown: {type(error).__name__}"
    left = len(shown) - MOST_PREVIEW
    trip.preview = f"{shown[:MOST_PREVIEW]}\n... {left:,} more characters" if left > 0 else shown
    return trip.preview


async def note_refusal(trip: Trip, result: ToolResult[object]) -> ToolResult[object]:
    """Count a refusal of a call with deeds, and say so where it opens the breaker. A lost count costs no answer."""
    most, refusal, facts = trip.road.review.refusals, result.denied, trip.facts
    if not most or refusal is None or refusal.by not in breaker.COUNTED or facts is None or not facts.deeds:
        return result
    now = await _counted(trip, None)
    return told(result, notes=[breaker.open_words(most)]) if now == most else result


async def note_success(trip: Trip, result: ToolResult[object]) -> None:
    """A call with deeds that worked ends the row of refusals before it."""
    if not result.is_error:
        await _counted(trip, 0)


async def _counted(trip: Trip, to: int | None) -> int | None:
    """The count once it is kept; None, with a report, where the store does not answer: what was answered stands."""
    try:
        return await _count(trip, to)
    except (StoreError, Refused) as error:
        trip.road.report(Defect(tool=trip.name, problem=f"refusals could not be counted: {error}", error=error))
        return None


def _open(trip: Trip) -> bool:
    """Whether so many refusals came before this call that a person is asked."""
    most = trip.road.review.refusals
    return 0 < most <= trip.refused


async def _refusals(trip: Trip) -> int:
    if not trip.road.review.refusals:
        return 0
    return breaker.counted(await _memos(trip).get(trip.state.session, breaker.MEMO))


async def _count(trip: Trip, to: int | None) -> int:
    """Set the row of refusals, or make it one longer."""

    def alter(seen: object) -> tuple[object, int]:
        count = breaker.counted(seen) + 1 if to is None else to
        return count or None, count

    trip.refused = await _memos(trip).change(trip.state.session, breaker.MEMO, alter)
    return trip.refused


def _memos(trip: Trip) -> Memos:
    return Context(trip.state.session, trip.road.parts).part(Memos)
