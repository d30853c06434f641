"""A person's late word: the call it was asked for runs then, once, and the model hears of it beside its next answer."""

import time
from contextlib import suppress

import anyio

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.events import Event
from hilt.errors import StoreError
from hilt.review.asked import Asked, read_answer, read_asked
from hilt.review.people import Reply
from hilt.runtime.outcomes import denied
from hilt.runtime.pipeline import travel
from hilt.runtime.questions import LONGEST_LOOK_S, said_no
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState
from hilt.runtime.showing import show
from hilt.runtime.trip import Trip

LATE_CHARACTERS = 4_000
"""Characters of a late answer that stand beside the next one; the event has all of it."""


async def late_answer(road: Road, state: SessionState, asked: Asked, reply: Reply) -> Answer:
    """What a late word comes to: the call's own answer, or a refusal. It is an event of the step `answer` too."""
    question = asked.question
    state.waiting.discard(question.handle)
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


async def keep_answering(road: Road, state: SessionState, *, pause_s: float = LONGEST_LOOK_S) -> None:
    """Look for words given through the store to what this session waits for, until cancelled."""
    while True:
        await hear_late(road, state)
        await anyio.sleep(pause_s)


async def hear_late(road: Road, state: SessionState) -> None:
    """Look once for words given through the store to what this session waits for, and act on them.

    A store that does not answer is looked at again next time: what else is asked of it will say so.
    """
    with suppress(StoreError):
        for handle in tuple(state.waiting):
            await _look(road, state, handle)


async def _look(road: Road, state: SessionState, handle: str) -> None:
    kept = await road.store.pending(handle)
    if kept is None or (kept.answer is None and kept.expires <= time.time()):
        state.waiting.discard(handle)
        state.late.append(f"nobody answered {handle} in time; the call it stood for did not run")
        return
    reply = read_answer(kept.answer)
    if reply is None:
        return
    asked = read_asked(handle, kept.session, kept.document)
    answer = await late_answer(road, state, asked, reply)
    text = answer.text
    if len(text) > LATE_CHARACTERS:
        text = f"{text[:LATE_CHARACTERS]} ... ({len(text):,} characters in all)"
    word = "allowed" if reply.word == "approve" else "refused"
    state.late.append(f"meanwhile the person {word} the call of {asked.question.tool} that waited as {handle}: {text}")
