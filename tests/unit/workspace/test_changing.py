"""`Workspace.change`: the old content or the new, whole, and everything else of the file as it was."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused
from hilt.workspace import Workspace


async def put(world: Workspace, path: Path, *content: bytes) -> tuple[str, ...]:
    async with world.change(str(path)) as change:
        return (await change.replace(content)).notes


def written(folder: Path, name: str, content: bytes, mode: int = 0o644) -> Path:
    path = folder / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def put_after(world: Workspace, path: Path, meanwhile: Callable[[], object]) -> None:
    """A change while which something else happens to the file."""
    async with world.change(str(path)) as change:
        await change.content()
        meanwhile()
        await change.replace(b"new")


async def test_content_given_in_parts_is_the_files_whole_content(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", b"old")
    parts = [b"x" * 3, memoryview(b"\r\n\xff"), bytearray(b""), b"end"] * 1_000

    async with Workspace([tmp_path]).change(str(path)) as change:
        assert await change.content() == b"old"
        assert await change.digest() == hashlib.sha256(b"old").hexdigest()
        replaced = await change.replace(parts)

    assert path.read_bytes() == b"".join(parts)
    assert replaced.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert (replaced.version.size, replaced.version.inode) == (path.stat().st_size, path.stat().st_ino)
    assert (replaced.notes, names(tmp_path)) == ((), ["a.txt"])


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4755, 0o640])
async def test_the_mode_stays_b20(tmp_path: Path, mode: int) -> None:
    path = written(tmp_path, "run.sh", b"old", mode)

    await put(Workspace([tmp_path]), path, b"new")

    assert oct(path.stat().st_mode & 0o7777) == oct(mode)


async def test_extended_attributes_stay(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old")
    try:
        os.setxattr(path, "user.colour", b"red")
    except OSError:
        pytest.skip("this file system has no extended attributes")

    await put(Workspace([tmp_path]), path, b"new")

    assert os.getxattr(path, "user.colour") == b"red"


async def test_a_link_stays_and_its_target_is_changed_and_told(tmp_path: Path) -> None:
    target = written(tmp_path, "target", b"old")
    link = tmp_path / "link"
    link.symlink_to("target")

    notes = await put(Workspace([tmp_path]), link, b"new")

    assert (link.is_symlink(), target.read_bytes()) == (True, b"new")
    assert notes == (f"{link} is a link; its target {target} was written",)


async def test_other_names_of_a_file_keep_the_old_content_and_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old")
    os.link(path, tmp_path / "b")

    notes = await put(Workspace([tmp_path]), path, b"new")

    assert (path.read_bytes(), (tmp_path / "b").read_bytes()) == (b"new", b"old")
    assert notes == ("the file had 2 names (hard links); the other one keeps the old content",)


async def test_a_read_only_file_is_left_alone_by_root_too(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old", 0o444)

    with pytest.raises(EnvironmentFailure, match="is read-only"):
        await put(Workspace([tmp_path]), path, b"new")

    assert path.read_bytes() == b"old"


async def test_a_file_that_somebody_writes_to_meanwhile_keeps_what_they_wrote(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old")

    with pytest.raises(InvalidArguments, match="was changed by somebody else"):
        await put_after(Workspace([tmp_path]), path, lambda: path.write_bytes(b"theirs"))

    assert (path.read_bytes(), names(tmp_path)) == (b"theirs", ["a"])


async def test_a_file_that_somebody_replaces_meanwhile_stays_theirs(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"old")

    with pytest.raises(InvalidArguments, match="was changed by somebody else"):
        await put_after(Workspace([tmp_path]), path, lambda: written(tmp_path, "other", b"theirs").rename(path))

    assert path.read_bytes() == b"theirs"


async def test_a_hundred_changes_of_one_file_all_land_in_the_order_they_came(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"")
    world = Workspace([tmp_path])

    async def add(number: int) -> None:
        async with world.change(str(path)) as change:
            await change.replace([await change.content(), b"%d\n" % number])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(add, number)

    assert path.read_bytes() == b"".join(b"%d\n" % number for number in range(100))


async def test_two_workspaces_of_one_process_hold_each_other_off(tmp_path: Path) -> None:
    path = written(tmp_path, "a", b"")
    worlds = [Workspace([tmp_path]), Workspace([tmp_path])]

    async def add(number: int) -> None:
        async with worlds[number % 2].change(str(path)) as change:
            await change.replace([await change.content(), b"%d\n" % number])

    with anyio.fail_after(60):
        async with anyio.create_task_group() as group:
            for number in range(40):
                group.start_soon(add, number)

    assert sorted(map(int, path.read_bytes().split())) == list(range(40))


async def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    outside = written(tmp_path, "outside", b"theirs")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)

    with pytest.raises(Refused):
        await put(Workspace([root]), root / "link", b"new")

    assert outside.read_bytes() == b"theirs"
