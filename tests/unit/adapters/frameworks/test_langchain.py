"""LangChain with its own fake chat model and agent: a turn calls our tools, and its tools stand on our road."""

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import anyio
import pytest
from anyio import to_thread
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, ToolException, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, field_validator

from hilt import Effects, HiltError, Runtime, Session, schema_tool
from hilt.adapters import langchain
from hilt.calls.tool import AnyTool, Handling
from hilt.store import open_store
from tests.kit import answered, runtime
from tests.unit.adapters.frameworks.tools import PNG, Meeting, Told, chart, forecast, write_note


class Fake(GenericFakeChatModel):
    """The fake model of LangChain, which takes tools."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> Runnable[Any, AIMessage]:
        return self


def call(name: str, arguments: dict[str, Any], id: str = "c") -> dict[str, Any]:
    return {"type": "tool_call", "name": name, "args": arguments, "id": id}


def agent(of: Runtime, *turns: Sequence[dict[str, Any]]) -> Any:
    said = [AIMessage(content="", tool_calls=list(turn)) for turn in turns]
    model = Fake(messages=iter([*said, AIMessage(content="done")]))
    return create_agent(model, langchain.tools(of, Session(id="s")))


def results(state: dict[str, list[AnyMessage]]) -> list[ToolMessage]:
    return [each for each in state["messages"] if isinstance(each, ToolMessage)]


GO: dict[str, Any] = {"messages": [{"role": "user", "content": "go"}]}


async def run(of: Runtime, *turns: Sequence[dict[str, Any]]) -> list[ToolMessage]:
    with anyio.fail_after(10):
        return results(await agent(of, *turns).ainvoke(GO))


async def test_two_turns_of_an_agent_are_answered_on_the_road() -> None:
    told = Told(forecast, write_note)

    first, second = await run(
        told, [call("forecast", {"city": "Oslo", "days": 2}, "c1")], [call("write_note", {"text": "umbrella"}, "c2")]
    )

    assert first.content == "2 days\nOslo, day 1: fine\nOslo, day 2: fine"
    assert (first.status, first.tool_call_id, first.name) == ("success", "c1", "forecast")
    assert first.artifact["items"] == ["Oslo, day 1: fine", "Oslo, day 2: fine"]
    assert "kept umbrella" in second.text
    assert [each.id for each in told.calls] == ["c1", "c2"]


async def test_arguments_reach_the_road_without_a_second_check() -> None:
    told = Told(forecast)
    arguments = {"days": "two", "city": "Oslo", "config": 1, "run_manager": [], "self": None}

    [wrong] = await run(told, [call("forecast", arguments)])

    assert json.loads(told.calls[0].arguments) == arguments
    assert wrong.status == "error"
    assert "days" in wrong.text
    assert "run_manager" in wrong.text


async def test_failures_and_refusals_reach_the_model_in_our_words_with_their_envelope() -> None:
    of = Runtime([forecast, write_note], policy="read-only")

    failed, denied = await run(
        of, [call("forecast", {"city": "Atlantis"}, "a"), call("write_note", {"text": "x"}, "b")]
    )

    assert (failed.status, denied.status) == ("error", "error")
    assert "no weather station stands in Atlantis" in failed.text
    assert failed.artifact["failure"]["class"] == "environment"
    assert "denied" in denied.text
    assert denied.artifact["status"] == "denied"


async def test_pictures_reach_the_model_as_pictures() -> None:
    [message] = await run(runtime(chart), [call("chart", {})])

    assert [block["type"] for block in message.content_blocks] == ["text", "image"]
    assert message.content_blocks[1].get("base64") == b64encode(PNG).decode()
    assert "parts" not in message.artifact


async def test_calls_of_one_turn_overlap_only_where_the_tools_may() -> None:
    meeting = Meeting()

    messages = await run(
        runtime(*meeting.tools()),
        [call("meet", {}, "a"), call("meet", {}, "b")],
        [call("keep_alone", {}, each) for each in "cdef"],
    )

    assert [each.content for each in messages] == ["2 met", "2 met", *["was alone"] * 4]
    assert meeting.most_alone == 1


async def test_a_run_that_is_cancelled_ends_its_call() -> None:
    meeting = Meeting()
    of = runtime(*meeting.tools())

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run, of, [call("wait", {})])
            await meeting.started.wait()
            group.cancel_scope.cancel()
        while of.running(Session(id="s")):
            await anyio.lowlevel.checkpoint()

    assert meeting.cancelled


def test_an_agent_that_is_not_async_runs_its_calls_too() -> None:
    told = Told(forecast)

    messages = results(
        agent(
            told, [call("forecast", {"city": city}, city) for city in ("Oslo", "Rome")], [call("forecast", {})]
        ).invoke(GO)
    )

    assert [each.status for each in messages] == ["success", "success", "error"]
    assert len(told.calls) == 3


async def test_a_direct_call_gives_the_content_alone() -> None:
    [ours, drawn] = langchain.tools(runtime(forecast, chart), Session())

    assert "Oslo, day 1: fine" in await ours.ainvoke({"city": "Oslo"})
    assert "Oslo, day 1: fine" in await to_thread.run_sync(ours.invoke, {"city": "Oslo"})
    assert [block["type"] for block in await drawn.ainvoke({})] == ["text", "image"]


def test_declarations_are_the_ones_offered() -> None:
    of = runtime(forecast)
    [offer] = of.offer(Session())
    [ours] = [convert_to_openai_tool(each)["function"] for each in langchain.tools(of, Session())]

    assert (ours["name"], ours["description"]) == ("forecast", offer.description)
    assert ours["parameters"]["properties"]["city"]["description"] == "name of the city"
    assert ours["parameters"]["required"] == ["city"]


def test_all_tools_at_once_are_marked_for_a_provider_that_searches() -> None:
    async def found(arguments: object) -> str:
        return "found"

    of = runtime(
        forecast,
        schema_tool("find_tools", found, parameters={}),
        schema_tool("hidden", found, parameters={}, handling=Handling(deferred=True)),
    )

    assert [each.name for each in langchain.tools(of, Session(id="a"))] == ["forecast", "find_tools"]
    assert [(each.name, each.extras) for each in langchain.tools(of, Session(id="b"), deferred=True)] == [
        ("forecast", None),
        ("hidden", {"defer_loading": True}),
    ]


class Place(BaseModel):
    city: str
    days: int = 1

    @field_validator("city")
    @classmethod
    def _no_digits(cls, city: str) -> str:
        if any(each.isdigit() for each in city):
            raise ValueError("a city has no digits")
        return city


@tool(args_schema=Place)
def look_up(city: str, days: int = 1) -> list[str]:
    """Look a place up."""
    if city == "Busy":
        raise ToolException("429 Too Many Requests, retry after 3 seconds")
    if city == "Gone":
        raise ToolException("the archive was closed in 1950")
    if city == "Bug":
        raise KeyError("secret")
    return [f"{city} {day}" for day in range(days)]


def on_the_road(source: Any, **options: Any) -> Runtime:
    return runtime(*langchain.from_langchain(source, **options))


async def test_a_tool_of_langchain_is_a_tool_on_the_road() -> None:
    of = on_the_road(look_up, server="atlas")
    [made] = of.catalog

    assert (made.declaration.server, made.declaration.effects) == ("atlas", Effects())
    assert (await answered(of, "look_up", '{"city": "Oslo", "days": 2}')).result.items == ("Oslo 0", "Oslo 1")


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"city": "Oslo", "days": "2"}, "invalid_arguments", "days"),
        ({"city": "Oslo2"}, "invalid_arguments", "city: Value error, a city has no digits"),
        ({"city": "Busy"}, "retryable", "429"),
        ({"city": "Gone"}, "environment", "closed in 1950"),
        ({"city": "Bug"}, "environment", "KeyError"),
    ],
)
async def test_its_failures_have_our_classes(arguments: dict[str, object], kind: str, words: str) -> None:
    answer = await answered(on_the_road(look_up), "look_up", json.dumps(arguments))

    assert answer.result.failure is not None
    assert answer.result.failure.kind == kind
    assert words in answer.text
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("handler", "words"),
    [(True, "no room"), ("the hotel is full", "the hotel is full"), (lambda error: f"told: {error}", "told: no room")],
)
async def test_a_tools_own_wording_of_its_errors_is_kept(handler: bool | str | Callable[..., str], words: str) -> None:
    @tool
    def book() -> str:
        """Book."""
        raise ToolException("no room")

    book.handle_tool_error = handler
    failed = (await answered(on_the_road(book), "book")).result.failure

    assert failed is not None
    assert failed.problem == words


async def test_a_message_that_says_error_is_a_failure() -> None:
    @tool
    def refuse(id: Annotated[str, InjectedToolCallId]) -> ToolMessage:
        """Refuse."""
        return ToolMessage("not today", tool_call_id=id, status="error")

    failed = (await answered(on_the_road(refuse), "refuse")).result.failure

    assert failed is not None
    assert failed.problem == "not today"


async def test_content_blocks_are_text_and_parts_and_artifacts_stay_with_the_tool() -> None:
    png = b64encode(PNG).decode()

    @tool(response_format="content_and_artifact")
    def draw() -> tuple[list[dict[str, Any]], bytes]:
        """Draw."""
        blocks = [
            {"type": "text", "text": "a line"},
            {"type": "image", "base64": png, "mime_type": "image/png"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{png}"}},
            {"type": "image_url", "image_url": "https://example.org/a.png"},
            {"type": "file", "base64": "%%%", "mime_type": "application/pdf"},
        ]
        return blocks, b"raw"

    answer = await answered(on_the_road(draw), "draw")

    assert answer.result.items == (
        "a line",
        {"type": "image_url", "image_url": "https://example.org/a.png"},
    )
    assert [part.content for part in answer.result.parts] == [PNG, PNG]
    assert "not base64" in answer.text


async def test_a_busy_service_can_be_tried_again_and_config_goes_along() -> None:
    class RateLimited(Exception):
        status_code = 429

    @tool
    def service(config: RunnableConfig) -> str:
        """Service."""
        if config.get("configurable", {})["user"] == "Ada":
            return "for Ada"
        raise RateLimited("slow down")

    def config(user: str) -> RunnableConfig:
        return {"configurable": {"user": user}}

    busy = (await answered(on_the_road(service, config=config("Bob")), "service")).result.failure

    assert busy is not None
    assert busy.kind == "retryable"
    assert (await answered(on_the_road(service, config=config("Ada")), "service")).result.items == ("for Ada",)


async def test_what_a_graph_would_inject_is_injected_by_the_host_or_missed_at_once() -> None:
    @tool
    def whose(question: str, state: Annotated[str, InjectedToolArg]) -> str:
        """Whose."""
        return f"{question} {state}"

    of = on_the_road(whose, injected={"state": "Ada's"})
    [made] = of.catalog

    assert made.declaration.parameters["required"] == ["question"]
    assert "state" not in str(made.declaration.parameters)
    assert (await answered(of, "whose", '{"question": "whose?"}')).result.items == ("whose? Ada's",)
    with pytest.raises(HiltError, match="state from its graph"):
        langchain.from_langchain(whose)


async def test_text_that_only_looks_like_json_stays_as_it_is() -> None:
    @tool
    def echo(text: str) -> str:
        """Echo."""
        return text

    async def came(text: str) -> tuple[object, ...]:
        return (await answered(on_the_road(echo), "echo", json.dumps({"text": text}))).result.items

    assert await came("{'a': 1}") == ("{'a': 1}",)
    assert await came('{"a":  1}') == ('{"a":  1}',)
    assert await came("plain") == ("plain",)


async def test_several_tools_are_taken_at_once_and_effects_go_by_name() -> None:
    @tool
    def other() -> str:
        """Other."""
        return "other"

    several: list[BaseTool] = [look_up, other]
    made: list[AnyTool] = langchain.from_langchain(several, effects={"other": Effects(does=frozenset())})

    assert [each.declaration.kind for each in made] == ["act", "perceive"]


def test_calls_of_many_threads_over_one_store_are_all_answered(tmp_path: Path) -> None:
    of = runtime(forecast, write_note, store=open_store(tmp_path / "state.db"))
    ours = {each.name: each for each in langchain.tools(of, Session(id="s"))}
    asked = [call("forecast", {"city": f"{place}"}, f"{place}") for place in range(20)]
    asked += [call("write_note", {"text": f"{place}"}, f"note {place}") for place in range(20)]

    with ThreadPoolExecutor(8) as threads:
        messages = list(threads.map(lambda each: ours[each["name"]].invoke(each), asked))

    assert [each.tool_call_id for each in messages] == [each["id"] for each in asked]
    assert {each.status for each in messages} == {"success"}
