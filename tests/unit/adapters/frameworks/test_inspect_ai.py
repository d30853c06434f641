"""Inspect AI with its mock model: a turn calls our tools, also in an evaluation, and its tools stand on our road."""

import gc
import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ContentAudio,
    ContentDocument,
    ContentImage,
    ContentText,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.tool import Tool as InspectTool
from inspect_ai.tool import ToolCall, ToolDef, ToolError, tool
from pydantic import BaseModel, Field

from hilt import Description, Effects, Param, Runtime, Session, ToolResult, schema_tool
from hilt import tool as hilt_tool
from hilt.adapters import inspect_ai
from hilt.calls.tool import Handling
from hilt.results.parts import FilePart
from tests.kit import answered, runtime
from tests.unit.adapters.frameworks.tools import PNG, Meeting, Told, chart, forecast, write_note


def says(*calls: tuple[str, dict[str, Any]]) -> ModelOutput:
    """What the mock model answers: these calls, or that it is done."""
    output = ModelOutput.from_content("mockllm/model", "done")
    output.usage = ModelUsage(input_tokens=1, output_tokens=1)  # else they are counted, with a table from elsewhere
    if calls:
        made = [ToolCall(id=f"c{place}", function=name, arguments=given) for place, (name, given) in enumerate(calls)]
        output.choices[0].message = ChatMessageAssistant(content="", tool_calls=made)
    return output


async def run(of: Runtime, *turns: Sequence[tuple[str, dict[str, Any]]]) -> list[ChatMessageTool]:
    outputs = [*(says(*turn) for turn in turns), says()]
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    with anyio.fail_after(10):
        messages, _ = await model.generate_loop(
            [ChatMessageUser(content="go")], tools=[*inspect_ai.tools(of, Session(id="s"))]
        )
    return [each for each in messages if isinstance(each, ChatMessageTool)]


async def test_two_turns_of_a_model_are_answered_on_the_road() -> None:
    told = Told(forecast, write_note)

    first, second = await run(told, [("forecast", {"city": "Oslo", "days": 2})], [("write_note", {"text": "umbrella"})])

    assert first.text == "2 days\nOslo, day 1: fine\nOslo, day 2: fine"
    assert "kept umbrella" in second.text
    assert [json.loads(call.arguments) for call in told.calls] == [{"city": "Oslo", "days": 2}, {"text": "umbrella"}]


async def test_failures_and_refusals_reach_the_model_in_our_words() -> None:
    of = Runtime([forecast, write_note], policy="read-only")

    failed, denied = await run(of, [("forecast", {"city": "Atlantis"}), ("write_note", {"text": "x"})])

    assert failed.error is not None
    assert failed.error.type == "unknown"
    assert "no weather station stands in Atlantis" in failed.error.message
    assert denied.error is not None
    assert denied.error.type == "approval"
    assert "denied" in denied.error.message


async def test_what_inspect_lets_pass_and_the_road_refuses_is_an_error_of_parsing() -> None:
    async def book(arguments: object) -> str:
        return "booked"

    parameters = {"type": "object", "properties": {"rooms": {"type": "integer", "multipleOf": 2}}}
    [wrong] = await run(runtime(schema_tool("book", book, parameters=parameters)), [("book", {"rooms": 3})])

    assert wrong.error is not None
    assert wrong.error.type == "parsing"
    assert "rooms" in wrong.error.message


async def test_pictures_reach_the_model_as_pictures() -> None:
    [message] = await run(runtime(chart), [("chart", {})])

    assert [each.type for each in message.content if not isinstance(each, str)] == ["text", "image"]
    assert b64encode(PNG).decode() in str(message.content)


async def test_a_long_result_is_cut_once_and_by_the_road() -> None:
    async def book(arguments: object) -> str:
        return "\n".join(f"line {number} of a long book" for number in range(20_000))

    [message] = await run(runtime(schema_tool("book", book, parameters={})), [("book", {})])

    assert len(message.text) > 16 * 1024
    assert "bytes shown, tokens 10,000; next:" in message.text


async def test_calls_of_one_turn_overlap_only_where_the_tools_may() -> None:
    meeting = Meeting()

    messages = await run(
        runtime(*meeting.tools()), [("meet", {}), ("meet", {})], [("keep_alone", {}), ("keep_alone", {})]
    )

    assert [each.text for each in messages] == ["2 met", "2 met", "was alone", "was alone"]
    assert meeting.most_alone == 1


# Inspect leaves streams of its own open, and they are collected in whatever test comes next.
LEFT_OPEN = pytest.mark.filterwarnings(
    "ignore:.*MemoryObject(Send|Receive)Stream:pytest.PytestUnraisableExceptionWarning"
)


@LEFT_OPEN
async def test_a_run_that_is_cancelled_ends_its_call() -> None:
    meeting = Meeting()
    of = runtime(*meeting.tools())

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run, of, [("wait", {})])
            await meeting.started.wait()
            group.cancel_scope.cancel()
        while of.running(Session(id="s")):
            await anyio.lowlevel.checkpoint()
    gc.collect()

    assert meeting.cancelled


@LEFT_OPEN
def test_an_evaluation_calls_our_tools_and_sees_what_was_loaded(tmp_path: Path) -> None:
    session = Session(id="s")

    async def find(arguments: object) -> str:
        await told.load(session, ["hidden"])
        return "loaded"

    told = Told(
        forecast,
        schema_tool("find_tools", find, parameters={}),
        schema_tool("hidden", find, parameters={}, handling=Handling(deferred=True)),
    )
    turns = [("forecast", {"city": "Oslo"}), ("find_tools", {}), ("submit", {"answer": "fine"})]
    seen: list[list[str]] = []

    def speak(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        seen.append([each.name for each in tools])
        return says(turns[len(seen) - 1])

    [log] = evaluate(
        Task(dataset=[Sample(input="go")], solver=react(tools=[inspect_ai.source(told, session)])),
        model=get_model("mockllm/model", custom_outputs=speak, memoize=False),
        log_dir=str(tmp_path),
        display="none",
    )
    gc.collect()

    assert (log.status, log.error and log.error.message) == ("success", None)
    assert "Oslo, day 1: fine" in str(log.samples and log.samples[0].messages)
    assert seen == [["forecast", "find_tools", "submit"]] * 2 + [["forecast", "find_tools", "hidden", "submit"]]


class Room(BaseModel):
    beds: Annotated[int, Field(description="how many", ge=1, multiple_of=1)]


@hilt_tool(
    kind="perceive",
    limit=1,
    effects={"reads": "none"},
    description=Description(use_for="a test", returns="nothing else"),
)
async def stay(
    rooms: Annotated[list[Room], Param("the rooms")],
    board: Annotated[Literal["half", "full"] | None, Param("what is eaten")] = None,
) -> str:
    return "stay"


def test_declarations_are_the_ones_offered_and_what_inspect_cannot_say_is_told_in_words() -> None:
    of = runtime(stay)
    [offer] = of.offer(Session())
    [made] = inspect_ai.tools(of, Session())
    schema = json.loads(made.parameters.model_dump_json(exclude_none=True))

    assert (made.name, made.description) == ("stay", offer.description)
    assert schema["required"] == ["rooms"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["board"]["description"].startswith("what is eaten")
    beds = schema["properties"]["rooms"]["items"]["properties"]["beds"]
    assert beds["minimum"] == 1
    assert "multipleOf: 1" in beds["description"]


@tool
def look_up() -> InspectTool:
    async def execute(city: str, days: int = 1) -> str:
        """Look a place up.

        Args:
            city: where
            days: how many days
        """
        if city == "Atlantis":
            raise ToolError("429 Too Many Requests, retry after 3 seconds")
        if city == "Gone":
            raise FileNotFoundError(2, "missing", "archive.txt")
        if city == "Late":
            raise TimeoutError
        if city == "Bug":
            raise KeyError("secret")
        return f"{city} {days}"

    return execute


def on_the_road(source: Any, **options: Any) -> Runtime:
    return runtime(*inspect_ai.from_inspect_ai(source, **options))


async def test_a_tool_of_inspect_is_a_tool_on_the_road() -> None:
    of = on_the_road(look_up(), server="atlas")
    [made] = of.catalog

    assert (made.declaration.server, made.declaration.effects) == ("atlas", Effects())
    assert (await answered(of, "look_up", '{"city": "Oslo", "days": 2}')).result.items == ("Oslo 2",)


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"city": "Oslo", "days": "2"}, "invalid_arguments", "days"),
        ({"city": "Atlantis"}, "retryable", "429"),
        ({"city": "Late"}, "retryable", "timed out"),
        ({"city": "Gone"}, "environment", "archive.txt"),
        ({"city": "Bug"}, "environment", "KeyError"),
    ],
)
async def test_its_failures_have_our_classes(arguments: dict[str, object], kind: str, words: str) -> None:
    answer = await answered(on_the_road(look_up()), "look_up", json.dumps(arguments))

    assert answer.result.failure is not None
    assert answer.result.failure.kind == kind
    assert words in answer.text
    assert "secret" not in answer.text


async def test_content_of_inspect_is_text_and_parts() -> None:
    async def execute() -> list[Any]:
        """Draw."""
        return [
            ContentText(text="a line"),
            ContentImage(image=f"data:image/png;base64,{b64encode(PNG).decode()}"),
            ContentImage(image="https://example.org/a.png"),
            ContentAudio(audio="data:audio/wav;base64,%%%", format="wav"),
            ContentDocument(document="data:application/pdf;base64,JVBERi0=", filename="a.pdf"),
        ]

    answer = await answered(on_the_road(ToolDef(execute, name="draw", description="Draw.")), "draw")

    assert answer.result.items[0] == "a line"
    assert "https://example.org/a.png" in str(answer.result.items[1])
    assert [part.content for part in answer.result.parts] == [PNG, b"%PDF-"]
    assert "audio is left out" in answer.text


async def test_several_tools_are_taken_and_effects_go_by_name() -> None:
    made = inspect_ai.from_inspect_ai([look_up()], effects={"look_up": Effects(does=frozenset())})

    assert [each.declaration.kind for each in made] == ["perceive"]


async def test_what_a_schema_of_others_says_stays_in_the_words_inspect_knows() -> None:
    async def book(arguments: object) -> ToolResult[str]:
        return ToolResult(summary="booked", parts=(FilePart(content=b"%PDF-", media_type="application/pdf", name="a"),))

    parameters = {
        "type": "object",
        "properties": {
            "kind": {"const": "hotel"},
            "when": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "pair": {"type": "array", "items": False, "prefixItems": [{"type": "string"}]},
        },
    }
    of = runtime(schema_tool("book", book, parameters=parameters))
    [made] = inspect_ai.tools(of, Session())
    shown = json.loads(made.parameters.model_dump_json(exclude_none=True))["properties"]
    [message] = await run(of, [("book", {"kind": "hotel", "when": 3})])

    assert shown["kind"]["enum"] == ["hotel"]
    assert shown["when"]["anyOf"] == [{"type": "string"}, {"type": "integer"}]
    assert "prefixItems" in shown["pair"]["description"]
    assert [each.type for each in message.content if not isinstance(each, str)] == ["text", "document"]


async def test_a_busy_service_can_be_tried_again() -> None:
    class RateLimited(Exception):
        status_code = 429

    async def execute() -> str:
        """Ask."""
        raise RateLimited("slow down")

    failed = (await answered(on_the_road(ToolDef(execute, name="ask", description="Ask.")), "ask")).result.failure

    assert failed is not None
    assert failed.kind == "retryable"
