"""The package's source as the gates read it: parsed modules, and names traced back to what was imported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "hilt"
ROOMS = sorted(path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__")


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    path: str
    text: str
    tree: ast.Module

    @property
    def imported(self) -> dict[str, str]:
        """Each name an import binds, and the dotted name it stands for."""
        bound: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    bound[alias.asname or alias.name.split(".")[0]] = (
                        alias.name if alias.asname else alias.name.split(".")[0]
                    )
            elif isinstance(node, ast.ImportFrom):
                bound |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        return bound


@cache
def modules(*rooms: str) -> tuple[Module, ...]:
    """Every module of these rooms, or of the whole package."""
    folders = [PACKAGE / room for room in rooms] if rooms else [PACKAGE]
    return tuple(read(path) for folder in folders for path in sorted(folder.rglob("*.py")))


def read(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    return Module(path=path.relative_to(ROOT).as_posix(), text=text, tree=ast.parse(text))


def parsed(text: str, path: str = "sketch.py") -> Module:
    return Module(path=path, text=text, tree=ast.parse(text))


def references(module: Module) -> Iterator[tuple[int, str]]:
    """Every name and attribute chain of a module, `line, dotted name`, with imported names spelled out.

    What is asked of a call's result has no name to start from: its chain starts with `?`.
    """
    imported = module.imported
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name | ast.Attribute):
            first, _, rest = dotted(node).partition(".")
            yield node.lineno, ".".join(filter(None, (imported.get(first, first), rest)))


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            return f"{dotted(value)}.{attribute}"
        case _:
            return "?"
