"""What a store hands back: outcomes of a claim, and rows of what was kept. Frozen nouns, no I/O.

Times are seconds since the epoch.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from hilt.policy.claims import Approval, LedgerClaim


@dataclass(frozen=True, slots=True)
class Claimed:
    """The call is yours to run; settle or release it."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The same call of the same turn is settled: `result` is its answer as JSON. Run nothing."""

    result: str


@dataclass(frozen=True, slots=True)
class Running:
    """A live process holds `claim` since `since` and has not settled it. Run nothing."""

    since: float
    claim: LedgerClaim


@dataclass(frozen=True, slots=True)
class Unknown:
    """Whoever held `claim` since `since` is gone; it may have run or not. Run nothing.

    It stays so until `claim` is settled (as an answer that says so) or released.
    """

    since: float
    claim: LedgerClaim


@dataclass(frozen=True, slots=True)
class Repeated:
    """The act took effect before, at `when`, in another turn or under the same idempotency key.

    `result` is the answer it gave then, as JSON. Run nothing.
    """

    when: float
    result: str


ClaimOutcome = Claimed | Stored | Running | Unknown | Repeated


@dataclass(frozen=True, slots=True)
class Granted:
    """A person gave leave: `approval`, which is used up now if it was for once."""

    approval: Approval


@dataclass(frozen=True, slots=True)
class Ungranted:
    """No leave that holds covers the call. Ask a person, or run nothing."""


@dataclass(frozen=True, slots=True)
class Exhausted:
    """The quota is used up; the next use is free in `free_in_s` seconds. Run nothing."""

    free_in_s: float


@dataclass(frozen=True, slots=True)
class Untaken:
    """This claim could have been taken; none was, for another of the same admission could not."""


AdmitOutcome = ClaimOutcome | Granted | Ungranted | Exhausted | Untaken


def admitted(outcomes: Iterable[AdmitOutcome]) -> bool:
    """Whether an admission took everything it asked for."""
    return all(isinstance(each, Claimed | Granted) for each in outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsettled:
    """A claim without an answer. `alive`: the process that took it still runs."""

    claim: LedgerClaim
    since: float
    alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBlob:
    """Content put aside. `path` is None while it lives in memory only; `bytes` counts what was kept.

    `masked` counts the credentials replaced on the way in.
    """

    id: str
    path: str | None
    bytes: int
    media_type: str
    masked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One event of the trace. `number` grows over the whole store and never repeats; `text` is JSON."""

    number: int
    session: str
    at: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrailEntry:
    """One entry of the audit trail. `text` is canonical JSON that holds the hash of the entry before.

    `number` grows by one from 1; `hash` is that of `text`; see `hilt.store.chain`.
    """

    number: int
    session: str
    at: float
    text: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """One session, with how much is kept of it. `used` is its last `open_session`."""

    id: str
    principal: str
    opened: float
    used: float
    calls: int
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A question to a person. `document` is JSON; `answer` is None until answered, and then final."""

    handle: str
    session: str
    document: str
    asked: float
    expires: float
    answer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeReport:
    """What a purge removed. `bytes` counts blob contents only."""

    sessions: int = 0
    calls: int = 0
    events: int = 0
    blobs: int = 0
    bytes: int = 0
    pending: int = 0
