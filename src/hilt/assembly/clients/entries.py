"""A client's entry of one server as a table of `hilt.toml`, or the reason why it must stay where it is."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hilt.assembly.clients.table import Client, Place
from hilt.assembly.consents import Spec
from hilt.assembly.secret_values import in_url, in_words, named_secret
from hilt.declarations.schema import is_array, is_object
from hilt.results.secrets import mask_secrets

OLD_TRANSPORT = "it speaks SSE, the transport of before 2025: give it its address for streamable HTTP"
_OWN_TYPES = ("builtin", "platform", "frontend", "inline_python")
_SPOKEN = ("", "stdio", "local", "remote", "http", "streamable-http", "streamable_http", "streamablehttp")
_ADDRESSES = ("http://", "https://", "${")
_ONLY_THERE = {
    "envFile": "it takes variables from a file that only {title} reads",
    "oauth": "{title} signs in to it",
    "auth": "{title} signs in to it",
    "authProviderType": "{title} signs in to it",
    "headersHelper": "{title} runs a program for its headers",
}
_FILTERS = {
    "include": ("enabled_tools", "includeTools", "tools"),
    "exclude": ("disabled_tools", "excludeTools", "disabledTools"),
}
_TIMES = {"startup_timeout_sec": "startup_timeout_s", "tool_timeout_sec": "timeout_s"}
_NO_MATTER = frozenset(
    {"type", "name", "description", "disabled", "enabled", "autoApprove", "alwaysAllow", "trust", "source", "bundled"}
    | {"timeout", "default_tools_approval_mode", "$schema", "display_name", "gallery", "transport"}
)
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_FORMS = {
    "${VAR}": rf"\$\{{({_NAME}(?::-[^}}]*)?)\}}",
    "${env:VAR}": rf"\$\{{env:({_NAME})\}}",
    "{env:VAR}": rf"(?<!\$)\{{env:({_NAME})\}}",
    "$VAR": rf"\$({_NAME})",
}
"""How a client writes a variable, and its name in there."""
_OTHER = re.compile(r"\$\{[^}]*\}?|\$\([^)]*\)?|(?<!\$)\{(?:env|file):[^}]*\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One server as `hilt.toml` names it. `secrets` are values in it that look like ones; `notes` what is left out."""

    table: Mapping[str, object]
    secrets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def spec(self) -> Spec:
        """What a person is asked to agree to."""
        return spec_of(self.table)


class Stays(Exception):
    """An entry cannot be moved; the text says why."""


def spec_of(table: Mapping[str, object]) -> Spec:
    """What a table of `hilt.toml` starts or reaches."""
    command, cwd, url = table.get("command"), table.get("cwd"), table.get("url")
    return Spec(
        command=(str(command), *_texts(table.get("args"), "args")) if command else (),
        env=_words(table.get("env"), "env"),
        cwd=str(cwd) if cwd else None,
        url=str(url) if url else None,
        headers=_words(table.get("headers"), "headers") | _bearer(table.get("bearer_token_env_var")),
    )


def _bearer(variable: object) -> dict[str, str]:
    """The header that a token of the environment becomes: which one is sent where is agreed to as well."""
    return {"Authorization": f"Bearer ${{{variable}}}"} if variable else {}


def server_of(entry: object, place: Place, environment: Mapping[str, str]) -> Server:
    """The server of an entry. Raises `Stays`."""
    if not is_object(entry):
        raise Stays("it is no table")
    if not _writable(entry):
        raise Stays("it holds what cannot be written down: half a character, or itself")
    _movable(entry, place.client)
    reader = _Reader(place.client, environment)
    table = {**reader.place(entry), **reader.options(entry)}
    if place.scope != "user" and "command" in table and "cwd" not in table:
        table["cwd"] = str(place.folder)
    left = sorted(set(entry) - reader.used - _NO_MATTER)
    notes = (f"left behind: {', '.join(left)}",) if left else ()
    return Server(table=table, secrets=tuple(dict.fromkeys(reader.secrets)), notes=notes)


def _movable(entry: Mapping[str, object], client: Client) -> None:
    """Raise `Stays` for what only the client can start."""
    off = {"disabled": True, "enabled": False, **client.off}
    if any(entry.get(key) == value and isinstance(entry.get(key), bool) for key, value in off.items()):
        raise Stays("it is switched off there")
    kind = str(entry.get("type") or "")
    if kind in _OWN_TYPES:
        raise Stays(f"it is a part of {client.title}")
    kinds = [str(entry[key]).lower() for key in ("type", "transport", "transportType") if entry.get(key)]
    if "sse" in kinds or ("url" in entry and client.called("url") == "httpUrl" and kind != "http"):
        raise Stays(OLD_TRANSPORT)
    if any(each not in _SPOKEN for each in kinds):
        raise Stays(f"it is of a type that Hilt does not speak: {', '.join(kinds)}")
    for key, why in _ONLY_THERE.items():
        if entry.get(key):
            raise Stays(why.format(title=client.title))


def _writable(entry: object) -> bool:
    try:
        json.dumps(entry, ensure_ascii=False, default=str).encode()
    except (ValueError, TypeError, RecursionError):  # the first is also what half a character raises
        return False
    return True


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _text(value: object, field: str) -> str:
    """A value as its client hands it on. Raises `Stays` for what is no text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise Stays(f"its {field} holds something that is no text")


def _texts(value: object, field: str) -> list[str]:
    if value is None:
        return []
    if not is_array(value):
        raise Stays(f"its {field} is no list")
    return [_text(each, field) for each in value]


def _words(value: object, field: str) -> dict[str, str]:
    if value is None:
        return {}
    if not is_object(value):
        raise Stays(f"its {field} is no table of names and values")
    return {name: _text(each, field) for name, each in value.items()}


class _Reader:
    """Reads the fields of one entry in the client's words, and notes which it read and which values look secret."""

    def __init__(self, client: Client, environment: Mapping[str, str]) -> None:
        self._client = client
        self._environment = environment
        self.used: set[str] = set()
        self.secrets: list[str] = []

    def _get(self, entry: Mapping[str, object], field: str) -> object:
        name = self._client.called(field)
        self.used.add(name)
        return entry.get(name)

    def place(self, entry: Mapping[str, object]) -> dict[str, object]:
        """What is started or reached."""
        command, url = self._get(entry, "command"), self._get(entry, "url") or entry.get("url")
        self.used.add("url")
        if command and url:
            raise Stays("it names a command and an address")
        if url:
            return self._remote(entry, _text(url, "address"))
        if is_object(command):  # older Zed wrote all of it in here
            entry = {**entry, "args": command.get("args"), self._client.called("env"): command.get("env")}
            command = command.get("path")
        words = self._line(command, entry)
        if not words or not words[0].strip():
            raise Stays("it names neither a command nor an address")
        self.secrets += in_words(words)
        table: dict[str, object] = {"command": self._plain(words[0])}
        if words[1:]:
            table["args"] = [self._plain(each) for each in words[1:]]
        if env := dict(self._variables(entry)):
            table["env"] = env
        if cwd := self._get(entry, "cwd"):
            table["cwd"] = self._filled(_text(cwd, "folder"))
        return table

    def _line(self, command: object, entry: Mapping[str, object]) -> list[str]:
        """The command and its arguments, which some write as one list."""
        args = _texts(self._get(entry, "args"), "args")
        if is_array(command):
            return [*_texts(command, "command"), *args]
        return [_text(command, "command") if command else "", *args]

    def _remote(self, entry: Mapping[str, object], url: str) -> dict[str, object]:
        table: dict[str, object] = {"url": self._filled(url)}
        if not str(table["url"]).startswith(_ADDRESSES):
            raise Stays("its address is no http address")
        self.secrets += in_url(url)
        options = entry.get("requestOptions")
        self.used |= {"requestOptions", "http_headers", "env_http_headers", "bearer_token_env_var"}
        within = options.get("headers") if is_object(options) else None
        found = (within, entry.get("http_headers"), self._get(entry, "headers"))
        headers = {name: value for each in found for name, value in _words(each, "headers").items()}
        filled = {name: self._value(name, value) for name, value in headers.items()}
        variables = _words(entry.get("env_http_headers"), "env_http_headers")
        filled |= {name: f"${{{variable}}}" for name, variable in variables.items()}
        if filled:
            table["headers"] = filled
        if bearer := entry.get("bearer_token_env_var"):
            table["bearer_token_env_var"] = _text(bearer, "bearer_token_env_var")
        return table

    def _variables(self, entry: Mapping[str, object]) -> Iterator[tuple[str, str]]:
        self.used |= {"env_vars", "env_keys"}
        for name, value in _words(self._get(entry, "env"), "env").items():
            yield name, self._value(name, value)
        named = entry.get("env_vars")
        for each in named if is_array(named) else ():  # a name, or a table with one
            name = str(each.get("name")) if is_object(each) else str(each)
            yield name, f"${{{name}}}"
        for name in _texts(entry.get("env_keys"), "env_keys"):
            if name not in self._environment:
                raise Stays(f"{self._client.title} keeps its {name} in a keyring: set that variable, and adopt it then")
            yield name, f"${{{name}}}"

    def options(self, entry: Mapping[str, object]) -> dict[str, object]:
        """Which tools are offered, and how long they may take."""
        found: dict[str, object] = {}
        for ours, theirs in _FILTERS.items():
            lists = [key for key in theirs if is_array(entry.get(key))]
            self.used |= {*lists}
            named = [each for key in lists for each in _texts(entry[key], key)]
            if named and named != ["*"]:
                found[ours] = named
        for theirs, ours in _TIMES.items():
            self.used.add(theirs)
            if _positive(value := entry.get(theirs)):
                found[ours] = value
        self.used.add("required")
        return found | ({"required": True} if entry.get("required") is True else {})

    def _value(self, name: str, text: str) -> str:
        """The value of a variable or header: a reference, where the environment holds the same under that name."""
        filled = self._filled(text)
        if "${" in filled or not named_secret(name, text):
            return filled
        if self._environment.get(name) == text:
            return f"${{{name}}}"
        self.secrets.append(text)
        return filled

    def _plain(self, text: str) -> str:
        if mask_secrets(text)[1]:
            self.secrets.append(text)
        return self._filled(text)

    def _filled(self, text: str) -> str:
        """A text with the client's variables written as ours. Raises `Stays` for those that only the client knows."""
        if "\0" in text:
            raise Stays("it holds a NUL character, with which nothing can be started")
        forms = [_FORMS[each] for each in self._client.variables]
        pattern = re.compile("|".join(forms) or r"(?!)")
        other = _OTHER.search(pattern.sub("\0", text))
        if other and (forms or other[0].startswith("${")):
            raise Stays(f"it holds {other[0]}, which Hilt would not read as {self._client.title} does")
        return pattern.sub(lambda found: f"${{{found[found.lastindex or 0]}}}", text)
