"""Agent frameworks, both ways: one session's tools in each of them, and a framework's tool as Hilt's own."""

import json
from typing import Annotated, Any

import agents as agents_sdk
import pytest
from agents.testing import ScriptedModel, assistant_message, function_call
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, execute_tools
from inspect_ai.tool import ToolCall as InspectCall
from langchain_core.tools import ToolException
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel

from hilt import Description, Param, Runtime, Session, tool
from hilt.adapters import inspect_ai, langchain, openai_agents, pydantic_ai
from hilt.calls.tool import RESULT_TOKENS
from tests.kit import EVERYTHING

CALLS = (("weather", '{"city": "Bonn"}'), ("weather", '{"city": 5}'), ("write_note", '{"text": "x"}'))


@tool(
    kind="perceive",
    limit=1,
    effects={"reads": "public", "brings": "own"},
    description=Description(use_for="the weather of a city", returns="one sentence; no forecast"),
)
async def weather(city: Annotated[str, Param("name of the city")]) -> str:
    return f"fine in {city}"


@tool(
    kind="act",
    effects={"reads": "none", "does": "write"},
    idempotent=False,
    undo="none",
    description=Description(use_for="keeping a note", returns="a word"),
)
async def write_note(text: Annotated[str, Param("what to keep")]) -> str:
    raise AssertionError("policy lets it through")


async def in_pydantic_ai(runtime: Runtime, session: Session) -> list[str]:
    turns = [[ToolCallPart(name, text, str(place)) for place, (name, text) in enumerate(CALLS)], [TextPart("done")]]
    model = FunctionModel(lambda messages, info: ModelResponse(parts=turns.pop(0)))
    run = await Agent(model, toolsets=[pydantic_ai.toolset(runtime, session)]).run("go")
    parts = [part for each in run.all_messages() for part in each.parts]
    return [part.model_response_str(wrap_if_error=False) for part in parts if isinstance(part, ToolReturnPart)]


async def in_openai_agents(runtime: Runtime, session: Session) -> list[str]:
    agents_sdk.set_tracing_disabled(True)
    calls = [function_call(name, text, call_id=str(place)) for place, (name, text) in enumerate(CALLS)]
    model = ScriptedModel([calls, [assistant_message("done")]])
    agent = agents_sdk.Agent(name="desk", tools=[*openai_agents.tools(runtime, session)], model=model)
    items: list[dict[str, Any]] = [dict(each) for each in (await agents_sdk.Runner.run(agent, "go")).to_input_list()]
    return [each["output"] for each in items if each.get("type") == "function_call_output"]


async def in_langchain(runtime: Runtime, session: Session) -> list[str]:
    tools = {each.name: each for each in langchain.tools(runtime, session)}
    asked = [{"type": "tool_call", "id": "c", "name": name, "args": json.loads(text)} for name, text in CALLS]
    return [(await tools[each["name"]].ainvoke(each)).text for each in asked]


async def in_inspect(runtime: Runtime, session: Session) -> list[str]:
    calls = [
        InspectCall(id=str(place), function=name, arguments=json.loads(text))
        for place, (name, text) in enumerate(CALLS)
    ]
    done = await execute_tools([ChatMessageAssistant(content="", tool_calls=calls)], inspect_ai.tools(runtime, session))
    messages = [each for each in done.messages if isinstance(each, ChatMessageTool)]
    return [each.error.message if each.error else each.text for each in messages]


@pytest.mark.parametrize("framework", [in_pydantic_ai, in_openai_agents, in_langchain, in_inspect])
async def test_req_A1_req_E1_a_framework_gets_the_tools_and_its_model_each_answer(framework: Any) -> None:
    fine, wrong, denied = await framework(Runtime([weather, write_note], policy="read-only"), Session())

    assert "fine in Bonn" in fine
    assert "5" in wrong
    assert ("city" in wrong) or framework is in_inspect  # Inspect checks first, and names no path
    assert "denied" in denied


async def test_req_A3_a_tool_of_a_framework_has_our_bounds_classes_and_policy_at_once() -> None:
    @langchain_tool
    def archive(title: str) -> str:
        """Read from the archive."""
        if title == "closed":
            raise ToolException("429 Too Many Requests, retry after 3 seconds")
        return "line\n" * 200_000

    made = langchain.from_langchain(archive, server="library")
    allowed = Runtime(made, policy=EVERYTHING)
    long = await allowed.answer_one(Session(), "archive", {"title": "open"})
    busy = await allowed.call(Session(), "archive", {"title": "closed"})
    denied = await Runtime(made, policy="unattended").call(Session(), "archive", {"title": "open"})

    assert long.result.truncated
    assert len(long.text) < 5 * RESULT_TOKENS
    assert busy.failure is not None
    assert (busy.failure.kind, busy.failure.retry_after_s) == ("retryable", 3.0)
    assert denied.status == "denied"
