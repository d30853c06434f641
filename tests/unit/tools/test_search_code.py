"""`search_code`: what a model reads after a search, in each of its three outputs."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import anyio
import pytest

from hilt.calls.answer import Answer
from hilt.calls.session import Session
from hilt.declarations.description import Environment
from hilt.results.envelope import Status, ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.tools.search_code import (
    DEFAULT_LIMIT,
    INLINE_BYTES,
    MOST_CONTEXT,
    NO_LIMIT,
    PREVIEW_BYTES,
    rendered,
    search_code,
)
from hilt.workspace import Workspace
from hilt.workspace.search.ripgrep import LONGEST_LINE

MOST_DECLARED_BYTES = 450 * 4

Item = Mapping[str, object]


class Searcher:
    """One workspace, one runtime, and the call under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        workspace = Workspace([root])
        self._runtime = Runtime([search_code], parts={Workspace: workspace}, resolver=workspace)

    async def answer(self, pattern: str, **arguments: object) -> Answer:
        with anyio.fail_after(20):
            call = {"pattern": pattern, "path": str(self.root), **arguments}
            return await self._runtime.answer_one(Session(), "search_code", call)

    async def __call__(self, pattern: str, **arguments: object) -> ToolResult[object]:
        return (await self.answer(pattern, **arguments)).result

    def write(self, name: str, content: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


@pytest.fixture
def search(tmp_path: Path) -> Searcher:
    root = tmp_path / "repo"
    root.mkdir()
    return Searcher(root)


def items(result: ToolResult[object]) -> list[Item]:
    return [cast("Item", item) for item in result.items]


# req-H1
async def test_paths_come_first_and_sorted_with_both_totals(search: Searcher) -> None:
    search.write("src/b.py", "import os\nimport os\n")
    search.write("src/a.py", "import os\n")
    search.write("c.txt", "nothing\n")

    answer = await search.answer("import os")

    assert items(answer.result) == [{"path": f"{search.root}/src/a.py"}, {"path": f"{search.root}/src/b.py"}]
    assert answer.text == f"3 matching lines in 2 files\n{search.root}/src/\na.py\nb.py"


async def test_counts_stand_before_their_paths(search: Searcher) -> None:
    search.write("b.py", "x\nx\n")
    search.write("a.py", "x\n")

    answer = await search.answer("x", output="counts")

    assert [item["count"] for item in items(answer.result)] == [1, 2]
    assert answer.text == f"3 matching lines in 2 files\n{search.root}/\n1 a.py\n2 b.py"


async def test_content_is_grouped_by_file_with_each_line_once(search: Searcher) -> None:
    search.write("a.txt", "".join(f"{number}\n" for number in range(1, 11)))
    search.write("b.txt", "5\n")

    answer = await search.answer("^[57]$", output="content", context=2)

    assert answer.text == (
        f"3 matching lines in 2 files\n{search.root}/\na.txt\n3- 3\n4- 4\n5: 5\n6- 6\n7: 7\n8- 8\n9- 9\nb.txt\n1: 5"
    )
    assert items(answer.result)[0] == {
        "path": f"{search.root}/a.txt",
        "line": 5,
        "text": "5",
        "before": ["3", "4"],
        "after": ["6", "7"],
    }


# case-B41
async def test_a_match_and_its_context_are_told_apart(search: Searcher) -> None:
    search.write("a.txt", "a\nb\nc\n")

    answer = await search.answer("b", output="content", context=1)
    bare = await search.answer("b", output="content", context=1, line_numbers=False)

    assert answer.text.endswith("a.txt\n1- a\n2: b\n3- c")
    assert bare.text.endswith("a.txt\n- a\n: b\n- c")
    assert "line" not in items(bare.result)[0]


# case-B43, case-B44
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"context": -1}, "context"),
        ({"before": -1}, "before"),
        ({"context": 1, "after": 2}, "context"),
        ({"context": MOST_CONTEXT + 1}, "context"),
        ({"limit": -1}, "limit"),
        ({"offset": -1}, "offset"),
        ({"output": "lines"}, "output"),
    ],
    ids=str,
)
async def test_impossible_and_contradictory_arguments_are_refused_by_name(
    search: Searcher, arguments: dict[str, object], named: str
) -> None:
    search.write("a.txt", "x\n")

    result = await search("x", **{"output": "content", **arguments})

    assert result.failure is not None
    assert result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert [violation.path for violation in result.failure.violations] == [named]


async def test_equal_values_are_no_contradiction(search: Searcher) -> None:
    search.write("a.txt", "a\nx\nb\n")

    result = await search("x", output="content", context=1, before=1)

    assert items(result)[0]["before"] == ["a"]
    assert items(result)[0]["after"] == ["b"]


async def test_what_had_no_effect_is_told(search: Searcher) -> None:
    search.write("a.py", "x\n")

    context = await search("x", context=2)
    glob = await search("x", path=f"{search.root}/a.py", glob="*.ts")

    assert context.notes == ("context not used: lines come with output=content only",)
    assert glob.notes == ("glob not used: path is a file",)
    assert len(glob.items) == 1


# case-B47, req-D10
@pytest.mark.parametrize(("files", "cut"), [(100, False), (101, True)])
async def test_a_limit_is_named_only_when_it_cut(search: Searcher, files: int, cut: bool) -> None:
    for number in range(files):
        search.write(f"f{number:03}.txt", "x\n")

    answer = await search.answer("x", limit=100)

    assert answer.result.truncated is cut
    assert (", limit " in answer.text) is cut
    if answer.result.truncation is not None:
        assert (answer.result.truncation.shown, answer.result.truncation.total) == (100, files)
        assert answer.result.truncation.next["offset"] == 100


@pytest.mark.parametrize("output", ["paths", "counts", "content"])
async def test_following_next_gives_every_item_once(search: Searcher, output: str) -> None:
    for number in range(7):
        search.write(f"f{number}.txt", "x\ny\nx\n")
    whole = items(await search("x", output=output, limit=NO_LIMIT, context=1 if output == "content" else 0))

    collected: list[Item] = []
    following: Mapping[str, object] | None = {"output": output, "limit": 3, "context": 1 if output == "content" else 0}
    while following is not None:
        result = await search("x", **{name: value for name, value in following.items() if name != "pattern"})
        collected += items(result)
        following = result.truncation.next if result.truncation else None

    assert collected == whole
    assert len(whole) == (14 if output == "content" else 7)


async def test_context_lines_ride_along_uncounted(search: Searcher) -> None:
    search.write("a.txt", "1\nx\n3\n4\nx\n6\n")

    result = await search("x", output="content", context=1, limit=1)

    assert result.truncation is not None
    assert (result.truncation.shown, result.truncation.total, result.truncation.unit) == (1, 2, "lines")


async def test_an_offset_past_the_end_is_refused_with_the_last_one(search: Searcher) -> None:
    search.write("a.txt", "x\nx\n")

    files = await search("x", offset=1)
    lines = await search("x", offset=2, output="content")

    assert files.failure is not None
    assert files.failure.problem == "offset 1 is past the end: there is 1 matching file"
    assert lines.failure is not None
    assert lines.failure.next_steps == ("give an offset of at most 1",)


# req-D6, req-E3
async def test_nothing_found_is_a_success_that_says_what_was_and_was_not_searched(search: Searcher) -> None:
    (search.root / ".git").mkdir()
    search.write(".gitignore", "*.log\n")
    search.write("a.py", "x\n")
    search.write("b.log", "absent\n")

    result = await search("absent")

    assert result.status is Status.SUCCESS
    assert result.summary == f"nothing matches in {search.root}: 1 file searched"
    assert result.notes[0] == "not searched: 2 files ignored or hidden (give one, or its folder, as path), binary files"


async def test_a_filter_that_fits_no_file_is_said(search: Searcher) -> None:
    search.write("a.py", "x\n")

    result = await search("x", glob="*.rs")

    assert result.summary == f"nothing matches in {search.root}: no file to search for glob *.rs"


async def test_an_ignored_folder_is_searched_when_it_is_the_path(search: Searcher) -> None:
    (search.root / ".git").mkdir()
    search.write(".gitignore", "build/\n")
    search.write("build/a.txt", "x\n")
    search.write(".hidden/a.txt", "x\n")

    assert len((await search("x", path=f"{search.root}/build")).items) == 1
    assert len((await search("x", path=f"{search.root}/.hidden")).items) == 1
    assert (await search("x")).items == ()


async def test_a_bad_pattern_is_refused_with_a_pattern_that_works(search: Searcher) -> None:
    search.write("a.go", "var x interface{}\n")

    result = await search("interface{}")
    literal = await search("interface\\{\\}")

    assert result.failure is not None
    assert result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert "interface\\{\\}" in result.failure.next_steps[0]
    assert len(literal.items) == 1


async def test_a_missing_path_is_an_environment_failure_with_the_nearest_name(search: Searcher) -> None:
    search.write("source/a.txt", "x\n")

    result = await search("x", path=f"{search.root}/sorce")

    assert result.failure is not None
    assert result.failure.kind is FailureKind.ENVIRONMENT
    assert f"{search.root}/source" in result.failure.next_steps[0]


async def test_a_path_outside_is_denied(search: Searcher) -> None:
    (search.root.parent / "outside").mkdir()

    assert (await search("x", path=f"{search.root}/../outside")).status is Status.DENIED


async def test_without_a_path_the_only_root_is_searched(search: Searcher, tmp_path: Path) -> None:
    search.write("a.txt", "x\n")
    (tmp_path / "second").mkdir()
    both = Workspace([search.root, tmp_path / "second"])
    runtime = Runtime([search_code], parts={Workspace: both}, resolver=both)

    one = await search("x", path=None)
    two = await runtime.call(Session(), "search_code", {"pattern": "x"})

    assert items(one) == [{"path": f"{search.root}/a.txt"}]
    assert two.failure is not None
    assert two.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert str(tmp_path / "second") in two.failure.next_steps[0]


# case-B50
async def test_a_hit_in_a_giant_line_stays_small_and_is_flagged(search: Searcher) -> None:
    search.write("bundle.js", "x" * 50_000 + "stats" + "x" * 50_000 + "\n")

    answer = await search.answer("stats", output="content", limit=1)

    assert items(answer.result)[0]["cut"] is True
    assert len(str(items(answer.result)[0]["text"])) <= LONGEST_LINE
    assert len(answer.text) < LONGEST_LINE * 2
    assert answer.result.notes == (f"lines over {LONGEST_LINE} characters are cut around the match",)


# case-B52
async def test_undecodable_bytes_are_visible_and_told(search: Searcher) -> None:
    (search.root / "a.txt").write_bytes(b"caf\xe9 MARK\n")

    result = await search("MARK", output="content")

    assert items(result)[0]["text"] == "caf\\xe9 MARK"
    assert result.notes == ("bytes that are not UTF-8 are shown as \\xNN",)


async def test_names_cannot_forge_lines_of_the_answer(search: Searcher) -> None:
    search.write("a\nb.txt", "x\n")
    search.write("c.txt", "x\n")

    answer = await search.answer("x")

    assert answer.text.splitlines()[2:] == ["a\\x0ab.txt", "c.txt"]
    assert items(answer.result)[0]["path"] == f"{search.root}/a\nb.txt"


# case-B53
async def test_a_match_over_two_lines_is_one_item_numbered_from_its_first(search: Searcher) -> None:
    search.write("a.txt", "x\ny\nalpha\nbeta\n")

    answer = await search.answer("alpha\\nbeta", output="content", multiline=True)

    assert items(answer.result) == [{"path": f"{search.root}/a.txt", "line": 3, "text": "alpha\nbeta"}]
    assert answer.text == f"1 match in 1 file\n{search.root}/a.txt\n3: alpha\n4: beta"


# case-B53
@pytest.mark.parametrize(
    "pattern", ["alpha\\s+beta", "alpha[^x]beta", "alpha[\\s\\S]*?beta", "(?s)alpha.beta", "a\\W+b"]
)
async def test_a_pattern_that_would_match_across_lines_is_not_just_nothing(search: Searcher, pattern: str) -> None:
    search.write("a.txt", "alpha\nbeta\n")
    search.write("b.txt", "nothing\n")

    result = await search(pattern)

    assert (result.status, result.items) == (Status.SUCCESS, ())
    assert "with multiline=true it matches across lines: 1 match in 1 file" in result.notes


@pytest.mark.parametrize("pattern", ["alpha\\s+gamma", "alpha.beta", "(?i)alpha"])
async def test_multiline_is_not_offered_where_it_finds_nothing_either(search: Searcher, pattern: str) -> None:
    search.write("a.txt", "aleph\nbeta\n")

    assert not any("multiline" in note for note in (await search(pattern)).notes)


async def test_case_is_ignored_only_when_asked(search: Searcher) -> None:
    search.write("a.txt", "Needle\n")

    assert (await search("needle")).items == ()
    assert len((await search("needle", ignore_case=True)).items) == 1


async def test_a_result_over_the_inline_size_is_put_aside_and_continues(search: Searcher) -> None:
    search.write("a.txt", "".join(f"needle {'y' * 200} {number}\n" for number in range(DEFAULT_LIMIT)))

    answer = await search.answer("needle", output="content")

    assert len(answer.text.encode()) <= INLINE_BYTES
    assert answer.result.artifact is not None
    assert answer.result.truncation is not None
    assert answer.result.truncation.next["offset"] == len(answer.result.items)


async def test_of_more_lines_than_a_page_holds_a_preview_is_shown_and_next_goes_on_behind_it(search: Searcher) -> None:
    search.write("a.txt", "".join(f"needle {'y' * 90} {number}\n" for number in range(DEFAULT_LIMIT + 1)))

    answer = await search.answer("needle", output="content")
    asked = await search.answer("needle", output="content", limit=100)
    fitting = await search.answer("needle", output="content", offset=101)

    cut = answer.result.truncation
    assert cut is not None
    shown = len(answer.result.items)
    assert PREVIEW_BYTES * 0.95 < len(rendered(answer.result.items).encode()) <= PREVIEW_BYTES
    assert (cut.shown, cut.total, cut.limit.name, cut.limit.value) == (shown, DEFAULT_LIMIT + 1, "bytes", PREVIEW_BYTES)
    assert cut.next == {"pattern": "needle", "path": str(search.root), "output": "content", "offset": shown}
    assert len(asked.result.items) == 100
    assert len(fitting.result.items) == DEFAULT_LIMIT - 100
    assert fitting.result.truncation is None


async def test_short_lines_fill_a_page_to_its_limit(search: Searcher) -> None:
    search.write("a.txt", "".join(f"needle {number}\n" for number in range(DEFAULT_LIMIT + 1)))

    result = (await search.answer("needle", output="content")).result

    assert len(result.items) == DEFAULT_LIMIT
    assert result.truncation is not None
    assert (result.truncation.limit.name, result.truncation.next["offset"]) == ("limit", DEFAULT_LIMIT)


def test_the_declaration_is_small_and_holds_no_number_of_its_own() -> None:
    declaration = search_code.declaration
    text = declaration.text(Environment(offered=frozenset({"search_code", "find_files", "read_file"})))

    numbers = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)}
    assert numbers == {LONGEST_LINE, PREVIEW_BYTES}
    assert len(text) + len(str(declaration.parameters)) <= MOST_DECLARED_BYTES * 1.25  # str() spaces its keys
    for sentence in ("use find_files", "Returns paths", "multiline", "escape literal braces"):
        assert sentence in text + str(declaration.parameters)
