"""One server of the settings: what is started or reached, and how its tools are offered."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from hilt.adapters.mcp_claims import ErrorClaims
from hilt.assembly.config import Config
from hilt.assembly.server_tables import PLACE, SERVERS
from hilt.declarations.schema import is_array, is_object

TIMEOUT_S = 60.0
"""Seconds one call may take unless the server's table says otherwise."""
STARTUP_S = 20.0
"""Seconds a server may take to start and to list its tools unless its table says otherwise."""
_CLAIMS: Mapping[str, ErrorClaims] = {"report": "report", "fail": "fail", "ignore": "ignore"}
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{([^}]*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """One server as it is to be used. `fault` says why it cannot be, in words that hold no value of a variable.

    `place` is what is started or reached as it was written, variables and all: what a person consents to.
    `needs_consent` where another program's file names it. `patterns` are the tools to offer, `dropped` those not to.
    """

    name: str
    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: Path | None = None
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    bearer: str | None = field(default=None, repr=False)
    enabled: bool = True
    required: bool = False
    patterns: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    timeout_s: float = TIMEOUT_S
    startup_s: float = STARTUP_S
    effects: Path | None = None
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    claims: ErrorClaims = "report"
    origin: str = ""
    place: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    needs_consent: bool = False
    fault: str = ""

    @property
    def shown(self) -> str:
        """What is started or reached, as it was written."""
        if "url" in self.place:
            return str(self.place["url"])
        arguments = self.place.get("args")
        return " ".join([str(self.place.get("command", "")), *map(str, arguments if is_array(arguments) else ())])

    def offers(self, tool: str) -> bool:
        """Whether the settings let a tool of this name be offered."""
        wanted = not self.patterns or any(fnmatchcase(tool, each) for each in self.patterns)
        return wanted and not any(fnmatchcase(tool, each) for each in self.dropped)


def configured(config: Config, environment: Mapping[str, str]) -> tuple[ServerSpec, ...]:
    """The servers that the settings name themselves, in their order."""
    found, origin = config.value(SERVERS), config.origin(SERVERS)
    tables = found if is_object(found) else {}
    place = origin.place if origin else ""
    return tuple(
        server_of(name, table, environment, origin=place) for name, table in tables.items() if is_object(table)
    )


def server_of(
    name: str,
    table: Mapping[str, object],
    environment: Mapping[str, str],
    *,
    origin: str = "",
    needs_consent: bool = False,
) -> ServerSpec:
    """One server of its table. What is wrong with it is its `fault`, and no other server's."""
    written = {key: table[key] for key in PLACE if key in table}
    reader = _Reader(environment)
    command = tuple(reader.text(each) for each in (table.get("command", ""), *_texts(table, "args")) if each != "")
    bearer = table.get("bearer_token_env_var")
    return ServerSpec(
        name=name,
        command=command if "command" in table else (),
        env=reader.table(table.get("env")),
        cwd=Path(reader.text(table["cwd"])).expanduser() if "cwd" in table else None,
        url=reader.text(table.get("url", "")),
        headers=reader.table(table.get("headers")),
        bearer=reader.variable(str(bearer)) if bearer else None,
        enabled=table.get("enabled") is not False,
        required=table.get("required") is True,
        patterns=tuple(_texts(table, "include")),
        dropped=tuple(_texts(table, "exclude")),
        timeout_s=_seconds(table.get("timeout_s"), TIMEOUT_S),
        startup_s=_seconds(table.get("startup_timeout_s"), STARTUP_S),
        effects=Path(str(table["effects"])) if "effects" in table else None,
        aliases=_aliases(table.get("aliases")),
        claims=_CLAIMS.get(str(table.get("error_claims")), "report"),
        origin=origin,
        place=written,
        needs_consent=needs_consent,
        fault=_fault(table, reader),
    )


def _fault(table: Mapping[str, object], reader: "_Reader") -> str:
    """The first reason why a server cannot be started as it is written."""
    if "command" in table and "url" in table:
        return "it names a command and a url: give it one of the two"
    if "command" not in table and "url" not in table:
        return "it names neither a command nor a url"
    url = str(table.get("url", ""))
    if "url" in table and not (url.startswith(("http://", "https://", "${")) and _is_address(reader.text(url))):
        return f"its url {url!r} is no http address"
    if reader.missing:
        names = ", ".join(dict.fromkeys(reader.missing))
        return f"the environment has no variable {names}"
    return f"${{{reader.unknown[0]}}} is no variable that Hilt knows" if reader.unknown else ""


def _is_address(url: str) -> bool:
    try:
        urlsplit(url)
    except ValueError:
        return False
    return True


class _Reader:
    """Texts with their variables filled in, and the names of those that are missing."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.missing: list[str] = []
        self.unknown: list[str] = []

    def text(self, text: object) -> str:
        return _VARIABLE.sub(self._value, str(text))

    def table(self, values: object) -> dict[str, str]:
        return {name: self.text(value) for name, value in values.items()} if is_object(values) else {}

    def variable(self, name: str) -> str:
        value = self._environment.get(name)
        if value is None:
            self.missing.append(name)
        return value or ""

    def _value(self, found: re.Match[str]) -> str:
        name, otherwise, other = found[1], found[2], found[3]
        if other is not None:
            self.unknown.append(other)
            return ""
        if otherwise is not None:
            return self._environment.get(name) or otherwise
        return self.variable(name)


def _texts(table: Mapping[str, object], name: str) -> Sequence[str]:
    listed = table.get(name)
    return [str(each) for each in listed] if is_array(listed) else []


def _seconds(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else otherwise


def _aliases(table: object) -> dict[str, tuple[str, ...]]:
    entries = table.items() if is_object(table) else ()
    return {name: tuple(str(each) for each in said) for name, said in entries if is_array(said)}


def unique(specs: Iterable[ServerSpec], told: Callable[[str], None]) -> tuple[ServerSpec, ...]:
    """The servers by name, the first of each; a later one of the same name is told."""
    kept: dict[str, ServerSpec] = {}
    for each in specs:
        first = kept.setdefault(each.name, each)
        if first is not each:
            told(
                f"{each.origin}: the server {each.name} is left out, for {first.origin or 'the settings'} has that name"
            )
    return tuple(kept.values())
