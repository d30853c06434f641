"""The house: every room has its front door, code imports rooms and not the porch, and the porch stays light."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hilt
from tests.gates.source import PACKAGE, ROOMS, Module, modules, parsed

LONGEST_FRONT_DOOR = 15
HEAVY = ("pydantic", "mcp", "anyio", "sqlalchemy", "rich", "click", "asyncio")
EXPORTED_FILE = Path(__file__).with_name("exported_names.txt")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_a_front_door_that_fits_on_a_card(room: str) -> None:
    door = front_door(room)

    assert door.strip(), f"src/hilt/{room}/__init__.py says nothing"
    assert len(door.strip().splitlines()) <= LONGEST_FRONT_DOOR


@pytest.mark.parametrize("room", ROOMS)
def test_a_front_door_tells_the_truth_about_what_is_behind_it(room: str) -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", front_door(room)))
    empty = [path for path in (PACKAGE / room).rglob("*.py") if path.name != "__init__.py"] == []

    assert [name for name in named if not any((base / name).is_file() for base in (PACKAGE, PACKAGE / room))] == []
    assert ("No code yet." in front_door(room)) == empty


def test_code_imports_from_rooms_and_never_from_the_porch() -> None:
    assert [fault for module in modules() for fault in porch_imports(module)] == []


def test_an_import_from_the_porch_is_seen() -> None:
    assert list(porch_imports(parsed("from hilt import Runtime"))) != []
    assert list(porch_imports(parsed("import hilt"))) != []
    assert list(porch_imports(parsed("from hilt.runtime import Runtime"))) == []


def test_annotations_are_real_at_run_time() -> None:
    postponed = [module.path for module in modules() if "annotations" in module.imported]

    assert postponed == []


def test_the_porch_exports_what_the_list_says_and_each_name_is_there() -> None:
    listed = EXPORTED_FILE.read_text(encoding="utf-8").split()

    assert sorted(hilt.__all__) == sorted(listed)
    assert [name for name in hilt.__all__ if getattr(hilt, name, None) is None] == []


def test_importing_hilt_loads_nothing_heavy() -> None:
    program = f"import sys; before = set(sys.modules); import hilt; print(*set({HEAVY}) & set(sys.modules) - before)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert finished.stdout.split() == []


def front_door(room: str) -> str:
    tree = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8"))
    return ast.get_docstring(tree) or ""


def porch_imports(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module == "hilt":
            yield from (f"{module.path}:{node.lineno} {alias.name}" for alias in node.names if alias.name not in ROOMS)
        elif isinstance(node, ast.Import):
            yield from (f"{module.path}:{node.lineno} import hilt" for alias in node.names if alias.name == "hilt")
