"""The store in SQL: SQLite in the user's state folder, or PostgreSQL by URL.

A thread of its own does the work; see `worker.py` for what cancelling means. PostgreSQL runs the
same statements, with locks by name (`locks.py`) where SQLite has one writer at a time. There, a
claim held on another machine reads as `Unknown`, and what was put aside stays on its machine's disk.
"""

from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from anyio import to_thread
from sqlalchemy import Connection

from hilt.catalog.pins import Pinned
from hilt.errors import StoreError, StoreFull, StoreLocked
from hilt.policy.claims import Approval, ApprovalClaim, Claim, LedgerClaim
from hilt.store import sql_admission, sql_kept, sql_ledger, sql_pins, sql_purge, sql_trail
from hilt.store.blobs import BlobFolder, file_blob, new_id
from hilt.store.database import WAIT_SECONDS, Database
from hilt.store.location import locate
from hilt.store.owners import this_process
from hilt.store.protocol import RETENTION, TRAIL_RETENTION, BlobReader, Revise
from hilt.store.records import (
    AdmitOutcome,
    Claimed,
    ClaimOutcome,
    Pending,
    PurgeReport,
    StoredBlob,
    StoredEvent,
    StoredSession,
    TrailEntry,
    Unsettled,
)
from hilt.store.sql_admission import Admission, NotAdmitted
from hilt.store.worker import Worker

T = TypeVar("T")


class SqlStore:
    """Session state that survives the process; see `Store` for what each verb promises.

    `where` is a SQLAlchemy URL or a path, None for `hilt.db` in `HILT_HOME`; it is opened by the
    first verb. `wait_seconds` is how long another process may hold the store before
    `StoreLocked`. What is older than `retention` is purged on opening, at most daily, and so is the
    audit trail beyond `trail_retention`.
    """

    def __init__(
        self,
        where: str | Path | None = None,
        *,
        wait_seconds: float = WAIT_SECONDS,
        retention: timedelta = RETENTION,
        trail_retention: timedelta = TRAIL_RETENTION,
    ) -> None:
        self._where = where
        self._wait_seconds = wait_seconds
        self._retention = retention
        self._trail_retention = trail_retention
        self._worker = Worker("hilt-store")
        self._database: Database | None = None
        self._owner = ""

    async def open_session(self, session_id: str, principal: str) -> None:
        await self._write(lambda at: sql_kept.open_session(at, session_id, principal))

    async def claim(self, claims: Sequence[LedgerClaim]) -> tuple[ClaimOutcome, ...]:
        wanted = tuple(claims)
        # An act that cannot be undone must not be forgotten when the machine loses power.
        lasting = any(_irreversible(claim) for claim in wanted)

        def take() -> tuple[ClaimOutcome, ...]:
            return self._opened().write(lambda at: sql_ledger.take(at, wanted, self._owner), lasting=lasting)

        def give_back(outcomes: tuple[ClaimOutcome, ...]) -> None:
            pairs = zip(wanted, outcomes, strict=True)
            taken = [claim for claim, outcome in pairs if isinstance(outcome, Claimed)]
            self._opened().write(lambda at: sql_ledger.release(at, taken))

        return await self._worker.run(take, give_back)

    async def admit(
        self, session_id: str, claims: Sequence[Claim], trail: Sequence[str] = ()
    ) -> tuple[AdmitOutcome, ...]:
        wanted, entries = tuple(claims), tuple(trail)
        lasting = any(isinstance(each, ApprovalClaim) or _irreversible(each) for each in wanted)

        def take() -> Admission:
            try:
                return self._opened().write(
                    lambda at: sql_admission.admit(at, session_id, wanted, entries, self._owner), lasting=lasting
                )
            except NotAdmitted as refused:
                return Admission(outcomes=refused.outcomes)

        def give_back(taken: Admission) -> None:
            self._opened().write(lambda at: sql_admission.give_back(at, taken))

        return (await self._worker.run(take, give_back)).outcomes

    async def settle(self, claim: LedgerClaim, result: str, *, ran: bool) -> None:
        await self._write(lambda at: sql_ledger.settle(at, claim, result, ran=ran))

    async def release(self, claim: LedgerClaim) -> None:
        await self._write(lambda at: sql_ledger.release(at, (claim,)))

    async def results(self, session_id: str, call_ids: Sequence[str]) -> Mapping[str, str]:
        return await self._read(lambda at: sql_ledger.results(at, session_id, call_ids))

    async def unsettled(self, session_id: str) -> list[Unsettled]:
        return await self._read(lambda at: sql_ledger.unsettled(at, session_id))

    async def spill(
        self,
        session_id: str,
        content: bytes | AsyncIterable[bytes],
        media_type: str,
        *,
        mask: bool,
    ) -> StoredBlob:
        await self._read(lambda at: sql_kept.require_session(at, session_id))
        written = await BlobFolder(await self._blobs()).write(content, mask=mask)
        blob = StoredBlob(
            id=new_id(),
            path=str(written.path),
            bytes=written.bytes,
            media_type=media_type,
            masked=written.masked,
        )
        try:
            await self._write(lambda at: sql_kept.add_blob(at, session_id, blob, written.path.name))
        except StoreError:
            written.path.unlink(missing_ok=True)
            raise
        return blob

    async def adopt(self, session_id: str, file: Path, media_type: str) -> StoredBlob:
        await self._read(lambda at: sql_kept.require_session(at, session_id))
        taken = await to_thread.run_sync(BlobFolder(await self._blobs()).adopt, file)
        blob = StoredBlob(id=new_id(), path=str(taken.path), bytes=taken.bytes, media_type=media_type)
        try:
            await self._write(lambda at: sql_kept.add_blob(at, session_id, blob, taken.path.name))
        except StoreError:
            taken.path.unlink(missing_ok=True)
            raise
        return blob

    async def blob(self, session_id: str, blob_id: str) -> BlobReader | None:
        found = await self._read(lambda at: sql_kept.blob(at, session_id, blob_id))
        if found is None:
            return None
        file, size, media_type = found
        return file_blob(await self._blobs() / file, size, media_type)

    async def reference(self, session_id: str, kind: str, originals: Sequence[str]) -> list[str]:
        return await self._write(lambda at: sql_kept.short_names(at, session_id, kind, originals))

    async def original(self, session_id: str, reference: str) -> str | None:
        return await self._read(lambda at: sql_kept.original(at, session_id, reference))

    async def remember(self, session_id: str, key: str, value_json: str) -> None:
        await self._write(lambda at: sql_kept.remember(at, session_id, key, value_json))

    async def recall(self, session_id: str, key: str) -> str | None:
        return await self._read(lambda at: sql_kept.recall(at, session_id, key))

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
        return await self._write(lambda at: sql_kept.exchange(at, session_id, key, old, new))

    async def memos(self, session_id: str, prefix: str) -> Mapping[str, str]:
        return await self._read(lambda at: sql_kept.memos(at, session_id, prefix))

    async def note_sighting(self, session_id: str, document_json: str) -> None:
        await self._write(lambda at: sql_kept.note_sighting(at, session_id, document_json))

    async def sightings(self, session_id: str, since: int = 0) -> list[tuple[int, str]]:
        return await self._read(lambda at: sql_kept.sightings(at, session_id, since))

    async def save_pending(self, handle: str, session_id: str, document_json: str, expires: float) -> None:
        await self._write(lambda at: sql_kept.save_pending(at, handle, session_id, document_json, expires))

    async def pending(self, handle: str) -> Pending | None:
        return await self._read(lambda at: sql_kept.pending(at, handle))

    async def answer_pending(self, handle: str, answer: str) -> bool:
        return await self._write(lambda at: sql_kept.answer_pending(at, handle, answer))

    async def list_pending(self) -> list[Pending]:
        return await self._read(sql_kept.list_pending)

    async def save_approval(self, approval: Approval) -> None:
        await self._write(lambda at: sql_admission.save_approval(at, approval))

    async def approvals(self, principal: str | None = None) -> list[Approval]:
        return await self._read(lambda at: sql_admission.approvals(at, principal))

    async def revoke_approval(self, approval_id: str, by: str = "") -> bool:
        return await self._write(lambda at: sql_admission.revoke_approval(at, approval_id, by))

    async def append_trail(self, session_id: str, entries: Sequence[str]) -> None:
        if entries:
            await self._write(lambda at: sql_trail.append_trail(at, session_id, entries))

    async def trail(self, since: int = 0, limit: int = 1000) -> list[TrailEntry]:
        return await self._read(lambda at: sql_trail.trail(at, since, limit))

    async def purge_trail(self, older_than: timedelta = TRAIL_RETENTION) -> int:
        return await self._write(lambda at: sql_trail.purge_trail(at, older_than.total_seconds()))

    async def pinned(self, server: str | None = None) -> list[Pinned]:
        return await self._read(lambda at: sql_pins.pinned(at, server))

    async def revise_pins(self, server: str, revise: Revise) -> tuple[Pinned, Pinned]:
        return await self._write(lambda at: sql_pins.revise_pins(at, server, revise))

    async def append_events(self, session_id: str, events: Sequence[str]) -> None:
        if events:
            await self._write(lambda at: sql_kept.append_events(at, session_id, events))

    async def events(self, session_id: str | None = None, since: int = 0, limit: int = 1000) -> list[StoredEvent]:
        return await self._read(lambda at: sql_kept.events(at, session_id, since, limit))

    async def sessions(self, limit: int = 100) -> list[StoredSession]:
        return await self._read(lambda at: sql_kept.sessions(at, limit))

    async def purge(self, older_than: timedelta = RETENTION) -> PurgeReport:
        return await self._worker.run(lambda: self._purge(self._opened(), older_than))

    async def close(self) -> None:
        await self._worker.close(self._give_everything_back)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await self._worker.run(lambda: self._opened().read(work))

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await self._worker.run(lambda: self._opened().write(work))

    async def _blobs(self) -> Path:
        return await self._worker.run(lambda: self._opened().location.blobs)

    def _opened(self) -> Database:
        """The database, in the worker's thread; opened, and purged when that is due, by the first."""
        if self._database is None:
            database = Database(locate(self._where), wait_seconds=self._wait_seconds)
            self._owner = this_process()
            due = database.read(sql_purge.purge_due)
            self._database = database
            if due:
                # Purging is nobody's errand here: when it cannot be done now, a later opening does it.
                with suppress(StoreLocked, StoreFull):
                    self._purge(database, self._retention)
                    database.write(lambda at: sql_trail.purge_trail(at, self._trail_retention.total_seconds()))
        return self._database

    def _purge(self, database: Database, older_than: timedelta) -> PurgeReport:
        purged = database.write(lambda at: sql_purge.purge(at, older_than.total_seconds()))
        folder = BlobFolder(database.location.blobs)
        folder.remove(purged.files)
        folder.sweep(database.read(sql_purge.named_files))
        return purged.report

    def _give_everything_back(self) -> None:
        database, self._database = self._database, None
        if database is None:
            return
        try:
            # What cannot be given up now reads as unknown all the same, once this process is gone.
            with suppress(StoreError):
                database.write(lambda at: sql_ledger.give_up(at, self._owner))
        finally:
            database.close()


def _irreversible(claim: Claim) -> bool:
    return isinstance(claim, LedgerClaim) and claim.irreversible
