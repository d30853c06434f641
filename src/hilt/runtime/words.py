"""Which questions of a session wait for a person, and what became of those answered meanwhile.

Both are in the session's memos: any process that serves the session looks for the person's word, one alone
acts on it, and whichever answers next tells it. A process that ends takes nothing with it.
"""

from collections.abc import Callable
from typing import TypeVar

from hilt.calls.memos import Altered, Memos
from hilt.declarations.schema import is_array, is_object
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState

MEMO = "late words"
"""Under which a session remembers them: the handles that wait, and the words nobody was told yet."""

AnswerT = TypeVar("AnswerT")
Kept = tuple[list[str], list[str]]
"""The handles that wait, and what is still to be said, in order."""


async def look(road: Road, state: SessionState) -> None:
    """Learn what the session waits for, and whether there is something to tell it, here or from another process."""
    waiting, said = _read(await _memos(road).get(state.session, MEMO))
    state.looked = True
    state.waiting.update(waiting)
    state.unheard = bool(said)


async def wait_for(road: Road, state: SessionState, handle: str) -> None:
    """Have this session wait for the word on a question."""
    await _change(road, state, lambda waiting, said: (([*waiting, handle], said), None))
    state.waiting.add(handle)


async def claim(road: Road, state: SessionState, handle: str) -> bool:
    """Stop waiting for a question, to act on its word: True for one process alone."""
    mine = await _change(
        road, state, lambda waiting, said: (([each for each in waiting if each != handle], said), handle in waiting)
    )
    state.waiting.discard(handle)
    return mine


async def say(road: Road, state: SessionState, word: str) -> None:
    """Leave a word for whoever answers this session next."""
    state.unheard = True
    await _change(road, state, lambda waiting, said: ((waiting, [*said, word]), None))


async def heard(road: Road, state: SessionState) -> tuple[str, ...]:
    """What was left for this session to be told; it is not told again."""
    state.unheard = False
    return await _change(road, state, lambda waiting, said: ((waiting, []), tuple(said)))


async def _change(
    road: Road, state: SessionState, alter: Callable[[list[str], list[str]], tuple[Kept, AnswerT]]
) -> AnswerT:
    def altered(before: object) -> Altered[AnswerT]:
        (waiting, said), answer = alter(*_read(before))
        return ({"waiting": waiting, "said": said} if waiting or said else None), answer

    return await _memos(road).change(state.session, MEMO, altered)


def _memos(road: Road) -> Memos:
    memos = road.parts.get(Memos)
    return memos if isinstance(memos, Memos) else Memos(road.store)


def _read(value: object) -> Kept:
    fields = value if is_object(value) else {}
    return _texts(fields.get("waiting")), _texts(fields.get("said"))


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if is_array(value) else []
