"""Reports against other tools, of writing whole files: each kind on the shelf, by the bytes that come of it."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hilt.assembly.build import Assembled, open_runtime
from hilt.calls.answer import Answer
from hilt.results.envelope import Status
from hilt.store import MEMORY, open_store


class Shelf:
    """A workspace, and the built-in tools on it."""

    def __init__(self, root: Path, assembled: Assembled) -> None:
        self.root, self._assembled = root, assembled

    async def write(self, name: str, content: str) -> Answer:
        """By argument text, as a model sends it."""
        arguments = json.dumps({"path": f"{self.root}/{name}", "content": content})
        return await self._assembled.runtime.answer_one(self._assembled.session, "write_file", arguments)

    async def read(self, name: str, content: bytes, mode: int = 0o644) -> Path:
        """A file of the workspace, read by the session."""
        path = self.root / name
        path.write_bytes(content)
        path.chmod(mode)
        await self._assembled.runtime.answer_one(self._assembled.session, "read_file", json.dumps({"path": str(path)}))
        return path


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    root = tmp_path / "repo"
    root.mkdir()
    async with open_runtime(root, store=open_store(MEMORY)) as assembled:
        yield Shelf(root, assembled)


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def mode_of(path: Path) -> str:
    return oct(path.stat().st_mode & 0o7777)


@pytest.mark.parametrize(
    "content",
    [
        "标题“甲”\n",
        "it’s ‘so’ — “yes”…\u00a0\u2028\u2029\u0085\n",
        "e\u0301 \u00e9 \u212b \ufb01 \u200d\u200b\u00ad",
        "\u202eabc\u2066",
        "日本語、全角！？「」",
    ],
)
async def test_look_alikes_are_written_as_they_came_new_file_and_old_b01(shelf: Shelf, content: str) -> None:
    assert (await shelf.write("q.md", content)).result.status is Status.SUCCESS
    assert (shelf.root / "q.md").read_bytes() == content.encode()

    old = await shelf.read("old.md", b"'\"-...\n")
    assert (await shelf.write("old.md", content)).result.status is Status.SUCCESS
    assert old.read_bytes() == content.encode()


@pytest.mark.parametrize("content", ["a\r\nb\r\nc\r\n", "a\r\nb\nc\r", "a\n\r\n", "\r\r\n", "a\nb\r\n"])
async def test_line_ends_are_those_of_the_argument_whatever_was_there_b05(shelf: Shelf, content: str) -> None:
    for old in (b"x\r\ny\r\n", b"x\ny\n"):
        path = await shelf.read("a.txt", old)
        assert (await shelf.write("a.txt", content)).result.status is Status.SUCCESS
        assert path.read_bytes() == content.encode()


@pytest.mark.parametrize("content", ["\ufeffimport os\n", "import\ufeff os\n", "\ufeff\ufeffx", "import os\n"])
async def test_a_byte_order_mark_is_written_where_the_argument_has_one_b07(shelf: Shelf, content: str) -> None:
    path = await shelf.read("a.py", b"\xef\xbb\xbfimport sys\n")

    answer = await shelf.write("a.py", content)

    assert path.read_bytes() == content.encode()
    assert ("without a byte order mark now" in answer.text) == (not content.startswith("\ufeff"))


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o664, 0o2755])
async def test_mode_bits_outlive_writing_all_of_a_file_b20(shelf: Shelf, mode: int) -> None:
    path = await shelf.read("run.sh", b"old", mode)

    await shelf.write("run.sh", "new")

    assert (path.read_bytes(), mode_of(path)) == (b"new", oct(mode))


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_follows_the_umask_of_the_process_and_leaves_it_b20(tmp_path: Path, mask: int) -> None:
    arguments = json.dumps({"path": str(tmp_path / "new/a"), "content": "x"})
    program = (
        f"import os, sys; os.umask({mask}); from hilt.cli import main; "
        f"code = main(sys.argv[1:]); assert os.umask(0) == {mask}; sys.exit(code)"
    )

    subprocess.run(
        [sys.executable, "-c", program, "call", "write_file", arguments, "--workspace", str(tmp_path)],
        check=True,
        capture_output=True,
        env={**os.environ, "HILT_HOME": str(tmp_path / "state")},
        timeout=60,
    )

    assert mode_of(tmp_path / "new/a") == oct(0o666 & ~mask)
    assert mode_of(tmp_path / "new") == oct(0o777 & ~mask)


@pytest.mark.parametrize("name", ["../evil", "out/evil", "down/../../evil", "dangling", "/etc/hilt-evil"])
async def test_what_leads_out_of_the_workspace_is_refused_and_not_written_b89(shelf: Shelf, name: str) -> None:
    outside = shelf.root.parent
    (shelf.root / "down").mkdir()
    (shelf.root / "out").symlink_to(outside)
    (shelf.root / "dangling").symlink_to(outside / "evil")
    before = names(outside)

    answer = await shelf.write(f"..{'/..' * 20}{name}" if name.startswith("/") else name, "x")

    assert answer.result.status is Status.DENIED
    assert "outside the workspace" in answer.text
    assert names(outside) == before
    assert "hilt-evil" not in names(Path("/etc"))
