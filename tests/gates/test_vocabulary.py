"""Words that name nothing stay out of the names we give."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gates.source import Module, modules, parsed

BANNED = {"manage", "helper", "util", "common", "misc", "manager", "service", "data", "info", "obj", "tmp"}
ALLOWED_FILE = Path(__file__).with_name("allowed_words.txt")


def test_no_name_of_ours_contains_a_banned_word() -> None:
    found = [
        f"{module.path}:{line} {name}"
        for module in modules()
        for line, name in named(module)
        if banned(name) and name not in allowed()
    ]
    assert found == []


def test_every_allowed_name_has_its_reason_and_is_still_in_use() -> None:
    in_use = {name for module in modules() for _, name in named(module)}

    assert {name for name, reason in allowed().items() if not reason} == set()
    assert set(allowed()) - in_use == set()


@pytest.mark.parametrize(
    "text",
    [
        "def load_data(): ...",
        "class ToolManager: ...",
        "async def read(*, fileInfo): ...",
        "utils = 1",
        "import json as obj",
        "class Tool:\n    def __init__(self):\n        self.tmp_folder = 1",
        "try: ...\nexcept OSError as info: ...",
        "match 1:\n    case [*misc]: ...",
    ],
    ids=["function", "class", "parameter", "plural", "alias", "attribute", "caught", "captured"],
)
def test_a_banned_word_is_found_in_every_place_a_name_is_given(text: str) -> None:
    assert [name for _, name in named(parsed(text)) if banned(name)] != []


def test_names_of_others_and_longer_words_are_left_alone() -> None:
    names = [name for _, name in named(parsed("metadata = response.data\nforeign.info = common()"))]

    assert [name for name in names if banned(name)] == []


def banned(name: str) -> bool:
    words = [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]
    return any(word in BANNED or word.removesuffix("s") in BANNED for word in words)


def named(module: Module) -> Iterator[tuple[int, str]]:
    """Every name that the module gives to something, with its line."""
    yield 1, Path(module.path).parent.name
    yield 1, Path(module.path).stem
    for node in ast.walk(module.tree):
        name = given(node)
        if name:
            yield getattr(node, "lineno", 1), name


def given(node: ast.AST) -> str | None:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.arg(arg=name) | ast.alias(asname=name) | ast.ExceptHandler(name=name):
            return name
        case ast.Name(id=name, ctx=ast.Store()):
            return name
        case ast.Attribute(attr=name, ctx=ast.Store(), value=ast.Name(id="self" | "cls")):
            return name
        case ast.MatchAs(name=name) | ast.MatchStar(name=name) | ast.MatchMapping(rest=name):
            return name
        case _:
            return None


def allowed() -> dict[str, str]:
    lines = ALLOWED_FILE.read_text(encoding="utf-8").splitlines()
    entries = (line.partition(":") for line in lines if line.strip() and not line.startswith("#"))
    return {name.strip(): reason.strip() for name, _, reason in entries}
