"""Text is found by itself and not by its line, or refused with what would find it; what is written is as given."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hilt import Runtime, Session
from hilt.calls.answer import Answer
from hilt.results.failures import FailureKind
from hilt.tools.edit_file import edit_file
from hilt.tools.edit_notebook import edit_notebook
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from tests.kit import EVERYTHING


class Desk:
    """A folder, and a session that reads and edits its files."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._session = folder, Session()
        world = Workspace([folder])
        tools = [edit_file, edit_notebook, read_file]
        self._runtime = Runtime(tools, parts={Workspace: world}, resolver=world, policy=EVERYTHING)

    async def read(self, content: str, name: str = "a.txt") -> Path:
        path = self._folder / name
        path.write_bytes(content.encode())
        await self._runtime.call(self._session, "read_file", {"path": str(path)})
        return path

    async def call(self, tool: str, path: Path, **arguments: object) -> Answer:
        return await self._runtime.answer_one(self._session, tool, {"path": str(path), **arguments})

    async def edit(self, path: Path, *edits: Mapping[str, object]) -> Answer:
        return await self.call("edit_file", path, edits=list(edits))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def told(answer: Answer) -> str:
    assert answer.result.failure is not None, answer.text
    assert answer.result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert answer.result.failure.next_steps
    return answer.text


async def test_req_C5_an_anchor_that_stands_twice_is_refused_with_count_lines_and_two_ways_out(desk: Desk) -> None:
    path = await desk.read("a\nx = 1\nb\nx = 1\n")
    answer = await desk.edit(path, {"old": "x = 1", "new": "x = 2"})

    assert 'stands 2 times in a.txt: line 2 "x = 1" below "a", line 4 below "b"' in told(answer)
    assert answer.result.failure is not None
    assert len(answer.result.failure.next_steps) == 2
    assert path.read_bytes() == b"a\nx = 1\nb\nx = 1\n"


async def test_req_C5_an_anchor_that_is_missed_shows_the_nearest_lines_with_invisible_characters(desk: Desk) -> None:
    path = await desk.read("def f():\n\treturn\u00a0total  \n")
    text = told(await desk.edit(path, {"old": "def f():\n\treturn totals", "new": "x"}))

    assert "2\t\\treturn\\u00a0total\\x20\\x20" in text
    assert "first different in line 2" in text


async def test_req_C5_tolerance_is_in_finding_alone_in_one_place_alone_and_told(desk: Desk) -> None:
    path = await desk.read("say “hi”\r\nand go  \r\n")
    answer = await desk.edit(path, {"old": 'say "hi"\nand go\n', "new": 'say "ho" – “now”\n'})

    assert path.read_bytes() == 'say "ho" – “now”\r\n'.encode(), "nothing is folded in what is written"
    assert "note: line endings CRLF kept" in answer.text
    assert "differed in line endings and look-alike characters and trailing whitespace" in answer.text
    twice = await desk.read("“a”\n‘a’ „a“\n")
    assert "2 places look like it" in told(await desk.edit(twice, {"old": '"a"', "new": "b"}))


async def test_req_H2_edits_are_all_made_or_none_and_told_in_one_line(desk: Desk) -> None:
    path = await desk.read("a\nb\nc\n")
    refused = await desk.edit(path, {"old": "a", "new": "A"}, {"old": "z", "new": "Z"})
    assert "nothing was changed" in told(refused)
    assert path.read_bytes() == b"a\nb\nc\n"

    answer = await desk.edit(path, {"old": "c", "new": "C\nD"}, {"old": "a\n", "new": ""})
    assert answer.text == "a.txt: 2 replacements, lines 1, 2-3"
    assert path.read_bytes() == b"b\nC\nD\n"


async def test_req_H2_a_cell_of_a_notebook_is_changed_by_its_id(desk: Desk) -> None:
    cell: dict[str, Any] = {"cell_type": "markdown", "id": "one", "metadata": {}, "source": ["old"]}
    before = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    path = await desk.read(before, "a.ipynb")
    answer = await desk.call("edit_notebook", path, action="replace", cell_id="one", source="new")

    assert answer.text == "a.ipynb: markdown cell replaced, id one; it is cell 1 of 1"
    assert path.read_bytes().decode() == before.replace('"old"', '"new"')
