"""`hilt advise`: six answers as options or at a terminal, one answer back."""

import os
import subprocess
import sys
from pathlib import Path

from hilt.assembly.advice import QUESTIONS
from tests.command import Hilt

LINTER = [
    *("--control", "none", "--platform", "same", "--frequency", "often"),
    *("--arguments", "text", "--changes", "stable", "--editor", "nobody"),
]


def test_the_answer_names_a_home_its_reasons_and_what_each_home_costs_and_how_it_fails(hilt: Hilt) -> None:
    ran = hilt("advise", *LINTER, "--json")

    document = ran.json
    assert (ran.code, document["home"], document["is_tool"]) == (0, "executor", False)
    assert {"question": "platform", "answer": "same", "points": 2} in document["decided"]  # type: ignore[operator]  # JSON
    homes = {each["home"]: each for each in document["homes"]}  # type: ignore[union-attr, index]  # JSON
    assert homes["executor"]["standing_tokens"] == homes["nothing"]["standing_tokens"] == 0
    assert homes["tool"]["standing_tokens"] > homes["skill"]["standing_tokens"] > 0
    assert all(each["fails"] for each in homes.values())


def test_people_read_the_home_the_reason_and_what_would_change_it(hilt: Hilt) -> None:
    text = hilt("advise", *LINTER).out

    assert text.startswith("advice     a command for the executor (run_command), no tool of its own\n")
    assert "because    arguments is text" in text or "because    platform is same" in text
    assert "otherwise  a dedicated tool, with control ask" in text


def test_a_machine_that_leaves_a_question_out_is_told_the_answers_there_are(hilt: Hilt) -> None:
    ran = hilt("advise", *LINTER[:-2], "--json")

    assert (ran.code, ran.error["code"]) == (2, "unanswered")
    assert ran.error["hint"] == "--editor developer|team|model|nobody"


def test_at_a_terminal_what_is_left_out_is_asked(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    # 9 is no answer, so the question comes again
    os.write(ours, b"9\n2\nstable\n1\n")
    ran = subprocess.run(
        [sys.executable, "-m", "hilt", "advise", *LINTER[:2], *LINTER[4:8], "--platform", "no-command"],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "HILT_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path)},
        timeout=50,
        check=False,
    )
    os.close(theirs)
    asked = os.read(ours, 100_000).decode()
    os.close(ours)

    assert ran.returncode == 0
    assert b"advice" in ran.stdout
    for question in QUESTIONS:
        assert (question.words in asked) == (question.name in ("changes", "editor"))
