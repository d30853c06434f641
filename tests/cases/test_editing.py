"""Reports against other tools, of editing: each kind on the shelf, by the bytes that come of it.

`cases.toml` in `tests/behaviours` lists which tests answer which report.
"""

import json
import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from hilt.assembly.build import Assembled, open_runtime
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.results.failures import FailureKind
from hilt.store import MEMORY, open_store


class Shelf:
    """A workspace, and the built-in tools on it."""

    def __init__(self, root: Path, assembled: Assembled) -> None:
        self.root, self._assembled = root, assembled

    async def answer(self, tool: str, **arguments: object) -> Answer:
        self._assembled.runtime.declare(self._assembled.session, [tool])
        return await self._assembled.runtime.answer_one(self._assembled.session, tool, arguments)

    async def turn(self, *calls: tuple[str, dict[str, Any]]) -> Sequence[Answer]:
        asked = [
            ToolCall(name=name, arguments=json.dumps(given), id=f"c{place}")
            for place, (name, given) in enumerate(calls)
        ]
        return await self._assembled.runtime.answer(self._assembled.session, Turn(id="t", calls=tuple(asked)))

    async def read(self, name: str, content: bytes) -> str:
        """A file of the workspace, read by the session."""
        path = self.root / name
        path.write_bytes(content)
        await self.answer("read_file", path=str(path))
        return str(path)

    async def edit(self, path: str, old: str, new: str, **more: Any) -> Answer:
        return await self.answer("edit_file", path=path, edits=[{"old": old, "new": new, **more}])


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    root = tmp_path / "repo"
    root.mkdir()
    async with open_runtime(root, store=open_store(MEMORY)) as assembled:
        yield Shelf(root, assembled)


def content(path: str) -> bytes:
    return Path(path).read_bytes()


def write(path: str, now: bytes) -> None:
    Path(path).write_bytes(now)


def move_time(path: str, seconds: int) -> None:
    os.utime(path, ns=(0, Path(path).stat().st_mtime_ns + seconds * 10**9))


def set_mode(path: str, mode: int) -> None:
    Path(path).chmod(mode)


def mode_of(path: str) -> int:
    return Path(path).stat().st_mode & 0o7777


def replaced(answer: Answer) -> int:
    assert not answer.result.is_error, answer.text
    (item,) = answer.result.items
    assert isinstance(item, dict)
    return item["replacements"]


def refused(answer: Answer, kind: FailureKind = FailureKind.INVALID_ARGUMENTS) -> str:
    assert answer.result.failure is not None, answer.text
    assert answer.result.failure.kind is kind
    return answer.text


async def test_curly_quotes_are_written_as_they_came_b01(shelf: Shelf) -> None:
    path = await shelf.read("q.md", "标题\n".encode())

    assert replaced(await shelf.edit(path, "标题", "标题“甲” ‘乙’ – …")) == 1
    assert content(path) == "标题“甲” ‘乙’ – …\n".encode()


async def test_straight_to_curly_is_a_change_b02(shelf: Shelf) -> None:
    path = await shelf.read("a.py", b"x = '%s'\n")

    assert replaced(await shelf.edit(path, "'%s'", "‘%s’")) == 1
    assert content(path) == "x = ‘%s’\n".encode()
    assert "old and new are the same characters" in refused(await shelf.edit(path, "‘%s’", "‘%s’"))


async def test_an_anchor_with_line_feeds_is_found_in_a_crlf_file_which_keeps_its_endings_b04(shelf: Shelf) -> None:
    path = await shelf.read("a.ini", b"a = 1\r\nb = 2\r\n")
    answer = await shelf.edit(path, "a = 1\nb = 2", "a = 1\nb = 3")

    assert replaced(answer) == 1
    assert content(path) == b"a = 1\r\nb = 3\r\n"
    assert "line endings CRLF kept" in answer.text


async def test_one_line_of_a_crlf_file_changes_and_no_other_b05(shelf: Shelf) -> None:
    path = await shelf.read("a.txt", b"one\r\ntwo\r\nthree\r\n")

    assert replaced(await shelf.edit(path, "two", "2")) == 1
    assert content(path) == b"one\r\n2\r\nthree\r\n"


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16"])
async def test_a_byte_order_mark_is_neither_shown_nor_lost_nor_doubled_b07(shelf: Shelf, codec: str) -> None:
    path = await shelf.read("a.py", "import os\nx = '\ufeff'\n".encode(codec))
    seen = await shelf.answer("read_file", path=path)
    assert seen.result.items[0] == {"line": 1, "text": "import os"}

    assert replaced(await shelf.edit(path, "import os", "import sys")) == 1
    assert replaced(await shelf.edit(path, "import sys", "import io")) == 1
    assert content(path) == "import io\nx = '\ufeff'\n".encode(codec)


@pytest.mark.parametrize("tail", [b"caf\xe9", b"\xff\xfe\x81", "中".encode("gbk"), b"\xed\xa0\x80"])
async def test_bytes_that_are_no_utf_8_survive_an_edit_elsewhere_b08(shelf: Shelf, tail: bytes) -> None:
    path = await shelf.read("a.py", b"x = 1\n# " + tail + b"\n")

    assert replaced(await shelf.edit(path, "x = 1", "x = 2")) == 1
    assert content(path) == b"x = 2\n# " + tail + b"\n"


async def test_an_anchor_with_other_indentation_is_told_so_and_nothing_is_indented_anew_b10(shelf: Shelf) -> None:
    before = b"\tif ok:\n\t\trun()\n"
    path = await shelf.read("a.py", before)
    text = refused(await shelf.edit(path, "    if ok:\n        run()", "    if no:\n        run()"))

    assert "nearest are lines 1-2, which differ only in whitespace" in text
    assert 'old has 4 spaces, the file has "\\t"' in text
    assert "1\t\\tif ok:\n2\t\\t\\trun()" in text
    assert content(path) == before


async def test_what_means_something_to_a_pattern_is_written_as_it_is_b11(shelf: Shelf) -> None:
    path = await shelf.read("a.js", b'log("done")\n')
    new = r'log("$& $1 $$ \1 \g<0> $` ${x} {0} %s")'

    assert replaced(await shelf.edit(path, 'log("done")', new)) == 1
    assert content(path) == new.encode() + b"\n"


async def test_an_ambiguous_anchor_is_refused_with_places_and_two_ways_out_b13(shelf: Shelf) -> None:
    before = b"".join(b"a%d\nb\nc\nn += 1\n" % n for n in range(8))
    path = await shelf.read("a.py", before)
    text = refused(await shelf.edit(path, "n += 1", "n += 2"))

    assert 'stands 8 times in a.py: line 4 "n += 1", line 8 "n += 1", line 12' in text
    assert "and 3 more" in text
    assert "add neighbouring text to old until it stands once; or: set all=true to replace all 8" in text
    assert content(path) == before
    assert replaced(await shelf.edit(path, "n += 1", "n += 2", all=True)) == 8


async def test_a_near_miss_edits_nothing_and_names_the_token_that_differs_b14(shelf: Shelf) -> None:
    before = b"begin\naudit(2)\nend\n"
    path = await shelf.read("a.py", before)
    text = refused(await shelf.edit(path, "begin\naudit(9)\nend", "begin\naudit(3)\nend"))

    assert 'first different in line 2: old has "9", the file has "2"' in text
    assert "1\tbegin\n2\taudit(2)\n3\tend" in text
    assert content(path) == before


async def test_the_same_edit_again_is_known_as_applied_b16(shelf: Shelf) -> None:
    path = await shelf.read("a.md", b"## A\n")

    assert replaced(await shelf.edit(path, "## A", "## A\nnew")) == 1
    assert "already applied: its new text stands at lines 1-2 of a.md" in refused(
        await shelf.edit(path, "## A", "## A\nnew")
    )
    assert content(path) == b"## A\nnew\n"


async def test_edits_of_one_turn_to_one_file_all_land_in_order_b17(shelf: Shelf) -> None:
    path = await shelf.read("a.txt", b"".join(b"%d\n" % n for n in range(1, 101)))
    answers = await shelf.turn(
        *(
            ("edit_file", {"path": path, "edits": [{"old": f"\n{n}\n", "new": f"\nline {n}\n"}]})
            for n in range(2, 100, 2)
        )
    )

    assert [replaced(answer) for answer in answers] == [1] * 49
    assert [answer.call.id for answer in answers] == [f"c{place}" for place in range(49)]
    assert content(path).decode().splitlines() == [
        f"line {n}" if n % 2 == 0 and n < 100 else str(n) for n in range(1, 101)
    ]


@pytest.mark.parametrize("shift", [-3600, 3600])
async def test_a_time_of_change_that_moved_alone_stops_no_edit_b19(shelf: Shelf, shift: int) -> None:
    path = await shelf.read("a.py", b"x = 1\n")
    move_time(path, shift)

    assert replaced(await shelf.edit(path, "x = 1", "x = 2")) == 1


async def test_a_file_that_changed_since_it_was_read_is_shown_and_not_edited(shelf: Shelf) -> None:
    path = await shelf.read("a.py", b"x = 1\ny = 1\n")
    write(path, b"x = 1\ny = 2\n")
    text = refused(await shelf.edit(path, "x = 1", "x = 2"))

    assert "a.py was changed since it was read" in text
    assert "1\tx = 1\n2\ty = 2" in text
    assert content(path) == b"x = 1\ny = 2\n"
    assert replaced(await shelf.edit(path, "x = 1", "x = 2")) == 1


@pytest.mark.parametrize("mode", [0o755, 0o600, 0o640])
async def test_mode_bits_outlive_an_edit_b20(shelf: Shelf, mode: int) -> None:
    path = await shelf.read("run.sh", b"echo one\n")
    set_mode(path, mode)

    assert replaced(await shelf.edit(path, "one", "two")) == 1
    assert mode_of(path) == mode


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one\ntwo\n", "two\n", "NEW\n", b"one\nNEW\n"),
        (b"one\ntwo", "two", "NEW", b"one\nNEW"),
        (b"one\ntwo", "two", "NEW\n", b"one\nNEW\n"),
    ],
)
async def test_no_line_end_is_added_or_taken_at_the_end_of_a_file_b22(
    shelf: Shelf, before: bytes, old: str, new: str, after: bytes
) -> None:
    path = await shelf.read("a.txt", before)

    assert replaced(await shelf.edit(path, old, new)) == 1
    assert content(path) == after


async def test_text_is_added_at_its_anchor_or_nowhere_b23(shelf: Shelf) -> None:
    before = b"def a():\n    1\n\ndef b():\n    2\n\ndef c():\n    3\n"
    path = await shelf.read("a.py", before)
    answer = await shelf.edit(path, "def b():\n", "def b():\n    new\n")

    assert content(path) == before.replace(b"def b():\n", b"def b():\n    new\n")
    assert answer.result.items == ({"path": path, "replacements": 1, "lines": "4-5"},)
    assert "is not in a.py" in refused(await shelf.edit(path, "def d():\n", "def d():\n    new\n"))


async def test_empty_new_text_deletes_b25(shelf: Shelf) -> None:
    path = await shelf.read("a.txt", b"Hello World")

    assert replaced(await shelf.edit(path, " World", "")) == 1
    assert content(path) == b"Hello"


async def test_a_cell_is_inserted_where_it_was_asked_and_the_place_told_b26(shelf: Shelf) -> None:
    cells = [{"cell_type": "code", "id": f"c{n}", "metadata": {}, "outputs": [], "source": [f"{n}"]} for n in (1, 2, 3)]
    book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = await shelf.read("a.ipynb", json.dumps(book).encode())

    async def insert(**where: str) -> dict[str, Any]:
        answer = await shelf.answer("edit_notebook", path=path, action="insert", source="x", **where)
        assert not answer.result.is_error, answer.text
        (item,) = answer.result.items
        assert isinstance(item, dict)
        return item

    first, last = await insert(cell_id="c2"), await insert()
    ids = [cell["id"] for cell in json.loads(content(path))["cells"]]
    assert ids == ["c1", "c2", first["id"], "c3", last["id"]]
    assert (first["cell"], last["cell"]) == (3, 5)
    unknown = await shelf.answer("edit_notebook", path=path, action="insert", source="x", cell_id="c9")
    assert f"its ids are {', '.join(ids)}" in refused(unknown)
