"""Whether a decided call may run now: its act, its quotas, a person's leave and the trail's entry, in one transaction.

Taken all together or not at all. What was taken for a call is spent, whatever becomes of the call:
a quota counts calls that were let run, and leave for once is leave for one attempt. Only where the
caller is cancelled before the store has answered is everything given back, for nothing ran.
"""

from collections.abc import Sequence
from secrets import token_hex

from hilt.calls.tool import AnyTool
from hilt.policy.claims import ApprovalClaim, Claim, LedgerClaim, QuotaClaim
from hilt.policy.decision import Decision
from hilt.results.failures import Retryable
from hilt.runtime.decoding import Decoded
from hilt.runtime.digests import value_digest
from hilt.runtime.entries import decided
from hilt.runtime.ledger import already_ran, lost, runs_elsewhere
from hilt.runtime.trip import Trip
from hilt.store.records import (
    AdmitOutcome,
    Exhausted,
    Granted,
    Repeated,
    Running,
    Stored,
    Unknown,
    admitted,
)

BY_LEAVE = "approved by leave given before"


async def admit(
    trip: Trip, tool: AnyTool, decoded: Decoded, decision: Decision, leave: ApprovalClaim | None = None
) -> bool:
    """Take what the call needs; False, with nothing taken, where all that lacks is the `leave` of a person.

    Raises `Refused` for an act done before, `Retryable` for one under way and for a quota used up.
    """
    if trip.road.trail is None and leave is None and not decision.claims and not _irreversible(tool):
        return True
    act = _act(trip, tool, decoded) if _irreversible(tool) else None
    claims: list[Claim] = [each for each in (act, *decision.claims, leave) if each is not None]
    entry = decided(trip, BY_LEAVE if leave is not None else "")
    if not claims and entry is None:
        return True
    await trip.road.open(trip.state)
    outcomes = await _take(trip, claims, entry)
    for claim, outcome in zip(claims, outcomes, strict=True):
        _raise_refusal(tool, claim, outcome)
    if not admitted(outcomes):
        return False
    trip.recorded = entry is not None
    if act is not None:
        trip.claims += (act,)
    for outcome in outcomes:
        if isinstance(outcome, Granted):
            trip.verdict = BY_LEAVE
            trip.tell("review", {"asked": False, "by": "leave", "verdict": "approve", "leave": outcome.approval.id})
    return True


def _irreversible(tool: AnyTool) -> bool:
    return tool.declaration.effects.irreversible


def _act(trip: Trip, tool: AnyTool, decoded: Decoded) -> LedgerClaim:
    """The one right to an irreversible act: the same one in another turn is refused."""
    return LedgerClaim(
        session=trip.state.session.id,
        turn=f"{trip.turn}!" if trip.turn else f"#{token_hex(8)}",
        position=trip.call.position,
        digest=value_digest(decoded.parsed),
        tool=tool.name,
        call_id=trip.call.id,
        irreversible=True,
    )


async def _take(trip: Trip, claims: Sequence[Claim], entry: str | None) -> tuple[AdmitOutcome, ...]:
    """With the entry go those of the session that wait; where nothing was written they wait on."""
    road, session = trip.road, trip.state.session.id
    waiting = road.trail.taken(session) if road.trail is not None else []
    written = False
    try:
        outcomes = await road.store.admit(session, claims, waiting if entry is None else [*waiting, entry])
        written = admitted(outcomes)
    finally:
        if road.trail is not None and not written:
            road.trail.put_back(session, waiting)
    return outcomes


def _raise_refusal(tool: AnyTool, claim: Claim, outcome: AdmitOutcome) -> None:
    match outcome:
        case Repeated() | Stored():
            raise already_ran(tool.name, outcome.when if isinstance(outcome, Repeated) else None)
        case Running():
            raise runs_elsewhere(tool.name)
        case Unknown():
            raise lost(tool.name, tool)
        case Exhausted() if isinstance(claim, QuotaClaim):
            raise _used_up(tool, claim, outcome)
        case _:
            return


def _used_up(tool: AnyTool, quota: QuotaClaim, outcome: Exhausted) -> Retryable:
    rule = f" ({quota.rule})" if quota.rule else ""
    times = "once" if quota.most == 1 else f"{quota.most:,} times"
    return Retryable(
        f"{tool.name} may run {times} within {quota.window_s:g} s{rule}, and has",
        f"call it again in {outcome.free_in_s:.3g} s",
        "go on with something else meanwhile",
        retry_after_s=outcome.free_in_s,
    )
