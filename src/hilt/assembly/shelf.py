"""The built-in shelf: which tools come with Hilt, each loaded by itself.

A tool whose module or optional part is missing is left out and told; the others work on.
"""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from hilt.calls.tool import AnyTool
from hilt.errors import HiltError

NAMES = ("search_code", "find_files", "read_file", "artifact_read")
"""Tools of the shelf, in the order they are offered. The module and its tool have one name."""

SERVER = "hilt"
"""What the shelf is called where several servers are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The tools that loaded, and for each other one why it did not."""

    tools: tuple[AnyTool, ...]
    missing: tuple[tuple[str, str], ...] = ()


def shelf(names: tuple[str, ...] = NAMES) -> Shelf:
    """The named tools of the shelf."""
    tools: list[AnyTool] = []
    missing: list[tuple[str, str]] = []
    for name in names:
        found = _load(name)
        if isinstance(found, str):
            missing.append((name, found))
        else:
            tools.append(found)
    return Shelf(tools=tuple(tools), missing=tuple(missing))


def _load(name: str) -> AnyTool | str:
    module = f"hilt.tools.{name}"
    if find_spec(module) is None:
        return "it is not part of this installation"
    try:
        found: AnyTool | None = getattr(import_module(module), name, None)
    except (ImportError, HiltError) as error:
        return str(error)
    return f"{module} holds no tool of that name" if found is None else found
