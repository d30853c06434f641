"""What every store promises. `MemoryStore` and `SqlStore` pass one conformance suite.

All verbs may raise `hilt.errors.StoreError`: `StoreLocked` (try again later), `StoreFull` (nothing
was written), `StoreNewer` (a later Hilt owns the file). Verbs that name a session never opened,
or purged since, raise `StoreError` when they write and find nothing when they read.

A cancelled verb either did nothing or did all of it. For `claim` and `admit` it did nothing: what
was taken for a caller that is gone is given back. Nothing else is: what was taken for a call is
spent, whatever became of the call.
"""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Protocol

from hilt.catalog.pins import Names, Pinned
from hilt.policy.claims import Approval, Claim, LedgerClaim
from hilt.store.records import (
    AdmitOutcome,
    ClaimOutcome,
    Pending,
    PurgeReport,
    StoredBlob,
    StoredEvent,
    StoredSession,
    TrailEntry,
    Unsettled,
)

RETENTION = timedelta(days=14)
TRAIL_RETENTION = timedelta(days=365)
"""How long the audit trail is kept, unless told otherwise."""

Revise = Callable[[Pinned, Names], Pinned]
"""What is to be known of a server, from what is known of it and the accepted tools that others have now."""


class BlobReader(Protocol):
    """One blob, read in pieces."""

    @property
    def size(self) -> int:
        """Bytes in all."""
        ...

    @property
    def media_type(self) -> str:
        """As given to `spill`."""
        ...

    async def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`; a negative offset counts from the end.

        Empty past the end. Raises `StoreError` when the content was purged meanwhile.
        """
        ...


class Store(Protocol):
    """Session state: ledger, blobs, references, memos, approvals, trace."""

    async def open_session(self, session_id: str, principal: str) -> None:
        """Create the session or note its use. Raises `Refused` when it is another principal's."""
        ...

    async def claim(self, claims: Sequence[LedgerClaim]) -> tuple[ClaimOutcome, ...]:
        """Take what can be taken, in one transaction, and say for each in order how it stands.

        One that cannot be taken does not keep the others from being taken. The key holds the
        digest: the same place in the same turn with other arguments is a new claim. A claim that
        is `irreversible`, or has an idempotency key, also meets earlier acts: `Repeated` when one
        took effect, `Running` or `Unknown` while one is unsettled, else it is free. For the first
        an earlier act is the same tool and digest in another turn of the session; for the second
        the same tool and key anywhere among the principal's sessions.
        """
        ...

    async def admit(
        self, session_id: str, claims: Sequence[Claim], trail: Sequence[str] = ()
    ) -> tuple[AdmitOutcome, ...]:
        """Take every claim or none, in one transaction with the entries for the trail, and say how each stands.

        Outcomes are in order. Where all are `Claimed` or `Granted` the call may run, and `trail` is
        written; see `hilt.store.records.admitted`. Otherwise nothing is taken or written, and those
        that could have been are `Untaken`. A ledger claim stands as in `claim`. Claims of one quota
        (key and window) in one admission are one use, held against each bound. Of the leaves that
        cover a call a standing one is taken before one for a single use.
        """
        ...

    async def settle(self, claim: LedgerClaim, result: str, *, ran: bool) -> None:
        """Keep the answer, as JSON, under the claim's key, claimed before or not.

        `ran` says whether the tool's function was started: an answer with `ran=False` (refused,
        invalid) is given again in its own turn but never counts as the act. With `ran=True` the
        act took effect when the status is `success` or `partial`, or the failure's outcome is
        `done`. Settling again replaces the answer.
        """
        ...

    async def release(self, claim: LedgerClaim) -> None:
        """Forget an unsettled claim, for nothing ran; a settled one stays."""
        ...

    async def results(self, session_id: str, call_ids: Sequence[str]) -> Mapping[str, str]:
        """The latest answer, as JSON, for each provider call id that has one."""
        ...

    async def unsettled(self, session_id: str) -> list[Unsettled]:
        """Claims without an answer, oldest first."""
        ...

    async def spill(
        self,
        session_id: str,
        content: bytes | AsyncIterable[bytes],
        media_type: str,
        *,
        mask: bool,
    ) -> StoredBlob:
        """Put content aside under a new id. `mask` replaces well-known credentials on the way.

        Raises `StoreFull` when the disk is full, and leaves no part of it behind.
        """
        ...

    async def adopt(self, session_id: str, file: Path, media_type: str) -> StoredBlob:
        """Keep a finished file as a blob, by a second name for it where the file system allows, else as a copy.

        Nothing is masked on the way in, however large it is; so its reader masks what it hands out,
        each credential by text of the same length. The file may be removed, and must not be written
        to, afterwards. Raises `StoreFull`, and `StoreError` when the file is not there.
        """
        ...

    async def blob(self, session_id: str, blob_id: str) -> BlobReader | None:
        """The blob of this session; None for any other's, or none."""
        ...

    async def reference(self, session_id: str, kind: str, originals: Sequence[str]) -> list[str]:
        """Short names such as `ticket_3`, in the order of `originals`; the same id, the same name."""
        ...

    async def original(self, session_id: str, reference: str) -> str | None:
        """The id a short name of this session stands for."""
        ...

    async def remember(self, session_id: str, key: str, value_json: str) -> None:
        """Keep a small value; the last one written stays."""
        ...

    async def recall(self, session_id: str, key: str) -> str | None:
        """What was remembered under `key`."""
        ...

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
        """Write `new` if what is remembered under `key` is `old`; whether it was.

        None stands for nothing remembered: `old=None` writes a first value, `new=None` forgets.
        """
        ...

    async def memos(self, session_id: str, prefix: str) -> Mapping[str, str]:
        """What is remembered under keys that begin with `prefix`, in the order of the keys."""
        ...

    async def note_sighting(self, session_id: str, document_json: str) -> None:
        """Append what one result showed to the session's taint, for every process; nothing is ever taken away."""
        ...

    async def sightings(self, session_id: str, since: int = 0) -> list[tuple[int, str]]:
        """Sightings with a number above `since`, in order, each with its number."""
        ...

    async def save_pending(self, handle: str, session_id: str, document_json: str, expires: float) -> None:
        """Keep a question to a person until `expires`. A handle is used once: `StoreError` if taken."""
        ...

    async def pending(self, handle: str) -> Pending | None:
        """The question with its answer, if any; kept after it expired until purged."""
        ...

    async def answer_pending(self, handle: str, answer: str) -> bool:
        """True for the one answer that counts, which the trail is told; False when answered, expired or not known."""
        ...

    async def list_pending(self) -> list[Pending]:
        """Questions that can still be answered, oldest first."""
        ...

    async def save_approval(self, approval: Approval) -> None:
        """Keep a person's leave, and say so in the trail. An id is used once: `StoreError` if taken."""
        ...

    async def approvals(self, principal: str | None = None) -> list[Approval]:
        """Leaves that still hold, the latest first; of one principal or of all."""
        ...

    async def revoke_approval(self, approval_id: str, by: str = "") -> bool:
        """End a leave, and say so in the trail; False when it holds no more or is not known."""
        ...

    async def append_trail(self, session_id: str, entries: Sequence[str]) -> None:
        """Append to the audit trail, all or none. Each is one JSON object, masked by the caller.

        The trail outlives sessions: this one need not be open. Nothing is ever changed.
        """
        ...

    async def trail(self, since: int = 0, limit: int = 1000) -> list[TrailEntry]:
        """Up to `limit` entries with a number above `since`, in order."""
        ...

    async def purge_trail(self, older_than: timedelta = TRAIL_RETENTION) -> int:
        """Remove the oldest entries, and leave an entry that says which; how many went.

        The entry that says so is one more, so the trail is never empty afterwards.
        """
        ...

    async def pinned(self, server: str | None = None) -> list[Pinned]:
        """What is known of one server's declarations, or of each server's, by name; pins in order of `place`."""
        ...

    async def revise_pins(self, server: str, revise: Revise) -> tuple[Pinned, Pinned]:
        """What was known of the server and what is now, in one transaction: no two revisions interleave.

        `revise` must only compute, for it runs inside the transaction. A server left without pins and
        without source is forgotten. Pins belong to the user: no session has them, no purge takes them.
        """
        ...

    async def append_events(self, session_id: str, events: Sequence[str]) -> None:
        """Append to the trace, all or none. Each is one JSON object, masked by the caller."""
        ...

    async def events(self, session_id: str | None = None, since: int = 0, limit: int = 1000) -> list[StoredEvent]:
        """Up to `limit` events with a number above `since`, in order; of all sessions for None."""
        ...

    async def sessions(self, limit: int = 100) -> list[StoredSession]:
        """The sessions used last, latest first."""
        ...

    async def purge(self, older_than: timedelta = RETENTION) -> PurgeReport:
        """Remove what is older: events, blobs, answers, closed questions, then idle sessions whole.

        A session in use keeps its unsettled claims and its irreversible acts whatever their age,
        for they hold off a second run. Leaves that hold no longer and uses that count no longer go
        too. The audit trail is not touched, see `purge_trail`, nor are pins.
        """
        ...

    async def close(self) -> None:
        """Give everything back. Claims this store took and did not settle become `Unknown`."""
        ...
