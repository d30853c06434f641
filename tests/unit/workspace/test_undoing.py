"""Every change is kept before it is made, and taken back exactly, or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from hilt.errors import StoreError
from hilt.results.failures import EnvironmentFailure, InvalidArguments
from hilt.workspace import Workspace
from hilt.workspace.changes.snapshots import SNAPSHOT_BYTES, Author, Snapshot, Snapshots
from hilt.workspace.undoing import BY_HAND, standings, undo
from tests.needs import missing

ME = Author(session="s", tool="a_tool")


class Place:
    """A workspace with snapshots beside it, below one folder."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        self.snapshots = Snapshots(lambda: folder / "snapshots")
        self.world = Workspace([self.root], snapshots=self.snapshots)

    def file(self, name: str, content: bytes) -> str:
        path = self.root / name
        path.write_bytes(content)
        return str(path)

    async def put(self, path: str, content: bytes) -> tuple[str, ...]:
        async with self.world.change(path, by=ME) as change:
            return (await change.replace(content)).notes

    async def undo(self) -> Snapshot:
        """As `hilt undo` without a name."""
        last = next(each.snapshot for each in standings(self.snapshots, self.world) if each.open)
        await undo(self.world, self.snapshots, last)
        return last

    @property
    def tree(self) -> dict[str, bytes | None]:
        return {
            str(path.relative_to(self.root)): path.read_bytes() if path.is_file() else None
            for path in sorted(self.root.rglob("*"))
        }


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def content(path: Path | str) -> bytes:
    return Path(path).read_bytes()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_changes_are_taken_back_one_after_the_other(place: Place) -> None:
    path = place.file("a", b"one\r\n\xff")
    before = [place.tree]
    await place.put(path, b"two")
    before.append(place.tree)
    await place.world.create(f"{place.root}/x/y/b", b"new", by=ME)
    before.append(place.tree)
    await place.world.move(f"{place.root}/x", f"{place.root}/z/x", by=ME)
    before.append(place.tree)
    await place.world.remove(f"{place.root}/z", recursive=True, by=ME)
    assert place.tree == {"a": b"two"}

    for tree in reversed(before):
        await place.undo()
        assert place.tree == tree
    assert [each for each in standings(place.snapshots, place.world) if each.open] == []


async def test_taking_back_is_a_change_that_can_be_taken_back(place: Place) -> None:
    path = place.file("a", b"one")
    await place.put(path, b"two")
    await place.undo()
    taking_back = standings(place.snapshots, place.world)[0]
    assert (taking_back.snapshot.by.tool, taking_back.open) == ("undo", False)

    await undo(place.world, place.snapshots, taking_back.snapshot)
    assert place.tree == {"a": b"two"}
    await place.undo()
    assert place.tree == {"a": b"one"}


async def test_what_was_removed_comes_back_again_and_again(place: Place) -> None:
    path = place.file("a", b"one")
    await place.world.remove(path, by=ME)
    for _ in range(2):
        await place.undo()
        assert place.tree == {"a": b"one"}
        await undo(place.world, place.snapshots, standings(place.snapshots, place.world)[0].snapshot)
        assert place.tree == {}


async def test_a_link_is_removed_and_put_back_as_a_link(place: Place) -> None:
    place.file("target", b"x")
    link = place.root / "link"
    link.symlink_to("target")

    removed = await place.world.remove(str(link), by=ME)
    assert (removed.kind, place.tree) == ("link", {"target": b"x"})
    await place.undo()
    assert link.readlink() == Path("target")


async def test_a_file_changed_again_is_left_alone_and_its_old_content_named(place: Place) -> None:
    path = place.file("a", b"one")
    await place.put(path, b"two")
    place.file("a", b"theirs")

    with pytest.raises(EnvironmentFailure, match="no longer what the change left there; what was there") as caught:
        await place.undo()

    assert place.tree == {"a": b"theirs"}
    kept = caught.value.problem.rpartition(" ")[2]
    assert content(kept) == b"one"


async def test_a_new_file_changed_since_is_not_removed(place: Place) -> None:
    await place.world.create(f"{place.root}/a", b"new", by=ME)
    (place.root / "a").write_bytes(b"more")

    with pytest.raises(EnvironmentFailure, match="no longer what the change left there"):
        await place.undo()

    assert place.tree == {"a": b"more"}


async def test_nothing_is_put_over_what_took_the_name_since(place: Place) -> None:
    path = place.file("a", b"one")
    await place.world.remove(path, by=ME)
    place.file("a", b"theirs")

    with pytest.raises(EnvironmentFailure, match="exists; nothing was written; what was there before is kept in"):
        await place.undo()

    assert place.tree == {"a": b"theirs"}


async def test_a_kept_file_that_was_written_to_under_another_name_is_not_put_back(place: Place) -> None:
    path = place.file("a", b"one")
    os.link(path, place.root / "b")
    await place.put(path, b"two")
    (place.root / "b").write_bytes(b"eno")

    with pytest.raises(EnvironmentFailure, match="was written to since under another of its names"):
        await place.undo()

    assert place.tree == {"a": b"two", "b": b"eno"}


async def test_a_folder_that_got_something_more_after_it_was_made_stays(place: Place) -> None:
    await place.world.create(f"{place.root}/x/a", b"new", by=ME)
    place.file("x/b", b"theirs")

    await place.undo()

    assert place.tree == {"x": None, "x/b": b"theirs"}


async def test_only_changes_of_this_workspace_and_session_are_taken_back(place: Place, tmp_path: Path) -> None:
    await place.put(place.file("a", b"one"), b"two")
    (tmp_path / "other").mkdir()

    assert standings(place.snapshots, Workspace([tmp_path / "other"])) == []
    assert standings(place.snapshots, place.world, "t") == []
    assert len(standings(place.snapshots, place.world, "s")) == 1


async def test_without_room_for_a_snapshot_a_change_is_made_and_told_and_nothing_is_removed(tmp_path: Path) -> None:
    def nowhere() -> Path:
        raise StoreError("no folder of state", "make one")

    world = Workspace([tmp_path], snapshots=Snapshots(nowhere))
    path = tmp_path / "a"
    path.write_bytes(b"one")

    async with world.change(str(path)) as change:
        replaced = await change.replace(b"two")
    assert replaced.notes == ("this change cannot be undone: no snapshot of it could be kept (no folder of state)",)
    created = await world.create(str(tmp_path / "b"), b"new")
    assert created.note.startswith("this change cannot be undone")
    with pytest.raises(EnvironmentFailure, match="could not be kept to be had back"):
        await world.remove(str(path))
    assert path.read_bytes() == b"two"


async def test_without_snapshots_what_is_removed_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one")

    assert not (await Workspace([tmp_path]).remove(str(path))).kept
    assert names(tmp_path) == []


async def test_a_change_that_fails_leaves_no_snapshot(place: Place) -> None:
    path = place.file("a", b"one")
    place.file("b", b"two")
    with pytest.raises(InvalidArguments):
        await place.world.move(path, f"{place.root}/b", by=ME)
    with pytest.raises(InvalidArguments):
        await place.world.create(path, b"new", by=ME)

    assert list(place.snapshots.all()) == []
    assert [each for each in names(place.snapshots.folder()) if "." in each] == []


async def test_old_snapshots_are_purged_and_broken_records_passed_over(place: Place) -> None:
    await place.put(place.file("a", b"one"), b"two")
    folder = place.snapshots.folder()
    last = next(place.snapshots.all())
    (folder / f"{last.stem}-broken.json").write_text("{")
    (folder / "00000000000000000001-half.part").write_text("{")
    (folder / "00000000000000000001-alone.old").write_text("x")

    assert len(list(place.snapshots.all())) == 1
    assert place.snapshots.purge() == 0
    assert sorted(each.suffix for each in folder.iterdir() if each.is_file()) == [".json", ".json", ".old"]
    assert place.snapshots.purge(older_s=0) == 2
    assert [each.name for each in folder.iterdir() if each.suffix == ".old"] == []
    with pytest.raises(StopIteration):
        next(place.snapshots.all())


@pytest.mark.parametrize("deed", ["replaced", "removed"])
async def test_what_is_kept_no_more_cannot_be_put_back(place: Place, deed: str) -> None:
    path = place.file("a", b"one")
    await (place.put(path, b"two") if deed == "replaced" else place.world.remove(path, by=ME))
    for kept in place.snapshots.folder().glob("*.old"):
        kept.unlink()

    with pytest.raises(EnvironmentFailure, match="nothing is kept any more of what"):
        await place.undo()


async def test_what_lies_on_another_disk_is_copied_to_be_kept(tmp_path: Path, other_disk: Path) -> None:
    (other_disk / "root").mkdir()
    snapshots = Snapshots(lambda: tmp_path / "kept")
    world = Workspace([other_disk / "root"], snapshots=snapshots)
    tree = other_disk / "root/tree"
    (tree / "below").mkdir(parents=True)
    (tree / "below/a").write_bytes(b"one")
    (tree / "link").symlink_to("below/a")
    (tree / "below/a").chmod(0o640)
    async with world.change(str(tree / "below/a"), by=ME) as change:
        assert (await change.replace(b"two")).notes == ()
    before = shape(tree)

    await world.remove(str(tree), recursive=True, by=ME)
    assert names(other_disk / "root") == []
    await undo(world, snapshots, standings(snapshots, world)[0].snapshot)
    assert shape(tree) == before
    await undo(world, snapshots, standings(snapshots, world)[2].snapshot)
    assert content(tree / "below/a") == b"one"


async def test_what_is_too_large_to_be_copied_is_not_removed(tmp_path: Path, other_disk: Path) -> None:
    (other_disk / "a").touch()
    os.truncate(other_disk / "a", SNAPSHOT_BYTES + 1)
    world = Workspace([other_disk], snapshots=Snapshots(lambda: tmp_path / "kept"))

    with pytest.raises(EnvironmentFailure, match="could not be kept to be had back"):
        await world.remove(str(other_disk / "a"))

    assert names(other_disk) == ["a"]


@pytest.mark.parametrize("tree", [True, False])
async def test_a_move_to_another_disk_is_whole_and_can_be_taken_back(
    place: Place, other_disk: Path, *, tree: bool
) -> None:
    world = Workspace([place.root, other_disk], snapshots=place.snapshots)
    (place.root / "x").mkdir()
    place.file("x/a", b"one")
    (place.root / "x/a").chmod(0o750)
    source = place.root / ("x" if tree else "x/a")
    before = shape(source)

    await world.move(str(source), str(other_disk / "new/y"), by=ME)
    assert (source.exists(), shape(other_disk / "new/y")) == (False, before)
    await undo(world, place.snapshots, standings(place.snapshots, world)[0].snapshot)
    assert (names(other_disk), shape(source)) == ([], before)


def shape(path: Path) -> list[tuple[str, int, int, bytes]]:
    """Names, modes, times and contents of a tree."""
    every = [path, *sorted(path.rglob("*"))]
    return [
        (
            str(each.relative_to(path)),
            each.lstat().st_mode,
            each.lstat().st_mtime_ns if each.is_file() and not each.is_symlink() else 0,
            each.read_bytes() if each.is_file() else b"",
        )
        for each in every
    ]


@pytest.fixture
def other_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than `tmp_path`."""
    memory = Path("/dev/shm")
    there = memory.is_dir() and memory.stat().st_dev != tmp_path.stat().st_dev
    if not there:
        missing("/dev/shm is no file system of its own: changes are kept across two")
    folder = Path(tempfile.mkdtemp(dir=memory))
    yield folder
    shutil.rmtree(folder)


async def test_what_hinders_an_undo_is_answered_with_what_a_person_can_do(tmp_path: Path) -> None:
    here = Place(tmp_path)
    path = here.file("gone.txt", b"old")
    await here.put(path, b"new")
    await anyio.Path(path).unlink()
    here.file("near.txt", b"")

    with pytest.raises(EnvironmentFailure) as caught:
        await here.undo()

    assert "does not exist" in caught.value.problem
    assert "what was there before is kept in" in caught.value.problem
    assert caught.value.next_steps == (BY_HAND,)


async def test_what_cannot_be_kept_is_not_removed_and_not_called_missing(tmp_path: Path) -> None:
    here = Place(tmp_path)
    path = here.file("a.txt", b"x")
    (tmp_path / "blocked").write_text("a file where a folder is needed")
    world = Workspace([here.root], snapshots=Snapshots(lambda: tmp_path / "blocked" / "below"))

    with pytest.raises(EnvironmentFailure) as caught:
        await world.remove(path, by=ME)

    assert "could not be kept to be had back (Not a directory)" in caught.value.problem
    assert content(path) == b"x"
