"""A file is one idea and a function fits on a screen."""

import ast
from collections.abc import Callable, Iterator
from statistics import median

from tests.gates.source import Module, modules

LONGEST_FILE = 400
LONGEST_FUNCTION = 50


def test_no_file_is_longer_than_the_ceiling(record_property: Callable[[str, object], None]) -> None:
    sizes = {module.path: len(module.text.splitlines()) for module in modules()}
    record_property("report", summary("files", sizes))

    assert {path: size for path, size in sizes.items() if size > LONGEST_FILE} == {}


def test_no_function_is_longer_than_the_ceiling(record_property: Callable[[str, object], None]) -> None:
    sizes = {name: size for module in modules() for name, size in functions(module)}
    record_property("report", summary("functions", sizes))

    assert {name: size for name, size in sizes.items() if size > LONGEST_FUNCTION} == {}


def summary(what: str, sizes: dict[str, int]) -> str:
    return f"{what}: {len(sizes)}, median {median(sizes.values()):.0f} lines, longest {max(sizes.values())}"


def functions(module: Module) -> Iterator[tuple[str, int]]:
    """From `def` to the last line; a decorator is a declaration, and has its own readers."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield f"{module.path}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1
