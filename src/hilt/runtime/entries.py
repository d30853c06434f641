"""What the audit trail is told of calls: each decision on a deed before it runs, each refusal, each outcome.

A decision to run is written in the transaction that admits the call: what cannot be written does
not run. Its outcome waits for the session's next entry or for `flush`; a decision without one
reads as unknown, which is what it is when the process died between.
"""

import time
from collections.abc import Mapping

from hilt.calls.arguments import Values
from hilt.errors import StoreError
from hilt.results.envelope import ToolResult
from hilt.results.failures import Refused
from hilt.results.render import compact_json
from hilt.results.secrets import mask_secrets
from hilt.runtime.defects import Defect
from hilt.runtime.trail import Trail
from hilt.runtime.trip import Trip
from hilt.store.chain import canonical, clock

LONGEST_ARGUMENTS = 20_000
"""Characters of a call's arguments that are kept where a host asks for them."""


def decided(trip: Trip, verdict: str = "") -> str | None:
    """The entry for the decision to run this call; None where it does nothing and nobody was asked.

    `verdict` is what review comes to once this is written, else what it came to.
    """
    trail, decision = trip.road.trail, trip.decision
    if trail is None or decision is None or not _telling(trip):
        return None
    return canonical({"event": "decision", **_call(trip, trail), "verdict": verdict or _verdict(trip)})


async def note_end(trip: Trip) -> None:
    """What a call came to: waits where its decision is written, and is written now where nothing ran."""
    trail, produced = trip.road.trail, trip.produced
    if trail is None or trip.decision is None or produced is None:
        return
    session = trip.state.session.id
    if trip.recorded:
        trip.recorded = False
        trail.wait(session, canonical({"event": "outcome", "call": trip.key, **_ending(trip, produced)}))
    elif _telling(trip):
        refused = {"event": "refused", **_call(trip, trail), "verdict": _verdict(trip), **_ending(trip, produced)}
        await _write(trip, trail, session, canonical(refused))


async def _write(trip: Trip, trail: Trail, session: str, entry: str) -> None:
    """Nothing ran, so what cannot be written is the host's to hear, and waits."""
    entries = [*trail.taken(session), entry]
    try:
        await trip.road.store.append_trail(session, entries)
    except (StoreError, Refused) as error:
        trail.put_back(session, entries)
        trip.road.report(Defect(tool=trip.name, problem=f"its refusal waits for the trail: {error}", error=error))


def _telling(trip: Trip) -> bool:
    """Whether the trail is told of this call: it does something, or was not simply allowed."""
    facts, decision = trip.facts, trip.decision
    return bool((facts and facts.deeds) or (decision and decision.word != "allow") or trip.verdict)


def _call(trip: Trip, trail: Trail) -> dict[str, object]:
    decision, decoded, facts = trip.decision, trip.decoded, trip.facts
    call: dict[str, object] = {
        "call": trip.key,
        "tool": trip.name,
        "principal": trip.state.session.principal,
        "digest": decoded.digest if decoded else "",
        "deeds": sorted(facts.deeds) if facts else [],
        "seen": sorted(facts.labels) if facts else [],
        "policy": trip.road.policy.version,
    }
    said = decision and {
        "word": decision.word,
        "kind": decision.kind,
        "layer": decision.layer,
        "rule": decision.rule,
    }
    call |= said or {}
    if trail.arguments and decoded:
        call["arguments"] = _masked(decoded.parsed)
    return call


def _ending(trip: Trip, produced: ToolResult[object]) -> Mapping[str, object]:
    """The class of what it came to: a status, and of a failure its kind and what happened of the act."""
    ending: dict[str, object] = {"status": produced.status, "ran": trip.ran, "ended": clock(time.time())}
    if produced.failure is not None:
        ending |= {"failure": produced.failure.kind, "outcome": produced.failure.outcome}
    if produced.denied is not None:
        ending |= {"by": produced.denied.by, "refused_by": produced.denied.rule}
    if produced.pending is not None:
        ending["handle"] = produced.pending.handle
    return ending


def _verdict(trip: Trip) -> str:
    if trip.verdict:
        return mask_secrets(trip.verdict)[0]
    asked = trip.decision is not None and trip.decision.word == "ask"
    return "approved by the caller" if asked and trip.approved else ""


def _masked(values: Values) -> str:
    """Masked before it is cut, for half a credential is not recognised."""
    text = mask_secrets(compact_json(values))[0]
    left = len(text) - LONGEST_ARGUMENTS
    return text if left <= 0 else f"{text[:LONGEST_ARGUMENTS]} ... {left:,} more characters"
