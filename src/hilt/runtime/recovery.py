"""Completing a transcript that broke: answers from the ledger, and honest words for what is lost.

Nothing is run here. A call that was never started may simply be made again.
"""

from dataclasses import replace

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.results.envelope import ToolResult
from hilt.results.failures import Aborted, Outcome
from hilt.results.kept import restore
from hilt.runtime.outcomes import failed
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.showing import show


async def recover_turn(road: Road, state: SessionState, turn: Turn) -> list[Answer]:
    """One answer for each call of a turn whose results were lost."""
    await road.open(state)
    kept = await road.store.results(state.session.id, [call.id for call in turn.calls if call.id])
    cut = {each.claim.call_id for each in await road.store.unsettled(state.session.id)}
    return [
        await _answer(road, state, replace(call, position=place), kept.get(call.id), cut)
        for place, call in enumerate(turn.calls)
    ]


async def _answer(road: Road, state: SessionState, call: ToolCall, kept: str | None, cut: set[str]) -> Answer:
    result = restore(kept) if kept is not None else _lost(call, started=bool(call.id) and call.id in cut)
    shown = await show(road, state, road.catalog.get(call.name), {}, result)
    return Answer(call=call, result=shown.result, text=shown.text, produced=result)


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
