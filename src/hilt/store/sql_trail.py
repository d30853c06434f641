"""The audit trail in SQL: each verb one function inside a transaction that its caller began."""

import time
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select

from hilt.store.chain import Head, linked, purged
from hilt.store.locks import hold
from hilt.store.records import TrailEntry
from hilt.store.schema import TRAIL

CHAIN = "trail"
"""The lock under which the chain grows: one entry follows another."""

_HEAD = select(TRAIL.c.number, TRAIL.c.hash).order_by(TRAIL.c.number.desc()).limit(1)
_APPEND = insert(TRAIL)
_AFTER = select(TRAIL).where(TRAIL.c.number > bindparam("since")).order_by(TRAIL.c.number).limit(bindparam("most"))


def append_trail(connection: Connection, session_id: str, entries: Iterable[str]) -> None:
    """Link the entries to the last one."""
    hold(connection, CHAIN)
    last = connection.execute(_HEAD).first()
    head = Head(number=last.number, hash=last.hash) if last is not None else Head()
    rows = [_row(each) for each in linked(head, session_id, time.time(), entries)]
    if rows:
        connection.execute(_APPEND, rows)


def trail(connection: Connection, since: int, limit: int) -> list[TrailEntry]:
    """Entries after a number, in order."""
    return [_entry(row) for row in connection.execute(_AFTER, {"since": since, "most": limit})]


def purge_trail(connection: Connection, older_seconds: float) -> int:
    """Remove the oldest, and leave an entry that says which. Times may run backwards, numbers do not."""
    hold(connection, CHAIN)
    old = TRAIL.c.at <= time.time() - older_seconds
    young = select(TRAIL.c.number).where(~old).order_by(TRAIL.c.number).limit(1)
    first_kept = connection.execute(young).scalar()
    going = TRAIL.c.number < first_kept if first_kept is not None else old
    ends = [
        connection.execute(select(TRAIL).where(going).order_by(order).limit(1)).first()
        for order in (TRAIL.c.number, TRAIL.c.number.desc())
    ]
    if ends[0] is None or ends[1] is None:
        return 0
    first, last = _entry(ends[0]), _entry(ends[1])
    append_trail(connection, "", [purged(first, last)])
    return connection.execute(delete(TRAIL).where(TRAIL.c.number <= last.number)).rowcount


def _row(entry: TrailEntry) -> dict[str, Any]:
    return {
        "number": entry.number,
        "session": entry.session,
        "at": entry.at,
        "text": entry.text,
        "hash": entry.hash,
    }


def _entry(row: Row[Any]) -> TrailEntry:
    return TrailEntry(number=row.number, session=row.session, at=row.at, text=row.text, hash=row.hash)
