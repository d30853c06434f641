"""Parameters as each provider takes them: what it does not understand is said in words, never dropped unsaid.

`base_form` is what every provider gets; `strict_form` and `narrowed` go on from it. The lists of
keywords are data, each with the page or type it was read from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hilt.adapters.remembered import remembered
from hilt.declarations.parameters import REFERENCE_KEYWORD
from hilt.declarations.schema import Schema, is_array, is_object, map_schemas
from hilt.results.render import compact_json

_OURS = frozenset({REFERENCE_KEYWORD, "$schema", "$comment"})
_EXAMPLES = frozenset({"examples", "example"})
_ANNOTATIONS = _EXAMPLES | {"title", "default", "deprecated", "readOnly", "writeOnly"}
"""Keywords that describe and do not constrain."""
_NOT_AT_THE_ROOT = ("allOf", "anyOf", "oneOf", "enum", "not")
"""OpenAI and Anthropic answer 400 to these beside the root's `type: object`, in any form."""

DEEPEST_STRICT = 10
LONGEST_STRICT_ENUM = 1_000
"""developers.openai.com/api/docs/guides/structured-outputs, supported schemas."""


@remembered
def base_form(parameters: Mapping[str, object], *, examples: bool) -> Schema:
    """The parameters as every provider takes them: an object with `properties`, arrays with `items`.

    Without `examples`, the values that parameters give as examples are left out.
    """
    absent = _OURS if examples else _OURS | _EXAMPLES

    def tidy(node: Schema) -> Schema:
        kept = {keyword: value for keyword, value in node.items() if keyword not in absent}
        return {**kept, "items": {}} if _lacks_items(kept) else kept

    whole = _flat_root(map_schemas(dict(parameters), tidy))
    return {**whole, "type": "object", "properties": whole.get("properties", {})}


def _lacks_items(node: Schema) -> bool:
    return "array" in types(node) and "items" not in node and "prefixItems" not in node


def types(node: Schema) -> tuple[object, ...]:
    """The JSON types a schema names; none where it leaves them open."""
    named = node.get("type")
    return tuple(named) if is_array(named) else () if named is None else (named,)


def _flat_root(root: Schema) -> Schema:
    """The root without combinations: their properties stand in it, and their conditions in words."""
    found = [keyword for keyword in _NOT_AT_THE_ROOT if keyword in root]
    if not found:
        return root
    flat = {keyword: value for keyword, value in root.items() if keyword not in found}
    conditions: Schema = {}
    for keyword in found:
        branches = [each for each in _listed(root[keyword]) if is_object(each)]
        for branch in branches:
            flat["properties"] = {**_named(branch.get("properties")), **_named(flat.get("properties"))}
        if any("required" in each for each in branches):
            conditions[keyword] = [{"required": each.get("required", [])} for each in branches]
        elif not branches:
            conditions[keyword] = root[keyword]
    return _in_words(flat, conditions)


def _listed(value: object) -> list[object]:
    return value if is_array(value) else []


def _named(value: object) -> Schema:
    return value if is_object(value) else {}


def _in_words(node: Schema, left_out: Mapping[str, object]) -> Schema:
    """The node with keywords it cannot carry told in its description."""
    if not left_out:
        return node
    told = "; ".join(f"{keyword}: {compact_json(value)}" for keyword, value in left_out.items())
    before = node.get("description")
    return {**node, "description": f"{before} ({told})" if isinstance(before, str) and before else f"({told})"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """A provider's strict form: the keywords it enforces, and what it asks of a schema."""

    keywords: frozenset[str]
    formats: frozenset[str]
    every_property_required: bool
    references: bool
    most_min_items: int | None = None


_FORMATS = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_STRUCTURE = frozenset({"type", "description", "enum", "const", "properties", "required", "additionalProperties"})

# developers.openai.com/api/docs/guides/structured-outputs, supported schemas: minLength, maxLength, allOf, not,
# dependentRequired, if/then/else and patternProperties are not among them.
OPENAI_STRICT = Strict(
    keywords=_STRUCTURE
    | {"items", "minItems", "maxItems", "anyOf", "$ref", "$defs", "pattern", "format", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    formats=_FORMATS,
    every_property_required=True,
    references=True,
)

# platform.claude.com/docs/en/build-with-claude/structured-outputs, JSON Schema limitations, and the same list in
# anthropic.lib._parse._transform: no bounds of numbers or text, no recursion, minItems 0 or 1.
ANTHROPIC_STRICT = Strict(
    keywords=_STRUCTURE | {"items", "minItems", "anyOf", "allOf", "format", "default", "title"},
    formats=_FORMATS | {"uri"},
    every_property_required=False,
    references=False,
    most_min_items=1,
)


class _Inexpressible(Exception):
    """The strict form cannot say what the schema says."""


@remembered
def strict_form(schema: Schema, form: Strict) -> Schema | None:
    """The schema in a provider's strict form, or None where that would change its meaning.

    A strict model must send every property, so an optional one must already admit null and mean
    by it what its absence means (no default but null). Nothing is made nullable that was not:
    a null could then not be told from "not given" without altering arguments outside `decode`.
    Free-form objects, open schemas and keywords the provider does not enforce have no strict form.
    """
    try:
        return _strict(schema, form, schema, level=1)
    except _Inexpressible:
        return None


def _strict(node: Schema, form: Strict, root: Schema, *, level: int) -> Schema:
    told = {keyword: node[keyword] for keyword in node if keyword in _ANNOTATIONS - form.keywords}
    kept = {keyword: value for keyword, value in node.items() if keyword not in told}
    _check_node(kept, form, level)
    if "$ref" in kept and len(kept) + len(told) > 1:
        kept = {"anyOf": [{"$ref": kept.pop("$ref")}], **kept}
    if "object" in types(kept):
        kept = _closed(kept, form, root)
    for keyword in ("properties", "$defs"):
        if keyword in kept:
            kept[keyword] = {
                name: _strict(_schema(each), form, root, level=level + 1)
                for name, each in _named(kept[keyword]).items()
            }
    if "items" in kept:
        kept["items"] = _strict(_schema(kept["items"]), form, root, level=level + 1)
    for keyword in ("anyOf", "allOf"):
        if keyword in kept:
            kept[keyword] = [_strict(_schema(each), form, root, level=level) for each in _listed(kept[keyword])]
    return _in_words(kept, told)


def _schema(value: object) -> Schema:
    if not is_object(value):
        raise _Inexpressible
    return value


def _check_node(node: Schema, form: Strict, level: int) -> None:
    values, least = _listed(node.get("enum")), node.get("minItems", 0)
    inexpressible = (
        not set(node) <= form.keywords
        or not {"type", "anyOf", "allOf", "$ref", "enum", "const"} & set(node)
        or ("$ref" in node and not form.references)
        or level > DEEPEST_STRICT
        or len(values) > LONGEST_STRICT_ENUM
        or any(isinstance(each, dict | list) for each in (*values, node.get("const")))
        or ("format" in node and node["format"] not in form.formats)
        or (form.most_min_items is not None and isinstance(least, int) and least > form.most_min_items)
    )
    if inexpressible:
        raise _Inexpressible


def _closed(node: Schema, form: Strict, root: Schema) -> Schema:
    """An object that is closed already, with every property required where the provider asks for it."""
    properties = node.get("properties")
    if node.get("additionalProperties") is not False or not is_object(properties):
        raise _Inexpressible
    if not form.every_property_required:
        return node
    required = _listed(node.get("required"))
    for name, each in properties.items():
        if name not in required and not _absence_is_null(_schema(each), root):
            raise _Inexpressible
    return {**node, "required": list(properties)}


def _absence_is_null(node: Schema, root: Schema) -> bool:
    return node.get("default") is None and _admits_null(node, root, seen=())


def _admits_null(node: Schema, root: Schema, *, seen: Sequence[str]) -> bool:
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = _named(root.get("$defs")).get(reference.removeprefix("#/$defs/"))
        return reference not in seen and is_object(target) and _admits_null(target, root, seen=(*seen, reference))
    if "enum" in node and None not in _listed(node["enum"]):
        return False
    if "anyOf" in node:
        return any(is_object(each) and _admits_null(each, root, seen=seen) for each in _listed(node["anyOf"]))
    return "null" in types(node) or ("type" not in node and "enum" in node)


# google.genai.types.GenerateContentConfig.response_json_schema (google-genai 3.6) names the JSON Schema keywords
# Gemini reads; FunctionDeclaration.parameters_json_schema says "JSON Schema format" and names no others.
GEMINI_KEYWORDS = frozenset(
    {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"}
    | {"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties"}
    | {"required", "propertyOrdering"}
)


@remembered
def narrowed(schema: Schema, keywords: frozenset[str]) -> Schema:
    """The schema in the keywords of a provider that reads only some; the others are told in words.

    An enum holds text and numbers only: null and "" are left out of it, and where null was
    possible it stays possible beside the enum.
    """

    def narrow(node: Schema) -> Schema:
        node = _enum_of_one(_merged(node))
        left_out = {keyword: value for keyword, value in node.items() if keyword not in keywords}
        kept = _in_words({keyword: value for keyword, value in node.items() if keyword in keywords}, left_out)
        if "enum" in kept:
            kept = _plain_enum(kept)
        if "$ref" in kept and len(kept) > 1:
            kept = {"anyOf": [{"$ref": kept.pop("$ref")}], **kept}
        return kept

    return map_schemas(schema, narrow)


def _enum_of_one(node: Schema) -> Schema:
    if "const" not in node:
        return node
    return {**{keyword: value for keyword, value in node.items() if keyword != "const"}, "enum": [node["const"]]}


def _merged(node: Schema) -> Schema:
    """`allOf` written into the node itself, where no keyword is said twice."""
    parts = _listed(node.get("allOf"))
    merged = {keyword: value for keyword, value in node.items() if keyword != "allOf"}
    for part in parts:
        if not is_object(part) or set(part) & set(merged):
            return node
        merged |= part
    return merged


def _plain_enum(node: Schema) -> Schema:
    values = _listed(node["enum"])
    kept = [each for each in values if each != "" and isinstance(each, str | int | float)]
    rest = {keyword: value for keyword, value in node.items() if keyword != "enum"}
    if any(isinstance(each, bool | dict | list) for each in values):
        return _in_words(rest, {"enum": values})
    if not kept:
        return rest
    if None not in values:
        return {**rest, "enum": kept}
    named = [each for each in types(rest) if each != "null"]
    choice: Schema = {"type": named[0] if len(named) == 1 else named, "enum": kept} if named else {"enum": kept}
    beside = {keyword: value for keyword, value in rest.items() if keyword != "type"}
    return {"anyOf": [choice, {"type": "null"}], **beside}
