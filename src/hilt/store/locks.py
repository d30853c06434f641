"""Who must wait for whom. SQLite lets one transaction write at a time; PostgreSQL is told by name."""

import time
from collections.abc import Iterable
from hashlib import blake2b

from sqlalchemy import Connection, text

POSTGRESQL = "postgresql"
_LOCK = text("SELECT pg_advisory_xact_lock(:number)")
_CLOCK = text("SELECT extract(epoch FROM clock_timestamp())")


def hold(connection: Connection, *names: str) -> None:
    """Keep others who hold one of these names out, until this transaction ends.

    A lock must be had before anything it guards is read: a statement that waited for one still
    sees what was there when it began. Names given at once are taken in one order, so that two
    transactions never wait for each other.
    """
    if connection.dialect.name != POSTGRESQL:
        return
    for number in sorted({_number(name) for name in names}):
        connection.execute(_LOCK, {"number": number})


def session_locks(sessions: Iterable[str]) -> list[str]:
    """The names of locks on sessions."""
    return [f"session:{each}" for each in sessions]


def now(connection: Connection) -> float:
    """The time that all who share this store agree on: the server's, where there is one."""
    if connection.dialect.name != POSTGRESQL:
        return time.time()
    return float(connection.execute(_CLOCK).scalar_one())


def _number(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)
