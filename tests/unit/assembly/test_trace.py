"""The trace that ends in the store."""

import time
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest

from hilt.assembly.history import calls, grouped
from hilt.assembly.trace import LONGEST_TEXT, MOST_WAITING, StoreTrace, read, written
from hilt.calls.events import Event, Step
from hilt.calls.session import Session
from hilt.errors import StoreError
from hilt.store import MemoryStore, open_store
from hilt.store.protocol import Store

TOKEN = "ghp_" + "a1B2" * 9


def event(session: str, call: str, tool: str, step: Step, **facts: object) -> Event:
    return Event(time.time_ns(), session, call, tool, step, facts)


async def test_events_are_in_the_store_after_a_flush_and_not_twice(tmp_path: Path) -> None:
    store = open_store(tmp_path / "x.db")
    trace = StoreTrace(store)
    trace.record(event("s1", "s1/1", "read_file", "resolve"))
    trace.record(event("s2", "s2/1", "read_file", "resolve"))
    trace.record(event("s1", "s1/1", "read_file", "answer", status="success"))

    await trace.flush()
    await trace.flush()

    assert [read(each.text)["step"] for each in await store.events("s1")] == ["resolve", "answer"]
    assert len(await store.events()) == 3
    await store.close()


async def test_a_session_of_another_principal_is_opened_for_that_principal() -> None:
    store = MemoryStore()
    trace = StoreTrace(store)
    trace.know(Session(id="s1", principal="ann"))
    trace.record(event("s1", "s1/1", "x", "resolve"))

    await trace.flush()

    assert [(each.id, each.principal) for each in await store.sessions()] == [("s1", "ann")]


def test_credentials_are_masked_and_long_texts_cut() -> None:
    text = written(
        event("s", "s/1", "x", "execute", activity=f"logging in with {TOKEN}", more="x" * 5_000, list=[TOKEN])
    )

    assert TOKEN not in text
    facts = read(text)["facts"]
    assert isinstance(facts, dict)
    assert "[hilt masked: github token]" in facts["activity"]
    assert len(facts["more"]) == LONGEST_TEXT + 1


@pytest.mark.parametrize(
    "fact", [None, True, 3, 2.5, "half a pair \ud800", {"a": [1]}, object()], ids=lambda fact: type(fact).__name__
)
def test_any_fact_can_be_written_and_read_again(fact: object) -> None:
    assert "fact" in str(read(written(event("s", "s/1", "x", "progress", fact=fact)))["facts"])


class Broken(MemoryStore):
    """A store that keeps nothing."""

    async def append_events(self, session_id: str, events: Sequence[str]) -> None:
        raise StoreError("the disk is gone", "buy another")


async def test_what_cannot_be_written_is_counted_and_nothing_is_raised() -> None:
    trace = StoreTrace(Broken())
    trace.record(event("s", "s/1", "x", "resolve"))

    await trace.flush()

    assert (trace.dropped, trace.fault) == (1, "the disk is gone; buy another")


def test_the_oldest_events_go_when_too_many_wait() -> None:
    trace = StoreTrace(MemoryStore())
    for _ in range(MOST_WAITING + 3):
        trace.record(event("s", "s/1", "x", "progress"))

    assert trace.dropped == 3


class Telling(MemoryStore):
    """A store that says when events came."""

    def __init__(self) -> None:
        super().__init__()
        self.came = anyio.Event()

    async def append_events(self, session_id: str, events: Sequence[str]) -> None:
        await super().append_events(session_id, events)
        self.came.set()


async def test_a_host_that_runs_for_long_writes_as_it_goes() -> None:
    store = Telling()
    trace = StoreTrace(store)
    trace.record(event("s", "s/1", "x", "resolve"))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(trace.keep_flushing)
            await store.came.wait()
            group.cancel_scope.cancel()

    assert len(await store.events("s")) == 1


async def kept(*steps: tuple[str, Step, dict[str, object]]) -> Store:
    store = MemoryStore()
    trace = StoreTrace(store)
    for call, step, facts in steps:
        trace.record(event(call.partition("/")[0], call, "read_file", step, **facts))
    await trace.flush()
    return store


async def test_events_become_calls_with_how_they_ended() -> None:
    store = await kept(
        ("s/1", "resolve", {}),
        ("s/1", "execute", {"activity": "reading"}),
        ("s/2", "resolve", {}),
        ("s/1", "answer", {"status": "success", "bytes": 12}),
    )

    first, second = grouped(await store.events("s"))

    assert (first.call, first.status, first.activity, first.fact("answer", "bytes")) == (
        "s/1",
        "success",
        "reading",
        12,
    )
    assert first.milliseconds is not None
    assert (second.call, second.status, second.milliseconds) == ("s/2", "unfinished", None)


async def test_a_session_that_goes_on_in_another_process_counts_from_one_again() -> None:
    once: tuple[tuple[str, Step, dict[str, object]], ...] = (
        ("s/1", "resolve", {}),
        ("s/1", "answer", {"status": "success"}),
    )
    cut: tuple[tuple[str, Step, dict[str, object]], ...] = (("s/1", "resolve", {}), ("s/1", "execute", {}))

    store = await kept(*once, *cut, *once)

    assert [call.status for call in grouped(await store.events("s"))] == ["success", "unfinished", "success"]


async def test_the_latest_calls_of_all_sessions_come_first() -> None:
    store = await kept(
        ("a/1", "resolve", {}), ("b/1", "resolve", {}), ("b/2", "resolve", {}), ("b/2", "answer", {"status": "error"})
    )

    everything = await calls(store, session=None, wanted=lambda call: True, most=2)
    of_one = await calls(store, session="a", wanted=lambda call: True, most=5)
    failed = await calls(store, session=None, wanted=lambda call: call.status == "error", most=5)

    assert [call.call for call in everything] == ["b/2", "b/1"]
    assert [call.call for call in of_one] == ["a/1"]
    assert [call.call for call in failed] == ["b/2"]
