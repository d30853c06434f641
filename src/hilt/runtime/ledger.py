"""What must not happen twice: a turn presented again, and an irreversible act in a new one.

The turn's claim is taken before anything else, so that whatever the first presentation came to,
also a refusal or a question to a person, is what every later one is given.
"""

import time

import anyio

from hilt.calls.call import ToolCall
from hilt.calls.tool import AnyTool
from hilt.errors import StoreError
from hilt.policy.claims import LedgerClaim
from hilt.results.envelope import Denier, ToolResult
from hilt.results.failures import Aborted, Outcome, Refused, Retryable
from hilt.results.kept import keep, restore
from hilt.runtime.answering import Shown
from hilt.runtime.defects import Defect
from hilt.runtime.digests import argument_digest
from hilt.runtime.outcomes import cut_outcome
from hilt.runtime.trip import Trip
from hilt.store.records import Running, Stored, Unknown

WAIT_S = 1.0
"""Seconds after which a call that runs elsewhere may be asked for again."""


def turn_claim(session: str, turn: str, call: ToolCall) -> LedgerClaim:
    """The key of one call of one turn: equal arguments are one, however they were written."""
    return LedgerClaim(
        session=session,
        turn=turn,
        position=call.position,
        digest=argument_digest(call.arguments),
        tool=call.name,
        call_id=call.id,
    )


async def recall(trip: Trip) -> ToolResult[object] | None:
    """The kept answer of this same call of this same turn; None where it is ours to run."""
    claim = turn_claim(trip.state.session.id, trip.turn, trip.call)
    await trip.road.open(trip.state)
    while True:
        (outcome,) = await trip.road.store.claim([claim])
        match outcome:
            case Stored(result=text):
                kept = restore(text)
                trip.shown = Shown(result=kept.result, text=kept.text)
                return kept.result
            case Running() if (ended := trip.state.underway.get(claim)) is not None:
                await ended.wait()
            case Running():
                raise runs_elsewhere(trip.call.name)
            case Unknown():
                _hold(trip, claim)
                raise lost(trip.call.name, trip.road.catalog.get(trip.call.name))
            case _:
                _hold(trip, claim)
                return None


async def settle(trip: Trip, shown: Shown) -> None:
    """Keep the answer under every claim of the call. What cannot be kept is the host's to hear."""
    try:
        kept = keep(shown.result, shown.text) if trip.claims else ""
        for claim in trip.claims:
            await trip.road.store.settle(claim, kept, ran=trip.ran)
    except (StoreError, Refused) as error:
        trip.road.report(
            Defect(tool=trip.call.name, problem=f"answered, but it could not be kept: {error}", error=error)
        )


def let_go(trip: Trip) -> None:
    """Wake those who presented the same turn meanwhile: the answer is kept, or nobody has it."""
    for claim in trip.claims:
        ended = trip.state.underway.pop(claim, None)
        if ended is not None:
            ended.set()


def _hold(trip: Trip, claim: LedgerClaim) -> None:
    trip.claims += (claim,)
    trip.state.underway[claim] = anyio.Event()


def runs_elsewhere(name: str) -> Retryable:
    """For a call that another presentation of it runs now."""
    return Retryable(f"this same call of {name} is still running", "wait for its result", retry_after_s=WAIT_S)


def already_ran(name: str, when: float | None) -> Refused:
    """For an irreversible act that was done before, at a time known or not."""
    ran = f"at {_clock(when)}" if when is not None else "in this turn"
    return Refused(
        f"this irreversible call of {name} already ran {ran}",
        "do not repeat it; if a second one is meant, change the arguments",
        by=Denier.LEDGER,
        rule="irreversible-once",
    )


def lost(name: str, tool: AnyTool | None) -> Aborted:
    """For a call whose process died while it ran."""
    outcome = cut_outcome(tool) if tool else Outcome.UNKNOWN
    safe = outcome is Outcome.NOT_STARTED
    return Aborted(
        f"an earlier run of this call of {name} was lost with its process; "
        + ("it changes nothing a second time" if safe else "what it did is unknown"),
        f"call {name} again" if safe else "check whether it took effect before calling it again",
        outcome=outcome,
    )


def _clock(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
