"""What each argument of a foreign tool means, read from its schema: names, formats, descriptions.

A schema states facts where it closes a value: what can only be a number, a boolean or one of a list carries no text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from hilt.audit.reading import words
from hilt.audit.words import (
    ADDRESSES,
    CODE_WORDS,
    COMMANDS,
    CONTENTS,
    CREDENTIALS,
    OWN_SIDE,
    PATHS,
    PERSONS,
    RECEIVERS,
    RUN_WORDS,
    RUNNABLE,
    TARGETS,
)
from hilt.declarations.effects import Role
from hilt.declarations.schema import is_array, is_object

DEEPEST = 4
"""Levels of a schema that are looked at; arguments below are told apart by nobody."""
ADDRESS_STANDS_WITHIN = 4
"""Words of a description among which URL says what the argument is."""
_ADDRESS_FORMATS = frozenset({"uri", "url", "hostname", "iri", "uri-reference", "ipv4", "ipv6"})
_CLOSED_FORMATS = frozenset({"date", "date-time", "time", "duration", "uuid"})
_ADDRESS_WORDS = frozenset({"url", "urls", "uri", "网址", "链接"})
_NO_ADDRESS = frozenset(
    {"pattern", "patterns", "filter", "prefix", "encoded", "safe", "slug", "path", "type", "label", "name", "id"}
)

Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument that can carry text. `top` is the parameter it is part of, `person` a receiver only for some verbs,
    `runs` that its own description says so.
    """

    path: str
    top: str
    role: Role | None
    why: str
    required: bool
    person: bool = False
    runs: bool = False


def arguments(parameters: Schema) -> tuple[Argument, ...]:
    """Every argument that can carry text, nested ones too."""
    return tuple(_walk(parameters, parameters, "", "", level=0, required=True))


def _walk(root: Schema, schema: Schema, path: str, top: str, *, level: int, required: bool) -> Iterator[Argument]:
    if level > DEEPEST:
        return
    named = schema.get("properties")
    needed = schema.get("required")
    for name, each in (named if is_object(named) else {}).items():
        if not is_object(each):
            continue
        here = f"{path}.{name}" if path else name
        asked = required and is_array(needed) and name in needed
        yield from _one(root, each, here, top or name, level=level, required=asked)


def _one(root: Schema, schema: Schema, path: str, top: str, *, level: int, required: bool) -> Iterator[Argument]:
    variants = list(_variants(root, schema))
    if any(_open_text(each) for each in variants):
        yield _argument(path, top, schema, variants, required=required)
    for each in variants:
        yield from _walk(root, each, path, top, level=level + 1, required=required)


def _variants(root: Schema, schema: Schema, level: int = 0) -> Iterator[Schema]:
    """What a value may be: references followed, alternatives and the items of a list taken apart."""
    if level > DEEPEST:
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and (found := _referred(root, reference)) is not None:
        yield from _variants(root, found, level + 1)
        return
    several = [each for key in ("anyOf", "oneOf", "allOf") for each in _objects(schema.get(key))]
    items = schema.get("items")
    inner = [*several, *([items] if is_object(items) else [])]
    for each in inner:
        yield from _variants(root, each, level + 1)
    if not inner:
        yield schema


def _objects(value: object) -> Iterator[Schema]:
    yield from (each for each in (value if is_array(value) else ()) if is_object(each))


def _referred(root: Schema, reference: str) -> Schema | None:
    place: object = root
    for step in reference.removeprefix("#/").split("/"):
        place = place.get(step) if is_object(place) else None
    return place if is_object(place) else None


def _open_text(schema: Schema) -> bool:
    """Whether a value may be text that nobody wrote into the schema; what says no type may be anything."""
    if "enum" in schema or "const" in schema or schema.get("format") in _CLOSED_FORMATS:
        return False
    kind = schema.get("type")
    kinds = kind if is_array(kind) else [kind]
    if "object" in kinds:
        return not is_object(schema.get("properties"))
    return kind is None or "string" in kinds or "array" in kinds


def _argument(path: str, top: str, schema: Schema, variants: list[Schema], *, required: bool) -> Argument:
    told = schema.get("description")
    sentence = words(told) if isinstance(told, str) else []
    formats = {each.get("format") for each in (schema, *variants)}
    role, why, person = _role(path.rpartition(".")[2], sentence, told if isinstance(told, str) else "", formats)
    runs = role == "command" and bool(set(sentence) & RUN_WORDS)
    return Argument(path=path, top=top, role=role, why=why, required=required, person=person, runs=runs)


def _role(name: str, sentence: list[str], told: str, formats: set[object]) -> tuple[Role | None, str, bool]:
    parts = words(name)
    said = f'"{name}"'
    if formats & _ADDRESS_FORMATS:
        return "url", f"{said} has the format of an address", False
    if _code(parts, sentence):
        return "command", f"{said} is code or a command", False
    if set(parts[-1:]) & ADDRESSES or _told_address(told):
        return "url", f"{said} is an address", False
    if set(parts) & RECEIVERS:
        return "destination", f"{said} names who receives", False
    if set(parts) & PERSONS and not set(parts[:-1]) & OWN_SIDE:
        return "target", f"{said} names who receives", True
    rest: tuple[tuple[frozenset[str], Role], ...] = (
        (CREDENTIALS, "credential"), (PATHS, "path"), (CONTENTS, "content"), (TARGETS, "target"),
    )  # fmt: skip
    role: Role | None = next((role for table, role in rest if set(parts) & table), None)
    return role, f"{said} is a {role}" if role else "", False


def _code(parts: list[str], sentence: list[str]) -> bool:
    """Named as code and nothing else (`code`, `init_script`; not `code_path`, `postal_code`), or told so."""
    if parts and parts[-1] in COMMANDS and not set(parts[:-1]) - COMMANDS - {"init", "source", "raw", "user", "the"}:
        return True
    if "sql" in sentence and parts and parts[-1] in RUNNABLE:
        return True
    return bool(set(sentence) & RUN_WORDS and set(sentence) & CODE_WORDS and parts and parts[-1] not in PATHS | TARGETS)


def _told_address(told: str) -> bool:
    """Whether a description begins by calling the argument an address; "URL-encoded" is no address."""
    ahead = [each.strip(".,:;()`'\"").lower() for each in told.split()[:ADDRESS_STANDS_WITHIN]]
    near = pairwise([*ahead, ""])
    return any(each in _ADDRESS_WORDS and after not in _NO_ADDRESS for each, after in near)
