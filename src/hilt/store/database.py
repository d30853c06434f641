"""One connection, used from one thread: opened, brought to our schema, and its transactions."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from hilt.errors import MissingExtra, StoreError, StoreLocked
from hilt.store import migrations
from hilt.store.faults import told
from hilt.store.location import Location

WAIT_SECONDS = 5.0
RETRY_SECONDS = 0.02
CONNECT_SECONDS = 10
"""Seconds a server may take to answer."""

T = TypeVar("T")


class Database:
    """A SQLite file in WAL mode, or a PostgreSQL database.

    Committed work survives the death of the process. `synchronous=NORMAL` may lose the last
    commits when the machine loses power, but for `write(..., lasting=True)`.
    """

    def __init__(self, location: Location, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self.location = location
        self._wait_seconds = wait_seconds
        self._connection: Connection | None = None
        self._begin = "BEGIN"

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` finds, all as of one moment."""
        return self._transaction(work, "BEGIN")

    def write(self, work: Callable[[Connection], T], *, lasting: bool = False) -> T:
        """What `work` returns, committed whole or not at all. `lasting`: on the disk itself."""
        if not lasting or self.location.file is None:
            return self._transaction(work, "BEGIN IMMEDIATE")
        self._pragma("synchronous=FULL")
        try:
            return self._transaction(work, "BEGIN IMMEDIATE")
        finally:
            self._pragma("synchronous=NORMAL")

    def close(self) -> None:
        """Give the connection back; the next work opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _transaction(self, work: Callable[[Connection], T], begin: str) -> T:
        with told(str(self.location)):
            connection = self._opened()
            self._begin = begin
            try:
                with connection.begin():
                    return work(connection)
            except DBAPIError as fault:
                if fault.connection_invalidated:
                    self.close()
                raise

    def _pragma(self, setting: str) -> None:
        with told(str(self.location)):
            _pragma(self._opened(), setting)

    def _opened(self) -> Connection:
        if self._connection is None:
            engine = self._engine()
            connection = engine.connect()
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _engine(self) -> Engine:
        file = self.location.file
        if file is not None:
            _make(file)
        try:
            engine = create_engine(
                self.location.url,
                poolclass=NullPool,
                connect_args=self._how(file),
            )
        except ModuleNotFoundError as fault:
            raise MissingExtra("a store on PostgreSQL", "durable") from fault
        if file is not None:
            event.listen(engine, "connect", _settle_in)
            event.listen(engine, "begin", self._begun)
        return engine

    def _how(self, file: Path | None) -> dict[str, object]:
        """How long to wait: for whoever holds the store, and for a server to answer at all."""
        if file is not None:
            return {"timeout": self._wait_seconds}
        patience = max(int(self._wait_seconds * 1_000), 1)
        options = self.location.url.query.get("options", "")
        return {"connect_timeout": CONNECT_SECONDS, "options": f"{options} -c lock_timeout={patience}"}

    def _begun(self, connection: Connection) -> None:
        connection.exec_driver_sql(self._begin)

    def _prepare(self, connection: Connection) -> None:
        """Bring the schema forward. A newer one is refused before anything is changed."""
        self._begin = "BEGIN"
        with connection.begin():
            found = migrations.version(connection)
        migrations.refuse_newer(found, str(self.location))
        if self.location.file is not None:
            self._use_wal(connection)
        if found == migrations.VERSION:
            return
        self._begin = "BEGIN IMMEDIATE"
        with connection.begin():
            migrations.migrate(connection, str(self.location))

    def _use_wal(self, connection: Connection) -> None:
        """Switch to WAL, waiting by hand: SQLite does not wait when two processes switch at once."""
        deadline = time.monotonic() + self._wait_seconds
        while True:
            try:
                with told(str(self.location)):
                    _pragma(connection, "journal_mode=WAL")
                return
            except StoreLocked:
                if time.monotonic() > deadline:
                    raise
                time.sleep(RETRY_SECONDS)


def _make(file: Path) -> None:
    """Make the file, readable by its owner only; SQLite gives its -wal and -shm the same mode."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    except OSError as fault:
        raise StoreError(
            f"{file} cannot be opened for writing: {fault.strerror}",
            "give this user write access to the file and its folder, or set HILT_HOME to another",
        ) from fault


def _settle_in(driver: sqlite3.Connection, _record: object) -> None:
    """Transactions are ours to begin, not the driver's, and foreign keys are enforced."""
    driver.isolation_level = None
    driver.execute("PRAGMA foreign_keys=ON")
    driver.execute("PRAGMA synchronous=NORMAL")


def _pragma(connection: Connection, setting: str) -> None:
    """Outside a transaction: through SQLAlchemy it would be in one."""
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        driver.execute(f"PRAGMA {setting}")
