"""The tables `[servers.NAME]` of several sources as one: merged by name, and field by field within one server."""

from collections.abc import Mapping
from pathlib import Path

from hilt.assembly.origin import Origin, Setting
from hilt.declarations.schema import is_object

SERVERS = "servers"
PLACE = ("command", "args", "env", "cwd", "url", "headers", "bearer_token_env_var")
"""Fields that say together what is started or reached: a source that names it anew takes none of them over."""
_PATHS = ("cwd", "effects")
"""Fields that are paths, relative to the file that says them."""


def with_servers(before: Setting | None, tables: object, origin: Origin) -> Setting:
    """The servers known before with those of one more, stronger source."""
    known = dict(before.value) if before is not None and is_object(before.value) else {}
    for name, table in tables.items() if is_object(tables) else ():
        known[name] = _one(known.get(name), _settled(table if is_object(table) else {}, origin.folder))
    return Setting(key=SERVERS, value=known, origin=origin)


def _one(before: object, table: Mapping[str, object]) -> dict[str, object]:
    kept = dict(before) if is_object(before) else {}
    if "command" in table or "url" in table:
        kept = {key: value for key, value in kept.items() if key not in PLACE}
    return {**kept, **table}


def _settled(table: Mapping[str, object], folder: Path) -> dict[str, object]:
    """A table whose paths no longer depend on the file that says them; what holds a variable waits for it."""
    paths = {key: value for key in _PATHS if isinstance(value := table.get(key), str) and not value.startswith("$")}
    return {**table, **{key: str(folder / Path(value).expanduser()) for key, value in paths.items()}}
