"""An older store on PostgreSQL comes to the same tables as a new one; SQLite's are in `test_sqlite.py`."""

import pytest

from hilt.store.schema import VERSION
from hilt.store.sql import SqlStore
from tests.postgres import Server

LATER = {1: ("sightings", "approvals", "quota_uses", "trail"), 2: ("pins", "pinned_servers")}
"""Tables that came with the step from a version."""
COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
WHERE table_schema = 'public' ORDER BY 1, 2
"""
INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2"


async def use(where: str) -> None:
    """Open the store and use what came later."""
    store = SqlStore(where)
    await store.open_session("s", "ann")
    await store.note_sighting("s", "{}")
    await store.append_trail("s", ["{}"])
    await store.revise_pins("git", lambda before, _: before)
    await store.close()


@pytest.mark.parametrize("version", LATER)
async def test_an_older_store_on_postgresql_gets_the_tables_of_a_new_one(postgres: Server, version: int) -> None:
    where = postgres.database()
    name = where.partition("@/")[2].partition("?")[0]
    await use(where)
    with postgres.connect(name) as connection:
        fresh = [connection.execute(asked).fetchall() for asked in (COLUMNS, INDEXES)]
        gone = [table for since, tables in LATER.items() if since >= version for table in tables]
        connection.execute(f"DROP TABLE {', '.join(gone)}")
        connection.execute(f"UPDATE schema_version SET version = {version}")

    await use(where)

    with postgres.connect(name) as connection:
        assert [connection.execute(asked).fetchall() for asked in (COLUMNS, INDEXES)] == fresh
        assert connection.execute("SELECT version FROM schema_version").fetchone() == (VERSION,)
