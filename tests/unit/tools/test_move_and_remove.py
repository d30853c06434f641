"""`move_path` and `remove_path`: nothing is lost, nothing is followed, nothing is replaced."""

import os
from pathlib import Path

import pytest

from hilt import Runtime, Session, ToolResult
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind
from hilt.tools.move_path import move_path
from hilt.tools.read_file import read_file
from hilt.tools.remove_path import remove_path
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from hilt.workspace.changes.snapshots import Snapshots
from hilt.workspace.changes.trees import DEEPEST
from tests.kit import EVERYTHING


class Mover:
    """A session that can move, remove, read and write below `root`."""

    def __init__(self, folder: Path, *, kept: bool = True) -> None:
        self.root = folder / "root"
        self.root.mkdir()
        self.folder = folder
        snapshots = Snapshots(lambda: folder / "snapshots") if kept else None
        self.world = Workspace([self.root], snapshots=snapshots)
        tools = [move_path, remove_path, read_file, write_file]
        self._runtime = Runtime(tools, policy=EVERYTHING, parts={Workspace: self.world}, resolver=self.world)
        self._session = Session()

    async def call(self, tool: str, **arguments: object) -> ToolResult[object]:
        return await self._runtime.call(self._session, tool, arguments)

    async def move(self, source: str, destination: str) -> ToolResult[object]:
        return await self.call("move_path", source=f"{self.root}/{source}", destination=f"{self.root}/{destination}")

    async def remove(self, path: str, *, recursive: bool = False) -> ToolResult[object]:
        return await self.call("remove_path", path=f"{self.root}/{path}", recursive=recursive)

    @property
    def tree(self) -> list[str]:
        return sorted(str(path.relative_to(self.root)) for path in self.root.rglob("*"))


@pytest.fixture
def mover(tmp_path: Path) -> Mover:
    return Mover(tmp_path)


def problem(result: ToolResult[object], kind: FailureKind = FailureKind.INVALID_ARGUMENTS) -> str:
    assert result.failure is not None, result
    assert result.failure.kind is kind, result
    return result.failure.problem


async def test_a_file_is_moved_and_missing_folders_are_made_and_told(mover: Mover) -> None:
    (mover.root / "a").write_bytes(b"x")

    result = await mover.move("a", "new/deep/b")

    assert (result.summary, result.notes) == ("a moved to new/deep/b", ("made the folder new/deep",))
    assert result.items == ({"source": f"{mover.root}/a", "destination": f"{mover.root}/new/deep/b"},)
    assert (mover.root / "new/deep/b").read_bytes() == b"x"
    assert mover.tree == ["new", "new/deep", "new/deep/b"]


async def test_a_folder_is_moved_with_all_it_holds_a_trailing_slash_or_none(mover: Mover) -> None:
    (mover.root / "a/b").mkdir(parents=True)
    (mover.root / "a/b/c").touch()

    assert (await mover.move("a/", "z/")).status is Status.SUCCESS
    assert mover.tree == ["z", "z/b", "z/b/c"]


async def test_what_was_read_may_be_written_over_under_its_new_name(mover: Mover) -> None:
    (mover.root / "a").write_bytes(b"x")
    await mover.call("read_file", path=f"{mover.root}/a")
    await mover.move("a", "b")

    assert (await mover.call("write_file", path=f"{mover.root}/b", content="y")).status is Status.SUCCESS


@pytest.mark.parametrize(
    ("source", "destination", "said"),
    [
        ("a", "b", "b exists; nothing was moved"),
        ("a", "folder", "folder is a folder that exists; nothing was moved"),
        ("a", "dangling", "dangling exists; nothing was moved"),
        ("a", "a", "cannot move into itself"),
        ("folder", "folder/below", "cannot move into itself"),
        ("", "elsewhere", "is a root of the workspace"),
        (".", "elsewhere", "is a root of the workspace"),
        ("a", "", "exists; nothing was written"),
        ("a", "n" * 256, "has a name longer than"),
    ],
)
async def test_a_move_that_cannot_be_is_refused_and_changes_nothing(
    mover: Mover, source: str, destination: str, said: str
) -> None:
    (mover.root / "a").write_bytes(b"x")
    (mover.root / "b").touch()
    (mover.root / "folder").mkdir()
    (mover.root / "dangling").symlink_to("nowhere")
    before = mover.tree

    assert said in problem(await mover.move(source, destination))
    assert mover.tree == before


async def test_a_folder_as_destination_is_answered_with_the_path_inside_it(mover: Mover) -> None:
    (mover.root / "a").touch()
    (mover.root / "folder").mkdir()

    result = await mover.move("a", "folder")

    assert result.failure is not None
    assert result.failure.next_steps == (f'to move into it give "{mover.root}/folder/a"',)


async def test_what_is_missing_is_answered_with_what_is_near(mover: Mover) -> None:
    (mover.root / "notes.md").touch()

    for result in (await mover.move("note.md", "x"), await mover.remove("note.md")):
        assert "notes.md" in problem(result, FailureKind.ENVIRONMENT)


async def test_a_destination_below_a_file_is_refused(mover: Mover) -> None:
    (mover.root / "a").touch()
    (mover.root / "b").touch()

    assert "is a file, not a folder" in problem(await mover.move("a", "b/c"), FailureKind.ENVIRONMENT)
    assert mover.tree == ["a", "b"]


async def test_a_link_is_moved_and_removed_itself(mover: Mover) -> None:
    (mover.root / "target").write_bytes(b"x")
    (mover.root / "link").symlink_to("target")

    await mover.move("link", "moved")
    assert (mover.root / "moved").readlink() == Path("target")
    result = await mover.remove("moved")
    assert result.summary == "moved: link removed"
    assert mover.tree == ["target"]


async def test_nothing_outside_is_moved_removed_or_reached_b89(mover: Mover) -> None:
    outside = mover.folder / "outside"
    outside.write_bytes(b"theirs")
    (mover.root / "a").touch()
    (mover.root / "out").symlink_to(mover.folder)

    for result in (
        await mover.move("out/outside", "x"),
        await mover.move("a", "../x"),
        await mover.move("a", "out/x"),
        await mover.remove("../outside"),
        await mover.remove("out/outside"),
    ):
        assert result.status is Status.DENIED, result
    assert outside.read_bytes() == b"theirs"
    assert mover.tree == ["a", "out"]
    assert sorted(each.name for each in mover.folder.iterdir()) == ["outside", "root"]


async def test_a_file_is_removed_with_its_size_told(mover: Mover) -> None:
    (mover.root / "a").write_bytes(b"x" * 1_200)

    result = await mover.remove("a")

    assert (result.summary, result.notes) == ("a: file of 1,200 bytes removed", ())
    assert result.items == ({"path": f"{mover.root}/a", "files": 1, "bytes": 1_200},)
    assert mover.tree == []


async def test_a_folder_is_removed_whole_only_when_that_is_said(mover: Mover) -> None:
    (mover.root / "f/g").mkdir(parents=True)
    (mover.root / "f/a").write_bytes(b"xy")
    os.mkfifo(mover.root / "f/g/pipe")

    refused = await mover.remove("f")
    assert problem(refused).endswith("/f holds 2 files and 1 folder, 2 bytes; nothing was removed")
    assert mover.tree == ["f", "f/a", "f/g", "f/g/pipe"]
    assert (await mover.remove("f", recursive=True)).summary == "f: folder with 2 files, 2 bytes removed"
    assert mover.tree == []


async def test_an_empty_folder_needs_no_leave(mover: Mover) -> None:
    (mover.root / "f").mkdir()

    assert (await mover.remove("f/")).summary == "f: empty folder removed"


@pytest.mark.parametrize("path", ["", "."])
async def test_a_root_is_not_removed(mover: Mover, path: str) -> None:
    assert "is a root of the workspace" in problem(await mover.remove(path, recursive=True))
    assert mover.root.is_dir()


async def test_a_folder_that_holds_another_root_is_not_removed(tmp_path: Path) -> None:
    inner = tmp_path / "a/inner"
    inner.mkdir(parents=True)
    world = Workspace([tmp_path, inner])
    of = Runtime([remove_path], policy=EVERYTHING, parts={Workspace: world}, resolver=world)

    result = await of.call(Session(), "remove_path", {"path": str(tmp_path / "a"), "recursive": True})

    assert "holds one" in problem(result)
    assert inner.is_dir()


async def test_without_snapshots_it_is_told_that_nothing_comes_back(tmp_path: Path) -> None:
    mover = Mover(tmp_path, kept=False)
    (mover.root / "f").mkdir()
    (mover.root / "f/a").touch()

    assert (await mover.remove("f", recursive=True)).notes == ("no snapshots are kept here: it is gone for good",)
    assert mover.tree == []


async def test_folders_nested_too_deeply_are_refused_and_stay(mover: Mover) -> None:
    at = mover.root
    for _ in range(DEEPEST + 2):
        at /= "d"
        at.mkdir()

    assert f"nested deeper than {DEEPEST}" in problem(await mover.remove("d", recursive=True), FailureKind.ENVIRONMENT)
    assert at.is_dir()
