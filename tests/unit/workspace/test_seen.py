"""What a session has seen of a file, and whether the file is still that."""

import os
from pathlib import Path

import pytest

from hilt import Runtime, Session
from hilt.calls.context import Context
from hilt.calls.memos import Memos
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.store import MemoryStore
from hilt.store.sql import SqlStore
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from hilt.workspace.digests import BESIDE_BYTES
from hilt.workspace.handles import version_of
from hilt.workspace.known import KnownDigests
from hilt.workspace.seen import (
    MOST_FOUND,
    SEEN_WHOLE_BYTES,
    Sight,
    changed_since,
    note_found,
    note_moved,
    note_read,
    note_shown,
    note_written,
    sight,
    unfit,
)
from tests.kit import EVERYTHING

LONG_AGO = (1_000_000_000, 1_000_000_000)


@pytest.fixture
def ctx(tmp_path: Path) -> Context:
    return Context(Session(), {Workspace: Workspace([tmp_path]), Memos: Memos(MemoryStore())})


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


async def read(ctx: Context, path: Path, *, start: int = 0, size: int = 0) -> None:
    async with ctx.part(Workspace).open(str(path)) as file:
        await note_read(ctx, file, start=start, size=size)


async def seen(ctx: Context, path: Path) -> Sight:
    async with ctx.part(Workspace).change(str(path)) as change:
        return await sight(ctx, change)


def overwrite(path: Path, content: bytes) -> None:
    """New content in the same file, with the times it had."""
    stat = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


async def test_a_file_nobody_read_is_unseen(ctx: Context, tmp_path: Path) -> None:
    assert await seen(ctx, written(tmp_path, "a", b"x")) == Sight(state="unseen")


@pytest.mark.parametrize("size", [0, 10, BESIDE_BYTES + 1])
async def test_a_file_is_what_was_read_until_its_content_is_another(ctx: Context, tmp_path: Path, size: int) -> None:
    path = written(tmp_path, "a", b"x" * size)
    await read(ctx, path)
    assert await seen(ctx, path) == Sight(state="current")

    os.utime(path, LONG_AGO)
    assert await seen(ctx, path) == Sight(state="current")

    overwrite(path, b"y" * size + b"!")
    assert await seen(ctx, path) == Sight(state="stale", what=f"it had {size:,} bytes and has {size + 1:,} now")


@pytest.mark.parametrize("size", [10, BESIDE_BYTES + 1])
async def test_other_content_of_the_same_length_and_time_is_seen(ctx: Context, tmp_path: Path, size: int) -> None:
    path = written(tmp_path, "a", b"x" * size)
    os.utime(path, LONG_AGO)
    await read(ctx, path)
    overwrite(path, b"y" * size)

    assert await seen(ctx, path) == Sight(state="stale", what="it has as many bytes as then, and not the same")


async def test_a_larger_file_is_held_to_its_size_and_the_part_that_was_shown(ctx: Context, tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(SEEN_WHOLE_BYTES + 1)
    await read(ctx, path, start=1_000, size=50)
    os.utime(path, LONG_AGO)
    assert await seen(ctx, path) == Sight(state="current")

    with path.open("r+b") as file:
        file.seek(1_010)
        file.write(b"new")
    assert (await seen(ctx, path)).state == "stale"


@pytest.mark.parametrize("whole", [True, False])
async def test_what_was_written_is_seen_as_much_of_it_as_was_known(
    ctx: Context, tmp_path: Path, *, whole: bool
) -> None:
    path = written(tmp_path, "a", b"old")
    for new in (b"new", b"newer"):
        async with ctx.part(Workspace).change(str(path)) as change:
            replaced = await change.replace(new)
            whole_now = whole and new == b"new"
            await note_written(ctx, change.file.real, replaced.digest, replaced.version, whole=whole_now)
    assert await seen(ctx, path) == Sight(state="current", by="read" if whole else "search")


async def test_what_an_answer_showed_is_enough_to_edit_and_not_to_write_over_all(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old")
    await read(ctx, path)
    overwrite(path, b"NEW")
    async with ctx.part(Workspace).change(str(path)) as change:
        await note_shown(ctx, change)
    assert await seen(ctx, path) == Sight(state="current", by="search")


async def test_lines_that_a_search_showed_count_while_the_file_rests(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"one\ntwo\n")
    other = written(tmp_path, "b", b"three\n")
    world, store, session = Workspace([tmp_path]), MemoryStore(), Session()
    runtime = Runtime([search_code], policy=EVERYTHING, store=store, parts={Workspace: world}, resolver=world)
    ctx = Context(session, {Workspace: world, Memos: Memos(store)})

    await runtime.call(session, "search_code", {"pattern": "two", "path": str(tmp_path), "output": "content"})

    assert await seen(ctx, path) == Sight(state="current", by="search")
    assert await seen(ctx, other) == Sight(state="unseen")
    path.write_bytes(b"one\nTWO\nthree\n")
    assert await seen(ctx, path) == Sight(state="stale", by="search", what="it had 8 bytes and has 14 now")


async def test_only_the_latest_that_searches_found_are_remembered(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"x")
    version = await ctx.part(Workspace).version(str(path))
    assert version is not None
    await note_found(ctx, {str(path): version})
    await note_found(ctx, {f"/{number}": version for number in range(MOST_FOUND)})

    assert await seen(ctx, path) == Sight(state="unseen")


async def test_what_was_seen_moves_with_the_file(ctx: Context, tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"x")
    await read(ctx, path)
    moved = path.rename(tmp_path / "b")
    await note_moved(ctx, str(path), str(moved))

    assert await seen(ctx, moved) == Sight(state="current")
    assert await seen(ctx, written(tmp_path, "a", b"x")) == Sight(state="unseen")


def test_the_two_refusals_differ_and_name_read_file_only_where_it_is_offered() -> None:
    reading = Context(Session(), {}, offered={"read_file"})
    unread = unfit(reading, "/a", Sight(state="unseen"), why="so no")
    stale = unfit(reading, "/a", Sight(state="stale", what="it is longer"), why="so no")
    found = unfit(Context(Session(), {}), "/a", Sight(state="stale", by="search", what="it is longer"), why="so no")

    assert isinstance(unread, InvalidArguments)
    assert (unread.problem, unread.next_steps) == (
        "/a has not been read in this session, so no",
        ("call read_file on it first",),
    )
    assert (stale.problem, stale.next_steps) == (
        "/a was changed since it was read (it is longer), so no",
        ("call read_file on it again",),
    )
    assert (found.problem, found.next_steps) == (
        "/a was changed since its lines were found (it is longer), so no",
        ("look at what it holds again",),
    )


async def test_files_changed_since_are_named_once_for_each_state(ctx: Context, tmp_path: Path) -> None:
    same, other, touched, gone, odd = (
        written(tmp_path, name, b"x") for name in ("same", "other", "touched", "gone", os.fsdecode(b"\xff"))
    )
    for path in (same, other, touched, gone, odd):
        await read(ctx, path)
    assert await changed_since(ctx) == []

    overwrite(other, b"y")
    os.utime(touched, LONG_AGO)
    gone.unlink()
    assert {(each.real, each.gone) for each in await changed_since(ctx)} == {(str(other), False), (str(gone), True)}
    assert await changed_since(ctx) == []

    overwrite(other, b"longer")
    assert [each.real for each in await changed_since(ctx)] == [str(other)]
    await read(ctx, other)
    assert await changed_since(ctx) == []


def test_a_digest_is_not_remembered_for_a_file_that_changed_just_now(tmp_path: Path) -> None:
    digests = KnownDigests()
    fresh = version_of(written(tmp_path, "a", b"x").stat())
    digests.put(fresh, "d")

    assert digests.get(fresh) is None


async def test_a_store_that_does_not_answer_costs_no_reading_and_lets_nothing_be_written_over(tmp_path: Path) -> None:
    (tmp_path / "hilt.db").write_text("no database")
    path = written(tmp_path, "a", b"theirs")
    world = Workspace([tmp_path])
    memos = Memos(SqlStore(tmp_path / "hilt.db"))
    ctx = Context(Session(), {Workspace: world, Memos: memos}, offered={"read_file", "write_file"})

    read_it = await read_file(ctx, str(path))
    assert read_it.items == ({"line": 1, "text": "theirs"},)
    assert ctx.notes[0].startswith("what was seen of files is not remembered, so a change of them may be refused: ")
    with pytest.raises(EnvironmentFailure, match="cannot be looked up, so nothing was changed"):
        await write_file(ctx, str(path), "mine")
    assert (await write_file(ctx, str(tmp_path / "new"), "mine")).summary == "new: 4 bytes created"
    assert await changed_since(ctx) == []
    assert path.read_bytes() == b"theirs"
