"""Reports against other tools, of reading and searching: each kind on the shelf, as `hilt serve` and `call` offer it.

`cases.toml` in `tests/behaviours` lists which tests answer which report.
"""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from hilt.assembly.build import Assembled, open_runtime
from hilt.calls.answer import Answer
from hilt.store import MEMORY, open_store


class Shelf:
    """A workspace, and the built-in tools on it."""

    def __init__(self, root: Path, assembled: Assembled) -> None:
        self.root, self._assembled = root, assembled

    def write(self, name: str, content: bytes | str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return str(path)

    async def answer(self, tool: str, **arguments: object) -> Answer:
        return await self._assembled.runtime.answer_one(self._assembled.session, tool, arguments)

    async def items(self, tool: str, **arguments: object) -> list[Any]:
        answer = await self.answer(tool, **arguments)
        assert not answer.result.is_error, answer.text
        return list(answer.result.items)

    async def everything(self, tool: str, **arguments: object) -> list[Any]:
        """The items of all pages, by `next`."""
        found: list[Any] = []
        following: dict[str, object] | None = arguments
        while following is not None:
            result = (await self.answer(tool, **following)).result
            found += result.items
            following = dict(result.truncation.next) if result.truncation else None
        return found


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    root = tmp_path / "repo"
    root.mkdir()
    async with open_runtime(root, store=open_store(MEMORY)) as assembled:
        yield Shelf(root, assembled)


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"], ids=["empty", "a mark alone"])
async def test_a_file_without_lines_has_no_numbered_row_b28(shelf: Shelf, content: bytes) -> None:
    answer = await shelf.answer("read_file", path=shelf.write("f", content))

    assert answer.result.items == ()
    assert f"{len(content)} bytes, 0 lines" in answer.text
    assert "1\t" not in answer.text


async def test_past_the_end_there_is_the_length_and_no_row_b28(shelf: Shelf) -> None:
    answer = await shelf.answer("read_file", path=shelf.write("f", "x\n" * 412), offset=900)

    assert answer.result.is_error
    assert "has 412 lines" in answer.text
    assert "900\t" not in answer.text


@pytest.mark.parametrize("content", ["a\nb\nc", "a\r\nb\r\nc"], ids=["lf", "crlf"])
async def test_the_last_line_is_reached_without_its_ending_b29(shelf: Shelf, content: str) -> None:
    answer = await shelf.answer("read_file", path=shelf.write("f", content), offset=3)

    assert answer.result.items == ({"line": 3, "text": "c"},)
    assert "line 3 of 3" in answer.text


async def test_a_file_that_states_no_size_is_read_b31(tmp_path: Path) -> None:
    async with open_runtime(Path("/proc/self"), store=open_store(MEMORY)) as assembled:
        answer = await assembled.runtime.answer_one(
            assembled.session, "read_file", {"path": f"/proc/{os.getpid()}/status"}
        )

    assert "Name:\t" in answer.text
    assert answer.result.items


@pytest.mark.parametrize("kilobytes", [40, 400])
async def test_one_giant_line_is_read_to_its_end_in_growing_columns_b32(shelf: Shelf, kilobytes: int) -> None:
    text = '{"k":"' + "vé" * (kilobytes * 333) + '"}'
    items = await shelf.everything("read_file", path=shelf.write("one.json", text))

    assert "".join(item["text"] for item in items) == text
    columns = [item.get("column", 0) for item in items]
    assert columns == sorted(set(columns))


@pytest.mark.parametrize(
    "line",
    [
        "KEY=os.environ.get('K','demo-key-0000')",
        "token = 'ghp_" + "a1B2" * 9 + "'",
        "aws_secret_access_key=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    ],
    ids=["call", "token", "key"],
)
async def test_a_line_is_shown_as_it_stands_in_the_file_b34(shelf: Shelf, line: str) -> None:
    path = shelf.write("settings.py", f"{line}\n")

    assert await shelf.items("read_file", path=path) == [{"line": 1, "text": line}]
    [hit] = await shelf.items("search_code", pattern="=", output="content")
    assert hit["text"] == line


async def test_search_and_read_agree_on_what_a_line_is_b35(shelf: Shelf) -> None:
    path = shelf.write("f", "l1\x0cx\nl2\u2028y\nl3\x85z\nl4\x0b\x1cw\rv\nl5 TAIL\n")

    [hit] = await shelf.items("search_code", pattern="TAIL", output="content")
    assert hit["line"] == 5
    assert (await shelf.items("read_file", path=path, offset=5)) == [{"line": 5, "text": "l5 TAIL"}]


@pytest.mark.parametrize(
    ("there", "asked", "points"),
    [
        ("shot v\u00a01.png", "shot v 1.png", "U+00A0 NO-BREAK SPACE"),
        ("Abscha\u0308tzung.txt", "Absch\u00e4tzung.txt", "U+0308 COMBINING DIAERESIS"),
        ("it\u2019s.txt", "it's.txt", "U+2019 RIGHT SINGLE QUOTATION MARK"),
        ("a\u200bb.txt", "ab.txt", "U+200B ZERO WIDTH SPACE"),
    ],
)
async def test_a_name_that_looks_alike_is_told_and_can_be_copied_b37(
    shelf: Shelf, there: str, asked: str, points: str
) -> None:
    path = shelf.write(there, "x\n")
    answer = await shelf.answer("read_file", path=f"{shelf.root}/{asked}")

    assert points in answer.text
    assert answer.result.failure is not None
    [step] = answer.result.failure.next_steps
    assert json.loads(step.removeprefix("give the path ")) == path
    assert await shelf.items("read_file", path=path) == [{"line": 1, "text": "x"}]


@pytest.mark.parametrize("pattern", ["-77", "--ctx-size", "->", "--pre=sh", "-", "--"])
async def test_a_pattern_with_a_dash_is_a_pattern_b38(shelf: Shelf, pattern: str) -> None:
    shelf.write("f", f"a {pattern} b\nnothing\n")

    [hit] = await shelf.items("search_code", pattern=pattern, output="content")
    assert hit["line"] == 1


@pytest.mark.parametrize("name", ["-g.py", "--files", "--pre=sh", "-"])
async def test_a_name_with_a_dash_is_a_name_b38(shelf: Shelf, name: str) -> None:
    path = shelf.write(name, "needle\n")

    assert [each["path"] for each in await shelf.items("find_files", pattern=name)] == [path]
    assert [each["path"] for each in await shelf.items("search_code", pattern="needle", glob=name)] == [path]
    assert [each["path"] for each in await shelf.items("search_code", pattern="needle", path=path)] == [path]


@pytest.mark.parametrize("pattern", ["interface{}", "(", "[a", "a{2", "*x", "\\"])
async def test_a_bad_pattern_says_where_and_offers_the_text_itself_b40(shelf: Shelf, pattern: str) -> None:
    shelf.write("f", f"x {pattern} y\n")
    answer = await shelf.answer("search_code", pattern=pattern)

    assert answer.result.failure is not None
    assert "at character" in answer.result.failure.problem
    escaped = answer.result.failure.next_steps[0].rpartition("escape it: ")[2]
    assert len(await shelf.items("search_code", pattern=escaped)) == 1


@pytest.mark.parametrize(
    ("around", "rows"),
    [
        ({"context": 1}, "4- 4\n5: 5\n6- 6"),
        ({"before": 2}, "3- 3\n4- 4\n5: 5"),
        ({"after": 2, "before": 1, "limit": 1}, "4- 4\n5: 5\n6- 6\n7- 7"),
    ],
)
async def test_lines_around_a_match_are_all_there_and_told_from_it_b41_b44(
    shelf: Shelf, around: dict[str, object], rows: str
) -> None:
    shelf.write("f", "".join(f"{number}\n" for number in range(1, 11)))
    answer = await shelf.answer("search_code", pattern="^5$", output="content", **around)

    assert answer.text.endswith(rows)


@pytest.mark.parametrize("around", [{"context": -1}, {"before": -3}, {"context": 1, "after": 2}, {"after": 1.5}])
async def test_impossible_numbers_of_lines_are_refused_and_hide_no_hit_b43_b44(
    shelf: Shelf, around: dict[str, object]
) -> None:
    shelf.write("f", "needle\n")
    answer = await shelf.answer("search_code", pattern="needle", output="content", **around)

    assert answer.result.failure is not None
    assert {each.path for each in answer.result.failure.violations} <= around.keys()


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        (".github/w/*.yml", [".github/w/ci.yml"]),
        ("**/*.ts", ["v.ts"]),
        ("*", ["v.ts"]),
        (".*.ts", [".hidden.ts"]),
        (".git/*", []),
        ("**/config", []),
    ],
)
async def test_a_dot_is_found_where_it_is_spelled_and_version_control_never_b46(
    shelf: Shelf, pattern: str, names: list[str]
) -> None:
    for name in (".github/w/ci.yml", ".hidden.ts", "v.ts", ".git/config", ".git/HEAD"):
        shelf.write(name, "x\n")

    found = await shelf.items("find_files", pattern=pattern)
    assert [each["path"].removeprefix(f"{shelf.root}/") for each in found] == names


@pytest.mark.parametrize("tool", ["find_files", "search_code"])
async def test_a_limit_that_cut_nothing_is_not_named_b47(shelf: Shelf, tool: str) -> None:
    for number in range(5):
        shelf.write(f"{number}.txt", "x\n")
    pattern = "*" if tool == "find_files" else "x"

    exact, cut = await shelf.answer(tool, pattern=pattern, limit=5), await shelf.answer(tool, pattern=pattern, limit=4)

    assert (exact.result.truncated, "limit 5" in exact.text) == (False, False)
    assert cut.result.truncation is not None
    assert (cut.result.truncation.total, cut.result.truncation.next["offset"]) == (5, 4)


async def test_the_promised_order_holds_over_all_pages_b49(shelf: Shelf) -> None:
    for place, name in enumerate(["c", "b", "a", "same1", "same2"]):
        seconds = min(place, 3) + 1_700_000_000
        os.utime(shelf.write(name, ""), (seconds, seconds))

    found = await shelf.everything("find_files", pattern="*", limit=2)
    assert [Path(each["path"]).name for each in found] == ["same1", "same2", "a", "b", "c"]


async def test_a_hit_in_a_bundle_costs_one_short_row_b50(shelf: Shelf) -> None:
    shelf.write("bundle.js", "x" * 50_000 + "stats" + "y" * 50_000)
    answer = await shelf.answer("search_code", pattern="stats", output="content", limit=1, context=2)

    [hit] = answer.result.items
    assert len(answer.text) < 1_000
    assert "stats" in str(hit)
    assert "cut around the match" in answer.text


async def test_bytes_that_are_no_text_cost_no_hit_b52(shelf: Shelf) -> None:
    shelf.write("f", b"caf\xe9 MARK\nok MARK\n")
    shelf.write(os.fsdecode(b"n\xff.txt"), "MARK\n")

    hits = await shelf.items("search_code", pattern="MARK", output="content")
    assert [(Path(hit["path"]).name, hit["text"]) for hit in hits] == [
        ("f", "caf\\xe9 MARK"),
        ("f", "ok MARK"),
        ("n\\xff.txt", "MARK"),
    ]
    assert len(await shelf.items("find_files", pattern="*")) == 2


@pytest.mark.parametrize("pattern", ["alpha\\nbeta", "alpha\nbeta", "alpha\\s+beta"])
async def test_a_pattern_over_two_lines_names_multiline_and_counts_once_b53(shelf: Shelf, pattern: str) -> None:
    shelf.write("f", "x\ny\nalpha\nbeta\n")

    assert "multiline=true" in (await shelf.answer("search_code", pattern=pattern)).text
    [hit] = await shelf.items("search_code", pattern=pattern, output="content", multiline=True)
    assert (hit["line"], hit["text"]) == (3, "alpha\nbeta")


async def test_a_dot_stays_in_its_line_even_with_multiline_b53(shelf: Shelf) -> None:
    shelf.write("f", "alpha\nbeta\n")

    assert await shelf.items("search_code", pattern="alpha.beta", multiline=True) == []


@pytest.mark.parametrize("pattern", ["^end", "^end$", "end$"])
async def test_a_mark_and_a_carriage_return_hide_no_end_of_a_line_b55(shelf: Shelf, pattern: str) -> None:
    shelf.write("f", b"\xef\xbb\xbfend\r\nnext\r\n")

    [hit] = await shelf.items("search_code", pattern=pattern, output="content")
    assert (hit["line"], hit["text"]) == (1, "end")


async def test_a_loop_of_links_gives_one_hit_and_no_failure_b56(shelf: Shelf) -> None:
    shelf.write("lo/d/f", "LOOPX\n")
    (shelf.root / "lo/d/up").symlink_to("..")
    (shelf.root / "self").symlink_to("self")

    for path in (shelf.root, shelf.root / "lo/d/up", shelf.root / "lo/d/up/d/up"):
        answer = await shelf.answer("search_code", pattern="LOOPX", path=str(path))
        assert (answer.result.status, len(answer.result.items)) == ("success", 1)
