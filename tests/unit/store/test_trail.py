"""What every store promises of its audit trail: a chain that only grows, and tells when anything in it was changed."""

import hashlib
import json
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

import pytest

from hilt.store import Store
from hilt.store.chain import Check
from hilt.store.memory_trail import MOST_TRAIL_ENTRIES, MemoryTrail
from hilt.store.records import TrailEntry
from hilt.store.sql import SqlStore

LONG_AGO = timedelta(days=1)
ANY = timedelta(0)


def checked(entries: list[TrailEntry]) -> Check:
    check = Check()
    for each in entries:
        check.add(each)
    check.finish()
    return check


def said(entries: list[TrailEntry]) -> list[object]:
    return [json.loads(each.text).get("say") for each in entries]


async def test_entries_are_chained_by_the_hash_of_the_line_before(store: Store) -> None:
    before = time.time()
    await store.append_trail("s", ['{"say": 1}', '{"say": "\\u00e9"}'])
    await store.append_trail("never opened", ['{"say": 3}'])

    entries = await store.trail()

    assert [each.number for each in entries] == [1, 2, 3]
    assert [each.session for each in entries] == ["s", "s", "never opened"]
    assert said(entries) == [1, "é", 3]
    assert before <= entries[0].at <= entries[2].at <= time.time()
    previous = ""
    for each in entries:
        assert json.loads(each.text)["previous"] == previous
        assert each.text == json.dumps(json.loads(each.text), sort_keys=True, separators=(",", ":"))
        previous = each.hash
        assert previous == hashlib.sha256(each.text.encode()).hexdigest()
    assert checked(entries).broken == ""


async def test_the_trail_is_read_in_pages(store: Store) -> None:
    await store.append_trail("s", [f'{{"say": {number}}}' for number in range(5)])

    assert said(await store.trail(0, 2)) == [0, 1]
    assert said(await store.trail(2, 2)) == [2, 3]
    assert await store.trail(5) == []
    assert await store.append_trail("s", []) is None


async def test_a_caller_cannot_say_what_the_chain_says(store: Store) -> None:
    await store.append_trail("s", ['{"n": 7, "at": "never", "session": "other", "previous": "x", "say": 1}'])

    (entry,) = await store.trail()

    assert (entry.number, entry.session) == (1, "s")
    assert checked([entry]).broken == ""


async def test_an_admission_that_is_refused_writes_nothing(store: Store) -> None:
    await store.admit("s", [], ['{"say": "first"}', '{"say": "second"}'])

    assert said(await store.trail()) == ["first", "second"]


async def test_a_persons_answer_is_told_once_and_its_secrets_are_masked(store: Store) -> None:
    await store.save_pending("h", "s", "{}", time.time() + 60)
    key = "sk-ant-" + "api03-" + "a" * 93 + "AA"

    assert await store.answer_pending("h", f"approve {key}") is True
    assert await store.answer_pending("h", "reject") is False

    (entry,) = await store.trail()
    assert json.loads(entry.text)["event"] == "answer"
    assert key not in entry.text


async def test_a_purge_leaves_an_anchor_and_the_chain_whole(store: Store) -> None:
    await store.append_trail("s", ['{"say": 1}', '{"say": 2}'])
    last = (await store.trail())[-1]

    assert await store.purge_trail(LONG_AGO) == 0
    assert await store.purge_trail(ANY) == 2
    await store.append_trail("s", ['{"say": 3}'])

    entries = await store.trail()
    anchor = json.loads(entries[0].text)
    assert [each.number for each in entries] == [3, 4]
    assert (anchor["event"], anchor["through"], anchor["hash"]) == ("purged", 2, last.hash)
    assert checked(entries).broken == ""
    assert await store.purge_trail(ANY) == 2
    assert checked(await store.trail()).broken == ""


async def test_entries_that_are_gone_without_a_purge_are_missed(store: Store) -> None:
    await store.append_trail("s", [f'{{"say": {number}}}' for number in range(4)])
    entries = await store.trail()

    front, middle = checked(entries[2:]), checked([entries[0], *entries[2:]])

    assert (front.broken_at, front.broken) == (2, "entries up to 2 are gone, and no purge accounts for them")
    assert (middle.broken_at, middle.broken) == (3, "entry 2 is missing before it")


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("text", '{"say":"other"}', "its text is not what was hashed"),
        ("text", "[]", "its text is no JSON object"),
        ("hash", "0" * 64, "its text is not what was hashed"),
        ("session", "other", "its number, session or time beside the text is not what the text says"),
        ("at", 1.0, "its number, session or time beside the text is not what the text says"),
    ],
    ids=range(5),
)
async def test_a_change_in_the_file_breaks_the_chain_where_it_was_made(
    database: Path, column: str, value: object, why: str
) -> None:
    store = SqlStore(database)
    await store.append_trail("s", [f'{{"say": {number}}}' for number in range(3)])
    other = sqlite3.connect(database)
    other.execute(f"UPDATE trail SET {column} = ? WHERE number = 2", [value])
    other.commit()
    other.close()

    check = checked(await store.trail())

    assert (check.broken_at, check.broken, check.count) == (2, why, 3)
    await store.close()


async def test_an_entry_rewritten_with_its_hash_breaks_the_chain_behind_it(database: Path) -> None:
    store = SqlStore(database)
    await store.append_trail("s", [f'{{"say": {number}}}' for number in range(3)])
    text = (await store.trail())[1].text.replace('"say":1', '"say":9')
    other = sqlite3.connect(database)
    other.execute(
        "UPDATE trail SET text = ?, hash = ? WHERE number = 2", [text, hashlib.sha256(text.encode()).hexdigest()]
    )
    other.commit()
    other.close()

    check = checked(await store.trail())

    assert (check.broken_at, check.broken) == (3, "the entry before it is not the one it was written after")
    await store.close()


async def test_what_is_old_is_purged_on_opening_as_long_as_is_asked(database: Path) -> None:
    first = SqlStore(database)
    await first.append_trail("s", ['{"say": 1}'])
    await first.close()
    other = sqlite3.connect(database)
    other.execute("UPDATE upkeep SET at = 0")
    other.commit()
    other.close()

    second = SqlStore(database, trail_retention=ANY)

    (anchor,) = await second.trail()
    assert json.loads(anchor.text)["event"] == "purged"
    await second.close()


def test_the_trail_in_memory_keeps_no_more_than_it_says() -> None:
    trail = MemoryTrail()
    trail.append("s", ["{}"] * MOST_TRAIL_ENTRIES)
    trail.append("s", ["{}"])

    kept = trail.after(0, MOST_TRAIL_ENTRIES)

    assert len(kept) <= MOST_TRAIL_ENTRIES
    assert checked(kept).broken == ""
