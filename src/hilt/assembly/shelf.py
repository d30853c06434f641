"""The built-in shelf: which tools come with Hilt, each loaded by itself.

A tool whose module or optional part is missing is left out and told; the others work on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from hilt.calls.tool import AnyTool
from hilt.declarations.names import nearest
from hilt.errors import ConfigError, HiltError

NAMES = (
    "search_code",
    "find_files",
    "read_file",
    "edit_file",
    "write_file",
    "run_command",
    "artifact_read",
    "find_tools",
    "read_document",
    "move_path",
    "remove_path",
    "edit_notebook",
    "command_output",
    "command_stop",
    "command_list",
    "command_input",
    "task_create",
    "task_update",
    "task_list",
    "use_skill",
    "fetch_page",
    "get_page_metadata",
    "search_web",
    "run_code",
)
"""Tools of the shelf, in the order they are offered. The module and its tool have one name."""

SERVER = "hilt"
"""What the shelf is called where several servers are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """The tools that loaded, and a note for each other one."""

    tools: tuple[AnyTool, ...]
    notes: tuple[str, ...] = ()


def shelf(names: Sequence[str] | None = None) -> Shelf:
    """The tools of the shelf, those named or all. Raises `ConfigError` for a name that is not on it."""
    for name in names or ():
        if name not in NAMES:
            near = nearest(name, NAMES, most=1)
            step = f"write {near[0]}" if near else f"the shelf holds {', '.join(NAMES)}"
            raise ConfigError(f"shelf: no tool of the shelf is named {name!r}", step)
    tools: list[AnyTool] = []
    notes: list[str] = []
    for name in NAMES if names is None else dict.fromkeys(names):
        found = _load(name)
        if isinstance(found, str):
            notes.append(f"{name} is not on the shelf: {found}")
        else:
            tools.append(found)
    return Shelf(tools=tuple(tools), notes=tuple(notes))


def _load(name: str) -> AnyTool | str:
    module = f"hilt.tools.{name}"
    if find_spec(module) is None:
        return "it is not part of this installation"
    try:
        found: AnyTool | None = getattr(import_module(module), name, None)
    except (ImportError, HiltError) as error:
        return str(error)
    return f"{module} holds no tool of that name" if found is None else found
