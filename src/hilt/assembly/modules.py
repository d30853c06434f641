"""Tools written in Python: `module`, `module:attribute`, `path.py`, `path.py:attribute`."""

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import cast

from hilt.calls.tool import AnyTool, Tool
from hilt.declarations.names import nearest
from hilt.errors import ConfigError, HiltError


class NoModule(ConfigError):
    """Nothing that can be imported has the name."""


def load_tools(target: str, folder: Path) -> tuple[AnyTool, ...]:
    """The tools a target names, in the order of their names' first use; paths are relative to `folder`.

    Runs the module's code. Raises `ConfigError` naming what is there instead.
    """
    path, _, attribute = target.partition(":")
    module = _from_file(folder / Path(path).expanduser()) if path.endswith(".py") else _imported(path, folder)
    if not attribute:
        found = tuple(_tools(vars(module).values()))
        if not found:
            raise ConfigError(f"{path} holds no tool", "decorate a function with @tool(kind=...), or name its module")
        return found
    value: object = getattr(module, attribute, None)
    listed = tuple(_tools(cast("Iterable[object]", value) if isinstance(value, list | tuple) else (value,)))
    if listed:
        return listed
    names = [name for name, each in vars(module).items() if isinstance(each, Tool)]
    near = nearest(attribute, names, most=1)
    step = f"{path}:{near[0]}" if near else f"one of {', '.join(names) or 'none'}"
    raise ConfigError(f"{path} has no tool {attribute!r}", step)


def _tools(values: Iterable[object]) -> Iterator[AnyTool]:
    """Each tool once, whatever number of names it has."""
    seen: list[object] = []
    for value in values:
        if isinstance(value, Tool) and not any(value is each for each in seen):
            tool = cast("AnyTool", value)
            seen.append(tool)
            yield tool


def _imported(name: str, folder: Path) -> ModuleType:
    """A module by its dotted name, from `folder` too: a tool's module need not be installed."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise _broken(name, error) from error
        raise NoModule(
            f"no module is named {name!r} in {folder} or among the installed packages",
            f"name a file instead: {name.replace('.', '/')}.py",
        ) from None
    except (Exception, SystemExit) as error:  # somebody else's code: it may raise anything
        raise _broken(name, error) from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ConfigError(f"{path} is no file", "name the Python file that holds the tool")
    name = f"hilt_target_{path.stem}_{sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path} cannot be loaded as Python", "name a .py file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # somebody else's code: it may raise anything
        del sys.modules[name]
        raise _broken(str(path), error) from error
    return module


def _broken(target: str, error: BaseException) -> HiltError:
    """What a module's own code raised: a refused declaration in its own words, anything else with its line."""
    if isinstance(error, HiltError):
        return ConfigError(f"{target}: {error.problem}", *error.next_steps)
    line, frames = "", error.__traceback__
    while frames is not None:
        line = f" at {frames.tb_frame.f_code.co_filename}:{frames.tb_lineno}"
        frames = frames.tb_next
    return ConfigError(f"{target} cannot be imported: {type(error).__name__}: {error}{line}", "mend that line")
