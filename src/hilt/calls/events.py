"""What happened, step by step: events, and who listens to them."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple, Protocol

Step = Literal[
    "repeated_id",
    "resolve",
    "decode",
    "validate",
    "decide",
    "review",
    "execute",
    "progress",
    "verify",
    "answer",
    "defect",
]
KEPT_EVENTS = 2_000
"""Of about seven a call: what just happened, within what a processor keeps at hand; all of it is for a stored trace."""


class Event(NamedTuple):
    """One thing that happened. `time_ns` counts from the Unix epoch; `call` is Hilt's key of the call."""

    time_ns: int
    session: str
    call: str
    tool: str
    step: Step
    facts: Mapping[str, object]


class Trace(Protocol):
    """Where events go; `record` must neither block nor raise."""

    def record(self, event: Event, /) -> None:
        """Keep one event."""
        ...


class MemoryTrace:
    """The last `KEPT_EVENTS` events, in memory."""

    def __init__(self, keep: int = KEPT_EVENTS) -> None:
        self._events: deque[Event] = deque(maxlen=keep)
        self.record: Callable[[Event], None] = self._events.append  # itself, for every step of every call comes here

    def __iter__(self) -> Iterator[Event]:
        return iter(tuple(self._events))

    def __len__(self) -> int:
        return len(self._events)


Listener = Callable[[Event], None]
