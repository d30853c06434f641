"""`write_file`: what the model wrote is what lies on the disk, and nothing unseen is lost."""

import json
import os
from pathlib import Path

import pytest

from hilt import Runtime, Session, ToolResult
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind
from hilt.tools.edit_file import edit_file
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from tests.kit import EVERYTHING


class Writer:
    """A session that can read, search and write below one folder."""

    def __init__(self, root: Path) -> None:
        world = Workspace([root])
        tools = [search_code, read_file, write_file]
        self._runtime = Runtime(tools, policy=EVERYTHING, parts={Workspace: world}, resolver=world)
        self._session = Session()

    async def write(self, path: Path | str, content: str) -> ToolResult[object]:
        return await self._runtime.call(self._session, "write_file", {"path": str(path), "content": content})

    async def read(self, path: Path) -> None:
        result = await self._runtime.call(self._session, "read_file", {"path": str(path)})
        assert result.status is Status.SUCCESS

    async def search(self, path: Path, pattern: str) -> None:
        arguments = {"path": str(path), "pattern": pattern, "output": "content"}
        assert (await self._runtime.call(self._session, "search_code", arguments)).items


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def problem(result: ToolResult[object]) -> str:
    assert result.failure is not None, result
    return result.failure.problem


@pytest.mark.parametrize(
    "content",
    ["标题“甲”\n", "a\r\nb\rc", "\ufeffx", "no end", "", "tab\t\u00a0e\u0301é👩‍👩‍👧", "\0\x1b[0m", "$& \\1 \\g<0>"],
)
async def test_a_new_file_holds_the_bytes_of_the_argument_and_no_other_b01(
    writer: Writer, tmp_path: Path, content: str
) -> None:
    result = await writer.write(tmp_path / "q.md", content)

    assert (tmp_path / "q.md").read_bytes() == content.encode()
    assert result.items == ({"path": str(tmp_path / "q.md"), "bytes": len(content.encode()), "created": True},)
    assert result.summary == f"q.md: {len(content.encode()):,} bytes created"


async def test_missing_folders_are_made_and_told(writer: Writer, tmp_path: Path) -> None:
    result = await writer.write(tmp_path / "a/b/c.txt", "x")

    assert (tmp_path / "a/b/c.txt").read_bytes() == b"x"
    assert result.notes == ("made the folder a/b",)


async def test_a_new_file_has_the_mode_the_umask_leaves(writer: Writer, tmp_path: Path) -> None:
    await writer.write(tmp_path / "a", "x")
    plain = tmp_path / "plain"
    plain.touch()

    assert (tmp_path / "a").stat().st_mode == plain.stat().st_mode


async def test_a_file_that_was_not_read_is_not_written_over(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("theirs")

    result = await writer.write(path, "new")

    assert problem(result) == f"{path} has not been read in this session, and writing would replace all of it unseen"
    assert result.failure
    assert result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert result.failure.next_steps == ("call read_file on it first",)
    assert path.read_text() == "theirs"


async def test_what_a_search_showed_is_not_enough_to_write_over_all_of_it(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("theirs\nmore\n")
    await writer.search(tmp_path, "theirs")

    assert "has not been read in this session, only lines of it were shown" in problem(await writer.write(path, "new"))
    assert path.read_text() == "theirs\nmore\n"


async def test_a_file_that_was_read_is_written_over_again_and_again(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("theirs")
    await writer.read(path)

    first = await writer.write(path, "one")
    second = await writer.write(path, "two")

    assert (first.summary, second.summary) == ("a: 3 bytes written, before 6", "a: 3 bytes written, before 3")
    assert second.items == ({"path": str(path), "bytes": 3, "created": False},)
    assert path.read_text() == "two"


async def test_a_time_of_change_that_moved_alone_is_no_change_b19(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("theirs")
    await writer.read(path)
    os.utime(path, (1, 1))

    assert (await writer.write(path, "new")).status is Status.SUCCESS


@pytest.mark.parametrize(
    ("now", "how"),
    [
        ("longer than it was", "it had 6 bytes and has 18 now"),
        ("THEIRS", "it has as many bytes as then, and not the same"),
    ],
)
async def test_a_file_changed_since_it_was_read_is_not_written_over(
    writer: Writer, tmp_path: Path, now: str, how: str
) -> None:
    path = tmp_path / "a"
    path.write_text("theirs")
    await writer.read(path)
    stat = path.stat()
    path.write_text(now)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    result = await writer.write(path, "new")

    assert problem(result).startswith(f"{path} was changed since it was read ({how}), and writing would replace")
    assert result.failure
    assert result.failure.next_steps == ("call read_file on it again",)
    assert path.read_text() == now


async def test_the_same_content_writes_nothing(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("same")
    before = path.stat()

    result = await writer.write(path, "same")

    assert result.summary == "a: 4 bytes unchanged, it holds exactly this"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.parametrize(
    ("old", "notes"),
    [
        (b"a\r\nb\r\n", ("its lines ended in CRLF; they end in LF now",)),
        (b"\xef\xbb\xbfa\n", ("it was utf-8 with a byte order mark, and is UTF-8 without a byte order mark now",)),
        (
            "a\n".encode("utf-16"),
            ("it was utf-16-le with a byte order mark, and is UTF-8 without a byte order mark now",),
        ),
        (b"a\n", ()),
        (b"", ()),
    ],
)
async def test_another_form_than_before_is_told(
    writer: Writer, tmp_path: Path, old: bytes, notes: tuple[str, ...]
) -> None:
    path = tmp_path / "a"
    path.write_bytes(old)
    await writer.read(path)

    assert (await writer.write(path, "new\nlines\n")).notes == notes
    assert path.read_bytes() == b"new\nlines\n"


async def test_half_a_surrogate_pair_is_refused_with_its_place(writer: Writer, tmp_path: Path) -> None:
    result = await writer.write(tmp_path / "a", json.loads('"ab\\ud800"'))

    assert "hold half of a surrogate pair at character" in problem(result)
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("folder", "is a folder, not a file"),
        ("folder/", "is a folder, not a file"),
        ("new/", "ends in a slash and names a folder"),
        ("", "is a folder, not a file"),
        ("file/below", "is a file, not a folder"),
        ("n" * 256, "name longer than"),
        ("pipe", "is a named pipe, not a file"),
    ],
)
async def test_what_cannot_be_a_file_is_refused_and_nothing_is_made(
    writer: Writer, tmp_path: Path, path: str, said: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    before = names(tmp_path)

    result = await writer.write(f"{tmp_path}/{path}", "x")

    assert said in problem(result)
    assert names(tmp_path) == before


async def test_folders_made_for_a_file_that_cannot_be_are_taken_back(writer: Writer, tmp_path: Path) -> None:
    assert "name longer than" in problem(await writer.write(tmp_path / "a/b" / ("n" * 256), "x"))
    assert names(tmp_path) == []


@pytest.mark.parametrize("path", ["../outside.txt", "link/outside.txt", "dangling"])
async def test_a_path_outside_is_refused_and_nothing_is_written_b89(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (root / "dangling").symlink_to(tmp_path / "outside.txt")

    result = await Writer(root).write(root / path, "x")

    assert result.status is Status.DENIED
    assert not (tmp_path / "outside.txt").exists()


async def test_a_name_of_the_longest_kind_and_with_a_line_feed_is_written(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 126 + "\nxy")
    assert (await writer.write(path, "one")).status is Status.SUCCESS
    assert (await writer.write(path, "two")).status is Status.SUCCESS
    assert path.read_text() == "two"


async def test_a_link_to_nothing_gets_its_target_and_that_is_told(writer: Writer, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")

    result = await writer.write(link, "x")

    assert ((tmp_path / "target").read_bytes(), link.is_symlink()) == (b"x", True)
    assert result.notes == (f"{link} is a link; its target {tmp_path}/target was written",)


async def test_the_refusal_to_write_unseen_offers_an_edit_as_a_step_of_its_own(tmp_path: Path) -> None:
    world = Workspace([tmp_path])
    tools = [read_file, write_file, edit_file]
    runtime = Runtime(tools, policy=EVERYTHING, parts={Workspace: world}, resolver=world)
    (tmp_path / "a").write_text("theirs")

    result = await runtime.call(Session(), "write_file", {"path": str(tmp_path / "a"), "content": "new"})

    assert problem(result).endswith("and writing would replace all of it unseen")
    assert result.failure
    assert result.failure.next_steps == ("call read_file on it first", "change parts of it with edit_file")


async def test_a_link_that_leads_to_itself_is_named_as_that(writer: Writer, tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    result = await writer.write(tmp_path / "loop", "new")

    assert "form a loop" in problem(result)
    assert result.failure
    assert result.failure.kind is FailureKind.ENVIRONMENT
