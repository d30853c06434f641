"""What a session remembers for its tools: small values by key, kept as long as the session is."""

import json
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from hilt.calls.session import Session
from hilt.errors import StoreError

AnswerT = TypeVar("AnswerT")
Altered = tuple[object, AnswerT]
"""The value to remember, None for none, and what to hand back."""

MOST_TRIES = 100
"""How often a change is worked out anew because somebody else was quicker."""


MOST_OPENED = 10_000
"""Sessions known to be opened; beyond that each is opened once more."""


class MemoStore(Protocol):
    """The verbs of a store that memos need; see `hilt.store.protocol.Store`."""

    async def open_session(self, session_id: str, principal: str) -> None: ...

    async def remember(self, session_id: str, key: str, value_json: str) -> None: ...

    async def recall(self, session_id: str, key: str) -> str | None: ...

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool: ...

    async def memos(self, session_id: str, prefix: str) -> Mapping[str, str]: ...


class Memos:
    """The part through which tools remember. A key begins with the name of what it is for: `tasks`, `seen:/a/b`.

    Values are JSON. All verbs raise `StoreError` when the store does not answer, and `Refused` for a
    session of another principal. They hold across processes when the session is in a stored one.
    """

    def __init__(self, store: MemoStore) -> None:
        self._store = store
        self._opened: dict[str, str] = {}

    async def get(self, session: Session, key: str) -> object:
        """What is remembered under `key`; None for nothing."""
        await self._open(session)
        text = await self._store.recall(session.id, key)
        return None if text is None else json.loads(text)

    async def put(self, session: Session, key: str, value: object) -> None:
        """Remember a value, whatever was there before."""
        await self._open(session)
        await self._store.remember(session.id, key, _text(value))

    async def all(self, session: Session, prefix: str) -> Mapping[str, object]:
        """Every value whose key begins with `prefix`, in the order of the keys."""
        await self._open(session)
        found = await self._store.memos(session.id, prefix)
        return {key: json.loads(text) for key, text in found.items()}

    async def change(self, session: Session, key: str, alter: Callable[[object], Altered[AnswerT]]) -> AnswerT:
        """Replace a value by what `alter` makes of it; no change of anybody else is lost between.

        `alter` is a pure function of the value that is there, None for none, and may be called
        again. What it raises reaches the caller, and nothing is changed.
        """
        await self._open(session)
        for _ in range(MOST_TRIES):
            old = await self._store.recall(session.id, key)
            value, answer = alter(None if old is None else json.loads(old))
            new = None if value is None else _text(value)
            if new == old or await self._store.exchange(session.id, key, old, new):
                return answer
        raise StoreError(f"{key} was changed by others {MOST_TRIES} times in a row", "call again")

    async def _open(self, session: Session) -> None:
        """Once a session, so that nobody reads what another principal's remembers."""
        if self._opened.get(session.id) != session.principal:
            await self._store.open_session(session.id, session.principal)
            if len(self._opened) >= MOST_OPENED:
                self._opened.clear()
            self._opened[session.id] = session.principal


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
