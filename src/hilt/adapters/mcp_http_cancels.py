"""Calls that a client of the handshake cancels over HTTP: its word may reach another worker than the call did.

The word is left in the session's memos, where the worker that runs the call looks while it runs.
Clients of 2026-07-28 cancel by hanging up, which needs none of this.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import anyio

from hilt.calls.memos import Altered, Memos
from hilt.calls.session import Session
from hilt.declarations.schema import is_object
from hilt.errors import StoreError
from hilt.results.failures import Refused

RequestId = int | str

LOOK_S = 0.25
"""Seconds between two looks for words that were left with other workers."""
MEMO = "mcp cancelled"
GOOD_FOR_S = 60.0
"""Seconds after which a word that met no call is forgotten."""
MOST_WORDS = 100
"""Words that wait in one session; a further one takes the place of the oldest."""
LONGEST_KEY = 200
"""Characters of an id that is looked for in other workers."""


@dataclass(slots=True, eq=False)
class _Call:
    session: Session
    key: str
    begun: float
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class Cancels:
    """The calls that run in this worker, and words to end some."""

    def __init__(self, memos: Memos) -> None:
        self._memos = memos
        self._calls: set[_Call] = set()
        self._started = anyio.Event()
        self.why = "the client cancelled this call"

    @contextmanager
    def running(self, session: Session, id: RequestId | None) -> Generator[anyio.CancelScope]:
        """Within, a call that may be cancelled; the scope says whether it was."""
        call = _Call(session=session, key=_key(id), begun=time.time())
        self._calls.add(call)
        self._started.set()
        try:
            with call.scope:
                yield call.scope
        finally:
            self._calls.discard(call)

    async def cancel(self, session: Session, id: RequestId) -> None:
        """End the call a client names, here or in another worker."""
        key, now = _key(id), time.time()
        if self._cancel(session, key, now) or len(key) > LONGEST_KEY:
            return

        def left(before: object) -> Altered[None]:
            words = {**_fresh(before, now), key: now}
            return dict(list(words.items())[-MOST_WORDS:]), None

        with suppress(StoreError, Refused):  # a call that goes on is no reason to fail a notification
            await self._memos.change(session, MEMO, left)

    def end_all(self) -> None:
        """End every call that runs here: the server ends."""
        self.why = "the server ends; call again at its next start"
        for call in self._calls:
            call.scope.cancel(self.why)

    async def keep_looking(self) -> None:
        """Look for words left with other workers while calls run here, until cancelled."""
        while True:
            if not self._calls:
                self._started = anyio.Event()
                await self._started.wait()
            await anyio.sleep(LOOK_S)
            for session in {call.session.id: call.session for call in self._calls}.values():
                with suppress(StoreError, Refused):
                    await self._look(session)

    async def _look(self, session: Session) -> None:
        words = _fresh(await self._memos.get(session, MEMO), time.time())
        ended = {key for key, at in words.items() if self._cancel(session, key, at)}

        def met(before: object) -> Altered[None]:
            return {key: at for key, at in _fresh(before, time.time()).items() if key not in ended} or None, None

        if ended:
            await self._memos.change(session, MEMO, met)

    def _cancel(self, session: Session, key: str, at: float) -> bool:
        """End the calls under this id that had begun when the word was given; ids are used again later."""
        found = [each for each in self._calls if each.session.id == session.id and each.key == key and each.begun <= at]
        for each in found:
            each.scope.cancel("the client cancelled the call")
        return bool(found)


def _fresh(words: object, now: float) -> dict[str, float]:
    """The words that may still meet a call, by the key of the id they name, in the order they came."""
    kept = words if is_object(words) else {}
    return {key: at for key, at in kept.items() if isinstance(at, int | float) and now - at <= GOOD_FOR_S}


def _key(id: RequestId | None) -> str:
    """An id as text; 7 and "7" are two."""
    return f"{type(id).__name__}:{id}"
