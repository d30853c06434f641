"""What the trace in the store says happened: calls, put together from their events, latest first."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass

from hilt.assembly.trace import read
from hilt.declarations.schema import is_object
from hilt.results.envelope import SCHEMA_VERSION
from hilt.store.protocol import Store
from hilt.store.records import StoredEvent

PAGE = 1_000
MOST_SESSIONS = 10_000
NANOSECONDS = 1e9

Step = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One call. `at` is seconds since the epoch; `milliseconds` is None while it has no answer."""

    session: str
    call: str
    tool: str
    at: float
    steps: tuple[Step, ...]

    def fact(self, step: str, name: str) -> object:
        """A fact of the last event of a step."""
        found = [each for each in self.steps if each.get("step") == step]
        facts = found[-1].get("facts") if found else None
        return facts.get(name) if is_object(facts) else None

    @property
    def status(self) -> str:
        """How it ended; `unfinished` when no answer was written."""
        return str(self.fact("answer", "status") or "unfinished")

    @property
    def milliseconds(self) -> float | None:
        """From its first step to its answer."""
        if self.fact("answer", "status") is None:
            return None
        return (_at(self.steps[-1]) - self.at) * 1_000

    @property
    def activity(self) -> str:
        """What people were told while it ran."""
        return str(self.fact("execute", "activity") or self.fact("decode", "activity") or "")


async def calls(store: Store, *, session: str | None, wanted: Callable[[Called], bool], most: int) -> list[Called]:
    """The latest calls that are wanted, of one session or of all."""
    found: list[Called] = []
    sessions = [session] if session else [each.id for each in await store.sessions(MOST_SESSIONS) if each.events]
    for each in sessions:
        made = grouped([event async for event in _events(store, each)])
        found += [call for call in reversed(made) if wanted(call)]
        if len(found) >= most:
            break
    return sorted(found, key=lambda call: -call.at)[:most]


def grouped(events: Sequence[StoredEvent]) -> list[Called]:
    """The calls of one session's events, in the order they began.

    A session that goes on in another process numbers its calls from the start again: a step that
    begins a call begins a new one.
    """
    open_calls: dict[str, list[Step]] = {}
    whole: list[list[Step]] = []
    for event in events:
        step = read(event.text)
        key = str(step.get("call", ""))
        if step.get("step") == "resolve" or key not in open_calls:
            open_calls[key] = []
            whole.append(open_calls[key])
        open_calls[key].append(step)
        if step.get("step") == "answer":
            del open_calls[key]
    session = events[0].session if events else ""
    return [
        Called(
            session=session,
            call=str(steps[0].get("call", "")),
            tool=str(steps[0].get("tool", "")),
            at=_at(steps[0]),
            steps=tuple(steps),
        )
        for steps in whole
    ]


async def exported(store: Store, session: str | None) -> AsyncIterator[Mapping[str, object]]:
    """Every event kept, of one session or of all, in the order they were written, as it is given to others."""
    async for event in _events(store, session):
        yield {"schema_version": SCHEMA_VERSION, "number": event.number, "session": event.session, **read(event.text)}


def _at(step: Step) -> float:
    time = step.get("time_ns")
    return time / NANOSECONDS if isinstance(time, int) else 0.0


async def _events(store: Store, session: str | None) -> AsyncIterator[StoredEvent]:
    since = 0
    while page := await store.events(session, since, PAGE):
        for event in page:
            yield event
        since = page[-1].number
