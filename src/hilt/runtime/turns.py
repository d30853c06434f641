"""A whole turn: every call answered once, in call order, together within one budget."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from time import time_ns

import anyio

from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from hilt.calls.events import Event
from hilt.runtime.pipeline import fit_and_keep, travel
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.trip import Trip

SMALLEST_SHARE = 200
"""Tokens that a cut result keeps at least, so that its way on stays readable."""


async def answer_turn(road: Road, state: SessionState, turn: Turn) -> list[Answer]:
    """Every call of one turn. Calls that are safe beside each other run so; the others alone, in order."""
    trips = [
        Trip(road=road, state=state, call=replace(call, position=place), turn=turn.id)
        for place, call in enumerate(turn.calls)
    ]
    first = _first_of_equals(trips)
    _tell_repeated_ids(road, state, turn)
    for batch in _batches(road, [place for place, same in enumerate(first) if same == place], trips):
        await _run([trips[place] for place in batch])
    return await _within_budget(
        road,
        [trips[same] for same in first],
        [trips[same].answer(turn.calls[place]) for place, same in enumerate(first)],
    )


def _tell_repeated_ids(road: Road, state: SessionState, turn: Turn) -> None:
    """Ids that name no call, or two, are an anomaly of the provider: places correlate, and the trace says so."""
    times = Counter(call.id for call in turn.calls)
    for call in turn.calls:
        if len(turn.calls) > 1 and (times[call.id] > 1 or not call.id):
            facts = {"id": call.id, "times": times[call.id]}
            road.record(Event(time_ns(), state.session.id, "", call.name, "repeated_id", facts))


def _first_of_equals(trips: Sequence[Trip]) -> list[int]:
    """For each call the place of the first identical one: a block that a stream repeated is one call."""
    seen: dict[tuple[str, str, str], int] = {}
    return [
        seen.setdefault((trip.call.id, trip.call.name, trip.call.arguments), place) if trip.call.id else place
        for place, trip in enumerate(trips)
    ]


def _batches(road: Road, places: Sequence[int], trips: Sequence[Trip]) -> Iterator[list[int]]:
    """Neighbours that may run beside each other, as declared; every other call is a batch of its own."""
    batch: list[int] = []
    for place in places:
        tool = road.catalog.get(trips[place].call.name)
        if tool is None or tool.handling.parallel:
            batch.append(place)
            continue
        if batch:
            yield batch
        batch = []
        yield [place]
    if batch:
        yield batch


async def _run(batch: Sequence[Trip]) -> None:
    if len(batch) == 1:
        await travel(batch[0])
        return
    async with anyio.create_task_group() as group:
        for trip in batch:
            group.start_soon(travel, trip)


async def _within_budget(road: Road, trips: Sequence[Trip], answers: list[Answer]) -> list[Answer]:
    """The largest results are cut first until the turn keeps its budget; small ones stay whole."""
    tokens = road.turn_budget.tokens
    if tokens is None or len(answers) < 2:
        return answers
    sizes = [road.counter.count(each.text) for each in answers]
    if sum(sizes) <= tokens:
        return answers
    share = max(SMALLEST_SHARE, _share(sizes, tokens))
    return [
        await _cut(trip, each, share) if size > share else each
        for trip, each, size in zip(trips, answers, sizes, strict=True)
    ]


def _share(sizes: Sequence[int], total: int) -> int:
    """The largest cap under which the sizes sum to at most `total`."""
    ordered = sorted(sizes)
    smaller = accumulate(ordered, initial=0)
    caps = [(total - used) // (len(ordered) - place) for place, used in zip(range(len(ordered)), smaller, strict=False)]
    return max(cap for size, cap in zip(ordered, caps, strict=True) if size > cap)


async def _cut(trip: Trip, whole: Answer, tokens: int) -> Answer:
    shown = await fit_and_keep(trip, whole.produced, tokens=tokens)
    return replace(whole, result=shown.result, text=shown.text)
