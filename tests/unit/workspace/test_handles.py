"""A handle stays bound to the file it opened, reads in threads, and can be cancelled."""

import asyncio
import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Event

import anyio
import pytest

from hilt.results.failures import EnvironmentFailure
from hilt.workspace import Workspace
from hilt.workspace.beneath import confinement
from hilt.workspace.encodings import Encoding
from hilt.workspace.handles import Source
from hilt.workspace.lines import count_lines
from hilt.workspace.threads import GivenUp, Waited


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "f"
    file.write_bytes(b"0123456789" * 10)
    return file


async def test_any_part_of_a_file_is_read_and_no_more_than_there_is(path: Path) -> None:
    async with Workspace([path.parent]).open(str(path)) as file:
        assert await file.read_at(95, 3) == b"567"
        assert await file.read_at(95, 100) == b"56789"
        assert await file.read_at(1000, 5) == b""
        assert [block async for block in file.blocks(60)] == [b"0123456789" * 6, b"0123456789" * 4]


async def test_a_handle_knows_which_file_it_is_and_whether_it_changed(path: Path) -> None:
    found = path.stat()  # noqa: ASYNC240  # a test may block
    async with Workspace([path.parent]).open(str(path)) as file:
        assert (file.size, file.mtime_ns) == (100, found.st_mtime_ns)
        assert file.identity == (found.st_dev, found.st_ino)
        assert (file.real, file.links) == (str(path), 1)
        assert await file.current_version() == file.version
        append(path)
        assert await file.current_version() != file.version


async def test_a_file_replaced_while_open_is_still_the_one_opened(path: Path) -> None:
    async with Workspace([path.parent]).open(str(path)) as file:
        replace(path)
        assert await file.read_at(0, 4) == b"0123"


async def test_a_file_stays_open_until_the_thread_that_reads_it_has_ended(path: Path) -> None:
    begun, go_on, read = Event(), Event(), list[bytes]()

    def slowly(source: Source) -> None:
        begun.set()
        assert go_on.wait(5)
        read.append(os.pread(source.descriptor, 4, 0))
        source.pulse()  # nobody waits any more: what comes next is left out
        read.append(b"not reached")

    limit = asyncio.timeout(0.05)
    with suppress(TimeoutError):
        async with limit, Workspace([path.parent]).open(str(path)) as file:
            asyncio.get_running_loop().call_later(0.2, go_on.set)
            await file.work(slowly)

    assert limit.expired()
    assert begun.is_set()
    assert read == [b"0123"]


def test_work_that_nobody_waits_for_when_a_thread_is_free_is_not_begun() -> None:
    waited = Waited()

    assert not waited.give_up()
    with pytest.raises(GivenUp):
        waited.begin()


async def test_a_long_count_ends_when_the_call_is_cancelled(tmp_path: Path) -> None:
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as file:
        file.truncate(1 << 42)

    begun = time.monotonic()
    async with Workspace([tmp_path]).open(str(sparse)) as opened:
        with anyio.move_on_after(0.05) as scope:
            await count_lines(opened, Encoding(name="utf-8"))

    assert scope.cancelled_caught
    assert time.monotonic() - begun < 5


async def test_what_the_system_refuses_to_read_is_a_failure_of_the_environment(path: Path) -> None:
    def broken(source: Source) -> bytes:
        raise OSError(5, "Input/output error")

    def empty_stream(source: Source) -> bytes:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async with Workspace([path.parent]).open(str(path)) as file:
        with pytest.raises(EnvironmentFailure, match="cannot be read: Input/output error"):
            await file.work(broken)
        with pytest.raises(EnvironmentFailure, match="is a stream that has nothing to read now"):
            await file.work(empty_stream)


def test_a_workspace_says_what_confines_it(path: Path) -> None:
    assert Workspace([path.parent]).kept_inside_by == confinement()


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more")


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(b"other")
    other.replace(path)
