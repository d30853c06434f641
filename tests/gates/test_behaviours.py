"""The manifest of behaviours and the tests in `tests/behaviours` say the same, read from either side.

A test names the requirements it proves: `req_A1` in its name, or `req-A1` in its docstring or its file's docstring.
"""

import ast
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache

from tests.gates.source import ROOT

FOLDER = ROOT / "tests" / "behaviours"
LETTERS = "ABCDEFGHI"
STATUSES = {"done", "partial", "planned"}
NAMED = re.compile(r"req[-_]([A-I]\d{1,2})(?!\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    id: str
    status: str
    lacks: str
    tests: frozenset[str]


def test_every_requirement_has_one_well_formed_entry() -> None:
    ids = [requirement.id for requirement in manifest()]

    assert [id for id, count in Counter(ids).items() if count > 1] == []
    for letter in LETTERS:
        numbers = sorted(int(id.removeprefix(f"req-{letter}")) for id in ids if id.startswith(f"req-{letter}"))
        assert numbers == list(range(1, len(numbers) + 1)), f"the numbers under {letter} have a gap"
        assert numbers, f"no requirement under {letter}"


def test_a_status_says_neither_more_nor_less_than_is_proved() -> None:
    for requirement in manifest():
        assert requirement.status in STATUSES, requirement
        assert bool(requirement.tests) == (requirement.status != "planned"), f"tests and status differ: {requirement}"
        assert bool(requirement.lacks) == (requirement.status == "partial"), f"lacks and status differ: {requirement}"


def test_every_test_the_manifest_lists_exists_and_names_the_requirement() -> None:
    claims = {(requirement.id, test) for requirement in manifest() for test in requirement.tests}
    named = {(id, test) for test, ids in behaviours().items() for id in ids}

    assert sorted(claims - named) == []


def test_every_behaviour_is_listed_under_each_requirement_it_names() -> None:
    claims = {(requirement.id, test) for requirement in manifest() for test in requirement.tests}
    named = {(id, test) for test, ids in behaviours().items() for id in ids}

    assert sorted(named - claims) == []


def test_every_behaviour_names_a_requirement() -> None:
    assert sorted(test for test, ids in behaviours().items() if not ids) == []


def manifest() -> list[Requirement]:
    entries = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["requirement"]
    return [
        Requirement(
            id=entry.pop("id"),
            status=entry.pop("status"),
            lacks=entry.pop("lacks", ""),
            tests=frozenset(entry.pop("tests", [])),
        )
        for entry in entries
    ]


@cache
def behaviours() -> dict[str, frozenset[str]]:
    """Each test as `tests/behaviours/test_x.py::test_y`, and the requirements it names."""
    return {
        f"{path.relative_to(ROOT).as_posix()}::{test.name}": named_by(test, module)
        for path in sorted(FOLDER.rglob("test_*.py"))
        for module in [ast.parse(path.read_text(encoding="utf-8"))]
        for test in module.body
        if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test_")
    }


def named_by(test: ast.FunctionDef | ast.AsyncFunctionDef, module: ast.Module) -> frozenset[str]:
    words = f"{test.name} {ast.get_docstring(test) or ''}"
    ids = NAMED.findall(words) or NAMED.findall(ast.get_docstring(module) or "")
    return frozenset(f"req-{id}" for id in ids)
