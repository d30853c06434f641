"""`tests/behaviours/cases.toml` lists tests that exist, at least one for each public report that is to be answered."""

import ast
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from tests.gates.source import ROOT

CASES = ROOT / "tests" / "behaviours" / "cases.toml"


def test_every_report_has_one_case_and_every_case_a_report() -> None:
    listed = listing()
    ids = [case["id"] for case in listed["case"]]

    assert [id for id, count in Counter(ids).items() if count > 1] == []
    assert sorted(ids) == sorted(listed["reports"])


def test_every_case_lists_tests_that_exist() -> None:
    for case in listing()["case"]:
        assert case["tests"], case["id"]
        missing = [test for test in case["tests"] if test.partition("::")[2] not in names_in(test.partition("::")[0])]
        assert missing == [], case["id"]


def test_every_test_that_names_a_report_is_listed_under_it() -> None:
    listed = {case["id"]: set(case["tests"]) for case in listing()["case"]}
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        path = file.relative_to(ROOT).as_posix()
        for name in names_in(path):
            for id in listed:
                assert f"_{id.lower()}_" not in f"{name}_" or f"{path}::{name}" in listed[id], (id, path, name)


def listing() -> dict[str, Any]:
    return tomllib.loads(CASES.read_text(encoding="utf-8"))


@cache
def names_in(path: str) -> frozenset[str]:
    file = ROOT / Path(path)
    if not file.is_file():
        return frozenset()
    return frozenset(
        node.name
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    )
