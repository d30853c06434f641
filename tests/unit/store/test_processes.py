"""More than one process, processes that die, and callers that are cancelled."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from hilt.errors import StoreError, StoreLocked
from hilt.policy.claims import Approval, ApprovalClaim, LedgerClaim, QuotaClaim
from hilt.store import Claimed, Running, Unknown, owners
from hilt.store.records import admitted
from hilt.store.sql import SqlStore
from tests.postgres import Server

Make = Callable[..., LedgerClaim]

HEAD = """
import sys, anyio
from hilt.policy.claims import LedgerClaim
from hilt.store import Claimed, Running
from hilt.store.sql import SqlStore

store = SqlStore(sys.argv[1], wait_seconds=30)

def claim(turn, position=0, **options):
    return LedgerClaim(session="s", turn=turn, position=position, digest="d1", tool="pay", call_id="call_1", **options)
"""

RACE = (
    HEAD
    + """
async def main():
    await store.open_session("s", "ann")
    won = 0
    for turn in range(100):
        (outcome,) = await store.claim([claim(f"t{turn}")])
        won += isinstance(outcome, Claimed)
        await store.append_events("s", [f'{{"by": {sys.argv[2]}}}'])
        names = await store.reference("s", "row", [f"{sys.argv[2]}-{turn}"])
        assert await store.original("s", names[0]) == f"{sys.argv[2]}-{turn}"
    await store.close()
    print(won)

anyio.run(main)
"""
)

HOLD = (
    HEAD
    + """
async def main():
    await store.open_session("s", "ann")
    await store.claim([claim("t1"), claim("t1", 1, irreversible=True)])
    print("held", flush=True)
    number = 0
    while True:
        number += 1
        await store.claim([claim(f"busy{number}", at) for at in range(3)])

anyio.run(main)
"""
)

FORK = (
    HEAD
    + """
import os

async def main():
    await store.open_session("s", "ann")
    if os.fork() == 0:
        try:
            store.sessions().send(None)
        except Exception as refused:
            print(refused.problem, flush=True)
        os._exit(0)
    os.wait()
    await store.close()

anyio.run(main)
"""
)


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", program, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


async def test_two_processes_at_once_take_each_claim_once_and_lose_nothing(where: Path | str) -> None:
    both = [start(RACE, where, number) for number in range(2)]
    won = [int(one.communicate(timeout=30)[0]) for one in both]
    store = SqlStore(where)

    assert sum(won) == 100
    assert [one.returncode for one in both] == [0, 0]
    assert len(await store.events()) == 200
    assert sorted([await store.original("s", f"row_{number}") or "" for number in range(1, 201)]) == sorted(
        f"{by}-{turn}" for by in range(2) for turn in range(100)
    )
    await store.close()


async def test_of_many_who_change_one_value_at_once_each_change_counts(where: Path | str) -> None:
    stores = [SqlStore(where, wait_seconds=30) for _ in range(4)]
    names: list[str] = []

    async def add(store: SqlStore) -> None:
        await store.open_session("s", "ann")
        for number in range(5):
            while not await store.exchange("s", "k", old := await store.recall("s", "k"), str(int(old or 0) + 1)):
                pass
            names.extend(await store.reference("s", "row", [f"{id(store)}-{number}"]))
            await store.note_sighting("s", "{}")

    async with anyio.create_task_group() as group:
        for store in stores:
            group.start_soon(add, store)

    assert await stores[0].recall("s", "k") == "20"
    assert sorted(names) == sorted(f"row_{number}" for number in range(1, 21))
    assert len(await stores[0].sightings("s")) == 20
    for store in stores:
        await store.close()


async def test_an_act_named_by_a_key_is_taken_once_by_all_sessions_of_a_principal(
    where: Path | str, claim: Make
) -> None:
    stores = [SqlStore(where, wait_seconds=30) for _ in range(4)]
    outcomes: list[object] = []

    async def act(store: SqlStore, session: str) -> None:
        await store.open_session(session, "ann")
        for number in range(5):
            wanted = claim(session=session, position=number, idempotency_key=f"k{number}")
            taken = await (store.claim([wanted]) if session in "ac" else store.admit(session, [wanted]))
            outcomes.append(taken[0])

    async with anyio.create_task_group() as group:
        for store, session in zip(stores, "abcd", strict=True):
            group.start_soon(act, store, session)

    assert sum(isinstance(each, Claimed) for each in outcomes) == 5
    assert sum(isinstance(each, Running) for each in outcomes) == 15
    for store in stores:
        await store.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
async def test_many_may_make_the_tables_at_once(
    request: pytest.FixtureRequest, database: Path, claim: Make, kind: str
) -> None:
    where = database if kind == "sqlite" else request.getfixturevalue("postgres").database()
    stores = [SqlStore(where, wait_seconds=30) for _ in range(5)]

    async with anyio.create_task_group() as group:
        for store in stores:
            group.start_soon(store.open_session, "s", "ann")

    assert await stores[0].claim([claim()]) == (Claimed(),)
    assert [type((await store.claim([claim()]))[0]) for store in stores[1:]] == [Running] * 4
    for store in stores:
        await store.close()


async def test_a_connection_the_server_ended_is_told_and_the_next_verb_has_another(
    postgres: Server, claim: Make
) -> None:
    store = SqlStore(postgres.emptied())
    await store.open_session("s", "ann")
    with postgres.connect("kept") as other:
        other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    with pytest.raises(StoreError, match="cannot be reached"):
        await store.claim([claim()])

    assert await store.claim([claim()]) == (Claimed(),)
    await store.close()


async def test_a_server_that_is_not_there_is_named_without_its_password(need: Callable[[str, str], None]) -> None:
    need("psycopg", "it is what asks the server")
    store = SqlStore("postgres://ann:secret@127.0.0.1:1/hilt")

    with pytest.raises(StoreError, match="cannot be reached") as raised:
        await store.sessions()

    assert "127.0.0.1" in str(raised.value)
    assert "secret" not in str(raised.value)
    await store.close()


async def test_who_waits_too_long_for_another_is_told(postgres: Server, claim: Make) -> None:
    where = postgres.emptied()
    holder, store = SqlStore(where), SqlStore(where, wait_seconds=0.05)
    await holder.open_session("s", "ann")
    with postgres.connect("kept") as other, other.transaction():
        other.execute("LOCK TABLE ledger IN EXCLUSIVE MODE")

        with pytest.raises(StoreLocked, match="another process holds"):
            await store.claim([claim()])

    assert await store.claim([claim()]) == (Claimed(),)
    await holder.close()
    await store.close()


async def test_claims_of_a_killed_process_are_unknown_and_the_file_is_whole(where: Path | str, claim: Make) -> None:
    holder = start(HOLD, where)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    store = SqlStore(where)
    (alive,) = await store.claim([claim()])
    await anyio.sleep(0.2)  # not synchronisation: the holder is to be killed amid its work

    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    (gone, elsewhere) = await store.claim([claim(), claim("t2", irreversible=True)])
    left = await store.unsettled("s")

    assert isinstance(alive, Running)
    assert gone == Unknown(alive.since, claim())
    assert isinstance(elsewhere, Unknown)
    assert elsewhere.claim == claim("t1", 1, irreversible=True)
    assert not any(one.alive for one in left)
    # Three claims are taken together or not at all.
    assert (len(left) - 2) % 3 == 0
    await store.settle(elsewhere.claim, '{"status": "error"}', ran=True)
    assert await store.claim([claim("t2", irreversible=True)]) == (Claimed(),)
    await store.close()
    if isinstance(where, Path):
        connection = sqlite3.connect(where)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()


async def test_claims_left_by_a_closed_store_are_unknown(where: Path | str, claim: Make) -> None:
    first, second = SqlStore(where), SqlStore(where)
    await first.open_session("s", "ann")
    await first.claim([claim()])
    await second.claim([claim(position=1)])

    await first.close()
    gone, running = await second.claim([claim(), claim(position=1)])
    await second.close()

    assert isinstance(gone, Unknown)
    assert isinstance(running, Running)


async def test_a_store_closes_while_another_process_holds_it(database: Path, claim: Make) -> None:
    store, later = SqlStore(database, wait_seconds=0.1), SqlStore(database)
    await store.open_session("s", "ann")
    await store.claim([claim()])
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    await store.close()

    other.execute("ROLLBACK")
    other.close()
    [running] = await later.claim([claim()])
    assert isinstance(running, Running)  # until this process ends; then it is unknown
    await later.close()


def test_a_store_opened_before_a_fork_says_so_in_the_child(database: Path) -> None:
    ran = start(FORK, database)

    assert ran.communicate(timeout=30)[0] == "the store was opened before this process was forked\n"


def test_this_process_is_alive_and_others_are_told_apart() -> None:
    here = owners.this_process()
    place, pid, started, nonce = here.split("/")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = "/".join((place, str(child.pid), owners.started(child.pid), nonce))

    assert owners.alive(here)
    assert owners.alive(theirs)
    assert owners.this_process() != here
    assert not owners.alive("/".join((place, pid, started + "0", nonce)))
    assert not owners.alive("/".join(("another boot", pid, started, nonce)))
    assert not owners.alive("/".join((place, str(child.pid), started, nonce)))
    assert not owners.alive("")
    child.kill()
    # Not waited for yet, so a zombie, which runs no more.
    while owners.alive(theirs):
        pass
    child.communicate()
    assert not owners.alive(theirs)


@pytest.fixture
async def busy(database: Path) -> tuple[SqlStore, sqlite3.Connection]:
    """A store whose next write waits, until the connection beside it lets go."""
    store = SqlStore(database, wait_seconds=30)
    await store.open_session("s", "ann")
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return store, other


@pytest.mark.parametrize("begun", [True, False])
@pytest.mark.parametrize("by", ["asyncio", "anyio"])
async def test_a_claim_whose_caller_was_cancelled_is_free(
    busy: tuple[SqlStore, sqlite3.Connection], claim: Make, begun: bool, by: str
) -> None:
    store, other = busy

    async with anyio.create_task_group() as tasks:
        if not begun:
            tasks.start_soon(store.remember, "s", "k", "1")
        await anyio.sleep(0.05)  # lets the worker begin what is before the claim
        if by == "anyio":
            with anyio.move_on_after(0.05) as scope:
                await store.claim([claim(), claim(position=1)])
            assert scope.cancelled_caught
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(store.claim([claim(), claim(position=1)]), 0.05)
        other.execute("ROLLBACK")

    assert await store.unsettled("s") == []
    assert await store.claim([claim()]) == (Claimed(),)
    await store.close()
    other.close()


@pytest.mark.parametrize("begun", [True, False])
async def test_an_admission_whose_caller_was_cancelled_gives_everything_back(
    busy: tuple[SqlStore, sqlite3.Connection], claim: Make, leave: Callable[..., Approval], begun: bool
) -> None:
    store, other = busy
    other.execute("ROLLBACK")
    kept = leave()
    await store.save_approval(kept)
    other.execute("BEGIN IMMEDIATE")
    asks = ApprovalClaim(principal="ann", session="s", tool="pay", digest="d1", shape="", policy="p1")
    wanted = [claim(irreversible=True), QuotaClaim(key="q", most=1, window_s=600), asks]

    async with anyio.create_task_group() as tasks:
        if not begun:
            tasks.start_soon(store.remember, "s", "k", "1")
        await anyio.sleep(0.05)  # lets the worker begin what is before the admission
        with anyio.move_on_after(0.05) as scope:
            await store.admit("s", wanted)
        assert scope.cancelled_caught
        other.execute("ROLLBACK")

    assert await store.unsettled("s") == []
    assert [each.id for each in await store.approvals()] == [kept.id]
    assert admitted(await store.admit("s", wanted))
    await store.close()
    other.close()


async def test_an_answer_whose_caller_was_cancelled_is_kept(
    busy: tuple[SqlStore, sqlite3.Connection], claim: Make
) -> None:
    store, other = busy

    with anyio.move_on_after(0.05):
        await store.settle(claim(), "{}", ran=True)
    other.execute("ROLLBACK")

    assert await store.results("s", ["call_1"]) == {"call_1": "{}"}
    await store.close()
    other.close()


async def test_a_cancelled_claim_leaves_alone_what_was_another_callers(database: Path, claim: Make) -> None:
    store = SqlStore(database, wait_seconds=30)
    await store.open_session("s", "ann")
    await store.claim([claim()])
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with anyio.move_on_after(0.05):
        await store.claim([claim(), claim(position=1)])
    other.execute("ROLLBACK")

    assert [one.claim for one in await store.unsettled("s")] == [claim()]
    await store.close()
    other.close()
