"""Questions to a JSON Schema: what stands at a path, which types it admits, what it expects in words."""

import json
from collections.abc import Mapping, Sequence

from hilt.declarations.schema import is_array, is_object

MOST_CHOICES = 20
"""Choices of a set that are listed; a longer set names the nearest and its size."""

Schema = Mapping[str, object]
Path = Sequence[str | int]


def subschema(schema: Schema, path: Path) -> Schema | None:
    """The schema at a path, through arrays, unions and references; None where none is declared."""
    node: Schema | None = followed(schema, schema)
    for step in path:
        if node is None:
            return None
        node = child(node, step, schema)
    return node


def child(node: Schema, step: str | int, root: Schema) -> Schema | None:
    """The schema one step down, through unions and the references of `root`; None where none is declared."""
    found: object = None
    if isinstance(step, str):
        found = properties(node).get(step) or node.get("additionalProperties")
    else:
        prefix = node.get("prefixItems")
        found = prefix[step] if is_array(prefix) and step < len(prefix) else node.get("items")
    if is_object(found):
        return followed(found, root)
    for branch in branches(node):
        below = child(followed(branch, root) or {}, step, root)
        if below is not None:
            return below
    return None


def properties(schema: Schema) -> Schema:
    """Declared properties of an object schema."""
    found = schema.get("properties")
    return found if is_object(found) else {}


def branches(schema: Schema) -> list[Schema]:
    """Members of a union."""
    return [
        each
        for keyword in ("anyOf", "oneOf", "allOf")
        if is_array(members := schema.get(keyword))
        for each in members
        if is_object(each)
    ]


def followed(schema: Schema, root: Schema) -> Schema | None:
    """The schema itself, or what it refers to in `root`; None where that is missing."""
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return schema
    definitions = root.get("$defs")
    name = reference.rsplit("/", 1)[-1]
    found = definitions.get(name) if is_object(definitions) else None
    return {**found, **{key: value for key, value in schema.items() if key != "$ref"}} if is_object(found) else None


def kinds(schema: Schema, root: Schema) -> frozenset[str]:
    """JSON types a schema admits; every type where it does not say."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if is_array(declared):
        return frozenset(str(each) for each in declared)
    members = branches(schema)
    if members:
        return frozenset(kind for each in members for kind in kinds(followed(each, root) or {}, root))
    listed = choices(schema)
    if listed:
        return frozenset(kind_of(each) for each in listed)
    return ALL_KINDS


ALL_KINDS = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})


def kind_of(value: object) -> str:
    """The JSON type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def choices(schema: Schema) -> list[object]:
    """The values a schema names one by one, through unions; none where it does not."""
    values = schema.get("enum")
    if is_array(values):
        return list(values)
    if "const" in schema:
        return [schema["const"]]
    return [choice for branch in branches(schema) for choice in choices(branch)]


_BOUNDS = (
    ("minimum", ">= {}"),
    ("exclusiveMinimum", "> {}"),
    ("maximum", "<= {}"),
    ("exclusiveMaximum", "< {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
    ("multipleOf", "a multiple of {}"),
    ("pattern", "matching {}"),
    ("format", "in the form {}"),
)


def expectation(schema: Schema) -> str:
    """What a schema admits, in a few words: `integer >= 0`, `one of "open", "closed"`, `array of string`."""
    members = branches(schema)
    if members:
        return " or ".join(dict.fromkeys(words for each in members if (words := expectation(each))))
    values = choices(schema)
    if values:
        listed = ", ".join(_json(each) for each in values[:MOST_CHOICES])
        return f"one of {listed}" + (f" and {len(values) - MOST_CHOICES} more" if len(values) > MOST_CHOICES else "")
    declared = schema.get("type")
    names = _names(declared)
    words = " or ".join(names)
    items = schema.get("items")
    if "array" in names and is_object(items) and (inner := expectation(items)):
        words = words.replace("array", f"array of {inner}")
    bounds = ", ".join(_bound(text, schema[keyword]) for keyword, text in _BOUNDS if keyword in schema)
    return f"{words} {bounds}".strip()


def _bound(text: str, value: object) -> str:
    """A bound in words; `at least 1 characters` is what nobody says."""
    return "not empty" if value == 1 and text.startswith("at least") else text.format(value)


def _names(declared: object) -> list[str]:
    if is_array(declared):
        return [str(each) for each in declared]
    return [declared] if isinstance(declared, str) else []


def bounded(schema: Schema) -> bool:
    """Whether a schema says more than a type: a bound, a pattern, a set."""
    return any(keyword in schema for keyword, _ in _BOUNDS) or bool(choices(schema))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
