"""What is loaded is appended, in every provider's form; and what a provider searches itself never moves."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from openai.types.responses import FunctionToolParam, NamespaceToolParam, ToolSearchToolParam
from pydantic import TypeAdapter

from hilt import Runtime, Session, schema_tool, tool
from hilt.adapters import anthropic, gemini, mcp, openai_chat, openai_responses
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import Effects
from hilt.tools.find_tools import find_tools
from tests.kit import answered, perceiving, runtime

SEES = Effects(reads="none", brings="own", does=frozenset())
OFFERS: dict[str, Callable[..., Any]] = {
    "anthropic": anthropic.offer,
    "openai": openai_chat.offer,
    "openai-responses": openai_responses.offer,
    "gemini": gemini.offer,
    "mcp": mcp.offer,
}


@tool(**perceiving())
async def near() -> str:
    return "near"


@tool(**perceiving(deferred=True))
async def far() -> str:
    return "far"


def upstream(name: str) -> AnyTool:
    made = schema_tool(
        name, lambda given: name, parameters={"type": "object"}, kind="perceive", effects=SEES, server="eyes"
    )
    return replace(made.renamed(f"eyes__{name}"), handling=replace(made.handling, deferred=True))


def offering() -> Runtime:
    return runtime(near, far, find_tools, upstream("look"), upstream("blink"))


async def select(of: Runtime, session: Session, *names: str) -> str:
    return (await answered(of, "find_tools", json.dumps({"query": f"select:{','.join(names)}"}), session)).text


@pytest.mark.parametrize("form", OFFERS)
async def test_the_bytes_before_what_was_loaded_stay(form: str) -> None:
    of, session, write = offering(), Session(), OFFERS[form]
    before = json.dumps(write(of, session))

    await select(of, session, "eyes/look")
    once = json.dumps(write(of, session))
    await answered(of, "far", session=session)
    twice = json.dumps(write(of, session))

    for shorter, longer in ((before, once), (once, twice)):
        assert longer.startswith(shorter.rstrip("]}"))
        assert len(longer) > len(shorter)
    assert "eyes__look" in once
    assert "eyes__blink" not in twice


@pytest.mark.parametrize("form", ["anthropic", "openai-responses"])
async def test_what_a_provider_searches_itself_is_all_there_always_and_is_called_at_once(form: str) -> None:
    of, session, write = offering(), Session(), OFFERS[form]
    before = json.dumps(write(of, session, defer_loading=True))

    assert (await answered(of, "far", session=session)).text == "far"
    assert (await answered(of, "eyes__look", session=session)).text == "look"
    await of.load(session, ["eyes__blink"])

    assert json.dumps(write(of, session, defer_loading=True)) == before
    assert before.count("defer_loading") == 3
    assert "find_tools" not in before


def test_openai_searches_the_tools_of_each_server_in_a_namespace_of_its_own() -> None:
    offers: list[Any] = list(openai_responses.offer(offering(), Session(), defer_loading=True))
    near_, own, eyes, search = offers

    assert TypeAdapter(FunctionToolParam).validate_python(near_)["name"] == "near"
    assert TypeAdapter(ToolSearchToolParam).validate_python(search) == {"type": "tool_search"}
    for space in (own, eyes):
        TypeAdapter(NamespaceToolParam).validate_python(space)
    assert (eyes["name"], eyes["description"]) == ("eyes", "2 tools of eyes: eyes__look, eyes__blink")
    assert [each["name"] for each in own["tools"]] == ["far"]
    assert all(each["defer_loading"] for each in eyes["tools"])


def test_without_anything_that_waits_no_search_is_offered() -> None:
    alone = runtime(near)

    assert [each["name"] for each in openai_responses.offer(alone, Session(), defer_loading=True)] == ["near"]
    assert [each["name"] for each in anthropic.offer(alone, Session(), defer_loading=True)] == ["near"]


def test_a_namespace_names_as_many_tools_as_a_line_takes() -> None:
    many = runtime(near, find_tools, *(upstream(f"look_at_{number}") for number in range(40)))

    told = str(openai_responses.offer(many, Session(), defer_loading=True)[1]["description"])
    assert told.startswith("40 tools of eyes: eyes__look_at_0, ")
    assert told.endswith(", ...")
    assert len(told) < openai_responses.NAMESPACE_CHARACTERS + 40


async def test_a_call_found_in_a_namespace_is_read_and_sent_back_with_it() -> None:
    found = {"type": "tool_search_output", "execution": "server", "status": "completed", "tools": []}
    called = {"type": "function_call", "name": "eyes__look", "namespace": "eyes", "call_id": "c", "arguments": "{}"}
    items = [{"type": "tool_search_call", "execution": "server", "id": "s"}, found, called]
    of, session = offering(), Session()
    openai_responses.offer(of, session, defer_loading=True)

    outputs = await openai_responses.answer(of, session, {"id": "r", "status": "completed", "output": items})

    assert [each["output"] for each in outputs] == ["look"]
    assert openai_responses.repaired({"output": items})[2]["namespace"] == "eyes"
    assert await openai_responses.resume(of, session, items) == [*items, *outputs]
