"""Events kept in the store: buffered, written in batches, and never in the way of a call.

Arguments stand in the trace as digests, which the road takes; every text is masked for
credentials and cut. What cannot be written is dropped, and how much is counted.
"""

import json
from collections import deque
from collections.abc import Mapping

import anyio

from hilt.calls.events import Event
from hilt.calls.session import Session
from hilt.errors import StoreError
from hilt.results.failures import Refused
from hilt.results.secrets import mask_secrets
from hilt.runtime.trail import Trail
from hilt.store.protocol import Store

MOST_WAITING = 10_000
"""Events that wait to be written; the oldest go first when more come."""
LONGEST_TEXT = 400
"""Characters of one text in an event, such as the activity of a call."""
INTERVAL_S = 1.0


class StoreTrace:
    """A `Trace` that ends in the store. `flush` writes what waits; `keep_flushing` does so while a host runs.

    `dropped` counts the events that were lost, and `fault` says why the last of them were. What waits
    for the audit `trail` goes along; of it nothing is dropped.
    """

    def __init__(self, store: Store, trail: Trail | None = None) -> None:
        self._store = store
        self._trail = trail
        self._waiting: deque[Event] = deque(maxlen=MOST_WAITING)
        self._principals: dict[str, str] = {}
        self.dropped = 0
        self.fault = ""

    def know(self, session: Session) -> None:
        """On whose behalf a session runs, for sessions that the road has had no reason to open."""
        self._principals[session.id] = session.principal

    def record(self, event: Event) -> None:
        """Keep one event; neither blocks nor raises."""
        if len(self._waiting) == MOST_WAITING:
            self.dropped, self.fault = self.dropped + 1, f"more than {MOST_WAITING:,} waited at once"
        self._waiting.append(event)

    async def flush(self) -> None:
        """Write everything that waits, session by session; a session that cannot be written is dropped."""
        taken: dict[str, list[str]] = {}
        while self._waiting:
            event = self._waiting.popleft()
            taken.setdefault(event.session, []).append(written(event))
        for session, texts in taken.items():
            try:
                await self._store.open_session(session, self._principals.get(session, "local"))
                await self._store.append_events(session, texts)
            except (StoreError, Refused) as error:
                self.dropped, self.fault = self.dropped + len(texts), str(error)
        try:
            if self._trail is not None:
                await self._trail.flush(self._store)
        except StoreError as error:
            self.fault = str(error)

    async def keep_flushing(self) -> None:
        """Write every second until cancelled; start it in a task group beside the host's own work."""
        while True:
            await anyio.sleep(INTERVAL_S)
            await self.flush()


def written(event: Event) -> str:
    """One event as the store keeps it."""
    document = {
        "time_ns": event.time_ns,
        "call": event.call,
        "tool": _masked(event.tool),
        "step": event.step,
        "facts": {name: _safe(value) for name, value in event.facts.items()},
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"), default=str)


def _safe(value: object) -> object:
    if isinstance(value, str):
        return _masked(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return _masked(json.dumps(value, ensure_ascii=False, default=str))


def _masked(text: str) -> str:
    """Masked before it is cut, for half a credential is not recognised; without halves of characters."""
    clean = mask_secrets(text)[0].encode("utf-8", "backslashreplace").decode()
    return clean if len(clean) <= LONGEST_TEXT else f"{clean[:LONGEST_TEXT]}…"


def read(text: str) -> Mapping[str, object]:
    """An event as `written` wrote it."""
    document: Mapping[str, object] = json.loads(text)
    return document
