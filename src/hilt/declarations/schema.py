"""JSON Schemas as models see them: closed, resolved where possible, without noise.

Two sources: Python hints (through pydantic) and schemas that others wrote. Both leave here with
every `$ref` resolved or carried, no generated titles, and no deeper than `DEEPEST_SCHEMA`.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from hilt.errors import DeclarationError

DEEPEST_SCHEMA = 100
"""Levels of nesting a declared schema may have; providers stop far earlier, validators recurse."""

MOST_PARTS = 20_000
"""Subschemas of a schema once its references are written out: a few names can stand for millions."""

Schema = dict[str, object]
Frozen = Mapping[str, object]
_NAMED_SCHEMAS = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_HELD_AS_VALUES = ("default", "examples", "example", "enum", "const", "required", "dependentRequired")


def is_object(value: object) -> TypeGuard[Schema]:
    """Whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Whether a value is a JSON array."""
    return isinstance(value, list)


def depth(value: object) -> int:
    """Levels of nesting of a JSON value, counted without recursion; stops counting past the limit."""
    level, layer = 0, [value]
    while layer and level <= DEEPEST_SCHEMA:
        level += 1
        layer = [child for node in layer for child in _children(node)]
    return level


def _children(node: object) -> Iterator[object]:
    if is_object(node):
        yield from (child for child in node.values() if isinstance(child, (dict, list)))
    elif is_array(node):
        yield from (child for child in node if isinstance(child, (dict, list)))


def map_schemas(schema: Schema, change: Callable[[Schema], Schema]) -> Schema:
    """`change` applied to every subschema, innermost first; values that are data are left alone."""
    changed: Schema = {}
    for keyword, value in schema.items():
        if keyword in _HELD_AS_VALUES:
            changed[keyword] = value
        elif keyword in _NAMED_SCHEMAS and is_object(value):
            changed[keyword] = {
                name: map_schemas(child, change) if is_object(child) else child for name, child in value.items()
            }
        elif is_object(value):
            changed[keyword] = map_schemas(value, change)
        elif is_array(value):
            changed[keyword] = [map_schemas(child, change) if is_object(child) else child for child in value]
        else:
            changed[keyword] = value
    return change(changed)


def resolved(schema: Frozen, tool: str) -> Schema:
    """A foreign schema with every reference replaced by what it names; recursive ones are carried.

    A name is looked for as a JSON pointer, then in the `$defs` of any enclosing or nested schema.
    Raises `DeclarationError` when the schema is too deep or a reference names nothing.
    """
    if depth(schema) > DEEPEST_SCHEMA:
        raise _too_deep(tool)
    root: Schema = dict(schema)
    return _References(root, tool).resolve()


def _too_deep(tool: str) -> DeclarationError:
    return DeclarationError(
        f"{tool}: its schema is nested deeper than {DEEPEST_SCHEMA} levels", "flatten it, or split the tool"
    )


class _References:
    """The references of one schema, resolved from its root."""

    def __init__(self, root: Schema, tool: str) -> None:
        self._root = root
        self._tool = tool
        self._carried: dict[str, Schema] = {}
        self._names: dict[str, str] = {}
        self._parts = 0
        self._level = 0

    def resolve(self) -> Schema:
        body = self._inline(self._root, ())
        body.pop("$defs", None)
        body.pop("definitions", None)
        if self._carried:
            body["$defs"] = dict(self._carried)
        return body

    def _inline(self, schema: Schema, open_references: tuple[str, ...]) -> Schema:
        self._parts += 1
        self._level += 1
        if self._level > DEEPEST_SCHEMA:
            raise _too_deep(self._tool)
        if self._parts > MOST_PARTS:
            raise DeclarationError(
                f"{self._tool}: its schema has more than {MOST_PARTS:,} parts once its references are written out",
                "refer to fewer things from fewer places, or split the tool",
            )
        inlined = self._inlined(schema, open_references)
        self._level -= 1
        return inlined

    def _inlined(self, schema: Schema, open_references: tuple[str, ...]) -> Schema:
        reference = schema.get("$ref")
        if isinstance(reference, str):
            beside = {keyword: value for keyword, value in schema.items() if keyword != "$ref"}
            if reference in open_references:
                return {"$ref": f"#/$defs/{self._carry(reference)}", **self._walk(beside, open_references)}
            target = self._inline(self._find(reference), (*open_references, reference))
            name = self._names.get(reference)
            if name is not None and reference not in open_references:
                self._carried[name] = target
                target = {"$ref": f"#/$defs/{name}"}
            return {**target, **self._walk(beside, open_references)}
        return self._walk(schema, open_references)

    def _walk(self, schema: Schema, open_references: tuple[str, ...]) -> Schema:
        walked: Schema = {}
        for keyword, value in schema.items():
            if keyword in ("$defs", "definitions"):
                continue
            if keyword in _HELD_AS_VALUES:
                walked[keyword] = value
            elif keyword in _NAMED_SCHEMAS and is_object(value):
                walked[keyword] = {
                    name: self._inline(child, open_references) if is_object(child) else child
                    for name, child in value.items()
                }
            elif is_object(value):
                walked[keyword] = self._inline(value, open_references)
            elif is_array(value):
                walked[keyword] = [
                    self._inline(child, open_references) if is_object(child) else child for child in value
                ]
            else:
                walked[keyword] = value
        return walked

    def _carry(self, reference: str) -> str:
        if reference not in self._names:
            name = reference.rsplit("/", 1)[-1].lstrip("#") or "root"
            taken = set(self._names.values())
            self._names[reference] = name if name not in taken else f"{name}_{len(taken)}"
        return self._names[reference]

    def _find(self, reference: str) -> Schema:
        if reference == "#":
            return self._root
        found = _pointer(self._root, reference) if reference.startswith("#/") else None
        if found is None:
            found = _nested_definition(self._root, reference.rsplit("/", 1)[-1])
        if found is None:
            raise DeclarationError(
                f"{self._tool}: its schema refers to {reference!r}, which it does not define",
                "add the definition to the schema's $defs, or write it in place",
            )
        return found


def _pointer(root: Schema, reference: str) -> Schema | None:
    node: object = root
    for step in reference.removeprefix("#/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if is_object(node) and key in node:
            node = node[key]
        elif is_array(node) and key.isdecimal() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node if is_object(node) else None


def _nested_definition(root: Schema, name: str) -> Schema | None:
    layer: list[object] = [root]
    while layer:
        for node in layer:
            if is_object(node):
                for keyword in ("$defs", "definitions"):
                    named = node.get(keyword)
                    if is_object(named) and is_object(found := named.get(name)):
                        return found
        layer = [child for node in layer for child in _children(node)]
    return None


def tidied(schema: Schema) -> Schema:
    """A generated schema without noise: no titles, no null defaults, nullable types on one line, closed."""
    return map_schemas(schema, _tidy)


def _tidy(schema: Schema) -> Schema:
    if isinstance(schema.get("title"), str):
        schema = {keyword: value for keyword, value in schema.items() if keyword != "title"}
    if "default" in schema and schema["default"] is None:
        schema = {keyword: value for keyword, value in schema.items() if keyword != "default"}
    if schema.get("type") == "object" and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    return _one_line_nullable(schema)


def _one_line_nullable(schema: Schema) -> Schema:
    """`anyOf: [{type: T, ...}, {type: null}]` as `type: [T, "null"]`, which says the same in fewer bytes."""
    choices = schema.get("anyOf")
    if not is_array(choices) or len(choices) != 2 or choices[1] != {"type": "null"}:
        return schema
    first = choices[0]
    if not is_object(first) or not isinstance(first.get("type"), str) or set(first) & (set(schema) - {"anyOf"}):
        return schema
    merged = {**first, "type": [first["type"], "null"]}
    if is_array(values := first.get("enum")) and None not in values:
        merged["enum"] = [*values, None]
    if "const" in merged:
        merged["enum"] = [merged.pop("const"), None]
    return {**merged, **{keyword: value for keyword, value in schema.items() if keyword != "anyOf"}}


def nullable_enums(schema: Schema) -> Schema:
    """A foreign schema in which every enum of a nullable type admits null, as its type advertises."""

    def mend(node: Schema) -> Schema:
        kinds, values = node.get("type"), node.get("enum")
        if is_array(kinds) and "null" in kinds and is_array(values) and None not in values:
            return {**node, "enum": [*values, None]}
        return node

    return map_schemas(schema, mend)


def compact(schema: Frozen) -> str:
    """The schema in the fewest bytes, keys in the order they were written."""
    return json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
