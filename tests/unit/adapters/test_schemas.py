import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from inline_snapshot import snapshot

from hilt.adapters import anthropic, gemini, openai_chat, openai_responses
from hilt.adapters.schemas import (
    ANTHROPIC_STRICT,
    GEMINI_KEYWORDS,
    OPENAI_STRICT,
    Strict,
    base_form,
    narrowed,
    strict_form,
)
from tests.unit.adapters.samples import foreign, offered

Parameters = Mapping[str, object]
EVERY_FORM: Mapping[str, Callable[[Any], Any]] = {
    "chat": lambda offers: openai_chat.tools(offers)[0]["function"]["parameters"],  # type: ignore[index]
    "responses": lambda offers: openai_responses.tools(offers)[0]["parameters"],
    "anthropic": lambda offers: anthropic.tools(offers)[0]["input_schema"],
    "gemini": lambda offers: gemini.tools(offers)[0]["functionDeclarations"][0]["parametersJsonSchema"],  # type: ignore[index]
}
every_form = pytest.mark.parametrize("form", EVERY_FORM.values(), ids=EVERY_FORM)


def closed(properties: Parameters, required: tuple[str, ...] = (), **more: object) -> dict[str, object]:
    shape = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**shape, **({"required": list(required)} if required else {}), **more}


@every_form
@pytest.mark.parametrize("schema", [{"type": "object"}, {}], ids=["object", "empty"])
def test_an_object_schema_without_properties_is_rendered_with_empty_ones_b100(form: Any, schema: Parameters) -> None:
    rendered = form(offered(foreign("t", schema)))

    assert (rendered["type"], rendered["properties"]) == ("object", {})


KEEP = {"enum": ["fit", "raw"], "type": "string"}
REFERRING: Parameters = {
    "type": "object",
    "properties": {
        "f": {"$ref": "#/$defs/K", "description": "how"},
        "g": {
            "type": "object",
            "properties": {"h": {"$ref": "#/$defs/Inner"}},
            "$defs": {"Inner": {"type": "integer"}},
        },
        "tree": {"$ref": "#/$defs/Node", "description": "a tree"},
    },
    "$defs": {
        "K": KEEP,
        "Node": {"type": "object", "properties": {"child": {"$ref": "#/$defs/Node", "description": "below"}}},
    },
}


@every_form
def test_no_reference_dangles_and_words_beside_one_are_kept_b95(form: Any) -> None:
    rendered = form(offered(foreign("t", REFERRING)))
    given = rendered["properties"]

    assert (given["f"]["enum"], given["f"]["description"]) == (["fit", "raw"], "how")
    assert given["g"]["properties"]["h"] == {"type": "integer"}
    references = list(references_in(rendered))
    assert references == ["#/$defs/Node"] * len(references)
    assert references
    assert set(rendered["$defs"]) == {"Node"}
    assert "below" in json.dumps(rendered)


def references_in(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for each in node.values():
            yield from references_in(each)
    elif isinstance(node, list):
        for each in node:
            yield from references_in(each)


@every_form
def test_combinations_at_the_root_become_properties_and_words(form: Any) -> None:
    branches = [{"properties": {"id": {"type": "string"}}, "required": ["id"]}, {"required": ["name"]}]
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "anyOf": branches, "not": {"const": 1}}
    rendered = form(offered(foreign("t", schema)))

    assert set(rendered["properties"]) == {"id", "name"}
    assert "anyOf" not in rendered
    assert rendered["description"] == '(anyOf: [{"required":["id"]},{"required":["name"]}]; not: {"const":1})'


@every_form
def test_an_array_without_items_gets_them_and_our_own_keywords_stay_at_home(form: Any) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"a": {"type": ["array", "null"]}, "t": {"type": "string", "x-hilt-ref": "t"}},
    }
    rendered = form(offered(foreign("t", schema)))

    assert rendered["properties"] == {"a": {"type": ["array", "null"], "items": {}}, "t": {"type": "string"}}
    assert "$schema" not in rendered


def test_a_nullable_enum_keeps_its_values_and_null_beside_them_where_an_enum_holds_no_null_b98() -> None:
    nullable = {"type": ["string", "null"], "enum": ["a", "b"], "description": "which"}
    offers = offered(foreign("t", {"properties": {"x": nullable, "y": {"type": "string", "enum": ["a", "b", ""]}}}))

    assert EVERY_FORM["chat"](offers)["properties"]["x"]["enum"] == ["a", "b", None]
    assert EVERY_FORM["gemini"](offers)["properties"] == {
        "x": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}], "description": "which"},
        "y": {"type": "string", "enum": ["a", "b"]},
    }


def test_what_a_provider_does_not_read_is_said_in_words() -> None:
    schema = closed(
        {
            "name": {"type": "string", "description": "who", "pattern": "^a", "maxLength": 9, "default": "a"},
            "kind": {"const": "x"},
            "size": {"allOf": [{"type": "integer"}, {"minimum": 1}], "exclusiveMaximum": 9},
            "both": {"allOf": [{"type": "integer"}, {"type": "number"}]},
            "flag": {"enum": [True, "auto"]},
            "none": {"enum": [None, ""]},
            "odd": {"enum": ["a", None]},
            "two": {"type": ["integer", "string", "null"], "enum": [1, "a", None]},
        }
    )
    rendered: Any = narrowed(base_form(schema, examples=True), GEMINI_KEYWORDS)

    assert rendered["properties"] == snapshot(
        {
            "name": {"type": "string", "description": 'who (pattern: "^a"; maxLength: 9; default: "a")'},
            "kind": {"enum": ["x"]},
            "size": {"type": "integer", "minimum": 1, "description": "(exclusiveMaximum: 9)"},
            "both": {"description": '(allOf: [{"type":"integer"},{"type":"number"}])'},
            "flag": {"description": '(enum: [true,"auto"])'},
            "none": {},
            "odd": {"anyOf": [{"enum": ["a"]}, {"type": "null"}]},
            "two": {"anyOf": [{"type": ["integer", "string"], "enum": [1, "a"]}, {"type": "null"}]},
        }
    )


@pytest.mark.parametrize(
    "parameters",
    [
        closed({"a": {"type": "string"}}),
        closed({"a": {"type": ["string", "null"], "default": "x"}}),
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        closed({"a": {"type": "object"}}, ("a",)),
        closed({"a": {"type": "object", "additionalProperties": {"type": "string"}}}, ("a",)),
        closed({"a": {"type": "string", "maxLength": 3}}, ("a",)),
        closed({"a": {"type": "string", "format": "uri"}}, ("a",)),
        closed({"a": {}}, ("a",)),
        closed({"a": True}, ("a",)),
        closed({"a": {"enum": [{"b": 1}]}}, ("a",)),
        closed({"a": {"type": "string", "enum": [str(n) for n in range(1001)]}}, ("a",)),
        closed({"a": closed({"b": {"type": "string"}})}, ("a",)),
        closed({"a": {"type": ["string", "null"], "enum": ["x"]}}),
        closed({"a": {"$ref": "#/$defs/N"}}, (), **{"$defs": {"N": {"anyOf": [{"$ref": "#/$defs/N"}]}}}),
    ],
    ids=[
        *("optional without null", "default", "open", "free form", "map", "length", "format", "anything", "boolean"),
        *("structured enum", "long enum", "nested optional", "null advertised, not in the enum", "endless reference"),
    ],
)
def test_openai_strict_is_refused_where_it_would_change_the_meaning(parameters: Parameters) -> None:
    assert strict_form(base_form(parameters, examples=True), OPENAI_STRICT) is None


def test_openai_strict_requires_every_property_that_may_be_null_and_moves_words_it_does_not_know() -> None:
    node = {"type": ["object", "null"], "properties": {"next": {"$ref": "#/$defs/N", "description": "on"}}}
    schema = closed(
        {
            "a": {"type": "string", "examples": ["x"], "title": "A"},
            "b": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            "c": {"type": "array", "items": closed({"d": {"enum": ["x", None]}})},
            "e": {"$ref": "#/$defs/N"},
        },
        ("a", "c"),
        **{"$defs": {"N": {**node, "additionalProperties": False}}},
    )

    assert strict_form(base_form(schema, examples=True), OPENAI_STRICT) == snapshot(
        {
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": '(examples: ["x"]; title: "A")'},
                "b": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
                "c": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"d": {"enum": ["x", None]}},
                        "additionalProperties": False,
                        "required": ["d"],
                    },
                },
                "e": {"$ref": "#/$defs/N"},
            },
            "additionalProperties": False,
            "required": ["a", "b", "c", "e"],
            "$defs": {
                "N": {
                    "type": ["object", "null"],
                    "properties": {"next": {"anyOf": [{"$ref": "#/$defs/N"}], "description": "on"}},
                    "additionalProperties": False,
                    "required": ["next"],
                }
            },
        }
    )


def nested(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "string"}
    for _ in range(levels):
        schema = closed({"a": schema}, ("a",))
    return schema


def test_openai_strict_ends_at_ten_levels() -> None:
    assert strict_form(nested(9), OPENAI_STRICT) is not None
    assert strict_form(nested(10), OPENAI_STRICT) is None


@pytest.mark.parametrize(
    ("parameters", "possible"),
    [
        (closed({"a": {"type": "string", "default": "x"}}), True),
        (closed({"a": {"type": "array", "items": {"type": "string"}, "minItems": 1}}), True),
        (closed({"a": {"type": "array", "items": {"type": "string"}, "minItems": 2}}), False),
        (closed({"a": {"type": "integer", "minimum": 1}}), False),
        (closed({"a": {"$ref": "#/$defs/N"}}, (), **{"$defs": {"N": {"type": "string"}}}), False),
        (closed({"a": {"allOf": [{"type": "string"}]}}), True),
    ],
    ids=["optional", "one item", "two items", "bounds", "reference", "allOf"],
)
def test_anthropic_strict_leaves_optional_properties_and_refuses_bounds(parameters: Parameters, possible: bool) -> None:
    assert (strict_form(base_form(parameters, examples=True), ANTHROPIC_STRICT) is not None) == possible


@pytest.mark.parametrize("form", [OPENAI_STRICT, ANTHROPIC_STRICT], ids=["openai", "anthropic"])
def test_a_strict_form_of_a_strict_form_is_itself(form: Strict) -> None:
    once = strict_form(closed({"a": {"type": ["string", "null"]}}), form)

    assert once is not None
    assert strict_form(once, form) == once
