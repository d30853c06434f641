"""What a host declares and what a model sends: hints, refusals, kinds, words, names, fidelity, repairs."""

import importlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from hilt import (
    Awaiting,
    Collaboration,
    Communication,
    Context,
    Description,
    Param,
    Repair,
    Runtime,
    Session,
    Tool,
    ToolCall,
    ToolResult,
    schema_tool,
    tool,
)
from hilt.calls.events import Event, MemoryTrace
from hilt.declarations.checks import ordered, together
from hilt.declarations.description import Environment
from hilt.declarations.schema import is_object
from hilt.errors import DeclarationError
from hilt.tools.artifact_read import artifact_read
from hilt.tools.find_files import find_files
from hilt.tools.read_file import read_file
from hilt.tools.search_code import search_code
from tests.kit import WORDS, perceiving
from tests.unit.declarations.drift import constants_of, numerals_without_constant, quoted_fields_not_returned

SHELF: list[Tool[..., Any]] = [search_code, find_files, read_file, artifact_read]


@dataclass
class Place:
    line: int
    column: int = 0


received: list[object] = []


@tool(kind="perceive", limit=1)
async def look(ctx: Context, what: str, state: Annotated[Literal["open", "closed"], Param("state", example="open")],
               place: Annotated[Place | None, Param("where")] = None, model_config: str = "") -> str:  # fmt: skip
    """Look at a thing.

    Args:
        what: the thing
        model_config: a name that pydantic keeps for itself
    """
    received.append((what, state, place, model_config, ctx.session.id))
    return "seen"


@tool(**perceiving())
def keep(x: Annotated[Any, Param("anything")]) -> str:
    received.append(x)
    return "kept"


async def answer(tools: list[Any], name: str, text: str) -> ToolResult[object]:
    received.clear()
    return await Runtime(tools).call(Session(id="s"), ToolCall(name=name, arguments=text))


async def test_req_B1_a_typed_function_is_a_tool_its_hints_the_schema_and_it_stays_a_function() -> None:
    result = await answer([look], "look", '{"what": "a", "state": "open", "place": {"line": 1}, "model_config": "m"}')

    assert result.items == ("seen",)
    assert received == [("a", "open", Place(1), "m", "s")]
    assert await look(Context(Session(id="mine"), {}), "b", "closed") == "seen"
    properties = look.declaration.parameters["properties"]
    assert is_object(properties)
    assert list(properties) == ["what", "state", "place", "model_config"]
    assert properties["what"] == {"type": "string", "description": "the thing"}
    assert look.declaration.text(Environment()) == "Look at a thing."


def _args(*args: int) -> str:
    return ""


def _silent(x: int) -> str:
    return ""


def _returnless(x: Annotated[int, Param("x")]):  # what is refused
    return ""


def _plain() -> str:
    return ""


@pytest.mark.parametrize(
    ("declare", "fix"),
    [
        (lambda: tool(name="no spaces", **perceiving())(_plain), "give @tool(name=...)"),
        (lambda: Runtime([tool(**perceiving())(_plain)] * 2), "give one of them another name"),
        (lambda: tool(**perceiving())(_args), "name each parameter"),
        (lambda: tool(**perceiving())(_returnless), "annotate it, e.g. -> list[Ticket]"),
        (lambda: tool(**perceiving())(_silent), "Param('what x holds')"),
        (lambda: tool(kind="perceive", description=WORDS)(_plain), "limit=<most items of one answer"),
    ],
    ids=["name", "duplicate", "args", "return", "undescribed", "kind"],
)
def test_req_B2_what_cannot_work_is_refused_when_registered_naming_the_fix(
    declare: Callable[[], object], fix: str
) -> None:
    with pytest.raises(DeclarationError) as caught:
        declare()

    assert fix in str(caught.value)


KINDS: dict[str, dict[str, Any]] = {
    "perceive": {"limit": 9, "continues": "offset"},
    "act": {"effects": {"does": "write"}, "idempotent": True, "undo": "hilt undo"},
    "collaborate": {"terms": Collaboration(control="it", failure="caller", ends="either")},
    "communicate": {"terms": Communication(delivery="once", repeat_key="text", quiet_hours="none")},
    "await": {"terms": Awaiting(wakes_with="a message", cancel="wake_cancel", catch_up="latest")},
}


@pytest.mark.parametrize("kind", KINDS)
def test_req_B3_each_kind_must_declare_what_it_owes_and_one_thing_missing_is_named(kind: Any) -> None:
    def paged(offset: Annotated[int, Param("skip")] = 0) -> list[str]:
        return []

    assert tool(kind=kind, description=WORDS, **KINDS[kind])(paged).declaration.kind == kind
    for left_out in KINDS[kind]:
        kept = {name: value for name, value in KINDS[kind].items() if name != left_out}
        with pytest.raises(DeclarationError, match=f"{left_out}="):
            tool(kind=kind, description=WORDS, **kept)(paged)


@pytest.mark.parametrize("each", SHELF, ids=lambda each: each.name)
def test_req_B4_a_built_in_tool_says_when_when_not_what_returns_and_what_does_not(each: Tool[..., Any]) -> None:
    names = {other.name for other in SHELF}
    text = each.declaration.text(Environment(offered=names))
    owners = re.findall(r"use (\w+)", text)

    assert " Not for " in text
    assert owners
    assert set(owners) <= names - {each.name}
    assert re.search(r"Returns [^.]*\b(no|only|nothing|never|at most|up to)\b", text)
    assert "use " not in each.declaration.text(Environment()).split("Returns")[0]


@pytest.mark.parametrize("each", SHELF, ids=lambda each: each.name)
def test_req_B6_no_built_in_tool_says_a_number_or_a_field_that_its_code_does_not_have(each: Tool[..., Any]) -> None:
    module = importlib.import_module(each.function.__module__)

    assert numerals_without_constant(each, [*constants_of(module), 0, 1]) == []
    assert quoted_fields_not_returned(each) == []


def test_req_B6_text_that_depends_on_the_session_is_made_anew_and_has_a_short_form() -> None:
    words = Description(
        use_for=lambda here: f"a test on {here.platform}", returns="x", traps="some", not_for={"y": "keep"}
    )
    made = tool(**perceiving(description=words))(_plain)
    of = Runtime([made, keep], environment=Environment(platform="linux"))
    session = Session()

    assert of.offer(session)[0].description == "A test on linux. Not for y (use keep). Returns x. Some."
    of.catalog.remove("keep")
    assert of.offer(session)[0].description == "A test on linux. Not for y. Returns x. Some."
    assert of.offer(session, compact=True)[0].description == "A test on linux. Not for y. Returns x."


async def test_req_B8_an_unknown_argument_at_any_depth_is_refused_naming_the_nearest() -> None:
    outer = await answer([look], "look", '{"what": "a", "stat": "open", "state": "open"}')
    inner = await answer([look], "look", '{"what": "a", "state": "open", "place": {"line": 1, "colum": 2}}')

    for result, step in ((outer, "use state instead"), (inner, "use column instead")):
        assert result.failure is not None
        assert [each.next_step for each in result.failure.violations] == [step]
    assert received == []


@pytest.mark.parametrize("each", SHELF, ids=lambda each: each.name)
def test_req_B9_no_built_in_tool_asks_for_reasons_and_every_path_is_absolute(each: Tool[..., Any]) -> None:
    properties = each.declaration.parameters["properties"]
    assert is_object(properties)
    assert not {"reason", "reasoning", "thought", "why", "explanation"} & set(properties)
    for name, role in each.declaration.effects.roles.items():
        shown = properties[name]
        assert role != "path" or (is_object(shown) and "absolute" in str(shown["description"]))


async def test_req_B12_only_what_has_no_default_is_required_and_checks_across_fields_are_told_with_the_rest() -> None:
    @tool(**perceiving(checks=[ordered("first", "last"), together("first", "last")]))
    def span(
        name: Annotated[str, Param("name")],
        first: Annotated[int | None, Param("first")] = None,
        last: Annotated[int | None, Param("last")] = None,
    ) -> str:
        return name

    result = await answer([span], "span", '{"name": "a", "first": 3, "last": 1}')
    alone = await answer([span], "span", '{"name": "a", "first": 3}')

    assert span.declaration.parameters["required"] == ["name"]
    assert span.declaration.parameters["dependentRequired"] == {"first": ["last"], "last": ["first"]}
    assert result.failure is not None
    assert alone.failure is not None
    assert result.failure.violations[0].expected == "first <= last"
    assert alone.failure.violations[0].expected == "all of first, last, or none"


HOSTILE = [
    "“curly” ‘quotes’", "\u00a0nbsp", "e\u0301 is not \u00e9", "a\r\nb\rc\n", "\ufeffbom", "\ttab", "\u200dzwj",
    "$& $1 $$",
    "\\1 \\g<0>", "", " ", "null", "12345", '{"k":1}', "[1]", "\u0000", "\u001b[0m", "🦊", "\u2028", "true", "1e3",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
async def test_req_C1_text_arrives_byte_for_byte_and_its_digests_stand_in_the_trace(text: str) -> None:
    trace, session = MemoryTrace(), Session()
    of = Runtime([keep], trace=trace)
    for ascii_only in (True, False):
        received.clear()
        await of.call(session, ToolCall(name="keep", arguments=json.dumps({"x": text}, ensure_ascii=ascii_only)))
        assert received == [text]

    facts = [each.facts for each in trace if isinstance(each, Event) and each.step == "decode"]
    assert len({each["digest"] for each in facts}) == 1
    assert all(len(str(each["text_digest"])) == 32 for each in facts)


async def test_req_C1_empty_missing_and_null_are_three_things_and_3_is_3_point_0() -> None:
    @tool(**perceiving())
    def three(
        text: Annotated[str | None, Param("text")] = "default", number: Annotated[int, Param("number")] = 0
    ) -> str:
        received.append((text, number))
        return "ok"

    for sent, arrived in (
        ("{}", ("default", 0)),
        ('{"text": ""}', ("", 0)),
        ('{"text": null}', (None, 0)),
        ('{"number": 3.0}', ("default", 3)),
    ):
        assert not (await answer([three], "three", sent)).adjustments
        assert received == [arrived]


async def test_req_C2_a_tool_gets_what_was_sent_and_nothing_beside_it() -> None:
    foreign = schema_tool("up", lambda given: received.append(dict(given)), parameters={"type": "object"})

    await Runtime([foreign]).call(Session(), "up", {"a": 1}, approved=True)

    assert received[-1:] == [{"a": 1}]


async def test_req_C3_a_repair_has_one_meaning_and_is_told_and_two_meanings_are_refused() -> None:
    @tool(**perceiving(repairs=[Repair(old="files", new="paths")]))
    def read(
        paths: Annotated[list[str], Param("paths")], either: Annotated[str | list[str], Param("either")] = ""
    ) -> str:
        received.append((paths, either))
        return "ok"

    renamed = await answer([read], "read", '{"files": ["a"]}')
    assert received == [(["a"], "")]
    unwrapped = await answer([read], "read", '{"paths": "[\\"a\\"]", "either": "[\\"b\\"]"}')
    assert received == [(["a"], '["b"]')]
    assert [each.what for each in (*renamed.adjustments, *unwrapped.adjustments)] == ["paths", "paths"]
    for ambiguous in (
        '{"files": ["a"], "paths": ["b"]}',
        '{"paths": "a"}',
        '{"paths": ["a"], "either": 5}',
        '{"paths": [5]}',
    ):
        assert (await answer([read], "read", ambiguous)).failure is not None
        assert received == []


async def test_req_C4_every_violation_is_told_at_once_with_path_received_bound_and_one_step() -> None:
    result = await answer([look], "look", '{"state": "opne", "place": {"line": "1", "column": true}, "wat": "a"}')

    assert result.failure is not None
    told = {each.path: (each.received, each.expected, each.next_step) for each in result.failure.violations}
    assert told == {
        "what": ("nothing", "string", "add what"),
        "state": ('"opne"', 'one of "open", "closed"', 'use "open"'),
        "place.line": ('"1"', "integer", "change place.line"),
        "place.column": ("true", "integer", "change place.column"),
        "wat": ('"a"', "only what, state, place, model_config", "use what instead"),
    }
    whole = str(result)
    assert not re.search(r"https?://|Traceback|pydantic", whole)
