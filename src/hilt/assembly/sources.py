"""The places settings are read from, weakest first: organisation, user, project, environment, flags."""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from hilt.assembly import keys
from hilt.assembly.kept_files import whole_text
from hilt.assembly.origin import Layer, Origin
from hilt.assembly.trusting import trust_of
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_object
from hilt.errors import ConfigError

FILE = "hilt.toml"
LARGEST = 4_000_000
"""Bytes of one file of settings."""
ORGANISATION_FILE = Path("/etc/hilt/hilt.toml")
"""The machine's own file: no variable names another, for what it says binds whoever sets variables."""
PROJECT_FILE = "pyproject.toml"
TABLE = "[tool.hilt"
VARIABLE = "HILT_CONFIG"
ALIASES = {"HILT_LOG": "log.level"}
"""Short names of environment variables; every key that holds one value also has HILT_SECTION_KEY."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The settings of one place, checked."""

    origin: Origin
    values: Mapping[str, object]


def user_file() -> Path:
    """The user's own file, whether it exists or not."""
    return platformdirs.user_config_path("hilt") / FILE


def project_file(start: Path) -> Path | None:
    """The nearest file upward from a folder; `hilt.toml` before `pyproject.toml` in the same one."""
    for folder in (start, *start.parents):
        if (own := folder / FILE).is_file():
            return own
        if (shared := folder / PROJECT_FILE).is_file() and TABLE in _text(shared):
            return shared
    return None


def named_file(flag: Path | None) -> Path | None:
    """The file a person named, by the flag or by `HILT_CONFIG`."""
    named = os.environ.get(VARIABLE)
    return flag or (Path(named).expanduser() if named else None)


def sources(
    start: Path, flag: Path | None, settings: Sequence[str], organisation: Path = ORGANISATION_FILE
) -> Iterator[Source]:
    """Every source that says something, weakest first. Raises `ConfigError`."""
    own, named = user_file(), named_file(flag)
    if organisation.is_file():
        yield _file(organisation, "organisation")
    if own.is_file():
        yield _file(own, "user")
    if named is not None:
        yield _file(named, "project")
    elif (found := project_file(start)) is not None and not _same(found, own):
        yield _file(found, "project", trust=trust_of(found))
    yield from _environment()
    if settings:
        yield _flags(settings)


def _same(one: Path, other: Path) -> bool:
    return other.exists() and one.samefile(other)


def _file(file: Path, layer: Layer, *, trust: bool | None = True) -> Source:
    """The settings of one file. `trust` is None for one that was trusted and has changed."""
    try:
        values = _values(file)
    except RecursionError:
        raise ConfigError(f"{file} is nested too deeply to be read", "take out what is nested in it") from None
    folder, place = file.resolve().parent, str(file)
    origin = Origin(layer=layer, place=place, folder=folder, trusted=trust is True, changed=trust is None)
    return Source(origin=origin, values=values)


def _values(file: Path) -> Mapping[str, object]:
    try:
        tree: dict[str, object] = tomllib.loads(_text(file))
    except ValueError as error:  # of numbers too long to be one, which are no TOMLDecodeError, too
        raise ConfigError(f"{file} is not TOML: {error}", "correct that line") from None
    if file.name == PROJECT_FILE:
        tool = tree.get("tool")
        table = tool.get("hilt") if is_object(tool) else None
        tree = dict(table) if is_object(table) else {}
    keys.check(tree, str(file))
    return keys.flat(tree)


def _text(file: Path) -> str:
    try:
        return whole_text(file, most=LARGEST, encoding="utf-8-sig")  # some editors write a mark first
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"{file} cannot be read: {why}", "name a readable file with --config FILE") from None


def _environment() -> Iterator[Source]:
    names = {f"HILT_{key.upper().replace('.', '_')}": key for key in keys.leaves()} | ALIASES
    for name, key in names.items():
        text = os.environ.get(name)
        if text:
            tree = keys.nested(key, _parsed(text, key))
            keys.check(tree, name)
            origin = Origin(layer="environment", place=name, folder=Path.cwd())
            yield Source(origin=origin, values=keys.flat(tree))


def _flags(settings: Sequence[str]) -> Source:
    values: dict[str, object] = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        key = key.strip()
        if not equals or key not in keys.leaves():
            alike = nearest(key, list(keys.leaves()), most=1)
            step = f"-c {alike[0]}=VALUE" if alike else "hilt config show lists the keys"
            raise ConfigError(f"-c {setting}: " + (f"there is no key {key}" if equals else "no value is given"), step)
        tree = keys.nested(key, _parsed(text, key))
        keys.check(tree, f"-c {setting}")
        values |= keys.flat(tree)
    return Source(origin=Origin(layer="flag", place="-c", folder=Path.cwd()), values=values)


def _parsed(text: str, key: str) -> object:
    """A value as TOML writes it; a bare word is text, and one bare word is a list where the key wants a list."""
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    if keys.leaves()[key].get("type") == "array" and isinstance(value, str):
        return [value]
    return str(value) if keys.leaves()[key].get("type") == "string" and not isinstance(value, str) else value
