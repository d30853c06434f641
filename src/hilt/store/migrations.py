"""From any older schema to the current one, in one transaction, or not at all.

A step leads from one version to the next; it is written in SQL, for the tables in `schema.py`
move on and the past does not.
"""

from collections.abc import Callable, Mapping

from sqlalchemy import Connection, insert, inspect, select, text, update

from hilt.errors import StoreError, StoreNewer
from hilt.store.locks import POSTGRESQL, hold
from hilt.store.schema import SCHEMA_VERSION, TABLES, VERSION

MIGRATION = "migration"

Step = Callable[[Connection], None]


def _keys_of_acts(connection: Connection) -> None:
    """0 to 1: acts can be named by an idempotency key. Version 0 was never released."""
    for statement in (
        "ALTER TABLE ledger ADD COLUMN principal TEXT NOT NULL DEFAULT ''",
        "UPDATE ledger SET principal = (SELECT principal FROM sessions WHERE sessions.id = ledger.session)",
        "ALTER TABLE ledger ADD COLUMN idempotency_key TEXT",
        "CREATE INDEX ledger_keys ON ledger (principal, tool, idempotency_key) WHERE idempotency_key IS NOT NULL",
    ):
        connection.execute(text(statement))


def _protection(connection: Connection) -> None:
    """1 to 2: what a session has seen, leaves, quotas, the audit trail. Version 1 was never released."""
    on_server = connection.dialect.name == POSTGRESQL
    counted = "BIGSERIAL PRIMARY KEY" if on_server else "INTEGER NOT NULL PRIMARY KEY"
    never_again = counted if on_server else f"{counted} AUTOINCREMENT"
    for statement in (
        f"CREATE TABLE sightings (number {never_again},"
        " session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE, document TEXT NOT NULL)",
        "CREATE INDEX sightings_session ON sightings (session, number)",
        "CREATE TABLE approvals (id TEXT NOT NULL PRIMARY KEY, principal TEXT NOT NULL, tool TEXT NOT NULL,"
        " scope TEXT NOT NULL, policy TEXT NOT NULL, given FLOAT NOT NULL, expires FLOAT NOT NULL,"
        ' session TEXT NOT NULL, digest TEXT NOT NULL, shape TEXT NOT NULL, "by" TEXT NOT NULL,'
        " says TEXT NOT NULL, used FLOAT, revoked FLOAT)",
        "CREATE INDEX approvals_tool ON approvals (principal, tool)",
        f'CREATE TABLE quota_uses (id {counted}, "key" TEXT NOT NULL, window_s FLOAT NOT NULL, at FLOAT NOT NULL)',
        'CREATE INDEX quota_uses_key ON quota_uses ("key", window_s, at)',
        "CREATE TABLE trail (number BIGINT NOT NULL PRIMARY KEY, session TEXT NOT NULL, at FLOAT NOT NULL,"
        " text TEXT NOT NULL, hash TEXT NOT NULL)",
    ):
        connection.execute(text(statement))


def _pins(connection: Connection) -> None:
    """2 to 3: what other people's servers declared. Version 2 was never released."""
    for statement in (
        "CREATE TABLE pinned_servers (server TEXT NOT NULL PRIMARY KEY, source TEXT NOT NULL)",
        "CREATE TABLE pins (server TEXT NOT NULL, tool TEXT NOT NULL, place INTEGER NOT NULL,"
        " accepted TEXT NOT NULL, accepted_document TEXT NOT NULL, accepted_at FLOAT NOT NULL,"
        " accepted_by TEXT NOT NULL, seen TEXT NOT NULL, seen_document TEXT NOT NULL, seen_at FLOAT NOT NULL,"
        " gone FLOAT, findings TEXT NOT NULL, PRIMARY KEY (server, tool))",
    ):
        connection.execute(text(statement))


STEPS: Mapping[int, Step] = {0: _keys_of_acts, 1: _protection, 2: _pins}


def version(connection: Connection) -> int | None:
    """The version of the store, None for a database without tables.

    Raises `StoreError` when the tables are some other program's.
    """
    tables = inspect(connection).get_table_names()
    if not tables:
        return None
    if SCHEMA_VERSION.name not in tables:
        raise StoreError(
            f"the database holds tables of another program, such as {tables[0]!r}",
            "give Hilt a file or a database of its own",
        )
    return connection.execute(select(SCHEMA_VERSION.c.version)).scalar_one()


def refuse_newer(found: int | None, where: str) -> None:
    """Raise `StoreNewer` for a version above ours."""
    if found is not None and found > VERSION:
        raise StoreNewer(
            f"{where} has schema version {found}; this Hilt knows versions up to {VERSION}",
            "install the newer Hilt again, or set HILT_HOME to another folder",
        )


def migrate(
    connection: Connection,
    where: str,
    *,
    steps: Mapping[int, Step] = STEPS,
    target: int = VERSION,
) -> None:
    """Make or bring forward the tables, inside the transaction that `connection` is in.

    Looks at the version again, for another process may have been here first.
    """
    hold(connection, MIGRATION)
    found = version(connection)
    refuse_newer(found, where)
    if found is None:
        TABLES.create_all(connection)
        connection.execute(insert(SCHEMA_VERSION).values(version=target))
        return
    for step in range(found, target):
        steps[step](connection)
    if found < target:
        connection.execute(update(SCHEMA_VERSION).values(version=target))
