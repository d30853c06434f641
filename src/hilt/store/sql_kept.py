"""What a session keeps besides its ledger, in SQL: each verb one function inside a transaction."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from hilt.store.locks import hold, session_locks
from hilt.store.outcomes import another_principal, answered, handle_taken, not_open
from hilt.store.records import Pending, StoredBlob, StoredEvent, StoredSession
from hilt.store.schema import BLOBS, EVENTS, LEDGER, MEMOS, PENDING, SESSIONS, SHORT_NAMES, SIGHTINGS
from hilt.store.sql_trail import append_trail

MOST_AT_ONCE = 500
TRACE = "events"
"""The lock under which events are numbered."""

_OWNER = select(SESSIONS.c.principal).where(SESSIONS.c.id == bindparam("of_session"))
_TOUCH = update(SESSIONS).where(SESSIONS.c.id == bindparam("of_session"))
_APPEND = insert(EVENTS)
# Built once, as in `sql_ledger`: these are read before each decision on a call with deeds.
_HERE = (MEMOS.c.session == bindparam("of_session"), MEMOS.c.key == bindparam("of_key"))
_RECALL = select(MEMOS.c.value).where(*_HERE)
_CHANGE = update(MEMOS).where(*_HERE)
_FORGET = delete(MEMOS).where(*_HERE)
_REMEMBER = insert(MEMOS)
_NOTE = insert(SIGHTINGS)
_SIGHTINGS = (
    select(SIGHTINGS.c.number, SIGHTINGS.c.document)
    .where(SIGHTINGS.c.session == bindparam("of_session"), SIGHTINGS.c.number > bindparam("since"))
    .order_by(SIGHTINGS.c.number)
)


def open_session(connection: Connection, session_id: str, principal: str) -> None:
    """Create the session or note its use; `Refused` when it is another principal's."""
    now = time.time()
    found = connection.execute(_OWNER, {"of_session": session_id}).scalar()
    if found is None:
        hold(connection, *session_locks([session_id]))
        found = connection.execute(_OWNER, {"of_session": session_id}).scalar()
    if found is None:
        session = {"id": session_id, "principal": principal, "opened": now, "used": now}
        connection.execute(insert(SESSIONS), session)
    elif found != principal:
        raise another_principal(session_id)
    else:
        connection.execute(_TOUCH, {"of_session": session_id, "used": now})


def require_session(connection: Connection, session_id: str) -> None:
    """Raise `StoreError` when the session is not open; until the transaction ends nobody else writes in it."""
    hold(connection, *session_locks([session_id]))
    if connection.execute(_OWNER, {"of_session": session_id}).scalar() is None:
        raise not_open(session_id)


def sessions(connection: Connection, limit: int) -> list[StoredSession]:
    """The sessions used last, latest first."""
    calls = select(func.count()).where(LEDGER.c.session == SESSIONS.c.id).scalar_subquery()
    events = select(func.count()).where(EVENTS.c.session == SESSIONS.c.id).scalar_subquery()
    asked = select(SESSIONS, calls.label("calls"), events.label("events"))
    rows = connection.execute(asked.order_by(SESSIONS.c.used.desc()).limit(limit))
    return [
        StoredSession(
            id=row.id,
            principal=row.principal,
            opened=row.opened,
            used=row.used,
            calls=row.calls,
            events=row.events,
        )
        for row in rows
    ]


def add_blob(connection: Connection, session_id: str, blob: StoredBlob, file: str) -> None:
    """Enter a blob whose file is written."""
    require_session(connection, session_id)
    entry = {
        "id": blob.id,
        "session": session_id,
        "file": file,
        "bytes": blob.bytes,
        "media_type": blob.media_type,
        "at": time.time(),
    }
    connection.execute(insert(BLOBS), entry)


def blob(connection: Connection, session_id: str, blob_id: str) -> tuple[str, int, str] | None:
    """File name, size and media type of this session's blob."""
    asked = select(BLOBS.c.file, BLOBS.c.bytes, BLOBS.c.media_type).where(
        BLOBS.c.session == session_id, BLOBS.c.id == blob_id
    )
    row = connection.execute(asked).first()
    return None if row is None else (row.file, row.bytes, row.media_type)


def short_names(connection: Connection, session_id: str, kind: str, originals: Sequence[str]) -> list[str]:
    """The short name of each original, new ones numbered on in order."""
    require_session(connection, session_id)
    here = (SHORT_NAMES.c.session == session_id, SHORT_NAMES.c.kind == kind)
    numbers: dict[str, int] = {}
    for start in range(0, len(originals), MOST_AT_ONCE):
        known = select(SHORT_NAMES.c.original, SHORT_NAMES.c.number).where(
            *here, SHORT_NAMES.c.original.in_(originals[start : start + MOST_AT_ONCE])
        )
        numbers.update((row.original, row.number) for row in connection.execute(known))
    new = [original for original in dict.fromkeys(originals) if original not in numbers]
    if new:
        last = connection.execute(select(func.max(SHORT_NAMES.c.number)).where(*here)).scalar() or 0
        numbers.update(zip(new, range(last + 1, last + 1 + len(new)), strict=True))
        connection.execute(
            insert(SHORT_NAMES),
            [{"session": session_id, "kind": kind, "number": numbers[one], "original": one} for one in new],
        )
    return [f"{kind}_{numbers[original]}" for original in originals]


def original(connection: Connection, session_id: str, reference: str) -> str | None:
    """What a short name stands for."""
    kind, _, number = reference.rpartition("_")
    # isascii: int() also reads other scripts' digits, and no name was given out in them.
    if not (number.isascii() and number.isdigit()) or len(number) > 9 or number[0] == "0":
        return None
    return connection.execute(
        select(SHORT_NAMES.c.original).where(
            SHORT_NAMES.c.session == session_id,
            SHORT_NAMES.c.kind == kind,
            SHORT_NAMES.c.number == int(number),
        )
    ).scalar()


def remember(connection: Connection, session_id: str, key: str, value: str) -> None:
    """Keep the value; the last one stays."""
    require_session(connection, session_id)
    if not connection.execute(_CHANGE, {"of_session": session_id, "of_key": key, "value": value}).rowcount:
        connection.execute(_REMEMBER, {"session": session_id, "key": key, "value": value})


def recall(connection: Connection, session_id: str, key: str) -> str | None:
    """What was remembered."""
    return connection.execute(_RECALL, {"of_session": session_id, "of_key": key}).scalar()


def exchange(connection: Connection, session_id: str, key: str, old: str | None, new: str | None) -> bool:
    """Replace the value if it is still `old`; None stands for no value. The transaction holds others off."""
    require_session(connection, session_id)
    if recall(connection, session_id, key) != old:
        return False
    here = {"of_session": session_id, "of_key": key}
    if new is None:
        connection.execute(_FORGET, here)
    elif old is None:
        connection.execute(_REMEMBER, {"session": session_id, "key": key, "value": new})
    else:
        connection.execute(_CHANGE, {**here, "value": new})
    return True


def note_sighting(connection: Connection, session_id: str, document: str) -> None:
    """Append one sighting."""
    require_session(connection, session_id)
    connection.execute(_NOTE, {"session": session_id, "document": document})


def sightings(connection: Connection, session_id: str, since: int) -> list[tuple[int, str]]:
    """Those after a number, in order."""
    rows = connection.execute(_SIGHTINGS, {"of_session": session_id, "since": since})
    return [(row.number, row.document) for row in rows]


def memos(connection: Connection, session_id: str, prefix: str) -> dict[str, str]:
    """Every value whose key begins with `prefix`."""
    asked = select(MEMOS.c.key, MEMOS.c.value).where(
        MEMOS.c.session == session_id, MEMOS.c.key.startswith(prefix, autoescape=True)
    )
    # LIKE takes no notice of case, keys do.
    return {row.key: row.value for row in connection.execute(asked.order_by(MEMOS.c.key)) if row.key.startswith(prefix)}


def save_pending(connection: Connection, handle: str, session_id: str, document: str, expires: float) -> None:
    """Keep a question; `StoreError` when the handle is taken."""
    require_session(connection, session_id)
    if pending(connection, handle) is not None:
        raise handle_taken(handle)
    question = {
        "handle": handle,
        "session": session_id,
        "document": document,
        "asked": time.time(),
        "expires": expires,
    }
    connection.execute(insert(PENDING), question)


def pending(connection: Connection, handle: str) -> Pending | None:
    """The question under a handle."""
    row = connection.execute(select(PENDING).where(PENDING.c.handle == handle)).first()
    return None if row is None else _pending(row)


def answer_pending(connection: Connection, handle: str, answer: str) -> bool:
    """Whether this is the answer that counts: one UPDATE decides."""
    open_one = (
        PENDING.c.handle == handle,
        PENDING.c.answer.is_(None),
        PENDING.c.expires > time.time(),
    )
    counts = connection.execute(update(PENDING).where(*open_one).values(answer=answer)).rowcount == 1
    if counts:
        session = connection.execute(select(PENDING.c.session).where(PENDING.c.handle == handle)).scalar_one()
        append_trail(connection, session, [answered(handle, answer)])
    return counts


def list_pending(connection: Connection) -> list[Pending]:
    """Questions that can be answered, oldest first."""
    asked = select(PENDING).where(PENDING.c.answer.is_(None), PENDING.c.expires > time.time())
    rows = connection.execute(asked.order_by(PENDING.c.asked, PENDING.c.handle))
    return [_pending(row) for row in rows]


def append_events(connection: Connection, session_id: str, events: Sequence[str]) -> None:
    """Append to the trace. Whoever reads on from a number must find none below it later."""
    hold(connection, TRACE)
    require_session(connection, session_id)
    now = time.time()
    connection.execute(_APPEND, [{"session": session_id, "at": now, "text": one} for one in events])


def events(connection: Connection, session_id: str | None, since: int, limit: int) -> list[StoredEvent]:
    """Events with a number above `since`, in order."""
    asked = select(EVENTS).where(EVENTS.c.number > since)
    if session_id is not None:
        asked = asked.where(EVENTS.c.session == session_id)
    return [
        StoredEvent(number=row.number, session=row.session, at=row.at, text=row.text)
        for row in connection.execute(asked.order_by(EVENTS.c.number).limit(limit))
    ]


def _pending(row: Row[Any]) -> Pending:
    return Pending(
        handle=row.handle,
        session=row.session,
        document=row.document,
        asked=row.asked,
        expires=row.expires,
        answer=row.answer,
    )
