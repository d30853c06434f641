"""Spans of calls, as OpenTelemetry's own SDK receives them."""

from collections.abc import Iterator
from typing import Annotated

import pytest

from hilt import Param, Runtime, ToolCall, tool
from hilt.calls.events import Event
from hilt.calls.session import Session
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.failures import EnvironmentFailure
from tests.kit import acting, answered, perceiving, runtime

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import trace  # only where it is installed
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as conventions
from opentelemetry.trace import SpanKind, StatusCode

from hilt.adapters import otel

SECRET = "what nobody else should read"


@tool(**perceiving())
def look(what: Annotated[str, Param("what to look at", example="x")]) -> str:
    """Looks."""
    if what == "broken":
        raise EnvironmentFailure("it is broken", "look at something else")
    return what


@tool(**acting())
def put(what: Annotated[str, Param("what to put", example="x")]) -> str:
    """Puts."""
    return what


@pytest.fixture
def kept() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(kept: InMemorySpanExporter) -> Iterator[TracerProvider]:
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(kept))
    yield made
    made.shutdown()


def listened(provider: TracerProvider, **options: object) -> Runtime:
    made = runtime(look, put, **options)
    otel.listen(made, provider=provider)
    return made


def only(kept: InMemorySpanExporter) -> ReadableSpan:
    (span,) = kept.get_finished_spans()
    return span


async def test_a_call_is_a_span_with_the_names_of_the_conventions(
    kept: InMemorySpanExporter, provider: TracerProvider
) -> None:
    called = ToolCall(name="look", arguments=f'{{"what": "{SECRET}"}}', id="toolu_1")
    await listened(provider).answer_one(Session(id="talk"), called)
    span = only(kept)
    given = span.attributes or {}

    assert (span.name, span.kind, span.status.status_code) == ("execute_tool look", SpanKind.INTERNAL, StatusCode.UNSET)
    assert given[conventions.GEN_AI_OPERATION_NAME] == conventions.GenAiOperationNameValues.EXECUTE_TOOL.value
    assert given[conventions.GEN_AI_TOOL_NAME] == "look"
    assert given[conventions.GEN_AI_TOOL_TYPE] == "function"
    assert given[conventions.GEN_AI_TOOL_CALL_ID] == "toolu_1"
    assert given[conventions.GEN_AI_CONVERSATION_ID] == "talk"
    assert given[otel.DECISION] == "allow"
    assert given[otel.STATUS] == "success"
    assert given[otel.TRUNCATED] is False
    assert given[otel.ITEMS] == 1
    assert isinstance(given[otel.BYTES_SHOWN], int)
    assert "hilt.execute" in [each.name for each in span.events]
    assert span.start_time is not None
    assert span.end_time is not None
    assert span.start_time <= span.end_time


async def test_no_argument_and_no_result_is_in_a_span(kept: InMemorySpanExporter, provider: TracerProvider) -> None:
    await answered(listened(provider), "look", f'{{"what": "{SECRET}"}}')

    assert SECRET not in only(kept).to_json()


@pytest.mark.parametrize(
    ("name", "arguments", "failure"),
    [
        ("look", '{"what": "broken"}', "environment"),
        ("look", '{"wat": 1}', "invalid_arguments"),
        ("lok", "{}", "invalid_arguments"),
    ],
)
async def test_a_failed_call_carries_its_class(
    kept: InMemorySpanExporter, provider: TracerProvider, name: str, arguments: str, failure: str
) -> None:
    await answered(listened(provider), name, arguments)
    span = only(kept)
    given = span.attributes or {}

    assert span.status.status_code is StatusCode.ERROR
    assert (given[otel.ERROR_TYPE], given[otel.OUTCOME]) == (failure, failure)
    assert span.name == f"execute_tool {name}"


async def test_a_refusal_carries_who_refused_and_by_which_rule(
    kept: InMemorySpanExporter, provider: TracerProvider
) -> None:
    policy = Policy(rules=(Rule(word="deny", tools="put", name="nothing is put"),))
    await answered(listened(provider, policy=policy), "put", '{"what": "x"}')
    span = only(kept)
    given = span.attributes or {}

    assert span.status.status_code is StatusCode.ERROR
    assert (given[otel.DECISION], given[otel.DECISION_RULE]) == ("deny", "nothing is put")
    assert (given[otel.ERROR_TYPE], given[otel.DENIED_BY]) == ("denied", "rule")


async def test_what_the_session_has_seen_is_a_label_of_the_next_deed(
    kept: InMemorySpanExporter, provider: TracerProvider
) -> None:
    made, session = listened(provider), Session()
    await answered(made, "look", '{"what": "x"}', session)
    await answered(made, "put", '{"what": "x"}', session)
    labels = (kept.get_finished_spans()[-1].attributes or {}).get(otel.LABELS)

    assert isinstance(labels, tuple)
    assert {"private", "untrusted"} <= set(labels)


async def test_the_span_stands_below_the_one_the_program_is_in(
    kept: InMemorySpanExporter, provider: TracerProvider
) -> None:
    made = listened(provider)
    with trace.get_tracer("program", tracer_provider=provider).start_as_current_span("turn") as turn:
        await answered(made, "look", '{"what": "x"}')
    below = next(each for each in kept.get_finished_spans() if each.name != "turn")

    assert below.parent is not None
    assert below.parent.span_id == turn.get_span_context().span_id


def test_steps_with_more_or_fewer_facts_are_taken_as_they_come(
    kept: InMemorySpanExporter, provider: TracerProvider
) -> None:
    spans = otel.Spans(provider)
    spans.hear(Event(1, "s", "", "look", "repeated_id", {}))
    spans.hear(Event(1, "s", "handle", "look", "answer", {"handle": "handle", "text": SECRET}))
    spans.hear(Event(2, "s", "s/1", "look", "review", {"reviewer": "ann", "verdict": "approve", "reason": SECRET}))
    spans.hear(Event(3, "s", "s/1", "look", "decide", {"word": "ask", "kind": None, "later": {"more": 1}}))
    spans.hear(Event(4, "s", "s/1", "look", "answer", {"status": "error"}))
    given = only(kept).attributes or {}

    assert (given[otel.VERDICT], given[otel.REVIEWER], given[otel.DECISION]) == ("approve", "ann", "ask")
    assert given[otel.ERROR_TYPE] == otel.FAILED
    assert otel.DECISION_KIND not in given
    assert SECRET not in only(kept).to_json()


def test_calls_that_never_answer_do_not_pile_up(kept: InMemorySpanExporter, provider: TracerProvider) -> None:
    spans = otel.Spans(provider)
    for number in range(otel.MOST_OPEN + 3):
        spans.hear(Event(number, "s", f"s/{number}", "look", "resolve", {}))

    assert len(kept.get_finished_spans()) == 3


async def test_without_a_provider_of_the_program_nothing_is_sent_and_calls_go_on() -> None:
    made = runtime(look)
    otel.listen(made)

    assert (await answered(made, "look", '{"what": "x"}')).result.status == "success"
