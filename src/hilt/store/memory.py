"""A store in this process: nothing survives it, and a claim costs about a microsecond.

It keeps answers and events up to a fixed size and forgets the oldest beyond.
"""

import shutil
import tempfile
import time
import weakref
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice
from pathlib import Path

from anyio import to_thread

from hilt.catalog.pins import Pinned
from hilt.policy.claims import Approval, Claim, LedgerClaim
from hilt.store.blobs import BlobFolder, MemoryBlob, file_blob, masked, new_id, pieces
from hilt.store.memory_admission import MemoryAdmission
from hilt.store.memory_ledger import MemoryLedger
from hilt.store.memory_pins import MemoryPins
from hilt.store.memory_trail import MemoryTrail
from hilt.store.outcomes import another_principal, answered, given, handle_taken, not_open, revoked
from hilt.store.protocol import RETENTION, TRAIL_RETENTION, BlobReader, Revise
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
    admitted,
)

INLINE_BYTES = 1 << 20
MOST_INLINE_BYTES = 32 << 20
MOST_EVENT_CHARACTERS = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A blob with its content, None when that is in a file."""

    blob: StoredBlob
    content: bytes | None
    at: float


@dataclass(slots=True)
class _Session:
    """What one session has besides its part of the ledger and the trace."""

    id: str
    principal: str
    opened: float
    used: float
    blobs: dict[str, _Kept] = field(default_factory=dict[str, _Kept])
    names: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    originals: dict[str, str] = field(default_factory=dict[str, str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    sightings: list[str] = field(default_factory=list[str])
    memos: dict[str, str] = field(default_factory=dict[str, str])


class MemoryStore:
    """Session state of one process; see `Store` for what each verb promises.

    One event loop at a time may use it. Blobs above `INLINE_BYTES`, or when `MOST_INLINE_BYTES`
    are held, go to a private temporary folder that is removed on `close` or at exit. Events are
    kept up to `MOST_EVENT_CHARACTERS`, answers up to the ledger's own limit.
    """

    def __init__(self) -> None:
        self._sessions: dict[str, _Session] = {}
        self._ledger = MemoryLedger()
        self._admission = MemoryAdmission()
        self._trail = MemoryTrail()
        self._pins = MemoryPins()
        self._events: deque[tuple[int, str, float, str]] = deque()
        self._event_characters = 0
        self._last_event = 0
        self._pending: dict[str, Pending] = {}
        self._inline_bytes = 0
        self._folder: BlobFolder | None = None
        self._remove_folder: weakref.finalize[..., MemoryStore] | None = None

    async def open_session(self, session_id: str, principal: str) -> None:
        now = time.time()
        session = self._sessions.get(session_id)
        if session is None:
            self._sessions[session_id] = _Session(session_id, principal, now, now)
        elif session.principal != principal:
            raise another_principal(session_id)
        else:
            session.used = now

    async def claim(self, claims: Sequence[LedgerClaim]) -> tuple[ClaimOutcome, ...]:
        if len(claims) == 1:
            return (self._ledger.take(claims[0], self._open(claims[0].session).principal),)
        owned = [(claim, self._open(claim.session).principal) for claim in claims]
        return tuple([self._ledger.take(claim, principal) for claim, principal in owned])

    async def admit(
        self, session_id: str, claims: Sequence[Claim], trail: Sequence[str] = ()
    ) -> tuple[AdmitOutcome, ...]:
        outcomes = self._admission.take(claims, self._open(session_id).principal, self._ledger)
        if trail and admitted(outcomes):
            self._trail.append(session_id, trail)
        return outcomes

    async def settle(self, claim: LedgerClaim, result: str, *, ran: bool) -> None:
        self._ledger.settle(claim, self._open(claim.session).principal, result, ran=ran)

    async def release(self, claim: LedgerClaim) -> None:
        self._ledger.release(claim)

    async def results(self, session_id: str, call_ids: Sequence[str]) -> Mapping[str, str]:
        return dict(self._ledger.results(session_id, call_ids))

    async def unsettled(self, session_id: str) -> list[Unsettled]:
        return self._ledger.unsettled(session_id)

    async def spill(
        self,
        session_id: str,
        content: bytes | AsyncIterable[bytes],
        media_type: str,
        *,
        mask: bool,
    ) -> StoredBlob:
        session = self._open(session_id)
        room = min(INLINE_BYTES, MOST_INLINE_BYTES - self._inline_bytes)
        kept: bytes | None = None
        async with aclosing(pieces(content)) as source:
            head, whole = await _head(source, room)
            if whole:
                kept, count = masked(head) if mask else (head, 0)
                self._inline_bytes += len(kept)
                path, size = None, len(kept)
            else:
                written = await self._blob_folder().write(_joined(head, source), mask=mask)
                path, size, count = str(written.path), written.bytes, written.masked
        blob = StoredBlob(id=new_id(), path=path, bytes=size, media_type=media_type, masked=count)
        session.blobs[blob.id] = _Kept(blob=blob, content=kept, at=time.time())
        return blob

    async def adopt(self, session_id: str, file: Path, media_type: str) -> StoredBlob:
        session = self._open(session_id)
        taken = await to_thread.run_sync(self._blob_folder().adopt, file)
        blob = StoredBlob(id=new_id(), path=str(taken.path), bytes=taken.bytes, media_type=media_type)
        session.blobs[blob.id] = _Kept(blob=blob, content=None, at=time.time())
        return blob

    async def blob(self, session_id: str, blob_id: str) -> BlobReader | None:
        session = self._sessions.get(session_id)
        kept = session.blobs.get(blob_id) if session is not None else None
        if kept is None:
            return None
        if kept.blob.path is None:
            return MemoryBlob(content=kept.content or b"", media_type=kept.blob.media_type)
        return file_blob(Path(kept.blob.path), kept.blob.bytes, kept.blob.media_type)

    async def reference(self, session_id: str, kind: str, originals: Sequence[str]) -> list[str]:
        session = self._open(session_id)
        return [_name(session, kind, original) for original in originals]

    async def original(self, session_id: str, reference: str) -> str | None:
        session = self._sessions.get(session_id)
        return session.originals.get(reference) if session is not None else None

    async def remember(self, session_id: str, key: str, value_json: str) -> None:
        self._open(session_id).memos[key] = value_json

    async def recall(self, session_id: str, key: str) -> str | None:
        session = self._sessions.get(session_id)
        return session.memos.get(key) if session is not None else None

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
        memos = self._open(session_id).memos
        if memos.get(key) != old:
            return False
        if new is None:
            memos.pop(key, None)
        else:
            memos[key] = new
        return True

    async def memos(self, session_id: str, prefix: str) -> Mapping[str, str]:
        session = self._sessions.get(session_id)
        found = sorted(session.memos.items()) if session is not None else []
        return {key: value for key, value in found if key.startswith(prefix)}

    async def note_sighting(self, session_id: str, document_json: str) -> None:
        self._open(session_id).sightings.append(document_json)

    async def sightings(self, session_id: str, since: int = 0) -> list[tuple[int, str]]:
        session = self._sessions.get(session_id)
        found = session.sightings[since:] if session is not None else []
        return [(since + place, document) for place, document in enumerate(found, start=1)]

    async def save_pending(self, handle: str, session_id: str, document_json: str, expires: float) -> None:
        self._open(session_id)
        if handle in self._pending:
            raise handle_taken(handle)
        self._pending[handle] = Pending(
            handle=handle,
            session=session_id,
            document=document_json,
            asked=time.time(),
            expires=expires,
        )

    async def pending(self, handle: str) -> Pending | None:
        return self._pending.get(handle)

    async def answer_pending(self, handle: str, answer: str) -> bool:
        question = self._pending.get(handle)
        if question is None or question.answer is not None or question.expires <= time.time():
            return False
        self._pending[handle] = replace(question, answer=answer)
        self._trail.append(question.session, [answered(handle, answer)])
        return True

    async def list_pending(self) -> list[Pending]:
        now = time.time()
        return [one for one in self._pending.values() if one.answer is None and one.expires > now]

    async def save_approval(self, approval: Approval) -> None:
        self._admission.save(approval)
        self._trail.append(approval.session, [given(approval)])

    async def approvals(self, principal: str | None = None) -> list[Approval]:
        return self._admission.live(principal)

    async def revoke_approval(self, approval_id: str, by: str = "") -> bool:
        ended = self._admission.revoke(approval_id)
        if ended is not None:
            self._trail.append(ended.session, [revoked(ended, by)])
        return ended is not None

    async def append_trail(self, session_id: str, entries: Sequence[str]) -> None:
        self._trail.append(session_id, entries)

    async def trail(self, since: int = 0, limit: int = 1000) -> list[TrailEntry]:
        return self._trail.after(since, limit)

    async def purge_trail(self, older_than: timedelta = TRAIL_RETENTION) -> int:
        return self._trail.purge(time.time() - older_than.total_seconds())

    async def pinned(self, server: str | None = None) -> list[Pinned]:
        return self._pins.pinned(server)

    async def revise_pins(self, server: str, revise: Revise) -> tuple[Pinned, Pinned]:
        return await self._pins.revise(server, revise)

    async def append_events(self, session_id: str, events: Sequence[str]) -> None:
        self._open(session_id)
        now = time.time()
        for text in events:
            self._last_event += 1
            self._events.append((self._last_event, session_id, now, text))
            self._event_characters += len(text)
        while self._event_characters > MOST_EVENT_CHARACTERS:
            self._drop_event()

    async def events(self, session_id: str | None = None, since: int = 0, limit: int = 1000) -> list[StoredEvent]:
        first = self._last_event - len(self._events) + 1
        later = islice(self._events, max(since + 1 - first, 0), None)
        wanted = (event for event in later if session_id is None or event[1] == session_id)
        return [
            StoredEvent(number=number, session=session, at=at, text=text)
            for number, session, at, text in islice(wanted, limit)
        ]

    async def sessions(self, limit: int = 100) -> list[StoredSession]:
        latest = sorted(self._sessions.values(), key=lambda one: one.used, reverse=True)
        return [
            StoredSession(
                id=one.id,
                principal=one.principal,
                opened=one.opened,
                used=one.used,
                calls=self._ledger.count(one.id),
                events=sum(event[1] == one.id for event in self._events),
            )
            for one in latest[:limit]
        ]

    async def purge(self, older_than: timedelta = RETENTION) -> PurgeReport:
        now = time.time()
        cutoff = now - older_than.total_seconds()
        events = 0
        while self._events and self._events[0][2] <= cutoff:
            self._drop_event()
            events += 1
        idle = self._idle(cutoff)
        blobs, size = self._purge_blobs(cutoff, idle)
        closed = [handle for handle, one in self._pending.items() if one.session in idle or (one.expires <= cutoff)]
        for handle in closed:
            del self._pending[handle]
        calls = self._ledger.purge(cutoff, idle)
        self._admission.purge(cutoff)
        for session_id in idle:
            del self._sessions[session_id]
        return PurgeReport(
            sessions=len(idle),
            calls=calls,
            events=events,
            blobs=blobs,
            bytes=size,
            pending=len(closed),
        )

    async def close(self) -> None:
        if self._remove_folder is not None:
            self._remove_folder()
        self._folder = self._remove_folder = None
        self._sessions.clear()
        self._pending.clear()
        self._events.clear()
        self._event_characters = self._inline_bytes = 0
        self._ledger, self._admission, self._trail = MemoryLedger(), MemoryAdmission(), MemoryTrail()
        self._pins = MemoryPins()

    def _open(self, session_id: str) -> _Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise not_open(session_id)
        return session

    def _drop_event(self) -> None:
        self._event_characters -= len(self._events.popleft()[3])

    def _idle(self, cutoff: float) -> set[str]:
        """Sessions in which nothing happened since `cutoff`, and nobody is asked anything."""
        now = time.time()
        busy = self._ledger.used_since(cutoff)
        busy |= {event[1] for event in self._events}
        busy |= {one.session for one in self._pending.values() if one.expires > now}
        busy |= {
            session.id
            for session in self._sessions.values()
            if any(kept.at > cutoff for kept in session.blobs.values())
        }
        return {one.id for one in self._sessions.values() if one.used <= cutoff and one.id not in busy}

    def _purge_blobs(self, cutoff: float, idle: set[str]) -> tuple[int, int]:
        gone, size = 0, 0
        for session in self._sessions.values():
            for kept in list(session.blobs.values()):
                if kept.at > cutoff and session.id not in idle:
                    continue
                del session.blobs[kept.blob.id]
                gone, size = gone + 1, size + kept.blob.bytes
                if kept.blob.path is None:
                    self._inline_bytes -= kept.blob.bytes
                else:
                    Path(kept.blob.path).unlink(missing_ok=True)
        return gone, size

    def _blob_folder(self) -> BlobFolder:
        if self._folder is None:
            made = tempfile.mkdtemp(prefix="hilt-")
            self._folder = BlobFolder(Path(made))
            self._remove_folder = weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
        return self._folder


def _name(session: _Session, kind: str, original: str) -> str:
    name = session.names.get((kind, original))
    if name is None:
        number = session.counts.get(kind, 0) + 1
        session.counts[kind] = number
        name = f"{kind}_{number}"
        session.names[kind, original] = name
        session.originals[name] = original
    return name


async def _head(source: AsyncIterator[bytes], room: int) -> tuple[bytes, bool]:
    """The start of the content, and whether it is all of it and fits into `room` bytes."""
    head = bytearray()
    async for piece in source:
        head += piece
        if len(head) > room:
            return bytes(head), False
    return bytes(head), True


async def _joined(head: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield head
    async for piece in rest:
        yield piece
