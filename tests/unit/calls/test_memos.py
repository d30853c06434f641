"""What a session remembers for its tools."""

import pytest

from hilt import Session
from hilt.calls.memos import Memos
from hilt.results.failures import Refused
from hilt.store import MemoryStore


async def test_a_memo_is_read_back_by_its_session_alone() -> None:
    memos, session = Memos(MemoryStore()), Session()

    await memos.put(session, "tasks", {"a": [1, None, "中"]})

    assert await memos.get(session, "tasks") == {"a": [1, None, "中"]}
    assert await memos.get(session, "other") is None
    assert await memos.get(Session(), "tasks") is None


async def test_a_change_is_worked_out_anew_when_somebody_was_quicker() -> None:
    store = MemoryStore()
    memos, session = Memos(store), Session()
    await memos.put(session, "count", 1)
    seen: list[object] = []

    def add(value: object) -> tuple[object, str]:
        seen.append(value)
        if len(seen) == 1:  # another process changes it between the look and the write
            store._sessions[session.id].memos["count"] = "10"
        assert isinstance(value, int)
        return value + 1, "added"

    assert await memos.change(session, "count", add) == "added"
    assert seen == [1, 10]
    assert await memos.get(session, "count") == 11


async def test_a_change_to_none_forgets_and_the_listing_shows_the_rest() -> None:
    memos, session = Memos(MemoryStore()), Session()
    for name in ("seen:/b", "seen:/a", "tasks"):
        await memos.put(session, name, name)

    await memos.change(session, "seen:/b", lambda value: (None, value))

    assert await memos.all(session, "seen:") == {"seen:/a": "seen:/a"}


async def test_nobody_reads_what_the_session_of_another_principal_remembers() -> None:
    store, ann = MemoryStore(), Session(principal="ann")
    await Memos(store).put(ann, "tasks", ["secret"])
    memos, bob = Memos(store), Session(id=ann.id, principal="bob")

    with pytest.raises(Refused):
        await memos.get(bob, "tasks")
    with pytest.raises(Refused):
        await memos.all(bob, "")
    assert await memos.get(ann, "tasks") == ["secret"]
    with pytest.raises(Refused):
        await memos.change(bob, "tasks", lambda value: (None, value))
