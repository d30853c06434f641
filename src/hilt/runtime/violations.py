"""Faults of arguments, worded for the model: where, what came, what is expected, the one change.

The words come from the declared schema, never from a validator: what the model was shown is what
it is held to.
"""

from collections.abc import Mapping, Sequence

from hilt.calls.arguments import Path, Problem
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_array, is_object
from hilt.results.failures import InvalidArguments, Violation
from hilt.results.render import compact_json

LONGEST_RECEIVED = 80
"""Characters of a received value that a violation shows."""
MOST_VIOLATIONS = 20
"""Violations listed in one answer; more are counted."""
MOST_CHOICES = 20
"""Choices of a set that are listed; a longer set names the nearest and its size."""

Schema = Mapping[str, object]


def invalid(tool: str, schema: Schema, parsed: object, problems: Sequence[Problem]) -> InvalidArguments:
    """The failure for a call whose arguments are not as declared, every violation in it."""
    violations = [violation(schema, parsed, each) for each in problems]
    shown = violations[:MOST_VIOLATIONS]
    more = f" ({len(violations) - len(shown)} more not shown)" if len(violations) > len(shown) else ""
    count = f"{len(violations)} argument{'s are' if len(violations) > 1 else ' is'} not as declared"
    return InvalidArguments(
        f"{tool}: {count}{more}", f"call {tool} again with {' and '.join(_changes(shown))}", violations=shown
    )


def _changes(violations: Sequence[Violation]) -> list[str]:
    paths = list(dict.fromkeys(each.path for each in violations))
    return [", ".join(paths[:5]) + (" and the others" if len(paths) > 5 else "") + " corrected"]


def violation(schema: Schema, parsed: object, problem: Problem) -> Violation:
    """One fault in words."""
    path = json_path(problem.path)
    if problem.sort == "unknown":
        return _unknown(schema, parsed, problem, path)
    found = subschema(schema, problem.path)
    expected = expectation(found) if found else ""
    if problem.sort == "missing":
        return Violation(
            path=path, received="nothing", expected=expected or "a value", next_step=f"add {path}{_example(found)}"
        )
    value = value_at(parsed, problem.path)
    if not expected or _fits_words(found, value):
        expected = problem.message or "a value of the declared form"
    return Violation(path=path, received=received(value), expected=expected, next_step=_change(path, found, value))


def _unknown(schema: Schema, parsed: object, problem: Problem, path: str) -> Violation:
    owner = subschema(schema, problem.path[:-1]) or {}
    declared = list(properties(owner))
    alike = nearest(str(problem.path[-1]), declared, most=1)
    step = f"use {alike[0]} instead" if alike else f"leave {path} out"
    return Violation(
        path=path,
        received=received(value_at(parsed, problem.path)),
        expected=f"no such argument; declared: {', '.join(declared) or 'none'}",
        next_step=step,
    )


def _example(schema: Schema | None) -> str:
    examples = (schema or {}).get("examples")
    return f", for example {compact_json(examples[0])}" if is_array(examples) and examples else ""


def _change(path: str, schema: Schema | None, value: object) -> str:
    choices = _choices(schema or {})
    if choices and isinstance(value, str):
        alike = nearest(value, [each for each in choices if isinstance(each, str)], most=1)
        if alike:
            return f"use {compact_json(alike[0])}"
    return f"change {path}{_example(schema)}"


def received(value: object) -> str:
    """A value as JSON, cut in the middle of nothing: whole, or its start and its length."""
    if isinstance(value, str) and len(value) > LONGEST_RECEIVED:
        return f"{compact_json(value[:LONGEST_RECEIVED])}... ({len(value):,} characters)"
    if isinstance(value, (dict, list)) and len(value) > LONGEST_RECEIVED:
        return f"{_KINDS[type(value)]} of {len(value):,}"
    try:
        text = compact_json(value)
    except RecursionError:
        return "a value nested too deeply to show"
    return text if len(text) <= LONGEST_RECEIVED else f"{text[:LONGEST_RECEIVED]}... ({len(text):,} characters)"


_KINDS = {dict: "object", list: "array"}


def json_path(path: Path) -> str:
    """A path as people write it: `edits[0].old`; the whole of the arguments is `arguments`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text or "arguments"


def value_at(parsed: object, path: Path) -> object:
    """The value at a path, or None where there is none."""
    node = parsed
    for step in path:
        if (isinstance(step, str) and is_object(node) and step in node) or (isinstance(step, int) and is_array(node) and step < len(node)):
            node = node[step]
        else:
            return None
    return node


def subschema(schema: Schema, path: Path) -> Schema | None:
    """The schema at a path, through arrays, unions and references; None where none is declared."""
    node: Schema | None = _followed(schema, schema)
    for step in path:
        if node is None:
            return None
        node = _child(node, step, schema)
    return node


def _child(node: Schema, step: str | int, root: Schema) -> Schema | None:
    found: object = None
    if isinstance(step, str):
        found = properties(node).get(step) or node.get("additionalProperties")
    else:
        prefix = node.get("prefixItems")
        found = prefix[step] if is_array(prefix) and step < len(prefix) else node.get("items")
    if is_object(found):
        return _followed(found, root)
    for branch in branches(node):
        below = _child(_followed(branch, root) or {}, step, root)
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


def _followed(schema: Schema, root: Schema) -> Schema | None:
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
        return frozenset().union(*(kinds(_followed(each, root) or {}, root) for each in members))
    choices = _choices(schema)
    if choices:
        return frozenset(_kind_of(each) for each in choices)
    return ALL_KINDS


ALL_KINDS = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})


def _kind_of(value: object) -> str:
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


def _choices(schema: Schema) -> list[object]:
    values = schema.get("enum")
    if is_array(values):
        return list(values)
    if "const" in schema:
        return [schema["const"]]
    return [choice for branch in branches(schema) for choice in _choices(branch)]


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
    choices = _choices(schema)
    if choices:
        listed = ", ".join(compact_json(each) for each in choices[:MOST_CHOICES])
        return f"one of {listed}" + (f" and {len(choices) - MOST_CHOICES} more" if len(choices) > MOST_CHOICES else "")
    members = branches(schema)
    if members:
        return " or ".join(dict.fromkeys(filter(None, map(expectation, members))))
    declared = schema.get("type")
    names = [declared] if isinstance(declared, str) else list(declared) if is_array(declared) else []
    words = " or ".join(map(str, names))
    items = schema.get("items")
    if "array" in names and is_object(items) and (inner := expectation(items)):
        words = words.replace("array", f"array of {inner}")
    bounds = ", ".join(text.format(schema[keyword]) for keyword, text in _BOUNDS if keyword in schema)
    return f"{words} {bounds}".strip()


def _fits_words(schema: Schema | None, value: object) -> bool:
    """Whether the schema's words alone do not explain the fault, so that the reader's own words are needed."""
    if schema is None or any(keyword in schema for keyword, _ in _BOUNDS) or _choices(schema):
        return False
    kind = _kind_of(value)
    admitted = kinds(schema, schema)
    return kind in admitted or (kind == "integer" and "number" in admitted)
