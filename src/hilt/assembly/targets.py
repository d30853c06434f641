"""What a TARGET on the command line names, as lists of declarations.

A JSON file of tools or of MCP servers, a Python module or file, a stdio server's command line (after `--`), an http(s)
URL, a `hilt.toml`, the name of one tool; none is the configuration in force: the built-in shelf, own tools, servers'.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hilt.assembly.config import Config, read_config
from hilt.assembly.foreign import declared, written
from hilt.assembly.gateway.files import ServersFile, read_servers, relaxed, tables_of
from hilt.assembly.gateway.listing import ServerListing, list_servers
from hilt.assembly.gateway.named import servers_of, style_of
from hilt.assembly.gateway.settings import ServerSpec
from hilt.assembly.modules import NoModule, load_tools
from hilt.assembly.pinning import Pinning
from hilt.assembly.settling import settled_tools
from hilt.assembly.shelf import NAMES, SERVER, Shelf, shelf
from hilt.assembly.skills import find_skills, with_skills
from hilt.assembly.storing import store_of
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Withheld
from hilt.catalog.naming import SEPARATOR, Style
from hilt.catalog.residence import waiting_names
from hilt.declarations.declaration import Declaration
from hilt.declarations.description import Environment
from hilt.declarations.names import nearest
from hilt.errors import ConfigError, HiltError

OWN = "own"
"""What a configuration's own tools are listed under."""
LARGEST_FILE = 64_000_000
"""Bytes of a JSON file of tools; the largest real one known has about one million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One tool of a listing. `tool` is there where its effects are declared; `deferred` says it waits to be asked for.

    `made` is the tool as a runtime would have it, where one could.
    """

    server: str
    declaration: Declaration
    tool: AnyTool | None = None
    deferred: bool = False
    made: AnyTool | None = None

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.declaration.name

    @property
    def original(self) -> str:
        """What its own server calls it."""
        return self.declaration.original_name or self.declaration.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Everything the targets name. `faults` holds, for each target that could not be read, why.

    `beside` are names offered with these tools though they were not asked for, `waiting` those of them that have to be
    found, by server: descriptions depend on them. `withheld` are known and kept back.
    """

    tools: tuple[Listed, ...]
    faults: tuple[HiltError, ...] = ()
    notes: tuple[str, ...] = field(default=())
    beside: frozenset[str] = frozenset()
    waiting: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    withheld: tuple[Withheld, ...] = ()

    @property
    def environment(self) -> Environment:
        """What their descriptions depend on."""
        waiting: dict[str, list[str]] = {}
        for each in self.tools:
            if each.deferred:
                waiting.setdefault(each.server, []).append(each.original)
        return Environment(offered=self.offered, waiting=self.waiting or waiting)

    @property
    def offered(self) -> frozenset[str]:
        """Names that a model is offered where it is offered these."""
        return self.beside | {each.name for each in self.tools}


async def list_targets(targets: Sequence[str], command: Sequence[str] = (), *, config: Config | None = None) -> Listing:
    """The tools of every target in order, then of the server that is `command`; none is the shelf.

    One target that cannot be read does not hide the others: see `Listing.faults`.
    """
    if not targets and not command:
        return await list_all(config or read_config())
    tools: list[Listed] = []
    faults: list[HiltError] = []
    notes: list[str] = []
    beside: frozenset[str] = frozenset()
    waiting: Mapping[str, Sequence[str]] = {}
    withheld: list[Withheld] = []
    for target in targets:
        try:
            found = await _named(target, config) or await _target(target)
        except NoModule as error:
            faults.append(_misspelt(target, config) or error)
            continue
        except HiltError as error:
            faults.append(error)
            continue
        tools += found.tools
        faults += found.faults
        notes += [each for each in found.notes if each not in notes]
        beside |= found.beside
        waiting = waiting or found.waiting
        withheld += found.withheld
    if command:
        from hilt.adapters.mcp_client import list_stdio  # lazy: the client SDK takes a second to import

        try:
            server = await list_stdio(command)
            tools += _foreign(server.name, [declared(each, server.name) for each in server.tools])
        except HiltError as error:
            faults.append(error)
    return Listing(
        tools=tuple(tools),
        faults=tuple(faults),
        notes=tuple(notes),
        beside=beside,
        waiting=waiting,
        withheld=tuple(withheld),
    )


async def _named(target: str, config: Config | None) -> Listing | None:
    """The one tool of the settings in force that has this name; no module is asked for it then."""
    if config is None or _exists(target):
        return None
    force = list_config(config) if target.isidentifier() else Listing(tools=())
    found = tuple(each for each in force.tools if each.name == target)
    if not found and (server := _speaks_of(target, config)):
        force = await list_all(config, only=server)
        found = tuple(each for each in force.tools if target in (each.name, f"{each.server}/{each.original}"))
        if force.faults and not found:
            return Listing(tools=(), faults=force.faults, notes=force.notes)
    beside = frozenset(each.name for each in force.tools)
    waiting = force.environment.waiting
    return Listing(tools=found, notes=force.notes, beside=beside, waiting=waiting) if found else None


def _exists(target: str) -> bool:
    return Path(target).exists()


def _speaks_of(target: str, config: Config) -> str:
    """The server whose tool a target may name, as `server/tool` or by its wire name; "" where it names none."""
    parts = target.split(SEPARATOR)
    named = target.partition("/")[0], parts[0], parts[-1]
    return next((each.name for each in servers_of(config).specs if each.name in named and each.name != target), "")


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
    found = _local(target)
    if isinstance(found, Config):
        return await list_all(found)
    if isinstance(found, ServersFile):
        return await _listed_servers(found.servers, found.notes, style="prefix", pins=None)
    return found


def _local(target: str) -> Listing | Config | ServersFile:
    path = Path(target).expanduser()
    if path.suffix == ".toml":
        if not path.is_file():
            raise ConfigError(f"{target} is no file", "name a hilt.toml that exists")
        return read_config(file=path)
    if (servers := _servers_file(path)) is not None:
        return servers
    if path.suffix == ".json" or (path.is_file() and path.suffix != ".py"):
        return Listing(tools=_json_file(path, target))
    if path.is_dir():
        raise ConfigError(f"{target} is a folder", f"name a file of it, such as {target.rstrip('/')}/hilt.toml")
    found = load_tools(target, Path.cwd())
    server = Path(target.partition(":")[0]).stem if ".py" in target else target.partition(":")[0]
    return Listing(tools=tuple(_own(server, tool) for tool in found))


def _servers_file(path: Path) -> ServersFile | None:
    """The servers that a file of another program lists; None where it lists none."""
    try:
        small = path.suffix == ".json" and path.stat().st_size <= LARGEST_FILE
        document = relaxed(path.read_text(encoding="utf-8-sig")) if small else None
    except (OSError, ValueError, RecursionError):
        return None
    return read_servers(path, os.environ) if tables_of(document) is not None else None


async def list_all(config: Config, *, only: str = "") -> Listing:
    """What a configuration offers: the shelf, its own tools, and those of its servers, or of one of them."""
    own, servers = list_config(config), servers_of(config)
    specs = [each for each in servers.specs if each.name == only or not only]
    if not specs and not servers.faults:
        return own
    store = store_of(config)
    try:
        found = await _listed_servers(specs, servers.notes, style=style_of(config), pins=Pinning(store))
    finally:
        await store.close()
    tools = _settled((*own.tools, *found.tools), config)
    return Listing(
        tools=tools,
        faults=(*servers.faults, *found.faults),
        notes=(*own.notes, *found.notes),
        withheld=(*own.withheld, *found.withheld),
    )


def _settled(tools: Sequence[Listed], config: Config) -> tuple[Listed, ...]:
    """The tools of a configuration, those marked that wait to be asked for."""
    later = waiting_names(settled_tools([each.made for each in tools if each.made is not None], config))
    return tuple(replace(each, deferred=each.name in later) for each in tools)


async def _listed_servers(
    specs: Sequence[ServerSpec], notes: Sequence[str], *, style: Style, pins: Pinning | None
) -> Listing:
    found = await list_servers(specs, style, pins)
    return Listing(
        tools=tuple(_of_server(each, tool) for each in found for tool in each.tools),
        faults=tuple(each.fault for each in found if each.fault is not None),
        notes=(*notes, *(note for each in found for note in each.notes)),
        withheld=tuple(held for each in found for held in each.withheld),
    )


def _of_server(listing: ServerListing, tool: AnyTool) -> Listed:
    """A tool of a server; what nobody declared of it is for a judge to infer."""
    judged = tool if tool.name in listing.declared else None
    return Listed(server=listing.server, declaration=tool.declaration, tool=judged, made=tool)


def list_config(config: Config) -> Listing:
    """The shelf and the own tools of a configuration."""
    skills = find_skills(config, config.paths("workspace.roots") or [Path.cwd()])
    loaded, own = with_skills(shelf(config.texts("shelf")), skills, config), config_tools(config)
    tools = settled_tools((*loaded.tools, *own), config)
    later = waiting_names(tools)
    servers = (*(SERVER for _ in loaded.tools), *(OWN for _ in own))
    return Listing(
        tools=tuple(
            Listed(server=server, declaration=each.declaration, tool=each, deferred=each.name in later, made=each)
            for server, each in zip(servers, tools, strict=True)
        ),
        notes=(*config.notes, *loaded.notes),
        withheld=_left_out(config, loaded),
    )


def _left_out(config: Config, loaded: Shelf) -> tuple[Withheld, ...]:
    """Tools of the shelf that are not offered, for the settings leave them out or there is nothing for them to do."""
    named, there = config.texts("shelf"), {each.name for each in loaded.tools}
    broken = {name for name in NAMES for note in loaded.notes if note.startswith(f"{name} is not on the shelf")}
    unnamed = Withheld(name="", why="filtered", reason="the setting shelf leaves it out", step="add it", server=SERVER)
    idle = replace(unnamed, reason="there is nothing for it to do", step="hilt skill list says which skills there are")
    return tuple(
        replace(unnamed if named is not None and name not in named else idle, name=name)
        for name in NAMES
        if name not in there | broken
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
