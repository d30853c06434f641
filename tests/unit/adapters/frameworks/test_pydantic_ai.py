"""pydantic-ai with its own test models: a model's turn calls our tools, and its tools stand on our road."""

import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, RunContext, Tool, ToolReturn
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.toolsets import FunctionToolset, WrapperToolset

from hilt import Effects, HiltError, Runtime, Session, schema_tool
from hilt.adapters import pydantic_ai
from hilt.calls.tool import Handling
from hilt.declarations.description import Environment
from tests.kit import EVERYTHING, answered, runtime
from tests.unit.adapters.frameworks.tools import PNG, Meeting, Told, chart, forecast, write_note


def model(*turns: Sequence[ToolCallPart] | str, seen: list[AgentInfo] | None = None) -> FunctionModel:
    """A model that says these turns, one a request."""
    left = list(turns)

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append(info)
        said = left.pop(0)
        return ModelResponse(parts=[TextPart(said)] if isinstance(said, str) else list(said))

    return FunctionModel(speak)


def returns(messages: Sequence[ModelMessage]) -> list[ToolReturnPart]:
    return [part for each in messages for part in each.parts if isinstance(part, ToolReturnPart)]


async def run(of: Runtime, *turns: Sequence[ToolCallPart] | str) -> list[ToolReturnPart]:
    agent = Agent(model(*turns, "done"), toolsets=[pydantic_ai.toolset(of, Session(id="s"))])
    with anyio.fail_after(10):
        return returns((await agent.run("go")).all_messages())


async def test_two_turns_of_a_model_are_answered_on_the_road() -> None:
    told = Told(forecast, write_note)

    first, second = await run(
        told,
        [ToolCallPart("forecast", '{"city": "Oslo", "days": 2}', "c1")],
        [ToolCallPart("write_note", {"text": "umbrella"}, "c2")],
    )

    assert first.content == "2 days\nOslo, day 1: fine\nOslo, day 2: fine"
    assert first.outcome == "success"
    assert first.metadata["items"] == ["Oslo, day 1: fine", "Oslo, day 2: fine"]
    assert "kept umbrella" in str(second.content)
    assert [call.id for call in told.calls] == ["c1", "c2"]
    assert len(set(told.turns)) == 2
    assert all(told.turns)


async def test_declarations_are_the_ones_offered() -> None:
    seen: list[AgentInfo] = []
    of = runtime(forecast, write_note)
    agent = Agent(model("done", seen=seen), toolsets=[pydantic_ai.toolset(of, Session())])
    await agent.run("go")

    offers = of.offer(Session())
    assert [(each.name, each.description) for each in seen[0].function_tools] == [
        (each.declaration.name, each.description) for each in offers
    ]
    [schema, _] = [each.parameters_json_schema for each in seen[0].function_tools]
    assert schema["properties"]["city"]["description"] == "name of the city"
    assert [each.sequential for each in seen[0].function_tools] == [False, True]


async def test_argument_text_arrives_byte_for_byte() -> None:
    told = Told(forecast)
    text = '{ "city":"\\u004fslo" ,"days": 1e0}'

    await run(told, [ToolCallPart("forecast", text, "c1")])

    assert told.calls[0].arguments == text


@pytest.mark.parametrize("text", ['{"city": "Oslo"', '["Oslo"]', '{"city": "a", "city": "b"}', "[" * 5_000])
async def test_text_that_is_not_one_object_is_refused_by_the_road_and_not_by_the_framework(text: str) -> None:
    told = Told(forecast)

    [refused] = await run(told, [ToolCallPart("forecast", text, "c1")])

    assert refused.outcome == "failed"
    assert told.calls[0].arguments == text


async def test_arguments_that_a_hook_changed_are_the_ones_that_run() -> None:
    told = Told(forecast)

    class Wrapped(WrapperToolset[object]):
        async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
            tool_args["city"] = "Rome"
            return await super().call_tool(name, tool_args, ctx, tool)

    agent = Agent(
        model([ToolCallPart("forecast", '{"city": "Oslo"}', "c1")], "done"),
        toolsets=[Wrapped(pydantic_ai.toolset(told, Session()))],
    )
    [answer] = returns((await agent.run("go")).all_messages())

    assert "Rome, day 1" in str(answer.content)


async def test_wrong_arguments_reach_the_model_with_their_path_and_use_no_retry_of_the_framework() -> None:
    wrong = [ToolCallPart("forecast", '{"city": "Oslo", "days": "two", "town": 1}', "c")]

    parts = await run(runtime(forecast), wrong, wrong, wrong, [ToolCallPart("forecast", '{"city": "Oslo"}', "d")])

    assert [part.outcome for part in parts] == ["failed", "failed", "failed", "success"]
    assert "days" in str(parts[0].content)
    assert "town" in str(parts[0].content)


async def test_a_failure_and_a_refusal_reach_the_model_in_their_own_words() -> None:
    of = Runtime([forecast, write_note], policy="read-only")

    failed, denied = await run(
        of,
        [ToolCallPart("forecast", '{"city": "Atlantis"}', "c1"), ToolCallPart("write_note", '{"text": "x"}', "c2")],
    )

    assert "no weather station stands in Atlantis" in str(failed.content)
    assert (failed.outcome, denied.outcome) == ("failed", "failed")
    assert "denied" in str(denied.content)


async def test_pictures_reach_the_model_as_pictures() -> None:
    [answer] = await run(runtime(chart), [ToolCallPart("chart", "{}", "c1")])

    assert [file.data for file in answer.files if isinstance(file, BinaryContent)] == [PNG]
    assert "rain by hour" in answer.model_response_str()


async def test_calls_of_one_turn_overlap_only_where_the_tools_may() -> None:
    meeting = Meeting()

    parts = await run(
        runtime(*meeting.tools()),
        [ToolCallPart("meet", "{}", "a"), ToolCallPart("meet", "{}", "b")],
        [ToolCallPart("keep_alone", "{}", "c"), ToolCallPart("keep_alone", "{}", "d")],
    )

    assert [str(part.content).splitlines()[0] for part in parts] == ["2 met", "2 met", "was alone", "was alone"]
    assert meeting.most_alone == 1


async def test_a_run_that_is_cancelled_ends_its_call() -> None:
    meeting = Meeting()
    of = runtime(*meeting.tools())

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run, of, [ToolCallPart("wait", "{}", "a")])
            await meeting.started.wait()
            group.cancel_scope.cancel()

    assert meeting.cancelled
    assert of.running(Session(id="s")) == ()


async def test_a_tool_that_comes_while_a_run_lasts_is_offered_in_its_next_step() -> None:
    seen: list[AgentInfo] = []
    of = runtime(forecast)

    async def add(arguments: object) -> str:
        of.catalog.add(write_note)
        return "added"

    of.catalog.add(schema_tool("add", add, parameters={}))
    agent = Agent(
        model([ToolCallPart("add", "{}", "c1")], "done", seen=seen), toolsets=[pydantic_ai.toolset(of, Session())]
    )
    await agent.run("go")

    assert [[each.name for each in info.function_tools] for info in seen] == [
        ["forecast", "add"],
        ["forecast", "add", "write_note"],
    ]


async def test_the_test_model_calls_every_tool_through_the_toolset() -> None:
    agent = Agent(TestModel(), toolsets=[pydantic_ai.toolset(runtime(forecast, write_note), Session())])
    parts = returns((await agent.run("go")).all_messages())

    assert [part.tool_name for part in parts] == ["forecast", "write_note"]


class Place(BaseModel):
    city: str
    days: int = 1


def look_up(place: Place) -> list[str]:
    """Look a place up.

    Args:
        place: the place to look up
    """
    if place.city == "Atlantis":
        raise ModelRetry("Atlantis sank; name another city")
    if place.city == "Busy":
        raise ToolFailed("429 Too Many Requests, retry after 3 seconds")
    if place.city == "Gone":
        raise ToolFailed("the archive was closed in 1950")
    if place.city == "Bug":
        raise KeyError("secret")
    return [f"{place.city} {day}" for day in range(place.days)]


async def on_the_road(source: Any, **options: Any) -> Runtime:
    return runtime(*await pydantic_ai.from_pydantic_ai(source, **options))


async def test_a_tool_of_pydantic_ai_is_a_tool_on_the_road() -> None:
    of = await on_the_road(Tool(look_up), server="atlas")
    [made] = of.catalog
    answer = await answered(of, "look_up", '{"city": "Oslo", "days": 2}')

    assert (made.declaration.server, made.declaration.effects) == ("atlas", Effects())
    assert made.declaration.text(Environment()).startswith("Look a place up.")
    assert answer.result.items == ("Oslo 0", "Oslo 1")


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"city": "Atlantis"}, "invalid_arguments", "name another city"),
        ({"city": "Busy"}, "retryable", "429"),
        ({"city": "Gone"}, "environment", "closed in 1950"),
        ({"city": "Oslo", "days": "2"}, "invalid_arguments", "days"),
        ({"city": "Bug"}, "environment", "KeyError"),
    ],
)
async def test_its_failures_have_our_classes(arguments: dict[str, object], kind: str, words: str) -> None:
    answer = await answered(await on_the_road(Tool(look_up)), "look_up", json.dumps(arguments))

    assert answer.result.failure is not None
    assert answer.result.failure.kind == kind
    assert words in answer.text
    assert "secret" not in answer.text


async def test_an_agents_tools_keep_their_dependencies_and_a_busy_service_can_be_tried_again() -> None:
    agent = Agent(TestModel(), deps_type=str)

    class RateLimited(Exception):
        status_code = 429

    @agent.tool
    async def whose(ctx: RunContext[str]) -> str:
        return f"{ctx.deps} by {ctx.tool_name}"

    @agent.tool_plain
    def call_service() -> str:
        raise RateLimited("slow down")

    of = await on_the_road(agent, deps="Ada", effects={"whose": Effects(does=frozenset())})

    assert (await answered(of, "whose")).result.items == ("Ada by whose",)
    busy = (await answered(of, "call_service")).result
    assert busy.failure is not None
    assert busy.failure.kind == "retryable"
    assert [each.declaration.kind for each in of.catalog] == ["perceive", "act"]


async def test_pictures_and_what_stands_beside_a_return_are_parts_and_notes() -> None:
    def draw() -> ToolReturn[str]:
        """Draw."""
        return ToolReturn(
            return_value="a line",
            content=["see", BinaryContent(PNG, media_type="image/png"), BinaryContent(b"x", media_type="video/mp4")],
        )

    answer = await answered(await on_the_road(Tool(draw)), "draw")

    assert answer.result.items == ("a line", "see")
    assert [part.content for part in answer.result.parts] == [PNG]
    assert answer.result.artifact is not None
    assert "video/mp4 not shown" in answer.text


async def test_a_tool_that_requires_approval_asks_whatever_is_said_of_its_effects() -> None:
    def wipe() -> str:
        """Wipe."""
        return "wiped"

    made = await pydantic_ai.from_pydantic_ai(
        FunctionToolset([Tool(wipe, requires_approval=True)]), effects=Effects(does=frozenset())
    )
    denied = await Runtime(made, policy="unattended").call(Session(), "wipe")

    assert made[0].declaration.effects == Effects()
    assert denied.status == "denied"
    assert (await Runtime(made, policy=EVERYTHING).call(Session(), "wipe")).items == ("wiped",)


async def test_a_tool_that_wants_its_own_framework_says_so() -> None:
    def ask() -> str:
        """Ask."""
        raise ApprovalRequired

    answer = await answered(await on_the_road(Tool(ask)), "ask")

    assert "asks its own framework for approval" in answer.text


async def test_a_validator_of_its_own_is_heard() -> None:
    async def check(ctx: RunContext[None], text: str) -> None:
        if text == "bad":
            raise ModelRetry("no bad words")

    def say(text: str) -> str:
        """Say."""
        return text

    of = await on_the_road(Tool(say, args_validator=check))

    assert "no bad words" in (await answered(of, "say", '{"text": "bad"}')).text
    assert (await answered(of, "say", '{"text": "good"}')).result.items == ("good",)


async def test_effects_of_a_tool_that_is_not_there_are_refused() -> None:
    with pytest.raises(HiltError, match=r"lookup.*look_up"):
        await on_the_road(Tool(look_up), effects={"lookup": Effects()})


async def test_both_ways_at_once_a_tool_of_pydantic_ai_is_called_through_the_toolset() -> None:
    of = await on_the_road(Tool(look_up))

    [failed] = await run(of, [ToolCallPart("look_up", '{"city": "Atlantis"}', "c")])

    assert "name another city" in str(failed.content)


async def test_all_tools_at_once_are_found_by_the_frameworks_own_search() -> None:
    async def read(arguments: object) -> str:
        return "read it"

    seen: list[AgentInfo] = []
    of = runtime(
        forecast,
        schema_tool("find_tools", read, parameters={}),
        schema_tool("archive_read", read, parameters={}, handling=Handling(deferred=True)),
    )
    turns = ([ToolCallPart("search_tools", {"queries": ["archive"]})], [ToolCallPart("archive_read", {})])
    agent = Agent(
        model(*turns, "done", seen=seen), toolsets=[pydantic_ai.toolset(of, Session(), deferred=True, id="hilt")]
    )
    answers = returns((await agent.run("go")).all_messages())

    assert "read it" in str(answers[-1].content)
    assert [[each.name for each in info.function_tools] for info in seen[:2]] == [
        ["forecast"],
        ["forecast", "archive_read"],
    ]
