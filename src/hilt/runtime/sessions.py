"""What the runtime remembers of one conversation while it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import anyio

from hilt.calls.session import Session
from hilt.policy.claims import LedgerClaim
from hilt.policy.taint import Taint
from hilt.results.envelope import ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.deadlines import Running

REPEATS_TOLD = 2
"""From this many equal failures in a row on, the answer says that repeating will not help."""
REPEATS_STOPPED = 4
"""At this many equal failures in a row the call is refused until something else succeeds."""

KEPT_FAILURES = 1_000
"""Different failing calls remembered at once, until one succeeds; the oldest is forgotten first."""


@dataclass(slots=True)
class SessionState:
    """The live half of a session; what must outlive the process is in the store.

    `loaded` is what the session asked for, `declared` all that it was ever offered, each in order. `native`: its
    provider holds every declaration, and finds them itself. `findable` is what it was told it can find.
    `waiting` and `unheard` are what `words` last read of people's words.
    """

    session: Session
    loaded: dict[str, None] = field(default_factory=dict[str, None])
    declared: dict[str, None] = field(default_factory=dict[str, None])
    native: bool = False
    findable: Mapping[str, Sequence[str]] | None = None
    running: dict[str, Running] = field(default_factory=dict[str, Running])
    cancelled: dict[str, str] = field(default_factory=dict[str, str])
    underway: dict[LedgerClaim, anyio.Event] = field(default_factory=dict[LedgerClaim, anyio.Event])
    opened: bool = False
    told: set[str] = field(default_factory=set[str])
    taint: Taint = field(default_factory=Taint)
    sighted: int = 0
    unsaid: list[str] = field(default_factory=list[str])
    looked: bool = False
    waiting: set[str] = field(default_factory=set[str])
    unheard: bool = False
    late: list[str] = field(default_factory=list[str])
    mark: str = ""
    _calls: int = 0
    _failures: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict[tuple[str, str], tuple[str, int]])

    def next_key(self) -> str:
        """Hilt's own key of a call, unique in the session whatever ids the provider sends."""
        self._calls += 1
        return f"{self.session.id}/{self.mark}{self._calls}"

    @property
    def begun(self) -> bool:
        """Whether a call was made."""
        return bool(self._calls)

    @property
    def failing(self) -> bool:
        """Whether calls have failed since one succeeded."""
        return bool(self._failures)

    def untold(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        """Those notes on the session's own state that it has not been told yet; it has been now."""
        new = tuple(note for note in notes if note not in self.told)
        self.told.update(new)
        return new

    def repeats(self, tool: str, digest: str) -> int:
        """How often this call has just failed the same way, in a row."""
        return self._failures.get((tool, digest), ("", 0))[1]

    def note_result(self, tool: str, digest: str, result: ToolResult[object]) -> int:
        """Remember how a call ended; returns how often it has now failed the same way in a row."""
        if not result.is_error:
            self._failures.clear()
            return 0
        failure = result.failure
        if failure is None or failure.kind is not FailureKind.INVALID_ARGUMENTS:
            return 0
        problem, times = self._failures.get((tool, digest), ("", 0))
        times = times + 1 if problem == failure.problem else 1
        self._failures[tool, digest] = (failure.problem, times)
        if len(self._failures) > KEPT_FAILURES:
            del self._failures[next(iter(self._failures))]
        return times
