"""`edit_notebook`: one cell changed, and not one character of the file beside it."""

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from hilt.calls.answer import Answer
from hilt.calls.session import Session
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.tools.edit_file import edit_file
from hilt.tools.edit_notebook import MOST_IDS, edit_notebook
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace
from tests.kit import EVERYTHING

OUTPUT = {"name": "stdout", "output_type": "stream", "text": ["1\n"]}


def code(cell_id: str, source: Any, *, outputs: list[Any] | None = None) -> dict[str, Any]:
    named = {"id": cell_id} if cell_id else {}
    return {
        "cell_type": "code",
        "execution_count": 1,
        **named,
        "metadata": {},
        "outputs": outputs or [],
        "source": source,
    }


def notebook(*cells: Mapping[str, Any], minor: int = 5) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {"title": "é – 中"}, "nbformat": 4, "nbformat_minor": minor}


THREE = notebook(code("aa", ["x = 1\n", "x"], outputs=[OUTPUT]), code("bb", ["y"]), code("cc", ["z"]))


class Book:
    """One notebook, read by the session, and calls on it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        workspace = Workspace([path.parent])
        tools = [edit_notebook, edit_file, read_file]
        self._runtime = Runtime(tools, parts={Workspace: workspace}, resolver=workspace, policy=EVERYTHING)
        self._session = Session()

    async def given(self, content: object, **form: Any) -> str:
        text = (
            content if isinstance(content, str) else json.dumps(content, **{"indent": 1, "ensure_ascii": False, **form})
        )
        self.path.write_bytes(text.encode())
        await self._runtime.call(self._session, "read_file", {"path": str(self.path)})
        return text

    async def call(self, **arguments: object) -> Answer:
        return await self.answer("edit_notebook", **arguments)

    async def answer(self, tool: str, **arguments: object) -> Answer:
        with anyio.fail_after(20):
            return await self._runtime.answer_one(self._session, tool, {"path": str(self.path), **arguments})

    async def done(self, **arguments: object) -> Mapping[str, Any]:
        answer = await self.call(**arguments)
        assert not answer.result.is_error, answer.text
        (item,) = answer.result.items
        assert isinstance(item, dict)
        return item

    @property
    def text(self) -> str:
        return self.path.read_bytes().decode()

    @property
    def cells(self) -> list[dict[str, Any]]:
        return json.loads(self.text)["cells"]


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "a.ipynb")


def changed_lines(before: str, after: str) -> list[str]:
    return list(difflib.unified_diff(before.split("\n"), after.split("\n"), n=0, lineterm=""))[2:]


async def test_a_cell_is_inserted_behind_the_one_named(book: Book) -> None:
    before = await book.given(THREE)
    answer = await book.call(action="insert", cell_id="bb", source="a\nb", cell_type="markdown")

    made = book.cells[2]
    assert (made["source"], made["cell_type"]) == (["a\n", "b"], "markdown")
    assert [cell["id"] for cell in book.cells] == ["aa", "bb", made["id"], "cc"]
    assert answer.text == f"a.ipynb: markdown cell inserted, id {made['id']}; it is cell 3 of 4"
    assert [line for line in changed_lines(before, book.text) if line.startswith("-")] == []
    assert list(made) == ["cell_type", "id", "metadata", "source"]


async def test_without_a_cell_named_it_comes_last(book: Book) -> None:
    await book.given(THREE)
    item = await book.done(action="insert", source="w")

    assert (item["cell"], item["cells"]) == (4, 4)
    assert book.cells[3] == {**code(item["id"], ["w"]), "execution_count": None}


async def test_into_an_empty_notebook_a_cell_is_inserted(book: Book) -> None:
    await book.given(notebook())
    await book.done(action="insert", source="only")

    assert book.text == json.dumps(json.loads(book.text), indent=1, ensure_ascii=False)
    assert [cell["source"] for cell in book.cells] == [["only"]]


async def test_replacing_a_code_cell_clears_what_the_old_source_made_and_tells_it(book: Book) -> None:
    before = await book.given(THREE)
    answer = await book.call(action="replace", cell_id="aa", source="x = 2\nprint('é')\n")

    assert book.cells[0] == {**code("aa", ["x = 2\n", "print('é')\n"]), "execution_count": None}
    assert answer.text == (
        "a.ipynb: code cell replaced, id aa; it is cell 1 of 3\n"
        "note: its outputs, which the old source made, were cleared"
    )
    assert book.text == json.dumps(json.loads(book.text), indent=1, ensure_ascii=False)
    assert '"id": "bb"' not in "\n".join(changed_lines(before, book.text))


@pytest.mark.parametrize(("cell_id", "left"), [("aa", ["bb", "cc"]), ("bb", ["aa", "cc"]), ("cc", ["aa", "bb"])])
async def test_a_cell_is_deleted_and_the_rest_stands_as_before(book: Book, cell_id: str, left: list[str]) -> None:
    await book.given(THREE)
    answer = await book.call(action="delete", cell_id=cell_id)

    assert [cell["id"] for cell in book.cells] == left
    assert f"code cell deleted, id {cell_id}; it was cell {'abc'.index(cell_id[0]) + 1}; 2 are left" in answer.text
    assert book.text == json.dumps(json.loads(book.text), indent=1, ensure_ascii=False)


async def test_the_last_cell_may_go_too(book: Book) -> None:
    await book.given(notebook(code("aa", ["x"])))
    await book.done(action="delete", cell_id="aa")

    assert book.cells == []


@pytest.mark.parametrize(
    "form",
    [
        {"indent": 4},
        {"indent": "\t"},
        {"indent": None},
        {"indent": None, "separators": (",", ":")},
        {"ensure_ascii": True},
        {"sort_keys": True},
    ],
    ids=["four", "tabs", "one line", "compact", "escaped", "sorted"],
)
async def test_the_form_of_the_text_is_kept(book: Book, form: dict[str, Any]) -> None:
    await book.given(THREE, **form)
    await book.done(action="replace", cell_id="bb", source="é\nf")
    await book.done(action="insert", cell_id="aa", source="g")

    assert book.text == json.dumps(json.loads(book.text), **{"indent": 1, "ensure_ascii": False, **form})


async def test_odd_layout_crlf_a_mark_and_the_end_of_the_file_are_kept(book: Book) -> None:
    first = '\ufeff{\r\n "nbformat": 4,  "nbformat_minor":5,\r\n "cells": [ {"id": "aa", "cell_type": "raw", '
    text = first + '"source": "s"} ],\r\n "x": 1.50e3}\r\n\r\n'
    await book.given(text)
    await book.done(action="replace", cell_id="aa", source="t\nu")

    assert book.text == text.replace('"s"', '"t\\nu"')
    await book.done(action="insert", source="v", cell_type="raw")
    assert book.text.startswith(first)
    assert json.loads(book.text[1:])["cells"][1]["source"] == "v"
    assert book.text.endswith(' ],\r\n "x": 1.50e3}\r\n\r\n')


async def test_another_type_keeps_the_id_and_takes_its_own_fields(book: Book) -> None:
    await book.given(THREE)
    await book.done(action="replace", cell_id="aa", source="# T", cell_type="markdown")
    assert book.cells[0] == {"cell_type": "markdown", "id": "aa", "metadata": {}, "source": ["# T"]}

    await book.done(action="replace", cell_id="aa", source="t", cell_type="code")
    assert book.cells[0] == {**code("aa", ["t"]), "execution_count": None}


async def test_cells_without_ids_are_called_by_their_place_and_get_none(book: Book) -> None:
    await book.given(notebook(code("", ["x"]), code("", ["y"]), minor=4))
    item = await book.done(action="insert", cell_id="cell-1", source="n")

    assert (item["id"], item["cell"]) == ("cell-2", 2)
    assert [cell["source"] for cell in book.cells] == [["x"], ["n"], ["y"]]
    assert all("id" not in cell for cell in book.cells)
    assert (await book.done(action="delete", cell_id="3"))["id"] == "cell-3"
    assert json.loads(book.text)["nbformat_minor"] == 4


async def test_a_place_is_no_name_where_cells_have_ids(book: Book) -> None:
    await book.given(THREE)
    answer = await book.call(action="delete", cell_id="cell-1")

    assert "a.ipynb has no cell 'cell-1'; its ids are aa, bb, cc" in answer.text


async def test_an_unknown_id_lists_the_ids_there_are_up_to_a_number(book: Book) -> None:
    await book.given(notebook(*(code(f"id{n}", ["x"]) for n in range(MOST_IDS + 3))))
    answer = await book.call(action="replace", cell_id="zz", source="q")

    assert f"id{MOST_IDS - 1} and 3 more" in answer.text
    await book.given(notebook())
    assert "its ids are none, for it has no cells" in (await book.call(action="delete", cell_id="a")).text


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"action": "insert"}, "source, for action insert"),
        ({"action": "delete", "cell_id": "aa", "source": "x"}, "no source with action delete"),
        ({"action": "replace", "source": "x"}, "cell_id, for action replace"),
        ({"action": "replace", "cell_id": "aa", "source": "\ud800"}, "surrogate"),
    ],
)
async def test_arguments_that_do_not_fit_the_action_are_refused(
    book: Book, arguments: dict[str, Any], expected: str
) -> None:
    before = await book.given(THREE)
    answer = await book.call(**arguments)

    assert answer.result.failure is not None
    assert answer.result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert expected in answer.text
    assert book.text == before


async def test_the_same_source_again_is_refused_as_done(book: Book) -> None:
    await book.given(THREE)
    answer = await book.call(action="replace", cell_id="bb", source="y")

    assert "cell bb of a.ipynb holds exactly this source already; nothing was changed" in answer.text


@pytest.mark.parametrize(
    "content", ["[]", "{}", '{"cells": 1}', '{"cells": [1]}', '{"cells": [{}', "not json", "", "é"]
)
async def test_what_is_no_notebook_is_refused(book: Book, content: str) -> None:
    await book.given(content)
    answer = await book.call(action="insert", source="x")

    assert answer.result.failure is not None
    assert answer.result.failure.kind is FailureKind.ENVIRONMENT
    assert "a.ipynb is no notebook of format 4" in answer.text
    assert book.text == content


async def test_a_notebook_that_was_not_read_is_shown_and_then_edited(book: Book) -> None:
    book.path.write_text(json.dumps(THREE), encoding="utf-8")
    refused = await book.call(action="replace", cell_id="bb", source="n")
    assert (
        "has not been read in this session, so nothing was changed; it has 3 cells; cell 2 bb now reads\ny"
        in refused.text
    )

    assert (await book.done(action="replace", cell_id="bb", source="n"))["cell"] == 2


async def test_a_cell_of_few_fields_gets_the_source_it_lacked(book: Book) -> None:
    await book.given({"cells": [{"cell_type": "code"}, {}, {"source": 5}], "nbformat": 4})
    await book.done(action="replace", cell_id="cell-1", source="x")

    assert book.cells[0] == {"cell_type": "code", "source": ["x"], "outputs": [], "execution_count": None}


async def test_editing_its_json_by_text_names_the_tool_for_cells(book: Book) -> None:
    await book.given(THREE)
    answer = await book.answer("edit_file", edits=[{"old": "x = 1\nx", "new": "x = 5"}])

    assert "change a cell by its id with edit_notebook" in answer.text


async def test_an_id_that_two_cells_have_changes_neither_and_their_places_tell_them_apart(book: Book) -> None:
    text = await book.given(notebook(code("aa", ["x"]), code("bb", ["y"]), code("aa", ["z"])))
    refused = await book.call(action="delete", cell_id="aa")

    assert refused.result.failure
    assert refused.result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert "2 cells of" in refused.text
    assert refused.result.failure.next_steps == ("say which by its place: cell-1, cell-3",)
    assert book.path.read_bytes() == text.encode()

    await book.done(action="delete", cell_id="cell-3")
    assert [cell["source"] for cell in book.cells] == [["x"], ["y"]]


async def test_a_cell_without_an_id_among_others_is_called_as_the_refusal_lists_it(book: Book) -> None:
    await book.given(notebook(code("aa", ["x"]), code("", ["y"])))
    refused = await book.call(action="delete", cell_id="zz")

    assert "its ids are aa, cell-2" in refused.text
    await book.done(action="delete", cell_id="cell-2")
    assert [cell["source"] for cell in book.cells] == [["x"]]
