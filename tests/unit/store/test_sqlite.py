"""The SQLite file: its modes, its versions, and what is said when it cannot be used."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from hilt.errors import ConfigError, StoreError, StoreFull, StoreLocked, StoreNewer
from hilt.policy.claims import LedgerClaim
from hilt.store import Claimed, MemoryStore, Repeated, Stored, open_store
from hilt.store.home import home
from hilt.store.location import locate
from hilt.store.schema import VERSION
from hilt.store.sql import SqlStore
from tests.unit.store import disk, released

Make = Callable[..., LedgerClaim]


def ask(file: Path, question: str) -> object:
    connection = sqlite3.connect(file)
    (answer,) = connection.execute(question).fetchone()
    connection.close()
    return answer


async def test_without_set_up_state_is_in_a_private_folder_in_wal_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "home"))
    store = open_store()
    await store.open_session("s", "ann")
    blob = await store.spill("s", b"x", "text/plain", mask=False)
    file = tmp_path / "home" / "hilt.db"

    modes = {one.name: disk.mode(one) for one in file.parent.iterdir()}
    await store.close()

    assert modes == {"hilt.db": 0o600, "hilt.db-wal": 0o600, "hilt.db-shm": 0o600, "blobs": 0o700}
    assert disk.mode(file.parent) == 0o700
    assert blob.path is not None
    assert Path(blob.path).parent == tmp_path / "home" / "blobs"
    assert ask(file, "PRAGMA journal_mode") == "wal"


def test_the_home_is_the_platforms_when_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HILT_HOME", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))

    assert home().is_relative_to(tmp_path)
    assert home().is_dir()


def test_a_home_that_cannot_be_made_names_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "file" / "home"))

    with pytest.raises(StoreError, match="set HILT_HOME to a folder"):
        home()


def test_importing_the_room_does_not_import_sqlalchemy() -> None:
    program = (
        "import sys, hilt.store, hilt.store.home; hilt.store.open_store('memory'); print('sqlalchemy' in sys.modules)"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": "src"},
    )

    assert ran.stdout == "False\n"


async def test_a_store_is_opened_by_path_url_or_name(database: Path) -> None:
    first = open_store(database)
    await first.open_session("s", "ann")
    await first.close()
    second = open_store(f"sqlite:///{database}")

    assert [one.id for one in await second.sessions()] == ["s"]
    assert isinstance(open_store("memory"), MemoryStore)
    await second.close()


def test_a_postgresql_url_keeps_blobs_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HILT_HOME", str(tmp_path))
    here = locate("postgresql+psycopg://ann:hunter2@db/hilt")
    there = locate("postgresql+psycopg://ann:hunter2@db/other")

    assert here.blobs.parent == tmp_path
    assert here.blobs != there.blobs
    assert str(here) == "postgresql+psycopg://ann:***@db/hilt"


@pytest.mark.parametrize("url", ["mysql://db/hilt", "sqlite://", "sqlite:///:memory:", "no scheme://x"])
async def test_a_database_we_cannot_use_is_refused_with_one_we_can(url: str) -> None:
    with pytest.raises(ConfigError, match="sqlite://"):
        await open_store(url).sessions()


@pytest.mark.parametrize("version", range(VERSION))
async def test_a_store_of_an_older_version_is_brought_forward_with_all_it_holds(
    database: Path, tmp_path: Path, claim: Make, version: int
) -> None:
    released.build(database, version)
    store = SqlStore(database)

    assert await store.claim([claim()]) == (Stored('{"n": 1}'),)
    (again,) = await store.claim([claim("t2", irreversible=True)])
    assert isinstance(again, Repeated)
    await store.settle(claim("t3", idempotency_key="k"), "{}", ran=True)
    (keyed,) = await store.claim([claim("t4", idempotency_key="k")])
    assert isinstance(keyed, Repeated)
    assert await store.original("s", "ticket_1") == "a"
    assert await store.recall("s", "k") == "1"
    assert len(await store.list_pending()) == len(await store.events()) == 1
    assert len(await store.sightings("s")) == len(await store.approvals("ann")) == (version > 1)
    assert await store.pinned() == []
    await store.close()

    fresh = SqlStore(tmp_path / "fresh.db")
    await fresh.sessions()
    await fresh.close()
    assert released.shape(database) == released.shape(tmp_path / "fresh.db")
    assert ask(database, "SELECT version FROM schema_version") == VERSION


async def test_a_migration_that_fails_changes_nothing(database: Path) -> None:
    released.build(database, 0)
    connection = sqlite3.connect(database)
    connection.execute("CREATE INDEX ledger_keys ON ledger (tool)")
    connection.close()
    before = released.shape(database)

    with pytest.raises(StoreError):
        await SqlStore(database).sessions()

    assert released.shape(database) == before
    assert ask(database, "SELECT version FROM schema_version") == 0


async def test_a_newer_store_is_refused_and_not_changed(database: Path) -> None:
    released.build(database, 1)
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode=DELETE")
    connection.execute("UPDATE schema_version SET version = ?", [VERSION + 1])
    connection.commit()
    connection.close()
    before = disk.content(database)
    store = SqlStore(database)

    with pytest.raises(StoreNewer, match=f"has schema version {VERSION + 1}; this Hilt knows versions up to {VERSION}"):
        await store.open_session("s", "ann")
    await store.close()

    assert disk.content(database) == before


async def test_a_file_of_another_program_is_refused_and_not_changed(database: Path) -> None:
    database.parent.mkdir()
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.commit()
    connection.close()
    before = disk.content(database)

    with pytest.raises(StoreError, match="tables of another program, such as 'bookmarks'"):
        await SqlStore(database).sessions()

    assert disk.content(database) == before


@pytest.mark.parametrize("damage", ["not a database", "torn"])
async def test_a_damaged_file_is_reported_with_what_to_do(database: Path, damage: str) -> None:
    if damage == "torn":
        released.build(database, 1)
        with database.open("r+b") as file:
            file.seek(100)
            file.write(b"\x07" * 8192)
    else:
        disk.put(database, b"A diary, not a database. " * 200)

    with pytest.raises(StoreError, match="damaged or not a SQLite database") as caught:
        await SqlStore(database).sessions()

    assert any("mv " in step for step in caught.value.next_steps)


async def test_a_store_held_longer_than_we_wait_is_locked_and_then_usable(database: Path, claim: Make) -> None:
    store = SqlStore(database, wait_seconds=0.1)
    await store.open_session("s", "ann")
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreLocked, match="another process holds"):
        await store.claim([claim()])
    assert len(await store.sessions()) == 1

    other.execute("ROLLBACK")
    other.close()
    assert await store.claim([claim()]) == (Claimed(),)
    await store.close()


@pytest.fixture
def small_disk() -> Iterator[None]:
    """Every database opened meanwhile may have 48 pages, as if the disk had no more room."""

    def shrink(driver: sqlite3.Connection, _record: object) -> None:
        driver.execute("PRAGMA max_page_count=48")

    event.listen(Engine, "connect", shrink)
    yield
    event.remove(Engine, "connect", shrink)


@pytest.mark.usefixtures("small_disk")
async def test_on_a_full_disk_nothing_is_half_written(database: Path, claim: Make) -> None:
    store = SqlStore(database)
    await store.open_session("s", "ann")
    await store.append_events("s", ["{}"])

    with pytest.raises(StoreFull, match="nothing was written"):
        await store.append_events("s", ["{}", '"' + "x" * 200_000 + '"'])
    with pytest.raises(StoreFull):
        await store.settle(claim(), "x" * 200_000, ran=True)

    assert len(await store.events()) == 1
    assert await store.claim([claim()]) == (Claimed(),)
    await store.close()


FULL_BLOB = """
import os, resource, signal, sys, anyio
from pathlib import Path
from hilt.errors import StoreFull
from hilt.store import open_store

async def main():
    store = open_store(Path(sys.argv[1]))
    await store.open_session("s", "ann")
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))
    try:
        await store.spill("s", b"x" * (5 << 20), "text/plain", mask=False)
    except StoreFull as full:
        print(full.problem)
    await store.spill("s", b"small", "text/plain", mask=False)
    await store.close()

anyio.run(main)
"""


def test_a_blob_the_disk_has_no_room_for_leaves_no_part_of_it(database: Path) -> None:
    ran = subprocess.run([sys.executable, "-c", FULL_BLOB, str(database)], capture_output=True, text=True, check=True)

    assert ran.stdout.startswith("no room for an artifact in ")
    assert [file.stat().st_size for file in (database.parent / "hilt.db.blobs").iterdir()] == [5]


async def test_an_unwritable_place_is_reported_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="write access"):
        await SqlStore(tmp_path / "file" / "hilt.db").sessions()


async def test_what_is_old_is_purged_when_the_store_is_opened_but_once_a_day(database: Path) -> None:
    async def opened(retention: timedelta) -> int:
        store = SqlStore(database, retention=retention)
        await store.open_session("s", "ann")
        await store.append_events("s", ["{}"])
        found = len(await store.events())
        await store.close()
        return found

    assert await opened(timedelta(0)) == 1
    assert await opened(timedelta(0)) == 2
    connection = sqlite3.connect(database)
    connection.execute("UPDATE upkeep SET at = at - 86401")
    connection.commit()
    connection.close()
    assert await opened(timedelta(days=14)) == 3
    connection = sqlite3.connect(database)
    connection.execute("UPDATE upkeep SET at = at - 86401")
    connection.commit()
    connection.close()
    assert await opened(timedelta(0)) == 1


async def test_files_that_a_killed_process_left_are_swept(database: Path) -> None:
    store = SqlStore(database)
    await store.open_session("s", "ann")
    kept = await store.spill("s", b"kept", "text/plain", mask=False)
    assert kept.path is not None
    folder = Path(kept.path).parent
    for name, age in (("orphan", 86_500), ("being-written", 0)):
        (folder / name).touch()
        os.utime(folder / name, (time.time() - age, time.time() - age))
    os.utime(kept.path, (0, 0))

    await store.purge()
    await store.close()

    assert sorted(file.name for file in folder.iterdir()) == sorted(["being-written", Path(kept.path).name])


async def test_a_closed_store_says_so_and_closes_again(database: Path) -> None:
    store = SqlStore(database)
    await store.open_session("s", "ann")
    await store.close()
    await store.close()

    with pytest.raises(StoreError, match="the store is closed"):
        await store.sessions()
