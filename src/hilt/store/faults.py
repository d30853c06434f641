"""A database's errors in the store's words, by their codes, never by their text."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from hilt.errors import StoreError, StoreFull, StoreLocked

PRIMARY = 0xFF

LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, "55P03", "40P01", "40001"})
FULL = frozenset({sqlite3.SQLITE_FULL, "53100"})
CORRUPT = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
CLOSED_TO_US = frozenset({sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})
LOST = ("08", "57P")
"""How the codes begin of a server that went away, or is going."""
NO_SESSION = frozenset({sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, "23503"})


@contextmanager
def told(where: str) -> Generator[None]:
    """Raise a database's error as the `StoreError` for it, naming the store."""
    try:
        yield
    except DBAPIError as fault:
        raise _store_error(fault.orig or fault, where) from fault
    except sqlite3.Error as fault:
        raise _store_error(fault, where) from fault


def _store_error(fault: BaseException, where: str) -> StoreError:
    code = _code(fault)
    primary = code & PRIMARY if isinstance(code, int) else code
    if primary in LOCKED:
        return StoreLocked(f"another process holds {where}", "try again, or end that process")
    if primary in FULL:
        return StoreFull(
            f"the disk under {where} is full; nothing was written",
            "free disk space, or run `hilt log purge`",
        )
    if primary in CORRUPT:
        return StoreError(
            f"{where} is damaged or not a SQLite database: {fault}",
            f"move it away with its -wal and -shm files (mv {where} {where}.damaged); the next call makes a new one",
            f"save what can be read: sqlite3 {where}.damaged .recover",
        )
    if primary in CLOSED_TO_US:
        return StoreError(
            f"{where} cannot be opened for writing: {fault}",
            "give this user write access to the file and its folder, or set HILT_HOME to another",
        )
    if code in NO_SESSION:
        return StoreError(f"the session is not open in {where}", "await store.open_session(...) first")
    if _unreachable(fault, code):
        return StoreError(
            f"the database server of {where} cannot be reached: {_first_line(fault)}",
            "try again; if it stays so, look whether the server runs and whether store.where names it",
        )
    return StoreError(f"{where}: {fault}", "run `hilt doctor`")


def _unreachable(fault: BaseException, code: int | str | None) -> bool:
    """Whether a server ended the connection, or none came about: then there is no code at all."""
    if isinstance(code, str):
        return code.startswith(LOST)
    return code is None and isinstance(fault, Exception) and type(fault).__name__ == "OperationalError"


def _first_line(fault: BaseException) -> str:
    return (str(fault).splitlines() or [""])[0]


def _code(fault: BaseException) -> int | str | None:
    """SQLite's extended code, or the five characters of the SQL standard."""
    if isinstance(fault, sqlite3.Error):
        return getattr(fault, "sqlite_errorcode", None)
    return getattr(fault, "sqlstate", None)
