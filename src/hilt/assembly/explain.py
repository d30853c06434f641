"""What the policy says to a call, found by the steps of the road itself; nothing is run or asked."""

from dataclasses import replace

from hilt.assembly.build import Assembled
from hilt.calls.call import call
from hilt.calls.events import MemoryTrace
from hilt.calls.memos import Memos
from hilt.policy.decision import Decision
from hilt.policy.proof import proof_of
from hilt.runtime.pipeline import decode_arguments, judge, resolve, validate
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.trip import Trip
from hilt.workspace.resolving import Resolving


async def explain(assembled: Assembled, name: str, arguments: str) -> Decision:
    """The decision on one call as it stands now, with all the facts it rests on.

    Raises `InvalidArguments` for an unknown tool or arguments that are not as declared, `Refused`
    for what the road stops before policy is asked.
    """
    runtime, walls = assembled.runtime, assembled.processes.isolation
    road = Road(
        catalog=runtime.catalog,
        policy=runtime.policy,
        store=runtime.store,
        trace=MemoryTrace(),
        parts={Memos: Memos(runtime.store)},
        resolver=Resolving(assembled.workspace, lambda: walls.properties if walls is not None else frozenset()),
    )
    state = SessionState(session=assembled.session, loaded=dict.fromkeys(each.name for each in runtime.catalog))
    trip = Trip(road=road, state=state, call=call(name, arguments), turn="")
    trip.begin()
    tool = await resolve(trip)
    decoded = await decode_arguments(trip, tool)
    validate(trip, tool, decoded)
    decision = await judge(trip, tool, decoded)
    known = proof_of(trip.facts) if trip.facts is not None else {}
    return replace(
        decision, proof={**known, **{name: value for name, value in decision.proof.items() if name not in known}}
    )
