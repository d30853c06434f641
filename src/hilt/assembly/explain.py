"""What the policy says to a call, found by the steps of the road itself; nothing is run or asked."""

from hilt.assembly.build import Assembled
from hilt.calls.call import call
from hilt.calls.events import MemoryTrace
from hilt.policy.decision import Decision
from hilt.runtime.pipeline import decode_arguments, judge, resolve, validate
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.trip import Trip


async def explain(assembled: Assembled, name: str, arguments: str) -> Decision:
    """The decision on one call as it stands now.

    Raises `InvalidArguments` for an unknown tool or arguments that are not as declared, `Refused`
    for what the road stops before policy is asked.
    """
    runtime = assembled.runtime
    road = Road(
        catalog=runtime.catalog,
        policy=runtime.policy,
        store=runtime.store,
        trace=MemoryTrace(),
        parts={},
        resolver=assembled.workspace,
    )
    state = SessionState(session=assembled.session, loaded={each.name for each in runtime.catalog})
    trip = Trip(road=road, state=state, call=call(name, arguments), turn="")
    trip.begin()
    tool = resolve(trip)
    decoded = await decode_arguments(trip, tool)
    validate(trip, tool, decoded)
    return await judge(trip, tool, decoded)
