"""Processes that die, race and run out of room while they change files: old or new, never between, and nothing left."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import anyio
import pytest

from hilt.results.failures import EnvironmentFailure, Refused, ToolFailure
from hilt.workspace import Workspace

KILLS = 12
WRITES_EACH = 60

WRITER = """
import sys
from pathlib import Path

import anyio

from hilt.workspace import Workspace
from hilt.workspace.changes.snapshots import Snapshots

FILE, KEPT, MARK, TIMES = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3].encode(), int(sys.argv[4])


async def main():
    world = Workspace([FILE.parent], snapshots=Snapshots(lambda: KEPT))
    for number in range(TIMES):
        async with world.change(str(FILE)) as change:
            old = await change.content()
            if MARK == b"append":
                await change.replace([old, b"%d\\n" % number])
            else:
                await change.replace([b"%d\\n" % number * 5_000, MARK])
        if not number:
            print("going", flush=True)


anyio.run(main)
"""


def writer(file: Path, kept: Path, mark: str, times: int) -> "subprocess.Popen[bytes]":
    arguments = [sys.executable, "-c", WRITER, str(file), str(kept), mark, str(times)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE)


def going(process: "subprocess.Popen[bytes]") -> None:
    """Wait until its first change is made."""
    assert process.stdout is not None
    assert process.stdout.readline() == b"going\n"


def whole(content: bytes) -> bool:
    """Whether it is one writer's content: 5,000 lines of one number, and its mark."""
    lines = content.split(b"\n")
    return content == b"start" or (lines[-1] == b"end" and len(lines) == 5_001 and len(set(lines[:-1])) == 1)


def test_a_killed_process_leaves_the_old_content_or_the_new_and_no_other_file(tmp_path: Path) -> None:
    folder, kept = tmp_path / "theirs", tmp_path / "kept"
    folder.mkdir()
    file = folder / "a"
    file.write_bytes(b"start")
    chance = random.Random(7)
    for _ in range(KILLS):
        with writer(file, kept, "end", 100_000) as process:
            going(process)
            timer = threading.Timer(chance.random() * 0.05, os.kill, (process.pid, signal.SIGKILL))
            timer.start()
            assert process.wait(30) == -signal.SIGKILL
            timer.join()

        assert whole(file.read_bytes())
        assert [each.name for each in folder.iterdir()] == ["a"]


def test_processes_that_change_one_file_at_once_lose_no_change(tmp_path: Path) -> None:
    folder, kept = tmp_path / "theirs", tmp_path / "kept"
    folder.mkdir()
    file = folder / "a"
    file.touch()

    with writer(file, kept, "append", WRITES_EACH) as one, writer(file, kept, "append", WRITES_EACH) as other:
        assert (one.wait(60), other.wait(60)) == (0, 0)

    lines = sorted(map(int, file.read_bytes().split()))
    assert lines == sorted([*range(WRITES_EACH)] * 2)
    assert [each.name for each in folder.iterdir()] == ["a"]


FULL = """
import resource, sys
from pathlib import Path

import anyio

from hilt.results.failures import EnvironmentFailure
from hilt.workspace import Workspace

FOLDER = Path(sys.argv[1])


async def main():
    world = Workspace([FOLDER])
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    for what in ("change", "create"):
        try:
            if what == "change":
                async with world.change(str(FOLDER / "a")) as change:
                    await change.replace(b"x" * 200_000)
            else:
                await world.create(str(FOLDER / "new/b"), b"x" * 200_000)
        except EnvironmentFailure as failure:
            print(failure.problem)


anyio.run(main)
"""


def test_content_there_is_no_room_for_is_no_success_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")

    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )

    assert ran.stdout.count("larger than this system lets a file be; nothing was changed") == 2
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


async def test_a_link_turned_back_and_forth_leads_no_change_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "in").mkdir(parents=True)
    outside.mkdir()
    for folder in (root / "in", outside):
        (folder / "a").write_bytes(b"old")
    door = root / "door"
    door.symlink_to(root / "in")
    stop = threading.Event()
    turning = threading.Thread(target=turn, args=(door, [root / "in", outside], stop))
    turning.start()
    world = Workspace([root])
    try:
        with anyio.fail_after(60):
            for number in range(150):
                await tried(world, door / "a", number)
                await tried_new(world, door / f"new{number}")
    finally:
        stop.set()
        turning.join()

    assert (outside / "a").read_bytes() == b"old"
    assert [each.name for each in outside.iterdir()] == ["a"]


def turn(door: Path, targets: list[Path], stop: threading.Event) -> None:
    while not stop.is_set():
        for target in targets:
            fresh = door.with_name("turning")
            fresh.symlink_to(target)
            fresh.replace(door)


async def tried(world: Workspace, path: Path, number: int) -> None:
    with suppress(ToolFailure, Refused):
        async with world.change(str(path)) as change:
            await change.replace(b"%d" % number)


async def tried_new(world: Workspace, path: Path) -> None:
    with suppress(ToolFailure, Refused):
        await world.create(str(path), b"new")


async def test_a_folder_replaced_by_a_link_while_a_file_in_it_is_changed_leads_nowhere(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "in").mkdir(parents=True)
    outside.mkdir()
    for folder in (root / "in", outside):
        (folder / "a").write_bytes(b"old")
    world = Workspace([root])

    async with world.change(str(root / "in/a")) as change:
        await change.content()
        (root / "in").rename(root / "moved")
        (root / "in").symlink_to(outside)
        await change.replace(b"new")

    assert (outside / "a").read_bytes() == b"old"
    assert (root / "moved/a").read_bytes() == b"new"


@pytest.fixture
def fixed_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in which not even root can make, change or remove a name; it holds `a`."""
    folder = tmp_path / "fixed"
    folder.mkdir()
    (folder / "a").write_bytes(b"old")
    if subprocess.run(["chattr", "+i", str(folder)], capture_output=True, check=False).returncode:
        pytest.skip("this file system or this user cannot fix a folder")
    yield folder
    subprocess.run(["chattr", "-i", str(folder)], check=True)


async def test_a_folder_that_lets_nobody_write_keeps_its_file(fixed_folder: Path) -> None:
    world = Workspace([fixed_folder.parent])
    for action in (
        put(world, fixed_folder / "a"),
        world.create(str(fixed_folder / "b"), b"x"),
        world.remove(str(fixed_folder / "a")),
        world.move(str(fixed_folder / "a"), str(fixed_folder.parent / "b")),
    ):
        with pytest.raises(EnvironmentFailure, match="does not let it"):
            await action

    assert contents(fixed_folder) == {"a": b"old"}


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


async def put(world: Workspace, path: Path) -> None:
    async with world.change(str(path)) as change:
        await change.replace(b"new")
