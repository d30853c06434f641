"""Taint at run time: what a result showed is noted before it is handed out, and known before the next decision.

A store that does not answer costs no call its result: this process remembers what was shown and
writes it before its next decision, and no decision on a deed is made without the store.
"""

import json
from typing import cast

from hilt.errors import StoreError
from hilt.policy.taint import Sighting, Taint
from hilt.runtime.answering import Shown
from hilt.runtime.defects import Defect
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.trip import Trip

MOST_TEXT = 20_000
"""Characters of one result that are kept to say, later, where a value came from."""


async def taint_of(road: Road, state: SessionState) -> Taint:
    """The state of the session as every process that shares it has left it."""
    await road.open(state)
    while state.unsaid:
        await road.store.note_sighting(state.session.id, state.unsaid[0])
        del state.unsaid[0]
    for number, document in await road.store.sightings(state.session.id, state.sighted):
        state.taint.add(_read(document))
        state.sighted = number
    state.taint.words = state.session.user_words
    return state.taint


async def note_sighting(trip: Trip, shown: Shown) -> None:
    """Raise what this result raises, for every process, before anyone reads it."""
    tool = trip.tool
    if tool is None or not trip.ran:
        return
    effects = tool.declaration.effects
    untrusted, private = effects.brings == "third-party", effects.reads == "private"
    if not (untrusted or private or effects.origins):
        return
    sighting = Sighting(
        source=trip.activity or tool.name, untrusted=untrusted, private=private, text=shown.text[:MOST_TEXT]
    )
    state, store, document = trip.state, trip.road.store, _written(sighting)
    try:
        await trip.road.open(state)
        await store.note_sighting(state.session.id, document)
    except StoreError as error:
        state.taint.add(sighting)
        state.unsaid.append(document)
        if len(state.unsaid) > 1:  # told already, and nothing has been written since
            return
        trip.road.report(Defect(tool=tool.name, problem=f"what it showed could not be noted: {error}", error=error))


def _written(sighting: Sighting) -> str:
    return json.dumps(
        [sighting.source, sighting.untrusted, sighting.private, sighting.trusted, sighting.secrets, sighting.text]
    )


def _read(document: str) -> Sighting:
    source, untrusted, private, trusted, secrets, text = cast(
        "tuple[str, bool, bool, list[str], list[str], str]", json.loads(document)
    )
    return Sighting(
        source=source,
        untrusted=untrusted,
        private=private,
        trusted=tuple(trusted),
        secrets=tuple(secrets),
        text=text,
    )
