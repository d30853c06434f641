"""Spans for OpenTelemetry, where the settings ask for them."""

from pathlib import Path

import pytest

from hilt.assembly.build import open_runtime
from hilt.assembly.config import read_config
from hilt.calls.call import ToolCall

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import trace  # only where it is installed
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@pytest.fixture(scope="module")
def kept() -> InMemorySpanExporter:
    """Where the program's own provider, of which there can be one in a process, puts its spans."""
    made, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(made))
    trace.set_tracer_provider(provider)
    return made


@pytest.mark.parametrize(("set_to", "spans"), [("true", ["execute_tool task_list"]), ("false", [])])
async def test_calls_are_spans_of_the_programs_own_provider_where_the_setting_says_so(
    tmp_path: Path, kept: InMemorySpanExporter, set_to: str, spans: list[str]
) -> None:
    kept.clear()
    async with open_runtime(tmp_path, config=read_config(tmp_path, settings=(f"trace.otel={set_to}",))) as opened:
        await opened.runtime.answer_one(opened.session, ToolCall(name="task_list"))

    assert [each.name for each in kept.get_finished_spans()] == spans
