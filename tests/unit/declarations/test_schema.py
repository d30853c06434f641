"""JSON Schemas of others: references resolved or carried, null admitted, too deep or too large refused."""

import json
from typing import Any

import pytest

from hilt import Session, schema_tool
from hilt.declarations.schema import DEEPEST_SCHEMA, MOST_PARTS, compact, depth, map_schemas, nullable_enums, resolved
from hilt.declarations.shapes import expectation, kinds, subschema
from hilt.errors import DeclarationError
from tests.kit import answered, runtime, turn

Schema = dict[str, Any]


def declared(schema: Schema, **more: Any) -> Any:
    return schema_tool("upstream", lambda given: json.dumps(given), parameters=schema, **more)


async def accepts(schema: Schema, text: str) -> bool:
    return not (await answered(runtime(declared(schema)), "upstream", text)).result.is_error


NESTED_REFERENCES: Schema = {
    "type": "object",
    "properties": {
        "f": {"$ref": "#/$defs/K", "description": "how to fit"},
        "g": {
            "type": "object",
            "properties": {"h": {"$ref": "#/$defs/L"}},
            "$defs": {"L": {"type": "integer", "minimum": 1}},
        },
        "i": {"type": "array", "prefixItems": [{"$ref": "#/properties/g/$defs/L"}]},
    },
    "$defs": {"K": {"enum": ["fit", "raw"]}},
}


async def test_every_reference_is_written_out_and_the_words_beside_it_are_kept_b95() -> None:
    shown = declared(NESTED_REFERENCES).declaration.parameters

    assert "$ref" not in json.dumps(shown)
    assert "$defs" not in json.dumps(shown)
    assert shown["properties"]["f"] == {"enum": ["fit", "raw"], "description": "how to fit"}
    assert shown["properties"]["g"]["properties"]["h"] == {"type": "integer", "minimum": 1}
    assert shown["properties"]["i"]["prefixItems"] == [{"type": "integer", "minimum": 1}]
    assert await accepts(NESTED_REFERENCES, '{"f": "fit", "g": {"h": 1}}')
    assert not await accepts(NESTED_REFERENCES, '{"f": "x"}')
    assert not await accepts(NESTED_REFERENCES, '{"g": {"h": 0}}')


async def test_a_reference_in_a_circle_is_carried_and_holds_b95() -> None:
    tree: Schema = {
        "type": "object",
        "properties": {
            "root": {"$ref": "#/$defs/node"},
            "again": {"$ref": "#"},
            "other": {"$ref": "#/definitions/node"},
        },
        "$defs": {
            "node": {
                "type": "object",
                "properties": {
                    "value": {"type": "integer"},
                    "below": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                },
                "required": ["value"],
            }
        },
        "definitions": {
            "node": {
                "type": "object",
                "properties": {"next": {"$ref": "#/definitions/node"}},
                "additionalProperties": False,
            }
        },
    }
    shown = declared(tree).declaration.parameters

    assert len(shown["$defs"]) == 3
    assert await accepts(
        tree, '{"root": {"value": 1, "below": [{"value": 2, "below": []}]}, "again": {"root": {"value": 3}}}'
    )
    assert not await accepts(tree, '{"root": {"value": 1, "below": [{"value": "x"}]}}')
    assert not await accepts(tree, '{"again": {"root": {"value": "x"}}}')
    assert await accepts(tree, '{"other": {"next": {"next": {}}}}')
    assert not await accepts(tree, '{"other": {"next": {"value": 1}}}')


@pytest.mark.parametrize(
    "reference", ["#/$defs/missing", "https://example.invalid/schema", "#/properties/a/enum/0", "other.json"]
)
def test_a_reference_to_nothing_is_refused_by_name_and_never_fetched(reference: str) -> None:
    with pytest.raises(DeclarationError, match="refers to") as caught:
        declared({"type": "object", "properties": {"a": {"enum": ["x"]}, "b": {"$ref": reference}}})

    assert reference in str(caught.value)


def nest(levels: int, keyword: str) -> Schema:
    schema: Schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}} if keyword == "properties" else {keyword: [schema]}
    return schema


@pytest.mark.parametrize("keyword", ["properties", "anyOf"])
@pytest.mark.parametrize("levels", [600, 5_000])
def test_a_schema_nested_without_end_is_refused_with_the_limit_b97(keyword: str, levels: int) -> None:
    with pytest.raises(DeclarationError, match=f"deeper than {DEEPEST_SCHEMA} levels"):
        declared({"type": "object", "properties": {"x": nest(levels, keyword)}})


def test_depth_that_only_references_add_is_refused_as_well() -> None:
    chain: Schema = {
        f"d{n}": {"type": "object", "properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(1200)
    }
    chain["d1200"] = {"type": "string"}

    with pytest.raises(DeclarationError, match="deeper than"):
        declared({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": chain})


def test_a_few_names_that_stand_for_millions_of_parts_are_refused() -> None:
    both = [{f"{side}": {"$ref": "#/$defs/d%d"}} for side in "ab"]
    bomb: Schema = {
        f"d{n}": {
            "type": "object",
            "properties": {k: {"$ref": v["$ref"] % (n + 1)} for each in both for k, v in each.items()},
        }
        for n in range(30)
    }
    bomb["d30"] = {"type": "string"}

    with pytest.raises(DeclarationError, match=f"more than {MOST_PARTS:,} parts"):
        declared({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": bomb})


async def test_an_enum_of_a_nullable_type_admits_null_and_no_other_does_b98() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "a": {"type": ["string", "null"], "enum": ["a", "b"]},
            "b": {"type": ["string", "null"], "enum": ["a", "b", None]},
            "c": {"type": "string", "enum": ["a"]},
        },
    }

    assert declared(schema).declaration.parameters["properties"]["a"]["enum"] == ["a", "b", None]
    assert await accepts(schema, '{"a": null, "b": null}')
    assert not await accepts(schema, '{"c": null}')
    assert nullable_enums({"type": ["null", "integer"]}) == {"type": ["null", "integer"]}


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}, {"type": ["object", "null"]}])
async def test_a_schema_without_properties_is_an_object_without_any_b100(schema: Schema) -> None:
    shown = declared(schema).declaration.parameters

    assert shown["type"] == "object"
    assert shown["properties"] == {}
    assert await accepts(schema, "{}")
    assert await accepts(schema, '{"any": 1}')


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        ({"type": "string"}, "parameters are of type string"),
        ({"type": "object", "properties": {"a": {"type": "objekt"}}}, "no JSON Schema"),
        ({"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}, "no JSON Schema"),
        ({"$schema": "https://example.invalid/meta", "type": "object"}, "no JSON Schema: Unknown meta-schema"),
        ({"type": "object", "properties": {"a": {"minimum": "1"}}}, "no JSON Schema"),
    ],
    ids=range(5),
)
def test_what_is_no_schema_of_arguments_is_refused_by_the_tools_name(schema: Schema, says: str) -> None:
    with pytest.raises(DeclarationError, match="upstream: its") as caught:
        declared(schema)
    assert says in str(caught.value)
    with pytest.raises(DeclarationError, match="no JSON Schema"):
        declared({}, returns={"type": "objekt"})


def test_properties_may_be_named_like_keywords_of_the_language() -> None:
    schema: Schema = {
        "type": "object",
        "properties": {
            "$ref": {"type": "string"},
            "$defs": {"type": "string"},
            "enum": {"type": "integer"},
            "default": {"type": "object", "properties": {"y": {"$ref": "#/$defs/k"}}},
            "title": {"type": "string"},
            "switch": True,
        },
        "required": ["$ref"],
        "default": {"$ref": "data"},
        "$defs": {"k": {"type": "integer"}},
    }

    shown = declared(schema).declaration.parameters

    assert shown["properties"]["default"]["properties"]["y"] == {"type": "integer"}
    assert set(shown["properties"]) == {"$ref", "$defs", "enum", "default", "title", "switch"}
    assert shown["default"] == {"$ref": "data"}


PROMISE: Schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize(
    ("returns", "given", "says"),
    [
        (PROMISE, "ok", 'value: "ok" is not of type'),
        (PROMISE, {}, '"n" is a required property'),
        (PROMISE, {"n": "x"}, 'n: "x" is not of type "integer"'),
        ({"type": "number"}, float("inf"), "item 0 is inf"),
        ({}, object(), "not a JSON value"),
        (None, object(), "not a JSON value"),
        (None, {1: {2, 3}.__iter__}, "not a JSON value"),
    ],
    ids=range(7),
)  # fmt: skip
async def test_an_upstream_that_breaks_its_word_is_faulty_and_what_it_promised_is_named_b103(
    returns: Schema | None, given: object, says: str
) -> None:
    tool = schema_tool("up", lambda _: given, parameters={}, returns=returns)

    answer = await answered(runtime(tool), "up")

    assert answer.result.failure is not None
    assert answer.result.failure.kind == "environment"
    assert says in answer.text


async def test_a_value_that_holds_itself_is_no_json_value() -> None:
    ring: list[object] = []
    ring.append(ring)

    answer = await answered(runtime(schema_tool("up", lambda _: ring, parameters={})), "up")

    assert "not a JSON value" in answer.text


@pytest.mark.parametrize("levels", [90, 101, 254, 3_000, 100_000])
async def test_a_return_nested_without_end_is_refused_and_what_is_given_can_be_kept_b97(levels: int) -> None:
    value: object = 1
    for _ in range(levels):
        value = [value]
    of, session = runtime(schema_tool("up", lambda _: value, parameters={}, kind="perceive")), Session()

    (first,), (again,) = [await of.answer(session, turn(("up", "{}"))) for _ in range(2)]

    assert (first.result.failure is None) is (levels < 100)
    assert levels < 100 or "nested deeper than 100 levels" in first.text
    assert (again.text, again.result) == (first.text, first.result)


async def test_an_upstream_that_promises_nothing_gives_what_it_gives() -> None:
    given: list[object] = [None, "text", {"a": [1, None]}, 3]
    shown = [
        (await answered(runtime(schema_tool("up", lambda _, n=n: n, parameters={}, kind="perceive")), "up")).result
        for n in given
    ]

    assert [each.items for each in shown] == [(), ("text",), ({"a": [1, None]},), (3,)]


def test_a_schema_is_asked_through_unions_arrays_and_references() -> None:
    schema: Schema = {
        "properties": {
            "pair": {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}},
            "either": {"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#/$defs/k"}}]},
            "free": {"additionalProperties": {"type": "boolean"}},
            "lost": {"$ref": "#/$defs/none"},
        },
        "$defs": {"k": {"type": "object", "properties": {"a": {"const": 3}}}},
    }

    assert subschema(schema, ("pair", 0)) == {"type": "integer"}
    assert subschema(schema, ("pair", 4)) == {"type": "string"}
    assert subschema(schema, ("either", 7, "a")) == {"const": 3}
    assert subschema(schema, ("free", "any")) == {"type": "boolean"}
    assert subschema(schema, ("lost",)) is None
    assert subschema(schema, ("lost", "x")) is None
    assert subschema(schema, ("nowhere",)) is None


TWO = {"string", "integer"}
ALL = {"string", "number", "integer", "boolean", "null", "array", "object"}


@pytest.mark.parametrize(
    ("schema", "words", "types"),
    [
        ({"type": "integer", "minimum": 0}, "integer >= 0", {"integer"}),
        ({"type": ["string", "null"]}, "string or null", {"string", "null"}),
        ({"type": "array", "items": {"type": "string"}}, "array of string", {"array"}),
        ({"anyOf": [{"type": "string"}, {"type": "integer", "exclusiveMaximum": 3}]}, "string or integer < 3", TWO),
        ({"enum": ["a", None, 1, 1.5, True, [], {}]}, 'one of "a", null, 1, 1.5, true, [], {}', ALL),
        ({"const": "x"}, 'one of "x"', {"string"}),
        ({"enum": list(range(30))}, "one of " + ", ".join(map(str, range(20))) + " and 10 more", {"integer"}),
        ({"type": "string", "minLength": 1, "pattern": "^a"}, "string not empty, matching ^a", {"string"}),
        ({}, "", ALL),
    ],
    ids=range(9),
)  # fmt: skip
def test_what_a_schema_admits_is_said_in_a_few_words(schema: Schema, words: str, types: set[str]) -> None:
    assert expectation(schema) == words
    assert kinds(schema, schema) == types


def test_depth_is_counted_without_recursion_and_no_further_than_the_limit() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    assert depth(deep) == DEEPEST_SCHEMA + 1
    assert depth({"a": [1, {"b": 2}]}) == 3
    assert depth("text") == 1


def test_data_inside_a_schema_is_never_taken_for_a_schema() -> None:
    schema: Schema = {
        "properties": {"a": {"default": {"type": "x"}, "examples": [{"type": "y"}]}, "b": True},
        "anyOf": [True],
    }

    assert map_schemas(schema, lambda node: {**node, "seen": True}) == {
        "properties": {"a": {"default": {"type": "x"}, "examples": [{"type": "y"}], "seen": True}, "b": True},
        "anyOf": [True],
        "seen": True,
    }
    assert compact(resolved({"type": "object"}, "t")) == '{"type":"object"}'
