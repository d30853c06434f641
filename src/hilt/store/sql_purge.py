"""Keeping no longer than asked, in SQL; the files of blobs go after the rows are gone."""

import time
from dataclasses import dataclass

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    Table,
    and_,
    delete,
    exists,
    insert,
    or_,
    select,
    update,
)

from hilt.store.locks import hold
from hilt.store.records import PurgeReport
from hilt.store.schema import BLOBS, EVENTS, LEDGER, PENDING, SESSIONS, UPKEEP
from hilt.store.sql_admission import purge_admissions

PURGE = "purge"
DAY_SECONDS = 86_400.0

_IS_PURGE = UPKEEP.c.name == PURGE
_LAST = select(UPKEEP.c.at).where(_IS_PURGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What went, and the files that nothing names any more."""

    report: PurgeReport
    files: tuple[str, ...]


def purge_due(connection: Connection) -> bool:
    """Whether nobody purged for a day."""
    last = connection.execute(_LAST).scalar()
    return last is None or last <= time.time() - DAY_SECONDS


def note_purge(connection: Connection) -> None:
    """Nobody else need purge for a day."""
    hold(connection, PURGE)
    now = time.time()
    if not connection.execute(update(UPKEEP).where(_IS_PURGE).values(at=now)).rowcount:
        connection.execute(insert(UPKEEP), {"name": PURGE, "at": now})


def purge(connection: Connection, older_seconds: float) -> Purged:
    """Remove what is older; see `Store.purge`."""
    now = time.time()
    cutoff = now - older_seconds
    idle = _idle(cutoff, now)
    note_purge(connection)
    events = _remove(connection, EVENTS, EVENTS.c.at <= cutoff)
    old_blobs = or_(BLOBS.c.at <= cutoff, BLOBS.c.session.in_(idle))
    found = connection.execute(select(BLOBS.c.file, BLOBS.c.bytes).where(old_blobs)).all()
    pending = _remove(connection, PENDING, or_(PENDING.c.expires <= cutoff, PENDING.c.session.in_(idle)))
    forgettable = and_(LEDGER.c.settled <= cutoff, ~LEDGER.c.irreversible, LEDGER.c.idempotency_key.is_(None))
    calls = _remove(connection, LEDGER, or_(forgettable, LEDGER.c.session.in_(idle)))
    _remove(connection, BLOBS, old_blobs)
    purge_admissions(connection, cutoff)
    report = PurgeReport(
        sessions=_remove(connection, SESSIONS, SESSIONS.c.id.in_(idle)),
        calls=calls,
        events=events,
        blobs=len(found),
        bytes=sum(row.bytes for row in found),
        pending=pending,
    )
    return Purged(report=report, files=tuple(row.file for row in found))


def named_files(connection: Connection) -> frozenset[str]:
    """Every file that a blob has."""
    return frozenset(connection.execute(select(BLOBS.c.file)).scalars())


def _idle(cutoff: float, now: float) -> Select[tuple[str]]:
    """Sessions in which nothing happened since `cutoff`, and nobody is asked anything."""
    used = SESSIONS.c.id
    return select(used).where(
        SESSIONS.c.used <= cutoff,
        ~exists().where(LEDGER.c.session == used, LEDGER.c.since > cutoff),
        ~exists().where(EVENTS.c.session == used, EVENTS.c.at > cutoff),
        ~exists().where(BLOBS.c.session == used, BLOBS.c.at > cutoff),
        ~exists().where(PENDING.c.session == used, PENDING.c.expires > now),
    )


def _remove(connection: Connection, table: Table, which: ColumnElement[bool]) -> int:
    return connection.execute(delete(table).where(which)).rowcount
