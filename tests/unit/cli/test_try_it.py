"""`hilt try` computes its question, counts what it says it counted, and does not pass off a wrong answer."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hilt.agents.loop import run_task
from hilt.agents.scripted import Said, ScriptedModel
from hilt.assembly.build import open_runtime
from hilt.cli import main
from hilt.cli.faults import CommandError
from hilt.cli.try_check import compare
from hilt.cli.try_story import story
from hilt.cli.try_tree import choose
from hilt.errors import ConfigError
from hilt.store import MEMORY, open_store

USES = {"one.py": 3, "two.py": 3, "three.py": 2, "four.py": 1}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    root.mkdir()
    (root / "errors.py").write_text("class WrongTurnError(Exception): ...\nclass TimeoutError(Exception): ...\n")
    for name, times in USES.items():
        handler = "try:\n    go()\nexcept WrongTurnError:\n    pass\n"
        (root / name).write_text("from errors import WrongTurnError\n" + handler * times)
    return root


def test_the_same_tree_gives_the_same_name_and_a_builtin_is_none(tree: Path) -> None:
    first, second = choose(tree), choose(tree)

    assert first == second
    assert first.name == "WrongTurnError"
    assert first.files == 5


def test_a_name_defined_twice_is_not_asked_about(tree: Path) -> None:
    (tree / "again.py").write_text("class WrongTurnError(Exception): ...\n")

    with pytest.raises(CommandError, match="none of the 6 files"):
        choose(tree)


async def test_an_answer_that_is_no_longer_true_is_told_with_what_differs(tree: Path) -> None:
    subject = choose(tree)
    async with open_runtime(tree, store=open_store(MEMORY)) as assembled:
        session = replace(assembled.session, user_words=subject.question)
        run = await run_task(assembled.runtime, session, ScriptedModel(story(subject)), subject.question)
    assert compare(subject, run).same

    (tree / "late.py").write_text("try: ...\nexcept WrongTurnError: ...\n")
    comparison = compare(subject, run)

    assert not comparison.same
    assert comparison.words == (
        "rg, run directly, differs: 1 files only from rg, such as late.py; "
        "1 lines only from rg, such as ('late.py', 2); 1 handling lines only from rg, such as ('late.py', 2)"
    )


def test_a_small_tree_is_said_to_be_small(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", str(tree)]) == 0

    assert "5 files, counted just now, fewer than the 1,000 this is meant for" in capsys.readouterr().out


def test_quiet_and_a_file_get_the_answer_alone(tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["try", str(tree), "-q"])
    quiet = capsys.readouterr().out
    main(["try", str(tree), "-o", str(tmp_path / "answer.txt")])

    assert quiet.startswith("WrongTurnError is defined in\n  errors.py:1\nand handled in\n")
    assert (tmp_path / "answer.txt").read_text() == quiet


def test_a_tree_without_such_a_name_is_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["try", str(tmp_path), "--json"]) == 5

    assert json.loads(capsys.readouterr().err)["error"]["code"] == "no_subject"


def test_a_story_that_meets_another_refusal_than_its_own_stops(tree: Path) -> None:
    third = story(choose(tree))[2]
    assert callable(third)

    with pytest.raises(ConfigError, match="names no output"):
        third(Said(messages=({"role": "tool", "content": "error: something else"},)))
