"""The main job: a task on a code base of more than a thousand files, from the declaration to a checked answer.

Each test drives `hilt try`, a process of its own, on a generated tree that holds what a search must not return.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

MODULES = 1_040
NAME = "ParcelLostError"
HANDLERS = {"desk/claims.py": 3, "desk/mail.py": 2, "routes/retry.py": 1}
RAISERS = {"routes/van.py": 2, "routes/ship.py": 2}
LINES = 1 + sum(1 + times for times in [*HANDLERS.values(), *RAISERS.values()])
"""The definition; in each other file an import and its uses."""
BODY = """
def work_{number}():
    try:
        go()
    except {name} as error:
        raise SystemExit from error
"""


@dataclass(frozen=True)
class Told:
    """One finished `hilt try`."""

    code: int
    text: str
    document: dict[str, Any]

    @property
    def results(self) -> list[dict[str, Any]]:
        return [step for step in self.document["steps"] if step["step"] == "answered"]

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [call for step in self.document["steps"] if step["step"] == "chosen" for call in step["calls"]]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose error is defined once, with names a search must not confuse and files it must not show."""
    root = tmp_path_factory.mktemp("parcels")
    for number in range(MODULES):
        write(root / f"bulk/part_{number % 40}/module_{number}.py", f"def work_{number}():\n    return {number}\n")
    write(root / "errors.py", f"class {NAME}(Exception):\n    pass\n\n\nclass {NAME}Twice(Exception):\n    pass\n")
    for path, times in HANDLERS.items():
        body = "".join(BODY.format(number=number, name=NAME) for number in range(times))
        write(root / path, f"from errors import {NAME}\n{body}")
    for path, times in RAISERS.items():
        write(root / path, f"from errors import {NAME}\n" + f"raise {NAME}\n" * times)
    write(root / ".hidden/secret.py", f"except {NAME}: hidden\n")
    write(root / "built/copy.py", f"except {NAME}: ignored\n")
    write(root / ".ignore", "built/\n")
    write(root / "notes.md", f"except {NAME}: not Python\n")
    return root


@pytest.fixture(scope="module")
def told(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    home = tmp_path_factory.mktemp("home")
    finished = [hilt(home, "try", str(tree), *more) for more in ((), ("--json",))]
    assert [each.stderr for each in finished] == ["", ""]
    return Told(finished[0].returncode, finished[0].stdout, json.loads(finished[1].stdout))


def hilt(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "HILT_HOME": str(home), "HOME": str(home), "NO_COLOR": "1"}
    command = [sys.executable, "-m", "hilt", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def ripgrep(tree: Path, pattern: str) -> set[str]:
    """Places as `path:line`, from rg itself."""
    command = [
        str(Path(sys.executable).parent / "rg"),
        "--no-config",
        "--no-heading",
        "--line-number",
        "--type=py",
        pattern,
        ".",
    ]
    finished = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    return {":".join(line.removeprefix("./").split(":")[:2]) for line in finished.stdout.splitlines()}


def test_req_H1_the_answer_is_what_rg_says(told: Told, tree: Path) -> None:
    stated = set(re.findall(r"^  (\S+:\d+)$", told.document["text"].partition("and handled in")[2], re.MULTILINE))

    assert stated == ripgrep(tree, rf"\bexcept\b.*\b{NAME}\b")
    assert len(stated) == sum(HANDLERS.values())
    assert told.document["question"] == f"Where is {NAME} handled?"
    assert f"{told.document['files']:,} files, counted just now" in told.text
    assert told.document["files"] > MODULES
    assert told.document["text"].endswith(f"{LINES} lines in 6 files name it.")
    assert len(ripgrep(tree, rf"\b{NAME}\b")) == LINES
    assert told.document["check"]["same"] is True
    assert told.code == 0


def test_req_A1_what_is_offered_is_shown_with_its_price(told: Told) -> None:
    offered = next(step for step in told.document["steps"] if step["step"] == "offered")

    assert {"search_code", "read_file"} <= set(offered["tools"])
    assert f"{offered['bytes']:,} bytes, {offered['tokens']:,} tokens" in " ".join(told.text.split())
    assert "what a model sees of search_code" in told.text


def test_req_A2_choices_are_read_from_turns_and_labelled_as_scripted(told: Told) -> None:
    assert [call["name"] for call in told.calls] == ["search_code"] * 4 + ["read_file"]
    assert all(isinstance(json.loads(call["arguments"]), dict) for call in told.calls)
    assert "scripted, not a model" in told.text


def test_req_A3_each_call_is_checked_before_it_runs_and_a_faulty_one_is_neither(told: Told) -> None:
    kinds = [step["step"] for step in told.document["steps"]]
    good = ["chosen", "understood", "checked", "executed", "answered"]

    assert [kind for kind in kinds if kind != "offered"] == [
        *good, "chosen", "answered", *good * 3, "chosen", "ended"
    ]  # fmt: skip


def test_req_A4_every_call_has_one_answer_in_order(told: Told) -> None:
    assert [result["id"] for result in told.results] == [call["id"] for call in told.calls]


def test_req_E2_a_refused_argument_says_what_to_do_and_the_next_call_does_it(told: Told) -> None:
    refused = told.results[1]["result"]["failure"]

    assert refused["class"] == "invalid_arguments"
    assert refused["violations"][0]["next_step"] == 'use "content"'
    assert json.loads(told.calls[2]["arguments"])["output"] == "content"


def test_req_H1_a_cut_result_is_continued_by_its_own_next_to_the_exact_total(told: Told) -> None:
    first, second = told.results[2]["result"], told.results[3]["result"]

    assert json.loads(told.calls[3]["arguments"]) == first["truncation"]["next"]
    assert len(first["items"]) + len(second["items"]) == first["truncation"]["total"] == LINES
    assert not second["truncated"]


def test_req_H2_the_file_that_is_read_was_named_by_the_result_before(told: Told) -> None:
    path = json.loads(told.calls[4]["arguments"])["path"]

    assert path in {item["path"] for result in told.results[2:4] for item in result["result"]["items"]}
    assert NAME in str(told.results[4]["result"]["items"])


def test_req_F13_a_person_reads_what_each_call_is_about(told: Told, tree: Path) -> None:
    path = json.loads(told.calls[4]["arguments"])["path"]
    activities = [step["activity"] for step in told.document["steps"] if step["step"] == "understood"]

    assert activities[-1] == f"reading {path}"
    assert f"reading{path}" in "".join(told.text.split())


def test_req_G1_the_rows_of_the_bill_add_up_and_the_counter_is_named(told: Told) -> None:
    bill = told.document["bill"]

    assert bill["declared_tokens"] == sum(row["declared_tokens"] for row in bill["turns"])
    assert bill["returned_tokens"] == sum(row["returned_tokens"] for row in bill["turns"])
    assert bill["total_tokens"] == bill["declared_tokens"] + bill["returned_tokens"]
    assert bill["calls"] == len(told.calls)
    assert f"bill, in tokens by {bill['counter']}" in told.text
