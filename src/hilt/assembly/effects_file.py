"""Effects that a person declared for tools of others, in a file beside the configuration.

    [effects."files.read_file"]
    reads = "private"
    brings = "third-party"
    does = []
    roles = { path = "path" }

The key is the server's name, a dot, and the tool's name. `hilt audit --draft` writes such a file.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from hilt.assembly.kept_files import whole_text
from hilt.calls.effects_form import read_effects
from hilt.declarations.declaration import Declaration
from hilt.declarations.effects import Effects, EffectsForm
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError, DeclarationError

LARGEST = 4_000_000
"""Bytes of one file of effects."""
TABLE = "effects"
_KEYS = tuple(EffectsForm.__annotations__)
_TEXTS = ("reads", "brings")
_SWITCHES = ("undoable", "irreversible", "isolated")
_LISTS = ("does", "secrets", "verbs", "nouns")
_FORMS = {
    **dict.fromkeys(_TEXTS, "a text"),
    **dict.fromkeys(_SWITCHES, "true or false"),
    **dict.fromkeys(_LISTS, "a list of texts"),
    **dict.fromkeys(("roles", "origins", "also"), "a table of texts"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredEffects:
    """The effects of a file, by `server.tool`."""

    file: Path
    forms: Mapping[str, EffectsForm]

    def of(self, server: str, declaration: Declaration) -> Effects | None:
        """The effects declared for a tool, or None. Raises `ConfigError` where they do not fit its parameters."""
        key = f"{server}.{declaration.original_name or declaration.name}"
        form = self.forms.get(key)
        if form is None:
            return None
        named = declaration.parameters.get("properties")
        try:
            return read_effects(form, "act", {}, frozenset(named if is_object(named) else ()), key)
        except DeclarationError as error:
            raise ConfigError(f"{self.file}: {error.problem}", *error.next_steps) from None


def read_effects_file(file: Path) -> DeclaredEffects:
    """The effects of a file. Raises `ConfigError` where it cannot be read, is no TOML or holds a key nobody knows."""
    try:
        document = tomllib.loads(whole_text(file, most=LARGEST))
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}", "name a file that exists") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is not TOML: {error}", "correct the file at that place") from None
    _known(file, "", document, (TABLE,))
    tables = document.get(TABLE, {})
    if not is_object(tables):
        raise ConfigError(f"{file}: {TABLE} is no table", f'write [{TABLE}."server.tool"]')
    return DeclaredEffects(file=file, forms={name: _form(file, name, each) for name, each in tables.items()})


def _form(file: Path, name: str, table: object) -> EffectsForm:
    place = f'{TABLE}."{name}"'
    if not is_object(table) or any(is_object(each) and key not in _FORMS for key, each in table.items()):
        raise ConfigError(f"{file}: {place} is no table of effects", f'quote the key: [{TABLE}."server.tool"]')
    _known(file, f"{place}.", table, _KEYS)
    for key, value in table.items():
        if not _fits(key, value):
            raise ConfigError(f"{file}: {place}.{key} = {value!r}", f"write {_FORMS[key]}")
    return table if _is_form(table) else {}


def _is_form(table: Mapping[str, object]) -> TypeGuard[EffectsForm]:
    """Says to the type checker what `_form` has found out; values are checked where the tool is known."""
    return bool(table)


def _fits(key: str, value: object) -> bool:
    if key in _SWITCHES:
        return isinstance(value, bool)
    if key in _TEXTS:
        return isinstance(value, str)
    if key in _LISTS:
        return (isinstance(value, str) and key == "does") or (is_array(value) and _all_texts(value))
    return is_object(value) and _all_texts(list(value.values()))


def _all_texts(values: Sequence[object]) -> bool:
    return all(isinstance(each, str) for each in values)


def _known(file: Path, place: str, table: Mapping[str, object], keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            near = nearest(key, keys)
            step = f"did you mean {near[0]}?" if near else f"write one of {', '.join(keys)}"
            raise ConfigError(f"{file}: no key is named {place}{key}", step)
