"""A person's late word: the call it was asked for runs then, once, and the model hears of it beside its next answer."""

import time
from collections.abc import Callable
from contextlib import suppress

import anyio

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.events import Event
from hilt.errors import StoreError
from hilt.results.failures import Refused
from hilt.review.asked import Asked, read_answer, read_asked
from hilt.review.people import Reply
from hilt.runtime.outcomes import denied
from hilt.runtime.pipeline import travel
from hilt.runtime.questions import LONGEST_LOOK_S, said_no
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.showing import show
from hilt.runtime.trip import Trip
from hilt.runtime.words import claim, look, say

LATE_CHARACTERS = 4_000
"""Characters of a late answer that stand beside the next one; the event has all of it."""


async def late_answer(road: Road, state: SessionState, asked: Asked, reply: Reply) -> Answer:
    """What a late word comes to: the call's own answer, or a refusal. It is an event of the step `answer` too."""
    question = asked.question
    made = ToolCall(name=question.tool, arguments=question.arguments)
    if reply.word == "approve":
        trip = Trip(road=road, state=state, call=made, turn="", late=True)
        await travel(trip)
        answer = trip.answer(made)
    else:
        result = denied(said_no(question.tool, reply.reason))
        shown = await show(road, state, None, {}, result)
        answer = Answer(call=made, result=shown.result, text=shown.text, produced=result)
    facts = {"handle": question.handle, "text": answer.text}
    road.record(Event(time.time_ns(), state.session.id, question.handle, made.name, "answer", facts))
    return answer


async def keep_answering(road: Road, state_of: Callable[[], SessionState], *, pause_s: float = LONGEST_LOOK_S) -> None:
    """Look for words given through the store to what this session waits for, until cancelled."""
    while True:
        await hear_late(road, state_of())
        await anyio.sleep(pause_s)


async def hear_late(road: Road, state: SessionState) -> None:
    """Look once for words given through the store to what this session waits for, and act on them.

    A store that does not answer, or not for this principal, says so where calls ask more of it.
    """
    with suppress(StoreError, Refused):
        if not state.looked:
            await look(road, state)
        for handle in tuple(state.waiting):
            await _look(road, state, handle)


async def _look(road: Road, state: SessionState, handle: str) -> None:
    kept = await road.store.pending(handle)
    if kept is None or (kept.answer is None and kept.expires <= time.time()):
        if await claim(road, state, handle):
            await say(road, state, f"nobody answered {handle} in time; the call it stood for did not run")
        return
    reply = read_answer(kept.answer)
    if reply is None or not await claim(road, state, handle):
        return
    asked = read_asked(handle, kept.session, kept.document)
    try:
        text = (await late_answer(road, state, asked, reply)).text
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True), suppress(StoreError):
            await say(road, state, _cut_short(asked))
        raise
    if len(text) > LATE_CHARACTERS:
        text = f"{text[:LATE_CHARACTERS]} ... ({len(text):,} characters in all)"
    word = "allowed" if reply.word == "approve" else "refused"
    said = f"meanwhile the person {word} the call of {asked.question.tool} that waited as {handle}: {text}"
    await say(road, state, said)


def _cut_short(asked: Asked) -> str:
    """The word on a call that this process began late, and left when it was told to end."""
    tool, handle = asked.question.tool, asked.question.handle
    return f"the call of {tool} that waited as {handle} was ended while it ran; look first whether it took effect"
