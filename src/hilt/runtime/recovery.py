"""Completing a transcript that broke: answers from the ledger, and honest words for what is lost.

Nothing is run here. A call that was never started may simply be made again.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.results.envelope import ToolResult
from hilt.results.failures import Aborted, Outcome
from hilt.results.kept import Kept, restore
from hilt.runtime.answering import Shown
from hilt.runtime.ledger import turn_claim
from hilt.runtime.outcomes import failed
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.showing import show
from hilt.store.records import Claimed, ClaimOutcome, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ledger:
    """What the ledger knows of one turn: by place, and for a turn not known by the provider's ids.

    Of two calls that share an id nobody can say which of them the ledger means.
    """

    outcomes: tuple[ClaimOutcome, ...]
    kept: Mapping[str, str]
    cut: Set[str]
    shared: Set[str]


async def recover_turn(road: Road, state: SessionState, turn: Turn) -> list[Answer]:
    """One answer for each call of a turn whose results were lost."""
    await road.open(state)
    calls = [replace(call, position=place) for place, call in enumerate(turn.calls)]
    ids = [call.id for call in calls if call.id]
    unsettled = await road.store.unsettled(state.session.id)
    ledger = _Ledger(
        outcomes=await _outcomes(road, state, turn.id, calls),
        kept=await road.store.results(state.session.id, ids),
        cut={each.claim.call_id for each in unsettled} & set(ids),
        shared={id for id in ids if ids.count(id) > 1},
    )
    return [await _answer(road, state, call, ledger) for call in calls]


async def _outcomes(road: Road, state: SessionState, turn: str, calls: list[ToolCall]) -> tuple[ClaimOutcome, ...]:
    """How each call stands under its own key, which repeated ids cannot confuse; nothing stays claimed."""
    if not turn:
        return (Claimed(),) * len(calls)
    claims = [turn_claim(state.session.id, turn, call) for call in calls]
    outcomes = await road.store.claim(claims)
    for claim, outcome in zip(claims, outcomes, strict=True):
        if isinstance(outcome, Claimed):
            await road.store.release(claim)
    return outcomes


async def _answer(road: Road, state: SessionState, call: ToolCall, ledger: _Ledger) -> Answer:
    outcome = ledger.outcomes[call.position]
    if isinstance(outcome, Stored):
        return _again(call, restore(outcome.result))
    if isinstance(outcome, Claimed) and call.id in ledger.kept and call.id not in ledger.shared:
        return _again(call, restore(ledger.kept[call.id]))
    known = call.id in ledger.kept or call.id in ledger.cut
    lost = _lost(call, started=known or not isinstance(outcome, Claimed))
    shown: Shown = await show(road, state, None, {}, lost)
    return Answer(call=call, result=shown.result, text=shown.text, produced=lost)


def _again(call: ToolCall, kept: Kept) -> Answer:
    return Answer(call=call, result=kept.result, text=kept.text, produced=kept.result)


def _lost(call: ToolCall, *, started: bool) -> ToolResult[object]:
    if started:
        return failed(
            Aborted(
                f"{call.name} was cut when its host stopped; what it did is unknown",
                "check whether it took effect before calling it again",
                outcome=Outcome.UNKNOWN,
            )
        )
    return failed(
        Aborted(f"{call.name} never started: its host stopped before", "call it again", outcome=Outcome.NOT_STARTED)
    )
