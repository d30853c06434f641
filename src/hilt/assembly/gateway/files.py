"""Lists of MCP servers that other programs keep: `mcpServers`, and VS Code's `servers`.

They are read as they are. What Hilt does not know in them is left out with a note; comments and a comma too many are
taken, for VS Code writes them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hilt.assembly.gateway.settings import ServerSpec, server_of
from hilt.assembly.kept_files import whole_text
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError

KEYS = ("mcpServers", "servers")
"""Keys below which a file lists servers."""
LARGEST = 16_000_000
"""Bytes of a file; some programs keep their whole state in it."""
OLD_TRANSPORT = "it speaks SSE, the transport of before 2025: name its address for streamable HTTP"
_TAKEN = ("command", "args", "env", "cwd", "url", "headers")
_SAME = {"httpUrl": "url", "serverUrl": "url", "includeTools": "include", "excludeTools": "exclude"}
"""Keys that are ours by another name."""
_NO_MATTER = frozenset({"type", "transport", "disabled", "enabled", "name", "description", "$schema"})
_TOKENS = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServersFile:
    """The servers of one file, and what of it was not understood."""

    servers: tuple[ServerSpec, ...]
    notes: tuple[str, ...] = ()


def read_servers(file: Path, environment: Mapping[str, str]) -> ServersFile:
    """The servers of a file. Raises `ConfigError` where it cannot be read or lists none."""
    try:
        text = whole_text(file, most=LARGEST, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        step = "name the file that lists the servers alone" if "larger" in (why or "") else "name a file that exists"
        raise ConfigError(f"{file} cannot be read: {why}", step) from None
    try:
        document = relaxed(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not JSON: {error}", "correct the file at that place") from None
    tables = tables_of(document)
    if tables is None:
        raise ConfigError(f"{file} lists no MCP servers", f"name a file that has {' or '.join(KEYS)}")
    return servers_in(tables, file, environment)


def servers_in(tables: Mapping[str, object], file: Path, environment: Mapping[str, str]) -> ServersFile:
    """The servers of such tables."""
    notes: list[str] = []
    servers: list[ServerSpec] = []
    for name, table in tables.items():
        if not is_object(table):
            notes.append(f"{file}: {name} is no object, and is left out")
            continue
        ours = _ours(table)
        left = [key for key in table if key not in _TAKEN and key not in _SAME and key not in _NO_MATTER]
        if left:
            notes.append(f"{file}: of {name}, Hilt does not use {', '.join(left)}")
        spec = server_of(name, ours, environment, origin=str(file), needs_consent=True)
        servers.append(replace(spec, fault=OLD_TRANSPORT) if table.get("type") == "sse" else spec)
    return ServersFile(servers=tuple(servers), notes=tuple(notes))


def relaxed(text: str) -> object:
    """JSON, with comments and commas before a closing bracket."""
    try:
        return json.loads(text)
    except ValueError:
        bare = _TOKENS.sub(lambda found: found[0] if found[0][0] == '"' else " ", text)
        return json.loads(_COMMAS.sub(lambda found: found[1] or "", bare))


def tables_of(document: object) -> Mapping[str, object] | None:
    """The tables of servers in a document; None where it lists none."""
    for key in KEYS:
        tables = document.get(key) if is_object(document) else None
        if is_object(tables) and (key == KEYS[0] or any(_is_server(each) for each in tables.values())):
            return tables
    return None


def _is_server(table: object) -> bool:
    return is_object(table) and any(key in table for key in ("command", "url"))


def _ours(table: Mapping[str, object]) -> dict[str, object]:
    """A table of theirs as one of ours."""
    made = dict(_fields(table))
    if isinstance(command := made.get("command"), list):  # some write the whole line as one list
        words = [str(each) for each in command]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # JSON
        made |= {"command": words[0] if words else "", "args": words[1:]}
    if made.get("url") and not made.get("command"):
        made.pop("command", None)
    if table.get("disabled") is True or table.get("enabled") is False:
        made["enabled"] = False
    return made


def _fields(table: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        name = _SAME.get(key, key)
        if name in _TAKEN or key in _SAME:
            yield name, list(value) if is_array(value) else value
