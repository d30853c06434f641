"""What every store promises of pins: revised in one transaction, no session's, and never purged."""

import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import anyio
import pytest

from hilt.catalog.pins import Finding, Names, Pin, Pinned
from hilt.errors import StoreError
from hilt.store import Store
from hilt.store.sql import SqlStore

FINDING = Finding(kind="hidden", grade="grave", where="name", says="é", quote='"\u200b')


def pin(tool: str, place: int = 0, *, accepted: str = "d1", seen: str = "d1", gone: float | None = None) -> Pin:
    return Pin(
        tool=tool,
        place=place,
        accepted=accepted,
        accepted_document="{}" if accepted else "",
        accepted_at=1.5,
        accepted_by="ann",
        seen=seen,
        seen_document='{"name": "é"}',
        seen_at=2.5,
        gone=gone,
        findings=(FINDING,),
    )


async def keep(store: Store, server: str, *pins: Pin, source: str = "") -> tuple[Pinned, Pinned]:
    return await store.revise_pins(server, lambda _, __: Pinned(server=server, source=source, pins=pins))


async def test_what_is_kept_of_a_server_is_what_the_revision_gave_in_the_order_of_places(store: Store) -> None:
    before, after = await keep(store, "git", pin("log", 1), pin("add", 0, accepted="", gone=3.5), source="c")

    assert before == Pinned(server="git")
    assert after == Pinned(server="git", source="c", pins=(pin("log", 1), pin("add", 0, accepted="", gone=3.5)))
    (kept,) = await store.pinned("git")
    assert kept.source == "c"
    assert sorted(kept.pins, key=lambda each: each.place) == [pin("add", 0, accepted="", gone=3.5), pin("log", 1)]
    assert await store.pinned("other") == []


async def test_a_revision_changes_adds_and_removes_pins_of_its_own_server_alone(store: Store) -> None:
    await keep(store, "git", pin("log"), pin("add", 1), pin("rm", 2))
    await keep(store, "mail", pin("log"), source="m")
    before, _ = await keep(store, "git", pin("log", seen="d2"), pin("add", 1), pin("mv", 3), source="c")

    assert [each.tool for each in before.pins] == ["log", "add", "rm"]
    git, mail = await store.pinned()
    assert (git.server, git.source, mail.server) == ("git", "c", "mail")
    assert git.pins == (pin("log", seen="d2"), pin("add", 1), pin("mv", 3))
    assert mail.pins == (pin("log"),)


async def test_a_revision_sees_the_accepted_tools_that_other_servers_have_now(store: Store) -> None:
    await keep(store, "git", pin("log"), pin("odd", 1, accepted=""), pin("old", 2, gone=1.0))
    await keep(store, "mail", pin("send"))
    seen: list[set[tuple[str, str]]] = []

    def look(before: Pinned, others: Names) -> Pinned:
        seen.append(set(others))
        return before

    await store.revise_pins("mail", look)

    assert seen == [{("git", "log")}]


async def test_a_server_without_pins_is_known_by_its_source_and_forgotten_without(store: Store) -> None:
    await keep(store, "git", source="c")
    assert await store.pinned() == [Pinned(server="git", source="c")]

    await keep(store, "git")
    assert await store.pinned() == []


async def test_a_revision_that_fails_changes_nothing(store: Store) -> None:
    await keep(store, "git", pin("log"))

    def fail(before: Pinned, others: Names) -> Pinned:
        raise StoreError("no", "yes")

    with pytest.raises(StoreError, match="no"):
        await store.revise_pins("git", fail)

    assert await store.pinned() == [Pinned(server="git", pins=(pin("log"),))]


async def test_purging_everything_leaves_the_pins(store: Store) -> None:
    await keep(store, "git", pin("log"))

    report = await store.purge(timedelta(0))

    assert report.sessions == 1
    assert [each.server for each in await store.pinned()] == ["git"]


ADD = """
import sys, anyio
from dataclasses import replace
from hilt.catalog.pins import Pin
from hilt.store.sql import SqlStore

async def main():
    store = SqlStore(sys.argv[1], wait_seconds=30)
    for number in range(30):
        def add(before, others):
            new = Pin(tool=f"{sys.argv[2]}-{number}", place=len(before.pins), accepted="d", accepted_document="{}",
                      accepted_at=0, accepted_by="x", seen="d", seen_document="{}", seen_at=0)
            return replace(before, pins=(*before.pins, new))
        await store.revise_pins("git", add)
    await store.close()

anyio.run(main)
"""


async def read(where: Path | str) -> Pinned:
    store = SqlStore(where)
    (kept,) = await store.pinned()
    await store.close()
    return kept


def test_two_processes_that_revise_at_once_lose_nothing(where: Path | str) -> None:
    running = [subprocess.Popen([sys.executable, "-c", ADD, str(where), name]) for name in "ab"]

    assert [each.wait(60) for each in running] == [0, 0]
    kept = anyio.run(read, where)

    assert sorted(each.place for each in kept.pins) == list(range(60))
