"""What both stores promise about blobs, references, memos, approvals, the trace and purging."""

import time
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hilt.errors import StoreError
from hilt.policy.claims import LedgerClaim
from hilt.store import Claimed, MemoryStore, Repeated, Store, StoredEvent
from hilt.store.memory import INLINE_BYTES
from tests.unit.store import disk

Make = Callable[..., LedgerClaim]
NOW = timedelta(0)
TOKEN = "ghp_" + "aB3d" * 9


async def pieces(*contents: bytes) -> AsyncIterator[bytes]:
    for content in contents:
        yield content


async def test_a_blob_is_read_by_offset_and_from_the_end(store: Store) -> None:
    blob = await store.spill("s", b"0123456789", "text/plain", mask=False)
    reader = await store.blob("s", blob.id)

    assert reader is not None
    assert (blob.bytes, reader.size, reader.media_type) == (10, 10, "text/plain")
    assert await reader.read(2, 3) == b"234"
    assert await reader.read(8, 100) == b"89"
    assert await reader.read(-4, 2) == b"67"
    assert await reader.read(-100, 2) == b"01"
    assert await reader.read(10, 1) == b""
    assert await reader.read(0, -1) == b""


@pytest.mark.parametrize("size", [0, 1, INLINE_BYTES, INLINE_BYTES + 1, 3 * INLINE_BYTES + 7])
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_blob_of_any_size_comes_back_as_it_was(store: Store, size: int, streamed: bool) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    source = pieces(content[: size // 3], content[size // 3 :]) if streamed else content

    blob = await store.spill("s", source, "application/octet-stream", mask=False)
    reader = await store.blob("s", blob.id)

    assert reader is not None
    assert blob.bytes == size
    assert await reader.read(0, size + 1) == content


@pytest.mark.parametrize("size", [100, 2 * INLINE_BYTES])
async def test_credentials_are_masked_before_a_blob_is_kept(store: Store, size: int) -> None:
    content = b"\xff" * size + b" " + TOKEN.encode() + b" \xe9"
    cut = size + 9

    blob = await store.spill("s", pieces(content[:cut], content[cut:]), "text/plain", mask=True)
    reader = await store.blob("s", blob.id)

    assert reader is not None
    assert blob.masked == 1
    assert await reader.read(0, 1 << 30) == b"\xff" * size + b" [hilt masked: github token] \xe9"
    assert reader.size == blob.bytes


async def test_a_blob_of_another_session_is_not_found(store: Store) -> None:
    await store.open_session("other", "ann")
    blob = await store.spill("s", b"mine", "text/plain", mask=False)

    assert await store.blob("other", blob.id) is None
    assert await store.blob("never opened", blob.id) is None
    assert await store.blob("s", "artifact_aaaaaaaa") is None


async def test_a_blob_has_a_short_random_id(store: Store) -> None:
    ids = {(await store.spill("s", b"", "text/plain", mask=False)).id for _ in range(50)}

    assert len(ids) == 50
    assert all(one.startswith("artifact_") and len(one) == 17 and one.islower() for one in ids)


async def test_a_large_blob_is_a_private_file_with_a_name_of_its_own(store: Store) -> None:
    blob = await store.spill("s", b"x" * (INLINE_BYTES + 1), "text/plain", mask=False)
    assert blob.path is not None
    file = Path(blob.path)

    assert disk.mode(file) == 0o600
    assert disk.mode(file.parent) == 0o700
    assert len(file.name) >= 32
    assert blob.id not in file.name


async def test_a_source_that_fails_leaves_no_file(store: Store) -> None:
    first = await store.spill("s", b"x" * (INLINE_BYTES + 1), "text/plain", mask=False)

    async def broken() -> AsyncIterator[bytes]:
        yield b"x" * (INLINE_BYTES + 1)
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await store.spill("s", broken(), "text/plain", mask=True)

    assert first.path is not None
    assert [file.name for file in Path(first.path).parent.iterdir()] == [Path(first.path).name]


async def test_references_are_numbered_by_kind_and_stay(store: Store) -> None:
    assert await store.reference("s", "ticket", ["a", "b", "a"]) == ["ticket_1", "ticket_2", "ticket_1"]
    assert await store.reference("s", "ticket", ["c", "b"]) == ["ticket_3", "ticket_2"]
    assert await store.reference("s", "pull_request", ["a"]) == ["pull_request_1"]
    assert await store.reference("s", "ticket", []) == []

    assert await store.original("s", "ticket_3") == "c"
    assert await store.original("s", "pull_request_1") == "a"


@pytest.mark.parametrize(
    "name",
    [
        "ticket_2",
        "ticket",
        "ticket_",
        "ticket_01",
        "ticket_0",
        "ticket_¹",
        "ticket_١",
        "ticket_-1",
        "_1",
        "",
        "x_" + "9" * 40,
    ],
)
async def test_a_reference_nobody_gave_out_stands_for_nothing(store: Store, name: str) -> None:
    await store.reference("s", "ticket", ["a"])

    assert await store.original("s", name) is None


async def test_references_belong_to_their_session(store: Store) -> None:
    await store.open_session("other", "ann")
    await store.reference("s", "ticket", ["a"])

    assert await store.original("other", "ticket_1") is None
    assert await store.reference("other", "ticket", ["b"]) == ["ticket_1"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(batches=st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=6))
async def test_a_reference_leads_back_to_its_original(batches: list[list[str]]) -> None:
    store = MemoryStore()
    await store.open_session("s", "ann")
    for originals in batches:
        names = await store.reference("s", "row", originals)
        assert [await store.original("s", name) for name in names] == originals


async def test_the_last_memo_stays(store: Store) -> None:
    await store.remember("s", "seen", "[1]")
    await store.remember("s", "seen", "[1, 2]")

    assert await store.recall("s", "seen") == "[1, 2]"
    assert await store.recall("s", "other") is None
    assert await store.recall("never opened", "seen") is None


async def test_a_question_is_answered_once(store: Store) -> None:
    await store.save_pending("h", "s", '{"tool": "pay"}', time.time() + 60)
    (listed,) = await store.list_pending()

    assert await store.answer_pending("h", "approve") is True
    assert await store.answer_pending("h", "reject") is False

    kept = await store.pending("h")
    assert kept is not None
    assert (kept.answer, kept.document, kept.session) == ("approve", '{"tool": "pay"}', "s")
    assert listed.answer is None
    assert await store.list_pending() == []


async def test_an_expired_or_unknown_question_cannot_be_answered(store: Store) -> None:
    await store.save_pending("old", "s", "{}", time.time() - 1)

    assert await store.answer_pending("old", "approve") is False
    assert await store.answer_pending("never asked", "approve") is False
    assert await store.list_pending() == []
    assert await store.pending("never asked") is None


async def test_a_handle_is_used_once(store: Store) -> None:
    await store.save_pending("h", "s", "{}", time.time() + 60)

    with pytest.raises(StoreError, match="the handle 'h' is taken"):
        await store.save_pending("h", "s", "{}", time.time() + 60)


async def test_events_are_read_in_order_from_where_the_reader_was(store: Store) -> None:
    await store.open_session("other", "ann")
    await store.append_events("s", ['{"n": 1}', '{"n": 2}'])
    await store.append_events("other", ['{"n": 3}'])
    await store.append_events("s", ['{"n": 4}'])
    await store.append_events("s", [])

    first = await store.events(limit=2)
    rest = await store.events(since=first[-1].number)

    assert _texts(first + rest) == ['{"n": 1}', '{"n": 2}', '{"n": 3}', '{"n": 4}']
    assert _texts(await store.events("s", since=first[0].number)) == ['{"n": 2}', '{"n": 4}']
    assert await store.events(since=rest[-1].number) == []
    assert [one.session for one in rest] == ["other", "s"]


def _texts(events: list[StoredEvent]) -> list[str]:
    return [event.text for event in events]


async def test_sessions_come_latest_first_with_how_much_they_keep(store: Store, claim: Make) -> None:
    await store.open_session("other", "bob")
    await store.claim([claim(), claim(position=1)])
    await store.append_events("s", ["{}"])
    await store.open_session("s", "ann")

    found = await store.sessions()

    assert [(one.id, one.principal, one.calls, one.events) for one in found] == [
        ("s", "ann", 2, 1),
        ("other", "bob", 0, 0),
    ]
    assert found[0].used >= found[0].opened
    assert len(await store.sessions(limit=1)) == 1


@pytest.mark.parametrize(
    "write",
    [
        lambda store: store.spill("gone", b"", "text/plain", mask=False),
        lambda store: store.reference("gone", "ticket", ["a"]),
        lambda store: store.remember("gone", "k", "1"),
        lambda store: store.save_pending("h", "gone", "{}", 9e9),
        lambda store: store.append_events("gone", ["{}"]),
    ],
    ids=["spill", "reference", "remember", "save_pending", "append_events"],
)
async def test_writing_to_a_session_that_was_never_opened_is_a_mistake(
    store: Store, write: Callable[[Store], object]
) -> None:
    with pytest.raises(StoreError, match="'gone' is not open"):
        await write(store)  # type: ignore[misc]


async def test_purging_removes_an_idle_session_whole(store: Store, claim: Make) -> None:
    await store.claim([claim(irreversible=True), claim(position=1)])
    await store.settle(claim(irreversible=True), '{"status": "success"}', ran=True)
    await store.append_events("s", ["{}", "{}"])
    blob = await store.spill("s", b"x" * (INLINE_BYTES + 1), "text/plain", mask=False)
    small = await store.spill("s", b"abc", "text/plain", mask=False)
    await store.save_pending("h", "s", "{}", time.time())
    await store.reference("s", "ticket", ["a"])
    await store.remember("s", "k", "1")
    reader = await store.blob("s", blob.id)

    report = await store.purge(NOW)

    assert (report.sessions, report.calls, report.events, report.blobs, report.pending) == (1, 2, 2, 2, 1)
    assert report.bytes == blob.bytes + small.bytes
    assert blob.path is not None
    assert not disk.exists(blob.path)
    assert reader is not None
    with pytest.raises(StoreError, match="content is gone"):
        await reader.read(0, 1)
    assert await store.sessions() == []
    await store.open_session("s", "bob")
    assert await store.original("s", "ticket_1") is None
    assert await store.recall("s", "k") is None
    assert await store.claim([claim("t2", irreversible=True)]) == (Claimed(),)


async def test_purging_leaves_what_is_younger(store: Store, claim: Make) -> None:
    await store.settle(claim(), "{}", ran=True)
    await store.append_events("s", ["{}"])
    await store.spill("s", b"abc", "text/plain", mask=False)
    await store.save_pending("h", "s", "{}", time.time() + 60)

    report = await store.purge()

    assert (report.sessions, report.calls, report.events, report.blobs, report.pending) == (0, 0, 0, 0, 0)
    assert (await store.sessions())[0].events == 1


async def test_a_session_in_use_keeps_what_holds_off_a_second_run(store: Store, claim: Make) -> None:
    await store.claim([claim(position=1)])
    for one in (claim(irreversible=True), claim(position=2, idempotency_key="k"), claim(position=3)):
        await store.settle(one, '{"status": "success"}', ran=True)
    await store.save_pending("h", "s", "{}", time.time() + 60)

    report = await store.purge(NOW)

    assert (report.sessions, report.calls, report.pending) == (0, 1, 0)
    assert [one.claim.position for one in await store.unsettled("s")] == [1]
    outcomes = await store.claim([claim("t2", irreversible=True), claim("t2", 1, idempotency_key="k")])
    assert [type(one) for one in outcomes] == [Repeated, Repeated]


async def test_event_numbers_are_not_given_out_again_after_a_purge(store: Store) -> None:
    await store.append_events("s", ["{}"])
    (last,) = await store.events()
    await store.purge(NOW)
    await store.open_session("s", "ann")
    await store.append_events("s", ["{}"])

    assert (await store.events())[0].number > last.number


async def test_an_adopted_file_is_read_without_its_credentials_and_every_offset_stays(
    store: Store, tmp_path: Path
) -> None:
    content = b"\xff" * 40_000 + b" " + TOKEN.encode() + b" \xe9" + b"z" * 40_000
    file = tmp_path / "log"
    file.write_bytes(content)

    blob = await store.adopt("s", file, "text/plain")
    file.unlink()
    reader = await store.blob("s", blob.id)

    assert reader is not None
    assert blob.path is not None
    assert (blob.bytes, reader.size) == (len(content), len(content))
    assert disk.mode(Path(blob.path)) == 0o600
    whole = await reader.read(0, len(content))
    assert len(whole) == len(content)
    assert TOKEN.encode() not in whole
    assert b"[hilt masked: github token]" in whole
    assert whole.replace(whole[40_001:40_041], TOKEN.encode()) == content
    assert await reader.read(40_010, 20) == whole[40_010:40_030]


async def test_a_file_that_is_not_there_cannot_be_adopted(store: Store, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        await store.adopt("s", tmp_path / "none", "text/plain")


async def test_a_memo_is_exchanged_only_for_the_value_that_is_there(store: Store) -> None:
    assert not await store.exchange("s", "k", "1", "2")
    assert await store.exchange("s", "k", None, "1")
    assert not await store.exchange("s", "k", None, "2")
    assert await store.exchange("s", "k", "1", "2")
    assert await store.recall("s", "k") == "2"
    assert await store.exchange("s", "k", "2", None)
    assert await store.recall("s", "k") is None


async def test_memos_are_listed_by_the_start_of_their_key(store: Store) -> None:
    for key in ("seen:b_c", "seen:B", "seen:a", "SEEN:a", "seenXa", "other"):
        await store.remember("s", key, key)

    assert list((await store.memos("s", "seen:")).items()) == [
        ("seen:B", "seen:B"),
        ("seen:a", "seen:a"),
        ("seen:b_c", "seen:b_c"),
    ]
    assert await store.memos("never opened", "seen:") == {}
