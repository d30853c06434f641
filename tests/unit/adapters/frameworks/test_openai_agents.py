"""The OpenAI Agents SDK with its own scripted model: a turn calls our tools, and its tools stand on our road."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import agents as sdk
import anyio
import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from hilt import Effects, HiltError, Runtime, Session, schema_tool
from hilt.adapters import openai_agents
from hilt.calls.tool import Handling
from tests.kit import EVERYTHING, answered, runtime
from tests.unit.adapters.frameworks.tools import PNG, Meeting, Told, chart, forecast, write_note


@pytest.fixture(autouse=True)
def _no_traces_are_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk.set_tracing_disabled(True)


def script(*turns: Sequence[Any]) -> ScriptedModel:
    return ScriptedModel([*[list(turn) for turn in turns], [assistant_message("done")]])


async def run(of: Runtime, *turns: Sequence[Any], model: ScriptedModel | None = None) -> list[Any]:
    """What the model was given back, call by call."""
    agent = sdk.Agent(name="desk", tools=[*openai_agents.tools(of, Session(id="s"))], model=model or script(*turns))
    with anyio.fail_after(10):
        result = await sdk.Runner.run(agent, "go")
    given: list[dict[str, Any]] = [dict(each) for each in result.to_input_list()]
    return [each["output"] for each in given if each.get("type") == "function_call_output"]


async def test_two_turns_of_a_model_are_answered_on_the_road() -> None:
    told = Told(forecast, write_note)

    first, second = await run(
        told,
        [function_call("forecast", '{"city": "Oslo", "days": 2}', call_id="c1")],
        [function_call("write_note", {"text": "umbrella"}, call_id="c2")],
    )

    assert first == "2 days\nOslo, day 1: fine\nOslo, day 2: fine"
    assert "kept umbrella" in second
    assert [call.id for call in told.calls] == ["c1", "c2"]


@pytest.mark.parametrize(
    "text", ['{ "city":"\\u004fslo" ,"days": 1e0}', '{"city": "Oslo"', "[1]", '{"city": 1, "city": 2}']
)
async def test_argument_text_goes_to_the_road_as_it_came(text: str) -> None:
    told = Told(forecast)

    await run(told, [function_call("forecast", text, call_id="c1")])

    assert [call.arguments for call in told.calls] == [text]


async def test_wrong_arguments_failures_and_refusals_reach_the_model_in_our_words() -> None:
    of = Runtime([forecast, write_note], policy="read-only")

    wrong, failed, denied = await run(
        of,
        [
            function_call("forecast", '{"city": "Oslo", "days": "two"}', call_id="a"),
            function_call("forecast", '{"city": "Atlantis"}', call_id="b"),
            function_call("write_note", '{"text": "x"}', call_id="c"),
        ],
    )

    assert "days" in wrong
    assert "no weather station stands in Atlantis" in failed
    assert "denied" in denied


async def test_declarations_are_strict_where_that_says_the_same() -> None:
    async def find(arguments: object) -> str:
        return "found"

    closed = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    made = openai_agents.tools(runtime(schema_tool("find", find, parameters=closed), forecast), Session())

    assert [(each.name, each.strict_json_schema) for each in made] == [("find", True), ("forecast", False)]
    assert made[0].params_json_schema["properties"]["q"]["type"] == "string"
    assert made[1].params_json_schema["required"] == ["city"]


async def test_pictures_reach_the_model_as_pictures() -> None:
    [output] = await run(runtime(chart), [function_call("chart", "{}", call_id="c")])

    assert [part["type"] for part in output] == ["input_text", "input_image"]
    assert b64encode(PNG).decode() in output[1]["image_url"]


async def test_calls_of_one_turn_overlap_only_where_the_tools_may() -> None:
    meeting = Meeting()

    outputs = await run(
        runtime(*meeting.tools()),
        [function_call("meet", "{}", call_id="a"), function_call("meet", "{}", call_id="b")],
        [function_call("keep_alone", "{}", call_id=each) for each in "cdef"],
    )

    assert outputs == ["2 met", "2 met", *["was alone"] * 4]
    assert meeting.most_alone == 1


async def test_a_run_that_is_cancelled_ends_its_call() -> None:
    meeting = Meeting()
    of = runtime(*meeting.tools())

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(run, of, [function_call("wait", "{}", call_id="a")])
            await meeting.started.wait()
            group.cancel_scope.cancel()
        while of.running(Session(id="s")):
            await anyio.lowlevel.checkpoint()

    assert meeting.cancelled


async def test_a_deferred_tool_is_seen_by_the_model_once_it_is_loaded() -> None:
    async def found(arguments: object) -> str:
        return "found"

    of = runtime(
        forecast,
        schema_tool("find_tools", found, parameters={}),
        schema_tool("hidden", found, parameters={}, handling=Handling(deferred=True)),
    )
    session = Session(id="s")
    model = script([function_call("forecast", '{"city": "Oslo"}', call_id="a")])
    await run(of, model=model)
    await of.call(session, "hidden")
    later = script()
    await run(of, model=later)

    assert [tool.name for tool in model.calls[0].tools] == ["forecast", "find_tools"]
    assert [tool.name for tool in later.calls[0].tools] == ["forecast", "find_tools", "hidden"]


@sdk.function_tool
async def look_up(city: str, days: int = 1) -> list[str]:
    """Look a place up.

    Args:
        city: where
    """
    if city == "Bug":
        raise KeyError("secret")
    return [f"{city} {day}" for day in range(days)]


def on_the_road(source: Any, **options: Any) -> Runtime:
    return runtime(*openai_agents.from_openai_agents(source, **options))


async def test_a_function_tool_is_a_tool_on_the_road() -> None:
    of = on_the_road(look_up, server="atlas")
    [made] = of.catalog

    assert (made.declaration.server, made.declaration.effects) == ("atlas", Effects())
    assert (await answered(of, "look_up", '{"city": "Oslo", "days": 2}')).result.items == ("Oslo 0", "Oslo 1")
    assert "days" in (await answered(of, "look_up", '{"city": "Oslo", "days": "2"}')).text


async def test_the_fixed_sentence_of_the_sdk_is_never_used() -> None:
    answer = await answered(on_the_road(look_up), "look_up", '{"city": "Bug", "days": 1}')

    assert answer.result.failure is not None
    assert answer.result.failure.kind == "environment"
    assert "KeyError" in answer.text
    assert "secret" not in answer.text
    assert "try again" not in answer.text


async def test_what_its_author_lets_the_model_hear_is_heard_with_a_class() -> None:
    async def said(context: object, error: Exception) -> str:
        return f"the archive says: {error}; rate limit reached, retry after 2 seconds"

    @sdk.function_tool(failure_error_function=said)
    def archive() -> str:
        """Archive."""
        raise OSError("closed")

    failed = (await answered(on_the_road(archive), "archive")).result.failure

    assert failed is not None
    assert (failed.kind, failed.retry_after_s) == ("retryable", 2.0)
    assert "the archive says: closed" in failed.problem


async def test_a_busy_service_can_be_tried_again() -> None:
    class RateLimited(Exception):
        status_code = 429

    @sdk.function_tool
    def service() -> str:
        """Service."""
        raise RateLimited("slow down")

    failed = (await answered(on_the_road(service), "service")).result.failure

    assert failed is not None
    assert failed.kind == "retryable"


async def test_guardrails_run_before_and_behind_the_call() -> None:
    @sdk.tool_input_guardrail
    def no_secrets(seen: sdk.ToolInputGuardrailData) -> sdk.ToolGuardrailFunctionOutput:
        if "secret" in seen.context.tool_arguments:
            return sdk.ToolGuardrailFunctionOutput.reject_content("no secrets, please")
        return sdk.ToolGuardrailFunctionOutput.allow()

    @sdk.tool_output_guardrail
    def stop(seen: sdk.ToolOutputGuardrailData) -> sdk.ToolGuardrailFunctionOutput:
        if seen.output == "bad":
            return sdk.ToolGuardrailFunctionOutput.raise_exception()
        return sdk.ToolGuardrailFunctionOutput.allow()

    @sdk.function_tool(tool_input_guardrails=[no_secrets], tool_output_guardrails=[stop])
    def say(text: str) -> str:
        """Say."""
        return text

    of = on_the_road(say)
    rejected = await answered(of, "say", '{"text": "secret"}')
    stopped = await answered(of, "say", '{"text": "bad"}')

    assert rejected.result.denied is not None
    assert (rejected.result.denied.reason, rejected.result.denied.rule) == ("no secrets, please", "no_secrets")
    assert stopped.result.denied is not None
    assert (await answered(of, "say", '{"text": "good"}')).result.items == ("good",)


async def test_outputs_of_the_sdk_are_text_and_parts() -> None:
    url = f"data:image/png;base64,{b64encode(PNG).decode()}"

    @sdk.function_tool
    def draw() -> list[Any]:
        """Draw."""
        return [
            sdk.ToolOutputText(text="a line"),
            sdk.ToolOutputImage(image_url=url),
            sdk.ToolOutputImage(image_url="https://example.org/a.png"),
            sdk.ToolOutputFileContent(file_data=b64encode(b"%PDF-1").decode(), filename="a.pdf"),
            sdk.ToolOutputFileContent(file_data="%%%"),
            sdk.ToolOutputFileContent(file_id="file-1"),
        ]

    answer = await answered(on_the_road(draw), "draw")

    assert answer.result.items == ("a line", "image https://example.org/a.png", "file file-1")
    assert [part.content for part in answer.result.parts] == [PNG]
    assert answer.result.artifact is not None
    assert "not base64" in answer.text


async def test_an_agents_tools_keep_their_context_and_what_asks_for_approval_keeps_every_effect() -> None:
    @sdk.function_tool
    def whose(run: sdk.RunContextWrapper[str]) -> str:
        """Whose."""
        return run.context

    @sdk.function_tool(needs_approval=True)
    def wipe() -> str:
        """Wipe."""
        return "wiped"

    @sdk.function_tool(is_enabled=lambda context, agent: context.context == "Bob")
    def only_bob() -> str:
        """Only Bob."""
        return "Bob"

    agent = sdk.Agent(name="desk", tools=[whose, wipe, only_bob])
    made = openai_agents.from_openai_agents(agent, "Ada", effects=Effects(does=frozenset()))
    of = Runtime(made, policy=EVERYTHING)

    assert [each.declaration.effects == Effects() for each in made] == [False, True, False]
    assert (await of.call(Session(), "whose")).items == ("Ada",)
    assert "not enabled" in (await of.call(Session(), "only_bob")).summary


async def test_a_tool_that_runs_at_openai_is_refused_by_name() -> None:
    with pytest.raises(HiltError, match="web_search is a WebSearchTool"):
        openai_agents.from_openai_agents([sdk.WebSearchTool()])
