"""`edit_file`: what a model is told of its edits, made or refused, and what a refusal lets it do next."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.store.memory import MemoryStore
from hilt.tools.edit_file import FOUND_CHARACTERS, MOST_RANGES, edit_file
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from hilt.workspace import Workspace
from hilt.workspace.edits.near import LONG_LINE, SHOWN_CHARACTERS
from hilt.workspace.edits.neighbours import MOST_LINES
from tests.kit import EVERYTHING


class Editor:
    """A workspace, a session, and edits of its files."""

    def __init__(self, root: Path, session: Session | None = None, store: MemoryStore | None = None) -> None:
        self.root = root
        workspace = Workspace([root])
        self.session = session or Session()
        self.runtime = Runtime(
            [edit_file, read_file, search_code],
            parts={Workspace: workspace},
            resolver=workspace,
            policy=EVERYTHING,
            store=store,
        )

    def file(self, content: bytes | str, name: str = "a.txt") -> Path:
        path = self.root / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    async def read(self, content: bytes | str, name: str = "a.txt") -> Path:
        path = self.file(content, name)
        await self.answer("read_file", path=str(path), limit=1)
        return path

    async def answer(self, tool: str, **arguments: object) -> Answer:
        with anyio.fail_after(30):
            return await self.runtime.answer_one(self.session, tool, arguments)

    async def edit(self, path: Path, *edits: tuple[str, str] | Mapping[str, object]) -> Answer:
        forms = [each if isinstance(each, Mapping) else {"old": each[0], "new": each[1]} for each in edits]
        return await self.answer("edit_file", path=str(path), edits=forms)


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    root = tmp_path / "repo"
    root.mkdir()
    return Editor(root)


def content(path: Path) -> str:
    return path.read_bytes().decode()


def problem(answer: Answer, kind: FailureKind = FailureKind.INVALID_ARGUMENTS) -> str:
    assert answer.result.failure is not None, answer.text
    assert answer.result.failure.kind is kind
    return answer.text


async def test_one_line_tells_what_was_edited_and_echoes_no_text(editor: Editor) -> None:
    path = await editor.read("a\nb\nc\n")
    answer = await editor.edit(path, ("b", "B\nB2"))

    assert answer.text == "a.txt: 1 replacement, lines 2-3"
    assert answer.result.items == ({"path": str(path), "replacements": 1, "lines": "2-3"},)


async def test_edits_follow_one_another_without_reading_again(editor: Editor) -> None:
    path = await editor.read("a\nb\n")

    assert (await editor.edit(path, ("a", "A"))).text == "a.txt: 1 replacement, line 1"
    assert (await editor.edit(path, ("A", "1"), ("b", "2"))).text == "a.txt: 2 replacements, lines 1, 2"
    assert content(path) == "1\n2\n"


async def test_a_file_nobody_read_is_shown_where_the_edit_would_go_and_the_same_call_then_works(editor: Editor) -> None:
    path = editor.file("".join(f"line {n}\n" for n in range(1, 100)))
    refused = problem(await editor.edit(path, ("line 50", "L")))

    assert refused == (
        "error (invalid_arguments): a.txt has not been read in this session, so nothing was changed; where the edits "
        "would go it now reads\n49\tline 49\n50\tline 50\n51\tline 51\n"
        "next: send the same call again, if this is what you meant"
    )
    assert not (await editor.edit(path, ("line 50", "L"))).result.is_error


async def test_a_miss_in_a_file_nobody_read_shows_what_is_near_and_the_next_call_works(editor: Editor) -> None:
    path = editor.file("x = compute(1)\n")

    assert 'nearest is line 1, old has "2", the file has "1"' in problem(
        await editor.edit(path, ("x = compute(2)", "y"))
    )
    assert not (await editor.edit(path, ("x = compute(1)", "y"))).result.is_error


async def test_a_miss_that_shows_nothing_lets_nothing_be_edited_unread(editor: Editor) -> None:
    path = editor.file("abc\n")

    assert "nor anything near it" in problem(await editor.edit(path, ("something else", "y")))
    assert "has not been read" in problem(await editor.edit(path, ("abc", "y")))


async def test_lines_that_a_search_showed_may_be_edited(editor: Editor) -> None:
    path = editor.file("needle here\n")
    found = await editor.answer("search_code", pattern="needle", path=str(editor.root), output="content")
    assert not found.result.is_error, found.text

    answer = await editor.edit(path, ("needle", "pin"))

    assert answer.text == "a.txt: 1 replacement, line 1"


async def test_what_is_shown_of_many_places_is_bounded(editor: Editor) -> None:
    path = editor.file("x = 1\n" * 40 + "y" * 5_000 + "x = 1" + "y" * 5_000)
    refused = problem(await editor.edit(path, {"old": "x = 1", "new": "x = 2", "all": True}))

    assert refused.count("\tx = 1") == MOST_LINES
    assert "[...]" in refused
    assert len(refused) < 1_500


async def test_a_long_line_is_shown_near_the_place(editor: Editor) -> None:
    path = editor.file("y" * 50_000 + "needle" + "z" * 50_000)
    refused = problem(await editor.edit(path, ("needle", "pin")))

    assert "\nneedle" not in refused
    assert "1\tneedlezzz" in refused
    assert len(refused) < 800


@pytest.mark.parametrize(
    ("there", "old", "note"),
    [
        ("a\r\nb\r\n", "a\nb", 'edits[0] differed in line endings; it replaced "a\\r\\nb"'),
        ("a \nb\n", "a\nb", 'edits[0] differed in trailing whitespace; it replaced "a \\nb"'),
        ("“a”\n", '"a"', 'edits[0] differed in look-alike characters; it replaced "“a”"'),
    ],
)
async def test_an_anchor_found_by_its_look_is_told_with_what_was_there(
    editor: Editor, there: str, old: str, note: str
) -> None:
    path = await editor.read(there)
    answer = await editor.edit(path, (old, "new"))

    assert f"\nnote: {note}" in answer.text


async def test_what_was_there_is_clipped(editor: Editor) -> None:
    path = await editor.read(f"“{'a' * 1_000}”\n")
    answer = await editor.edit(path, (f'"{"a" * 1_000}"', "new"))

    assert len(answer.text) < FOUND_CHARACTERS + 200


async def test_all_tells_the_lines_and_shows_a_few(editor: Editor) -> None:
    path = await editor.read("".join(f"\tname {n} name\r\n" for n in range(1, 20)))
    answer = await editor.edit(path, {"old": "name", "new": "title", "all": True})

    assert answer.text == (
        f"a.txt: 38 replacements, lines {', '.join(str(n) for n in range(1, MOST_RANGES + 1))} and 9 more\n"
        "note: line 1 is now: \\ttitle 1 title\nnote: line 2 is now: \\ttitle 2 title"
    )


async def test_new_text_in_a_guessed_encoding_is_told(editor: Editor) -> None:
    before = ("中文字符测试一下这个编码，改动以外的字节不变。\n" * 20).encode("gbk") + b"x = 1\n"
    path = await editor.read(before)
    answer = await editor.edit(path, ("x = 1", "x = “好”"))

    assert path.read_bytes() == before.replace(b"x = 1", "x = “好”".encode("gbk"))
    assert "note: new text was written as gb" in answer.text


async def test_a_mark_that_was_taken_away_is_told(editor: Editor) -> None:
    path = await editor.read("\ufeffa\n")
    answer = await editor.edit(path, ("\ufeffa", "b"))

    assert path.read_bytes() == b"b\n"
    assert "note: the byte order mark was part of old and not of new: it is gone" in answer.text


async def test_a_binary_file_is_refused_as_what_it_is(editor: Editor) -> None:
    path = editor.file(b"\x7fELF\0\0\0\1" * 20)

    assert "a.txt is binary, not text" in problem(await editor.edit(path, ("ELF", "x")), FailureKind.ENVIRONMENT)


async def test_one_edit_that_does_not_fit_stops_all(editor: Editor) -> None:
    path = await editor.read("a\nb\n")
    refused = problem(await editor.edit(path, ("a", "A"), ("zz", "Z")))

    assert "edits[1].old is not in a.txt, nor anything near it" in refused
    assert "nothing was changed, the other edits included" in refused
    assert content(path) == "a\nb\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"old_string": "a", "new_string": "A"},
        {"oldText": "a", "newText": "A"},
        {"old": "a", "new": "A"},
        {"old_string": "a", "new_string": "A", "replace_all": True},
        {"edits": [{"old_string": "a", "new_string": "A", "replace_all": False}]},
        {"edits": {"oldText": "a", "newText": "A"}},
        {"edits": '[{"old": "a", "new": "A"}]'},
        {"edits": '[{"old_string": "a", "new_string": "A"}]'},
    ],
    ids=json.dumps,
)
async def test_other_forms_of_the_same_edit_are_taken_and_told(editor: Editor, arguments: dict[str, object]) -> None:
    path = await editor.read("a\n")
    answer = await editor.answer("edit_file", path=str(path), **arguments)

    assert content(path) == "A\n", answer.text
    assert answer.result.adjustments


@pytest.mark.parametrize(
    "arguments",
    [
        {"edits": [{"old": "a", "new": "A"}], "old_string": "b", "new_string": "B"},
        {"edits": [{"old": "a", "old_string": "b", "new": "A"}]},
        {"old_string": "a", "oldText": "b", "new": "A"},
        {"edits": []},
        {"old_string": "a"},
    ],
    ids=json.dumps,
)
async def test_two_meanings_or_none_are_refused(editor: Editor, arguments: dict[str, object]) -> None:
    path = await editor.read("a\nb\n")
    problem(await editor.answer("edit_file", path=str(path), **arguments))

    assert content(path) == "a\nb\n"


async def test_a_hundred_edits_of_one_turn_land_in_the_order_of_the_calls(editor: Editor) -> None:
    path = await editor.read("line 000\n")
    edits = [(f"line {n:03d}\n", f"line {n:03d}\nline {n + 1:03d}\n") for n in range(100)]
    texts = [json.dumps({"path": str(path), "edits": [{"old": old, "new": new}]}) for old, new in edits]
    calls = [ToolCall(name="edit_file", arguments=text, id=f"c{place}") for place, text in enumerate(texts)]
    with anyio.fail_after(50):
        answers = await editor.runtime.answer(editor.session, Turn(id="t", calls=tuple(calls)))

    assert [answer.text for answer in answers if answer.result.is_error] == []
    assert content(path).splitlines() == [f"line {n:03d}" for n in range(101)], "each needs what the one before wrote"


async def test_edits_through_two_runtimes_all_land_or_are_refused_and_none_is_lost(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    editors = [Editor(root), Editor(root)]
    path = editors[0].file("".join(f"line {n:03d}\n" for n in range(100)))
    for editor in editors:
        await editor.answer("read_file", path=str(path))
    answers: dict[int, Answer] = {}

    async def change(place: int) -> None:
        answers[place] = await editors[place % 2].edit(path, (f"line {place:03d}", f"done {place:03d}"))

    with anyio.fail_after(50):
        async with anyio.create_task_group() as group:
            for place in range(100):
                group.start_soon(change, place)

    landed = [place for place in range(100) if not answers[place].result.is_error]
    assert [int(line[5:]) for line in content(path).splitlines() if line.startswith("done")] == landed
    assert len(content(path).splitlines()) == 100
    assert all("changed since" in answers[place].text for place in range(100) if place not in landed)
    assert landed


async def test_the_declaration_is_small(record_property: Any) -> None:
    from hilt.adapters import anthropic

    (declared,) = anthropic.offer(Runtime([edit_file]), Session())
    text = json.dumps(declared, separators=(",", ":"))
    record_property("report", f"edit_file declares {len(text)} bytes")

    assert len(text) < 900
    for word in ("old_string", "oldText", "replace_all"):
        assert word in text, "what is accepted is said"


@pytest.mark.parametrize(
    ("there", "old", "said"),
    [
        ("def f(a, b):\n    return a\n", "def f(a, c):\n    return a\n", 'in line 1: old has "c", the file has "b"'),
        ("a = 1\nb = 2\nc = 3\n", "a = 1\nc = 3", 'in line 2: old has "c", the file has "b"'),
        (
            "  value = 5\n",
            "\tvalue = 5\n",
            'only in whitespace: first different in line 1: old has "\\t", the file has 2 spaces',
        ),
        ("call(x,\u00a0y)\n", "call(x,y)", 'old has nothing, the file has "\\u00a0"'),
        ("return total\n", "return total;", 'old has ";", the file has nothing'),
        ("one two\nlast line", "last line\nand more", "where the file ends and old goes on"),
        ("name = first + second\n", "name = first - second", 'old has "-", the file has "+"'),
        ("    x.y.compute(alpha, beta)  # sum\n", "compute(alpha, gamma)", 'old has "gamma", the file has "beta"'),
    ],
)
async def test_a_miss_shows_what_is_nearest_and_where_the_two_part(
    editor: Editor, there: str, old: str, said: str
) -> None:
    path = await editor.read(f"first\n\n{there}")
    refused = problem(await editor.edit(path, (old, "something else entirely")))

    assert _renumbered(said) in refused
    assert content(path) == f"first\n\n{there}"


def _renumbered(said: str) -> str:
    """Two lines stand before."""
    for number in (2, 1):
        said = said.replace(f"line {number}:", f"line {number + 2}:")
    return said


async def test_in_a_long_line_only_what_is_near_is_shown(editor: Editor) -> None:
    path = await editor.read("é" + "word other; " * 5 * LONG_LINE + "result = compute(1, 2)" + "; more" * LONG_LINE)
    refused = problem(await editor.edit(path, ("result = compute(1, 3)", "x")))

    assert 'nearest is line 1, old has "3", the file has "2"' in refused
    assert len(refused) < SHOWN_CHARACTERS + 400


@pytest.mark.parametrize("there", ["", "\ufeff"])
async def test_an_empty_file_is_said_to_be_empty(editor: Editor, there: str) -> None:
    path = await editor.read(there)

    assert "old is not in a.txt, which is empty\nnext: write the file whole" in problem(
        await editor.edit(path, ("a", "b"))
    )


async def test_a_notebook_tool_that_is_not_offered_is_not_named(editor: Editor) -> None:
    path = await editor.read('{"cells": []}', "a.ipynb")

    assert "edit_notebook" not in problem(await editor.edit(path, ("x = 1", "x = 2")))
