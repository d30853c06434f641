"""What a TARGET on the command line names, as lists of declarations.

A JSON file, a Python module or file, a stdio server's command line (after `--`), an http(s) URL, a
`hilt.toml`, the name of one tool; none is the built-in shelf with the tools of the configuration in force.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hilt.assembly.config import Config, read_config
from hilt.assembly.foreign import declared, written
from hilt.assembly.modules import NoModule, load_tools
from hilt.assembly.shelf import SERVER, shelf
from hilt.assembly.skills import find_skills, with_skills
from hilt.calls.tool import AnyTool
from hilt.declarations.declaration import Declaration
from hilt.declarations.names import nearest
from hilt.errors import ConfigError, HiltError

OWN = "own"
"""What a configuration's own tools are listed under."""
LARGEST_FILE = 64_000_000
"""Bytes of a JSON file of tools; the largest real one known has about one million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One tool of a listing. `tool` is there where Hilt could run it; `deferred` says it waits to be asked for."""

    server: str
    declaration: Declaration
    tool: AnyTool | None = None
    deferred: bool = False

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.declaration.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Everything the targets name. `faults` holds, for each target that could not be read, why.

    `beside` are names offered with these tools though they were not asked for: descriptions depend on them.
    """

    tools: tuple[Listed, ...]
    faults: tuple[HiltError, ...] = ()
    notes: tuple[str, ...] = field(default=())
    beside: frozenset[str] = frozenset()

    @property
    def offered(self) -> frozenset[str]:
        """Names that a model is offered where it is offered these."""
        return self.beside | {each.name for each in self.tools}


async def list_targets(targets: Sequence[str], command: Sequence[str] = (), *, config: Config | None = None) -> Listing:
    """The tools of every target in order, then of the server that is `command`; none is the shelf.

    One target that cannot be read does not hide the others: see `Listing.faults`.
    """
    if not targets and not command:
        return list_config(config or read_config())
    tools: list[Listed] = []
    faults: list[HiltError] = []
    notes: list[str] = []
    beside: frozenset[str] = frozenset()
    for target in targets:
        try:
            found = _named(target, config) or await _target(target)
        except NoModule as error:
            faults.append(_misspelt(target, config) or error)
            continue
        except HiltError as error:
            faults.append(error)
            continue
        tools += found.tools
        notes += [each for each in found.notes if each not in notes]
        beside |= found.beside
    if command:
        from hilt.adapters.mcp_client import list_stdio  # lazy: the client SDK takes a second to import

        try:
            server = await list_stdio(command)
            tools += _foreign(server.name, [declared(each, server.name) for each in server.tools])
        except HiltError as error:
            faults.append(error)
    return Listing(tools=tuple(tools), faults=tuple(faults), notes=tuple(notes), beside=beside)


def _named(target: str, config: Config | None) -> Listing | None:
    """The one tool of the settings in force that has this name; no module is asked for it then."""
    if config is None or not target.isidentifier() or Path(target).exists():
        return None
    force = list_config(config)
    found = tuple(each for each in force.tools if each.name == target)
    beside = frozenset(each.name for each in force.tools)
    return Listing(tools=found, notes=force.notes, beside=beside) if found else None


def _misspelt(target: str, config: Config | None) -> ConfigError | None:
    """What to say of a name that is no module where tools in force are named almost so."""
    near = nearest(target, [each.name for each in list_config(config).tools]) if config is not None else ()
    if not near:
        return None
    return ConfigError(f"no tool and no module is named {target!r}", f"did you mean {' or '.join(near)}?")


async def _target(target: str) -> Listing:
    if target.startswith(("http://", "https://")):
        from hilt.adapters.mcp_client import list_http  # lazy: the client SDK takes a second to import

        server = await list_http(target)
        return Listing(tools=_foreign(server.name, [declared(each, server.name) for each in server.tools]))
    return _local(target)


def _local(target: str) -> Listing:
    path = Path(target).expanduser()
    if path.suffix == ".toml":
        if not path.is_file():
            raise ConfigError(f"{target} is no file", "name a hilt.toml that exists")
        return list_config(read_config(file=path))
    if path.suffix == ".json" or (path.is_file() and path.suffix != ".py"):
        return Listing(tools=_json_file(path, target))
    if path.is_dir():
        raise ConfigError(f"{target} is a folder", f"name a file of it, such as {target.rstrip('/')}/hilt.toml")
    found = load_tools(target, Path.cwd())
    server = Path(target.partition(":")[0]).stem if ".py" in target else target.partition(":")[0]
    return Listing(tools=tuple(_own(server, tool) for tool in found))


def list_config(config: Config) -> Listing:
    """The shelf and the own tools of a configuration."""
    skills = find_skills(config, config.paths("workspace.roots") or [Path.cwd()])
    loaded, own = with_skills(shelf(config.texts("shelf")), skills, config), config_tools(config)
    return Listing(
        tools=(*(_own(SERVER, tool) for tool in loaded.tools), *(_own(OWN, tool) for tool in own)),
        notes=(*config.notes, *loaded.notes),
    )


def config_tools(config: Config) -> tuple[AnyTool, ...]:
    """The tools of their own that a configuration names. Runs their modules' code."""
    origin = config.origin("tools")
    if origin is None:
        return ()
    return tuple(tool for target in config.texts("tools") or () for tool in load_tools(target, origin.folder))


def _own(server: str, tool: AnyTool) -> Listed:
    return Listed(server=server, declaration=tool.declaration, tool=tool, deferred=tool.handling.deferred)


def _foreign(server: str, declarations: Sequence[Declaration]) -> tuple[Listed, ...]:
    return tuple(Listed(server=server, declaration=each) for each in declarations)


def _json_file(path: Path, target: str) -> tuple[Listed, ...]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigError(f"{target} is larger than {LARGEST_FILE:,} bytes", "split it into several files")
        document: object = json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{target} cannot be read: {error.strerror}", "name a file that exists") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{target} is not JSON: {error}", "correct the file at that place") from None
    found = written(document, target)
    return _foreign(found.name or path.stem, found.declarations)
