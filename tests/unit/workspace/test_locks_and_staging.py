"""What changes of files stand on: locks, unnamed files, renames that replace nothing, threads that end."""

import asyncio
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import anyio
import anyio.lowlevel
import pytest

from hilt.results.failures import Retryable
from hilt.workspace import Workspace
from hilt.workspace.changes.locks import PathLocks, lock_descriptor
from hilt.workspace.changes.renaming import rename_by_steps, rename_without_replacing
from hilt.workspace.changes.staging import Staged, Staging, stage, stage_named
from hilt.workspace.descent import NamePlace
from hilt.workspace.digests import BESIDE_BYTES, Hashing, digest
from hilt.workspace.threads import to_its_end

Rename = Callable[[NamePlace, NamePlace], None]
Stage = Callable[..., Staged]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def names(path: Path) -> list[str]:
    return sorted(each.name for each in path.iterdir())


async def test_who_waits_for_a_key_gets_it_in_order_and_nobody_is_remembered() -> None:
    keys = PathLocks()
    came: list[int] = []

    async def take(number: int) -> None:
        async with keys.hold("a"):
            came.append(number)
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(take, number)

    assert came == list(range(20))
    assert vars(keys) == {"_locks": {}}


def test_a_file_locked_by_another_opening_is_refused_when_the_wait_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch()
    with path.open() as mine, path.open() as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        given_up = Event()
        given_up.set()
        with pytest.raises(Retryable, match="is being changed by another process"):
            lock_descriptor(mine.fileno(), str(path), given_up)
        fcntl.flock(theirs, fcntl.LOCK_UN)
        lock_descriptor(mine.fileno(), str(path), Event())


async def test_a_call_cancelled_while_it_waits_for_a_lock_ends_and_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    world = Workspace([tmp_path])

    async def put() -> None:
        async with world.change(str(path)) as change:
            await change.replace(b"new")

    with path.open() as theirs:
        fcntl.flock(theirs, fcntl.LOCK_EX)
        task = asyncio.create_task(put())  # noqa: TID251  a native cancellation is what is tried
        await anyio.sleep(0.05)
        task.cancel()
        with anyio.fail_after(5), pytest.raises((asyncio.CancelledError, Retryable)):
            await task
        fcntl.flock(theirs, fcntl.LOCK_UN)
    with anyio.fail_after(5):
        await put()
    assert path.read_bytes() == b"new"


async def test_work_in_a_thread_is_waited_for_and_the_cancellation_arrives_behind_it() -> None:
    started, go_on = Event(), Event()
    outcomes: list[str] = []

    def work(given_up: Event) -> str:
        started.set()
        assert go_on.wait(5)
        return "given up" if given_up.is_set() else "done"

    async def call() -> None:
        outcomes.append(await to_its_end(work))
        await anyio.sleep(60)
        outcomes.append("not cancelled")

    task = asyncio.create_task(call())  # noqa: TID251  a native cancellation is what is tried
    assert await anyio.to_thread.run_sync(started.wait, 5)
    task.cancel()
    await anyio.lowlevel.checkpoint()
    await anyio.lowlevel.checkpoint()
    go_on.set()
    with anyio.fail_after(5), pytest.raises(asyncio.CancelledError):
        await task

    assert outcomes == ["given up"]


async def test_what_the_work_raises_is_raised() -> None:
    def work(_given_up: Event) -> None:
        raise LookupError("nothing there")

    with pytest.raises(LookupError):
        await to_its_end(work)


@pytest.mark.parametrize("staged", [stage, stage_named])
def test_a_staged_file_gets_a_free_name_or_takes_one_over(tmp_path: Path, folder: int, staged: Stage) -> None:
    place = NamePlace(folder=folder, name="a")
    new = staged(folder, [b"new"], 0o644)
    new.put_new(place)
    new.close()
    assert (tmp_path / "a").read_bytes() == b"new"

    over = staged(folder, [b"over"])
    with pytest.raises(FileExistsError):
        over.put_new(place)
    over.put_over(place)
    over.close()
    assert ((tmp_path / "a").read_bytes(), names(tmp_path)) == (b"over", ["a"])


@pytest.mark.parametrize("staged", [stage, stage_named])
def test_a_staged_file_that_gets_no_name_is_gone(tmp_path: Path, folder: int, staged: Stage) -> None:
    staged(folder, [b"x"]).close()

    assert names(tmp_path) == []


def test_a_private_folder_is_used_on_the_same_disk_and_else_the_files_own(tmp_path: Path, folder: int) -> None:
    place = NamePlace(folder=folder, name="a")
    private = tmp_path / "state/staging"
    where = [str(Path(f"/proc/self/fd/{each}").readlink()) for each in Staging(lambda: private).folders(place)]

    assert where[0] == str(private)
    assert where[-1] == str(tmp_path)
    assert stat.S_IMODE(private.stat().st_mode) == 0o700


@pytest.mark.parametrize("fault", ["open to others", "a link", "a file"])
def test_a_private_folder_that_is_not_ours_alone_is_not_used(tmp_path: Path, folder: int, fault: str) -> None:
    private = tmp_path / "staging"
    if fault == "a file":
        private.touch()
    elif fault == "a link":
        (tmp_path / "other").mkdir(mode=0o700)
        private.symlink_to(tmp_path / "other")
    else:
        private.mkdir()
        private.chmod(0o777)
    place = NamePlace(folder=folder, name="a")

    where = [str(Path(f"/proc/self/fd/{each}").readlink()) for each in Staging(lambda: private).folders(place)]

    assert str(private) not in where
    assert where[-1] == str(tmp_path)


def test_what_dead_processes_left_is_swept_and_what_the_living_write_is_not(tmp_path: Path, folder: int) -> None:
    private = tmp_path / "staging"
    private.mkdir(mode=0o700)
    alive = stage_named_in(private)
    for name in (".hilt-999999999-1-a", ".hilt-999999999-1-fresh", f".hilt-{os.getpid()}-1-reused", "theirs"):
        (private / name).touch()
    (private / ".hilt-999999999-1-tree").mkdir()
    (private / ".hilt-999999999-1-tree/x").touch()
    for each in private.iterdir():
        if not each.name.endswith("fresh"):
            os.utime(each, (1, 1))

    for _ in Staging(lambda: private).folders(NamePlace(folder=folder, name="a")):
        pass

    assert names(private) == sorted([alive, ".hilt-999999999-1-fresh", "theirs"])


def stage_named_in(private: Path) -> str:
    """The name of a file that this process writes there."""
    descriptor = os.open(private, os.O_RDONLY)
    staged = stage_named(descriptor, [b"x"])
    os.close(staged.descriptor)
    os.close(descriptor)
    assert staged.name is not None
    return staged.name


@pytest.mark.parametrize("rename", [rename_without_replacing, rename_by_steps])
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_rename_gives_a_free_name_and_takes_none_over(tmp_path: Path, folder: int, rename: Rename, kind: str) -> None:
    source, target = NamePlace(folder=folder, name="a"), NamePlace(folder=folder, name="b")
    (tmp_path / "a").mkdir() if kind == "folder" else (tmp_path / "a").touch()
    rename(source, target)
    assert names(tmp_path) == ["b"]

    (tmp_path / "a").mkdir() if kind == "folder" else (tmp_path / "a").touch()
    with pytest.raises(FileExistsError):
        rename(source, target)
    assert names(tmp_path) == ["a", "b"]
    with pytest.raises(FileNotFoundError):
        rename(NamePlace(folder=folder, name="absent"), NamePlace(folder=folder, name="c"))
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("size", [0, 10, BESIDE_BYTES])
def test_a_digest_is_one_whether_it_is_worked_out_beside_or_at_once(size: int) -> None:
    hashing = Hashing([b"x" * size, memoryview(b"yz"), bytearray(b"")])

    assert hashing.hexdigest() == digest(b"x" * size + b"yz")
    assert hashing.ready


@pytest.mark.parametrize("size", [0, 10, BESIDE_BYTES, 3 * BESIDE_BYTES + 7])
def test_the_digest_of_a_file_is_had_though_the_file_is_closed_meanwhile(tmp_path: Path, size: int) -> None:
    content = bytes(range(251)) * (size // 251 + 1)
    file = tmp_path / "f"
    file.write_bytes(content[:size])

    descriptor = os.open(file, os.O_RDONLY)
    hashing = Hashing.of_file(descriptor, size)
    os.close(descriptor)

    assert hashing.hexdigest() == digest(content[:size])
    changed = content[:size][: 2 * size // 3] + b"another end"
    assert Hashing([changed], after=hashing, same=2 * size // 3).hexdigest() == digest(changed)


def test_a_file_that_cannot_be_read_has_no_digest(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    hashing = Hashing.of_file(folder, BESIDE_BYTES)
    os.close(folder)

    with pytest.raises(IsADirectoryError):
        hashing.hexdigest()
