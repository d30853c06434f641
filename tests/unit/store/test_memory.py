"""What is particular to the store in memory: its limits, its folder, its price."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hilt.policy.claims import LedgerClaim
from hilt.store import Claimed, MemoryStore, Repeated
from hilt.store.memory import INLINE_BYTES, MOST_EVENT_CHARACTERS, MOST_INLINE_BYTES
from hilt.store.memory_ledger import MOST_RESULT_CHARACTERS
from tests.unit.store import disk

Make = Callable[..., LedgerClaim]


@pytest.fixture
async def store() -> MemoryStore:
    made = MemoryStore()
    await made.open_session("s", "ann")
    return made


async def test_small_blobs_touch_no_disk_until_there_are_too_many(store: MemoryStore) -> None:
    content = b"x" * INLINE_BYTES
    paths = [
        (await store.spill("s", content, "text/plain", mask=False)).path
        for _ in range(MOST_INLINE_BYTES // INLINE_BYTES + 1)
    ]

    assert paths[:-1] == [None] * (MOST_INLINE_BYTES // INLINE_BYTES)
    assert paths[-1] is not None
    await store.close()


async def test_closing_removes_the_folder_and_forgets(store: MemoryStore) -> None:
    blob = await store.spill("s", b"x" * (INLINE_BYTES + 1), "text/plain", mask=False)
    assert blob.path is not None
    assert disk.exists(blob.path)

    await store.close()
    await store.close()

    assert not disk.exists(Path(blob.path).parent)
    assert await store.sessions() == []


async def test_a_store_that_is_dropped_takes_its_folder_along() -> None:
    store = MemoryStore()
    await store.open_session("s", "ann")
    blob = await store.spill("s", b"x" * (INLINE_BYTES + 1), "text/plain", mask=False)
    assert blob.path is not None

    del store

    assert not disk.exists(Path(blob.path).parent)


async def test_the_oldest_answers_are_forgotten_but_never_an_act(store: MemoryStore, claim: Make) -> None:
    large = "x" * (MOST_RESULT_CHARACTERS // 4)
    await store.settle(claim(irreversible=True, call_id="act"), large, ran=True)
    for turn in range(2, 8):
        await store.settle(claim(f"t{turn}", digest="d2", call_id=f"c{turn}"), large, ran=True)

    kept = await store.results("s", ["act", *(f"c{turn}" for turn in range(2, 8))])

    assert list(kept) == ["act", "c5", "c6", "c7"]
    (outcome,) = await store.claim([claim("t9", irreversible=True)])
    assert isinstance(outcome, Repeated)
    assert await store.claim([claim("t2", digest="d2")]) == (Claimed(),)


async def test_the_oldest_events_are_forgotten(store: MemoryStore) -> None:
    large = "x" * (MOST_EVENT_CHARACTERS // 3)
    for letter in "abcd":
        await store.append_events("s", [letter + large])

    assert [(one.number, one.text[0]) for one in await store.events()] == [(3, "c"), (4, "d")]
    assert [one.number for one in await store.events(since=3)] == [4]
    assert [one.number for one in await store.events(since=1, limit=1)] == [3]


async def test_taking_and_settling_a_claim_costs_no_more_than_some_dictionaries(
    store: MemoryStore, claim: Make, record_property: Callable[[str, object], None]
) -> None:
    claims = [(claim(f"t{turn}"),) for turn in range(2_000)]
    best = 1.0
    for _ in range(5):
        fresh = MemoryStore()
        await fresh.open_session("s", "ann")
        started = time.perf_counter()
        for one in claims:
            await fresh.claim(one)
            await fresh.settle(one[0], "{}", ran=True)
        best = min(best, (time.perf_counter() - started) / len(claims))
    record_property("report", f"MemoryStore: claim and settle {best * 1e6:.1f} us")

    # About 1.5 us on the machine it was written on; the bound is for machines under load.
    assert best < 20e-6
