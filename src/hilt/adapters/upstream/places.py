"""Where a server is, what it is given, and how it is written in a message: never with a secret in it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from hilt.declarations.schema import is_object
from hilt.errors import HiltError
from hilt.results.secrets import mask_secrets

MEBIBYTE = 1_048_576
LONGEST_FRAME = 16 * MEBIBYTE
"""Bytes of one message of a server; a longer one is refused and skipped."""
SHORTEST_IN_RESULTS = 8
"""Characters of a credential below which it is not looked for in results, which would be spoilt by a common word."""
SHORTEST_SECRET = 6
"""Characters of a given value below which it is not looked for in what a server writes: it would stand everywhere."""

_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API[_-]?KEY|PRIVATE|ACCESS[_-]?KEY|AUTH(?!ORS?(?:[_-]|$))|COOKIE|[_-]PAT$|[_-]KEY$",
    re.I,
)
_COVER = "[hilt masked: {}]"
BEARER = "bearer"


class ServerUnreachable(HiltError):
    """An MCP server did not start, did not answer, or answered without a list of tools."""

    unreachable = True


@dataclass(frozen=True, slots=True)
class StdioPlace:
    """A server that is a command. `env` is added to a minimal environment; `cwd` is this process's folder when None."""

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: Path | None = None

    def __repr__(self) -> str:
        return f"StdioPlace({self.shown})"

    @property
    def shown(self) -> str:
        """The command line for a message."""
        return mask_secrets(_hidden(" ".join(self.command), _arguments(self.command)))[0]

    @property
    def secrets(self) -> Mapping[str, str]:
        """What must not be repeated: each value with the word that stands for it."""
        named = {value: name for name, value in self.env.items() if _SECRET_NAME.search(name)}
        return {**named, **_arguments(self.command)}


@dataclass(frozen=True, slots=True)
class HttpPlace:
    """A server at a URL. The values are resolved already, and go to this host alone."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    bearer: str | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"HttpPlace({self.shown})"

    @property
    def shown(self) -> str:
        """The address for a message: without a user, a query or a fragment, which may hold a token."""
        parts = _split(self.url)
        return mask_secrets(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}")[0]

    @property
    def secrets(self) -> Mapping[str, str]:
        """What must not be repeated: each value with the word that stands for it."""
        found = {value: name for name, value in self.headers.items()}
        found |= {value.partition(" ")[2]: name for name, value in self.headers.items() if " " in value}
        if self.bearer:
            found[self.bearer] = BEARER
        query = _split(self.url).query
        return {**found, query: "query"} if query else found


Place = StdioPlace | HttpPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one connection. How long a call may take is not among them: the caller says that."""

    start_s: float = 60.0
    """Seconds a server may take to start and to answer its first request."""
    list_s: float = 60.0
    """Seconds a whole list may take, all its pages."""
    frame_bytes: int = LONGEST_FRAME
    first_delay_s: float = 0.5
    """Seconds before the first reconnect; each failure in a row doubles it."""
    longest_delay_s: float = 60.0
    healthy_s: float = 30.0
    """Seconds a connection must have lived for the delays to begin anew."""
    tries: int = 6
    """Failures in a row after which nothing is tried by itself any more."""
    most_listed: int = 20_000
    """Entries of one list."""
    most_pages: int = 2_000
    listed_bytes: int = 64 * MEBIBYTE
    """Bytes that arrive while one list is read."""

    def delay_s(self, failures: int) -> float:
        """Seconds to wait after so many failures in a row.

        >>> [Limits().delay_s(each) for each in (1, 2, 3, 8, 9)]
        [0.5, 1.0, 2.0, 60.0, 60.0]
        """
        return min(self.first_delay_s * 2.0 ** (max(failures, 1) - 1), self.longest_delay_s)


State = Literal["idle", "connecting", "ready", "waiting", "failed", "closed"]
"""Not asked for yet; starting; answering; between two tries; given up until asked again; over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What became different of a server. `line` says it to a person."""

    kind: Literal["tools", "resources", "prompts", "state"]
    line: str = ""


class Mask:
    """Takes out of text what a place was given and what looks like a credential."""

    def __init__(self, place: Place) -> None:
        self._secrets = place.secrets
        self._in_results = {
            form: name
            for value, name in place.secrets.items()
            if (name == BEARER or _SECRET_NAME.search(name)) and _is_credential(value)
            for form in (_in_json(value), _in_json(_in_json(value)))  # a text may be JSON itself
        }

    def result(self, result: Mapping[str, object]) -> Mapping[str, object]:
        """The result without credentials that the server was given: honest ones show their environment when asked."""
        if not self._in_results:
            return result
        try:
            text = json.dumps(result, ensure_ascii=False)
            covered = _hidden(text, self._in_results)
            made: object = result if covered == text else json.loads(covered)
        except (ValueError, RecursionError):  # it is as deep as no result is, and is refused where results are read
            return result
        return made if is_object(made) else result

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        return mask_secrets(_hidden(text, self._secrets))[0]


def _split(url: str) -> SplitResult:
    """The parts of an address; of one that is none only that it is."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("http", "an address that is none", "", "", "")


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _is_credential(value: str) -> bool:
    """Whether a value may be one: not a path, which results name, nor a short word."""
    return len(value) >= SHORTEST_IN_RESULTS and not value.startswith(("/", "~", "."))


def _hidden(text: str, secrets: Mapping[str, str]) -> str:
    for value in sorted(secrets, key=len, reverse=True):
        if len(value) >= SHORTEST_SECRET:
            text = text.replace(value, _COVER.format(secrets[value]))
    return text


def _arguments(command: Sequence[str]) -> dict[str, str]:
    """Values of options whose name says that they are secret: `--token X`, `--api-key=X`, `TOKEN=X`."""
    found: dict[str, str] = {}
    awaited = ""
    for word in command[1:]:
        name, equals, value = word.partition("=")
        if equals and _SECRET_NAME.search(name):
            found[value] = name.lstrip("-")
        elif awaited and not word.startswith("-"):
            found[word] = awaited
        awaited = word.lstrip("-") if word.startswith("-") and not equals and _SECRET_NAME.search(word) else ""
    return found
