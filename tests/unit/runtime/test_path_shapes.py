"""What is no absolute path is a fault of shape, and what people read of a call is filled in or left out."""

from pathlib import Path
from typing import Annotated

import pytest

from hilt import Param, tool
from hilt.results.failures import FailureKind
from hilt.workspace import Workspace
from tests.kit import answered, perceiving, runtime

Where = Annotated[str | None, Param("a path", role="path")]
Several = Annotated[list[str], Param("paths", role="path")]


@tool(**perceiving())
def visit(path: Where = None, paths: Several = []) -> str:  # noqa: B006  # a default of a tool is part of its schema
    return path or "nowhere"


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/../app.py", "app.py"),
        (".", ""),
        ("", ""),
        ("../elsewhere", ""),
        ("~/app.py", ""),
        ("file:///app.py", ""),
        ("C:\\\\app.py", ""),
        ("app\\u0000.py", ""),
        ("/app\\u0000.py", ""),
    ],
)
async def test_a_text_that_is_no_absolute_path_is_a_wrong_argument_with_one_that_is(
    asked: str, meant: str, tmp_path: Path
) -> None:
    answer = await answered(runtime(visit, resolver=Workspace([tmp_path])), "visit", f'{{"path": "{asked}"}}')
    failure = answer.result.failure
    assert failure is not None
    assert failure.kind is FailureKind.INVALID_ARGUMENTS
    [violation] = failure.violations
    assert violation.path == "path"
    assert violation.next_step == f'give an absolute path, for example "{tmp_path / meant}"'
    assert failure.next_steps == (violation.next_step,)


async def test_every_path_of_a_list_is_told_by_its_place(tmp_path: Path) -> None:
    arguments = f'{{"paths": ["a", "{tmp_path}", "b"], "path": "c"}}'
    answer = await answered(runtime(visit, resolver=Workspace([tmp_path])), "visit", arguments)
    assert answer.result.failure is not None
    assert {each.path for each in answer.result.failure.violations} == {"path", "paths[0]", "paths[2]"}


async def test_an_absolute_path_outside_is_still_denied(tmp_path: Path) -> None:
    answer = await answered(runtime(visit, resolver=Workspace([tmp_path])), "visit", '{"path": "/etc/passwd"}')
    assert answer.result.denied is not None
    assert answer.result.denied.rule == "outside-roots"


async def test_a_host_without_a_workspace_gives_paths_its_own_meaning() -> None:
    assert (await answered(runtime(visit), "visit", '{"path": "src/app.py"}')).text == "src/app.py"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"pattern": "a"}', "looking for a, 5 {other}"),
        ('{"pattern": "a  b", "path": "/w", "limit": 1}', "looking for a  b /w, 1 {other}"),
        ('{"pattern": "{limit} {path}"}', "looking for {limit} {path}, 5 {other}"),
    ],
)
async def test_an_activity_shows_arguments_or_their_defaults_and_no_empty_place(arguments: str, words: str) -> None:
    @tool(**perceiving(activity="looking for {pattern} {path}, {limit} {other}"))
    def look(
        pattern: Annotated[str, Param("what")],
        path: Annotated[str | None, Param("where")] = None,
        limit: Annotated[int, Param("most")] = 5,
    ) -> str:
        return "done"

    made = runtime(look)
    told: list[object] = []
    made.listen(lambda event: told.append(event.facts.get("activity")) if event.step == "decode" else None)
    await answered(made, "look", arguments)
    assert told == [words]
