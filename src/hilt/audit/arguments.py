"""What each argument of a foreign tool means, read from its schema: names, formats, descriptions.

A schema states facts where it closes a value: what can only be a number, a boolean or one of a list carries no text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from hilt.audit.reading import words
from hilt.audit.schemas import DEEPEST, Schema, SchemaWalk, properties
from hilt.audit.words import (
    ADDRESSES,
    CODE_WORDS,
    COMMANDS,
    CONTENTS,
    CREDENTIALS,
    MAILBOXES,
    NOT_ITSELF,
    OWN_SIDE,
    PATHS,
    PERSONS,
    RECEIVERS,
    RUN_WORDS,
    RUNNABLE,
    SENT_TO,
    TARGETS,
)
from hilt.declarations.effects import Role
from hilt.declarations.schema import is_array, is_object

REST = "(not read)"
SQL = "SQL"
ADDRESS_STANDS_WITHIN = 4
"""Words of a description among which URL says what the argument is."""
_ADDRESS_FORMATS = frozenset({"uri", "url", "hostname", "iri", "uri-reference", "ipv4", "ipv6"})
_CLOSED_FORMATS = frozenset({"date", "date-time", "time", "duration", "uuid"})
_ADDRESS_WORDS = frozenset({"url", "urls", "uri", "网址", "链接"})
_NO_ADDRESS = frozenset(
    {"pattern", "patterns", "filter", "prefix", "encoded", "safe", "slug", "path", "type", "label", "name", "id"}
)

Receives = Literal["", "person", "mailbox"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument that can carry text. `top` is the parameter it is part of, `receives` says who or what
    it names, which some verbs send to, and `runs` that its own description says that it is run.
    """

    path: str
    top: str
    role: Role | None
    why: str
    required: bool
    receives: Receives = ""
    runs: bool = False


def arguments(parameters: Schema) -> tuple[Argument, ...]:
    """Every argument that can carry text, nested ones too.

    A schema too large to be read whole has one more, which counts as an address: what it hides may be one.
    """
    walk = SchemaWalk(parameters)
    found = [each for root in walk.variants(parameters) for each in _walk(walk, root, "", "", level=0, required=True)]
    if walk.cut:
        found.append(
            Argument(path=REST, top=REST, role="url", why="the schema is too large to be read", required=False)
        )
    return tuple({each.path: each for each in found}.values())


def _walk(walk: SchemaWalk, schema: Schema, path: str, top: str, *, level: int, required: bool) -> Iterator[Argument]:
    if level > DEEPEST or walk.cut:
        return
    needed = schema.get("required")
    for name, each in properties(schema):
        here = f"{path}.{name}" if path else name
        asked = required and is_array(needed) and name in needed
        yield from _one(walk, each, here, top or name, level=level, required=asked)


def _one(walk: SchemaWalk, schema: Schema, path: str, top: str, *, level: int, required: bool) -> Iterator[Argument]:
    variants = list(walk.variants(schema))
    if any(_open_text(each) for each in variants):
        yield _argument(path, top, schema, variants, required=required)
    for each in variants:
        yield from _walk(walk, each, path, top, level=level + 1, required=required)


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
    role, why, receives = _role(path.rpartition(".")[2], sentence, told if isinstance(told, str) else "", formats)
    runs = role == "command" and bool(set(sentence) & RUN_WORDS)
    return Argument(path=path, top=top, role=role, why=why, required=required, receives=receives, runs=runs)


def _role(name: str, sentence: list[str], told: str, formats: set[object]) -> tuple[Role | None, str, Receives]:
    parts = words(name)
    said = f'"{name}"'
    if formats & _ADDRESS_FORMATS:
        return "url", f"{said} has the format of an address", ""
    if _code(parts, sentence):
        return "command", f"{said} is {SQL}" if "sql" in (*parts, *sentence) else f"{said} is code or a command", ""
    if (set(parts[-1:]) & ADDRESSES and not set(parts[:1]) & NOT_ITSELF) or _told_address(told):
        return "url", f"{said} is an address", ""
    if set(parts) & RECEIVERS:
        return "destination", f"{said} names who receives", ""
    if "_".join(parts) in SENT_TO:
        return "target", f"{said} names who receives", "mailbox"
    if set(parts) & (PERSONS | MAILBOXES) and not set(parts[:-1]) & OWN_SIDE:
        return "target", f"{said} names who receives", "person" if set(parts) & PERSONS else "mailbox"
    rest: tuple[tuple[frozenset[str], Role], ...] = (
        (CREDENTIALS, "credential"), (PATHS, "path"), (CONTENTS, "content"), (TARGETS, "target"),
    )  # fmt: skip
    role: Role | None = next((role for table, role in rest if set(parts) & table), None)
    return role, f"{said} is a {role}" if role else "", ""


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
