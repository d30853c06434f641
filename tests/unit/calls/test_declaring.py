"""`@tool`: hints become schemas, and what cannot work is refused at registration with the fix."""

import enum
import typing
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Optional
from uuid import UUID

import pytest
import typing_extensions
from pydantic import BaseModel, Field

from hilt import Context, Effects, Param, Ref, Runtime, Session, Tool, tool
from hilt.declarations.declaration import Awaiting, Collaboration, Communication
from hilt.declarations.description import Environment
from hilt.errors import DeclarationError
from tests.kit import WORDS, acting, answered, perceiving, runtime


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    """A place."""

    x: int
    y: int = 0


class Old(typing.TypedDict):
    """TypedDict of the standard library, which pydantic cannot read before Python 3.12."""

    a: int
    b: NotRequired[list[str]]


class New(typing_extensions.TypedDict, total=False):
    a: int


class Model(BaseModel):
    name: str = Field(min_length=1, description="who")
    tags: list[Literal["x", "y"]] = []
    inner: Point | None = None


class Tree(BaseModel):
    value: int
    below: list["Tree"] = []


received: list[object] = []


def taking(hint: Any, default: Any = ..., **param: Any) -> Tool[..., Any]:
    if default is ...:

        def take(x: Any) -> Any:
            received.append(x)
            return "ok"
    else:

        def take(x: Any = default) -> Any:
            received.append(x)
            return "ok"

    take.__annotations__ = {"x": Annotated[hint, Param("a value", **param)], "return": str}
    return tool(name="take", **perceiving())(take)


def schema_of(hint: Any, default: Any = ..., **param: Any) -> dict[str, Any]:
    properties = taking(hint, default, **param).declaration.parameters["properties"]
    assert isinstance(properties, dict)
    return {key: value for key, value in properties["x"].items() if key != "description"}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (str | None, {"type": ["string", "null"]}),
        (Optional[int], {"type": ["integer", "null"]}),  # noqa: UP045  # the old spelling is the case
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", "b"] | None, {"type": ["string", "null"], "enum": ["a", "b", None]}),
        (Literal["a"] | None, {"type": ["string", "null"], "enum": ["a", None]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (datetime, {"type": "string", "format": "date-time"}),
        (UUID, {"type": "string", "format": "uuid"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Any, {}),
        (
            Point,
            {
                "type": "object",
                "properties": {"x": {"type": "integer"}, "y": {"type": "integer", "default": 0}},
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
        (
            Old,
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}},
                "required": ["a"],
                "additionalProperties": False,
            },
        ),
        (
            list[New | None],
            {
                "type": "array",
                "items": {
                    "type": ["object", "null"],
                    "properties": {"a": {"type": "integer"}},
                    "additionalProperties": False,
                },
            },
        ),
    ],
    ids=str,
)
def test_a_hint_is_its_schema_closed_and_without_noise(hint: Any, schema: dict[str, object]) -> None:
    made = schema_of(hint)

    assert made == schema
    assert "title" not in str(taking(hint).declaration.parameters)


@pytest.mark.parametrize(
    ("hint", "sent", "arrived"),
    [
        (Colour, '"red"', Colour.RED),
        (Point, '{"x": 1}', Point(1)),
        (Old, '{"a": 1, "b": ["c"]}', {"a": 1, "b": ["c"]}),
        (Model, '{"name": "n", "inner": {"x": 1, "y": 2}}', Model(name="n", inner=Point(1, 2))),
        (Tree, '{"value": 1, "below": [{"value": 2}]}', Tree(value=1, below=[Tree(value=2)])),
        (tuple[int, str], '[1, "a"]', (1, "a")),
        (set[int], "[1, 2]", {1, 2}),
        (UUID, '"8f14e45f-ceea-467f-a1d2-0123456789ab"', UUID("8f14e45f-ceea-467f-a1d2-0123456789ab")),
        (bytes, '"text"', b"text"),
    ],
    ids=str,
)
async def test_json_becomes_the_declared_type_without_a_word(hint: Any, sent: str, arrived: object) -> None:
    received.clear()
    answer = await answered(runtime(taking(hint)), "take", f'{{"x": {sent}}}')

    assert received == [arrived], answer.text
    assert answer.result.adjustments == ()


@pytest.mark.parametrize(
    ("hint", "sent", "arrived"),
    [
        (datetime, '"2026-11-30T10:00:00.000+00:00"', "2026-11-30T10:00:00Z"),
        (Decimal, '"1.50"', None),
        (Path, '"/a//b/../c"', "/a/b/../c"),
        (set[int], "[1, 1]", [1]),
        (UUID, '"8F14E45F-CEEA-467F-A1D2-0123456789AB"', "8f14e45f-ceea-467f-a1d2-0123456789ab"),
        (list[float], "[9007199254740993]", [9007199254740992.0]),
    ],
    ids=str,
)
async def test_a_type_that_writes_a_value_otherwise_tells_the_difference(hint: Any, sent: str, arrived: object) -> None:
    result = (await answered(runtime(taking(hint)), "take", f'{{"x": {sent}}}')).result

    assert not result.is_error
    assert [each.after for each in result.adjustments] == ([] if arrived is None else [arrived])


@pytest.mark.parametrize("hint", [Point, Old, Model, list[Point], Point | None])
async def test_an_unknown_key_inside_a_record_is_refused_at_any_depth(hint: Any) -> None:
    inner = '{"x": 1, "a": 1, "name": "n", "unknown_key": 1}'
    sent = f"[{inner}]" if "list" in str(hint) else inner

    failure = (await answered(runtime(taking(hint)), "take", f'{{"x": {sent}}}')).result.failure

    assert failure is not None
    assert any("unknown_key" in each.path for each in failure.violations)


async def test_odd_parameter_names_work() -> None:
    @tool(**perceiving())
    def odd(
        schema: Annotated[str, Param("a")],
        json: Annotated[str, Param("b")],
        model_config: Annotated[str, Param("c")],
        _x: Annotated[str, Param("d")],
        self: Annotated[str, Param("e")],
        model_fields: Annotated[str, Param("f")],
        validate: Annotated[str, Param("g")] = "",
    ) -> list[str]:
        return [schema, json, model_config, _x, self, model_fields, validate]

    names = ["schema", "json", "model_config", "_x", "self", "model_fields", "validate"]
    answer = await Runtime([odd]).call(Session(), "odd", {name: name for name in names})

    assert list(odd.declaration.parameters["properties"]) == names  # type: ignore[call-overload]  # an object
    assert answer.items == ("schema",)  # its limit is 1
    assert answer.truncation is not None


async def test_the_context_is_given_wherever_it_is_asked_for() -> None:
    @tool(**perceiving())
    def last(x: Annotated[int, Param("x")], ctx: Context) -> str:
        return ctx.session.id

    @tool(**perceiving())
    async def maybe(where: Context | None = None, *, x: Annotated[int, Param("x")] = 1) -> str:
        return where.session.id if where else "none"

    @tool(**perceiving())
    def noted(ctx: Annotated[Context, "mine"]) -> str:
        return ctx.session.id

    session = Session(id="mine")
    for each in (last, maybe, noted):
        assert each.context is not None
        assert each.context not in each.declaration.parameters["properties"]  # type: ignore[operator]  # an object
        assert (await runtime(each).call(session, each.name, {"x": 1} if each is not noted else {})).items == ("mine",)


def test_words_of_a_parameter_come_from_param_then_field_then_the_docstring() -> None:
    @tool(kind="perceive", limit=1)
    def worded(
        a: Annotated[int, Param("from Param"), Field(description="from Field")],
        b: Annotated[int, Field(description="from Field", ge=2)],
        c: int,
        d: int = 1,
    ) -> str:
        """Do a thing.

        And more of it.

        Args:
            a: from the docstring
            b: from the docstring
            c (int): from the docstring,
                on two lines
            d: last

        Returns:
            Something.
        """
        return ""

    properties = worded.declaration.parameters["properties"]
    assert isinstance(properties, dict)
    assert {name: each["description"] for name, each in properties.items()} == {
        "a": "from Param",
        "b": "from Field",
        "c": "from the docstring, on two lines",
        "d": "last",
    }
    assert properties["b"]["minimum"] == 2
    text = worded.declaration.text(Environment())
    assert text == "Do a thing. And more of it. Returns: Something."


def test_what_the_model_need_not_give_has_its_default_in_sight() -> None:
    assert schema_of(int, 3)["default"] == 3
    assert schema_of(Colour, Colour.RED)["default"] == "red"
    assert schema_of(list[int], [1])["default"] == [1]
    assert "default" not in schema_of(int | None, None)
    assert taking(int, 3).declaration.parameters.get("required") is None


_AWAITING = Awaiting(wakes_with="x", cancel="y", catch_up="skip")


def _plain() -> str:
    return ""


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        (acting(), "act"),
        (perceiving(), "perceive"),
        ({"kind": "await", "terms": _AWAITING, "description": WORDS}, "await"),
        (
            {
                "kind": "communicate",
                "terms": Communication(delivery="at once", repeat_key="text", quiet_hours="none"),
                "description": WORDS,
            },
            "communicate",
        ),
        (
            {
                "kind": "collaborate",
                "terms": Collaboration(control="the agent", failure="the caller", ends="either"),
                "description": WORDS,
            },
            "collaborate",
        ),
    ],
    ids=["act", "perceive", "await", "communicate", "collaborate"],
)
async def test_each_kind_is_accepted_with_what_it_must_declare_and_still_a_function(
    options: dict[str, Any], kind: str
) -> None:
    made = tool(**options)(_plain)

    assert made.declaration.kind == kind
    assert made() == ""
    assert (await answered(runtime(made), "_plain")).result.items == ("",)


def test_effects_are_read_from_their_short_form_and_what_is_not_said_is_the_most_dangerous() -> None:
    said = tool(**acting(effects={"reads": "none", "does": ["write"], "roles": {}}))(_plain).declaration.effects
    silent = tool(**acting(effects={}))(_plain).declaration.effects
    whole = Effects(reads="none", brings="own", does=frozenset())
    given = tool(**acting(effects=whole))(_plain).declaration.effects
    looking = tool(**perceiving())(_plain).declaration.effects
    fetching = tool(**perceiving(effects={"reads": "public", "does": "fetch"}))(_plain).declaration.effects

    assert (said.reads, said.brings, said.does, said.undoable) == ("none", "own", {"write"}, False)
    assert len(silent.does) == 7
    assert given is whole
    assert (looking.does, looking.reads, looking.brings) == (frozenset(), "private", "third-party")
    assert (fetching.read_only, fetching.open_world, fetching.destructive) == (True, True, False)
    assert said.destructive
    assert not given.open_world


def test_a_tool_keeps_its_name_for_dispatch_under_another_on_the_wire() -> None:
    made = tool(**perceiving())(_plain)

    assert made.renamed("other").declaration.original_name == "_plain"
    assert made.renamed("other").renamed("third").declaration.original_name == "_plain"
    with pytest.raises(DeclarationError, match="no name that providers take"):
        made.renamed("a.b")


def test_references_are_declared_by_a_word_that_schemas_of_others_do_not_know() -> None:
    assert schema_of(Annotated[str, Ref("ticket")])["x-hilt-ref"] == "ticket"
