"""`find_files`: names found, newest first, each once."""

import os
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
from hilt.tools.find_files import DEFAULT_LIMIT, NO_LIMIT, _time, find_files
from hilt.workspace import Workspace

Item = Mapping[str, object]
EPOCH = 1_700_000_000


class Finder:
    """One workspace, one runtime, and the call under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        workspace = Workspace([root])
        self._runtime = Runtime([find_files], parts={Workspace: workspace}, resolver=workspace)

    async def answer(self, pattern: str, **arguments: object) -> Answer:
        with anyio.fail_after(20):
            call = {"pattern": pattern, "path": str(self.root), **arguments}
            return await self._runtime.answer_one(Session(), "find_files", call)

    async def __call__(self, pattern: str, **arguments: object) -> ToolResult[object]:
        return (await self.answer(pattern, **arguments)).result

    async def names(self, pattern: str, **arguments: object) -> list[str]:
        result = await self(pattern, **arguments)
        return [str(item["path"]).removeprefix(f"{self.root}/") for item in items(result)]

    def write(self, name: str, *, changed: int = EPOCH) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("12345", encoding="utf-8")
        os.utime(path, (changed, changed))


@pytest.fixture
def files(tmp_path: Path) -> Finder:
    root = tmp_path / "repo"
    root.mkdir()
    return Finder(root)


def items(result: ToolResult[object]) -> list[Item]:
    return [cast("Item", item) for item in result.items]


# case-B49
async def test_the_last_changed_comes_first_and_equals_come_by_path(files: Finder) -> None:
    for name, changed in (("c.txt", 1), ("b.txt", 3), ("a.txt", 2), ("sub/b.txt", 3)):
        files.write(name, changed=EPOCH + changed)

    answer = await files.answer("*.txt")

    assert [str(item["path"]) for item in items(answer.result)] == [
        f"{files.root}/{name}" for name in ("b.txt", "sub/b.txt", "a.txt", "c.txt")
    ]
    assert items(answer.result)[0] == {"path": f"{files.root}/b.txt", "bytes": 5, "modified": "2023-11-14T22:13:23Z"}
    assert answer.text.splitlines()[:3] == [
        "4 files fit *.txt, the last changed first",
        f"{files.root}/",
        "b.txt 5 2023-11-14T22:13:23Z",
    ]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59Z"),
        (2**34, "2514-05-30T01:53:04Z"),
        (2**40, "9999-12-31T23:59:59Z"),
        (-(2**40), "0001-01-01T00:00:00Z"),
    ],
)
def test_a_time_that_no_calendar_holds_is_shown_as_the_nearest_that_one_does(seconds: int, shown: str) -> None:
    assert _time(seconds) == shown  # most file systems keep no such time, so that no file can be made to have it


# case-B46
async def test_a_dot_name_is_found_only_where_the_pattern_spells_it(files: Finder) -> None:
    for name in (".github/w/ci.yml", ".hidden.ts", "v.ts", ".git/w/ci.yml"):
        files.write(name)

    assert await files.names(".github/w/*.yml") == [".github/w/ci.yml"]
    assert await files.names("**/*.ts") == ["v.ts"]
    assert await files.names(".*.ts") == [".hidden.ts"]
    assert await files.names("**/*.yml") == []
    assert await files.names(".git/**") == []


async def test_ignored_files_are_left_out_whatever_the_pattern(files: Finder) -> None:
    (files.root / ".git").mkdir()
    (files.root / ".gitignore").write_text("*.log\n", encoding="utf-8")
    for name in ("a.log", "src/b.log", "src/c.py"):
        files.write(name)

    assert await files.names("*.log") == []
    assert await files.names("src/*") == ["src/c.py"]


# case-B47
@pytest.mark.parametrize(("number", "cut"), [(DEFAULT_LIMIT, False), (DEFAULT_LIMIT + 1, True)])
async def test_a_limit_is_named_only_when_it_cut(files: Finder, number: int, cut: bool) -> None:
    for each in range(number):
        files.write(f"f{each:03}.txt")

    answer = await files.answer("*.txt")

    assert answer.result.truncated is cut
    assert (", limit " in answer.text) is cut
    if answer.result.truncation is not None:
        assert answer.result.truncation.total == number
        assert answer.result.truncation.next == {"pattern": "*.txt", "path": str(files.root), "offset": DEFAULT_LIMIT}


async def test_following_next_gives_every_file_once(files: Finder) -> None:
    for each in range(7):
        files.write(f"f{each}.txt", changed=EPOCH + each % 2)
    whole = items(await files("*.txt", limit=NO_LIMIT))

    collected: list[Item] = []
    following: Mapping[str, object] | None = {"limit": 3}
    while following is not None:
        result = await files("*.txt", **{name: value for name, value in following.items() if name != "pattern"})
        collected += items(result)
        following = result.truncation.next if result.truncation else None

    assert collected == whole
    assert len(whole) == 7


async def test_nothing_found_says_what_was_passed_over(files: Finder) -> None:
    files.write(".github/ci.yml")
    files.write("a.txt")

    hidden = await files("*.yml")
    nowhere = await files("*.rs")

    assert hidden.status is Status.SUCCESS
    assert hidden.summary == f"no file in {files.root} fits *.yml: 1 file looked at"
    assert hidden.notes[0].startswith("1 file that fits is ignored or hidden")
    assert nowhere.notes[0].startswith("no ignored or hidden file fits either")


async def test_what_cannot_be_found_is_refused_with_what_can(files: Finder) -> None:
    files.write("src/a.py")

    results = {
        "past": await files("*.py", offset=1),
        "bad": await files("{a"),
        "absolute": await files(f"{files.root}/src/*.py"),
        "above": await files("../*"),
        "empty": await files(""),
    }
    file = await files("*.py", path=f"{files.root}/src/a.py")
    missing = await files("*.py", path=f"{files.root}/sr")

    for result in results.values():
        assert result.failure is not None
        assert result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert results["past"].failure is not None
    assert results["past"].failure.problem == "offset 1 is past the end: the pattern fits 1 file"
    assert results["bad"].failure is not None
    assert results["bad"].failure.problem.startswith("the pattern {a is not valid: unclosed alternate group")
    assert results["absolute"].failure is not None
    assert results["absolute"].failure.next_steps == ("give the pattern src/*.py",)
    for result in (file, missing):
        assert result.failure is not None
        assert result.failure.kind is FailureKind.ENVIRONMENT


async def test_links_are_neither_listed_nor_followed(files: Finder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("x", encoding="utf-8")
    (files.root / "link").symlink_to(outside)
    (files.root / "link.txt").symlink_to(outside / "secret.txt")
    files.write("a.txt")

    assert await files.names("*.txt") == ["a.txt"]


def test_the_declaration_holds_no_number_of_its_own() -> None:
    text = find_files.declaration.text(Environment(offered=frozenset({"search_code", "find_files", "read_file"})))

    assert re.findall(r"\d+", text) == []
    for sentence in ("use search_code", "last changed first", "no contents"):
        assert sentence in text
