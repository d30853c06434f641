"""Which servers a person has agreed to start or to reach, each by a digest of all that would be run or sent.

A server that comes from another program's file is started only after a yes. The yes is for exactly that command,
arguments, variables and folder, or that address and headers; a change of any of them ends it.
"""

import json
import shlex
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b

from hilt.assembly.kept_files import alone, write_whole
from hilt.assembly.secret_values import COVER, covered_url, covered_words, named_secret
from hilt.declarations.characters import shown
from hilt.declarations.schema import is_object
from hilt.errors import ConfigError
from hilt.results.secrets import mask_secrets
from hilt.store.home import home, place

KEPT = "consents.json"
"""The file in HILT_HOME that remembers them."""
DIGEST_BYTES = 16
STYLES = "\ufe0e\ufe0f"
"""Signs of emoji, which `shown` lets through and no command needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One server: a command with what it is given, or an address. `${VAR}` in a value stands for what it will be."""

    command: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def digest(self) -> str:
        """What a yes is remembered by: every word of it, with values only as digests of their own."""
        form = {
            "command": list(self.command),
            "env": {name: _digest(value) for name, value in sorted(self.env.items())},
            "cwd": self.cwd,
            "url": self.url,
            "headers": {name: _digest(value) for name, value in sorted(self.headers.items())},
        }
        return _digest(json.dumps(form, ensure_ascii=True, sort_keys=True))

    @property
    def says(self) -> str:
        """In one line for a log: the whole command as a shell writes it, names of variables without values."""
        return f"{self._place}{_named(_before(self), self.headers if self.url is not None else self.env)}"

    @property
    def asks(self) -> str:
        """What a person is asked about: `says` with the values too, for a variable may decide what is run."""
        return f"{self._place}{_valued(_before(self), self.headers if self.url is not None else self.env)}"

    @property
    def _place(self) -> str:
        if self.url is not None:
            return visible(covered_url(self.url))
        where = f" in {visible(self.cwd)}" if self.cwd else ""
        return f"{visible(shlex.join(covered_words(self.command)))}{where}"


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()


def visible(text: str) -> str:
    """Credentials covered, and no character that nobody sees, or that could rewrite the line it is shown on."""
    seen = shown(mask_secrets(text)[0])
    return "".join(each if each.isprintable() and each not in STYLES else ascii(each)[1:-1] for each in seen)


def _before(spec: Spec) -> str:
    return " with the headers " if spec.url is not None else " with the variables "


def _named(before: str, values: Mapping[str, str]) -> str:
    return f"{before}{', '.join(map(visible, values))}" if values else ""


def _valued(before: str, values: Mapping[str, str]) -> str:
    words = (f"{visible(name)}={_value(name, value)}" for name, value in values.items())
    return f"{before}{', '.join(words)}" if values else ""


def _value(name: str, value: str) -> str:
    return COVER if named_secret(name, value) else visible(shlex.quote(value))


def consented(spec: Spec) -> bool:
    """Whether a person has agreed to exactly this."""
    return spec.digest in _kept()


def give(spec: Spec) -> None:
    """Remember a yes. Raises `ConfigError`."""
    with _writing() as kept:
        kept[spec.digest] = spec.says


def withdraw(spec: Spec) -> bool:
    """Forget a yes; says whether there was one. Raises `ConfigError`."""
    with _writing() as kept:
        return kept.pop(spec.digest, None) is not None


def all() -> Mapping[str, str]:
    """Every yes in force: its digest, and what it was given to."""
    return _kept()


def _kept() -> dict[str, str]:
    """What was remembered; nothing where the record cannot be read, so that whoever needs a yes asks again."""
    try:
        kept: object = json.loads((place() / KEPT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {digest: str(says) for digest, says in kept.items()} if is_object(kept) else {}


@contextmanager
def _writing() -> Generator[dict[str, str]]:
    """The record to change, written whole at the end or not at all; of two programs one waits for the other."""
    file = home() / KEPT
    try:
        with alone(file.with_suffix(".lock")):
            kept = _kept()
            yield kept
            write_whole(file, json.dumps(dict(sorted(kept.items())), indent=1).encode())
    except OSError as fault:
        raise ConfigError(
            f"{file} cannot be written: {fault.strerror}", "set HILT_HOME to a folder you can write to"
        ) from None
