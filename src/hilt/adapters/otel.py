"""Spans of calls for OpenTelemetry, by its conventions for generative AI.

    from hilt.adapters import otel
    otel.listen(runtime)

One span a call, below whatever span is current where the call is made, with the decision of policy, the verdict of
review, what the session has seen, and what the call came to. Where spans go is the SDK's business: the provider that
the program has set, or the one that its `OTEL_*` variables name. No argument and no result is ever in a span, only
names, digests, sizes and words of Hilt's own.

The names are those of `semantic-conventions-genai` for `execute_tool`, all in development there; they were the same
before `gen_ai_latest_experimental`, so `OTEL_SEMCONV_STABILITY_OPT_IN` changes nothing here. Ours begin with `hilt.`.
"""

import sys
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from hilt.calls.events import Event
from hilt.declarations.schema import is_array
from hilt.errors import MissingExtra
from hilt.runtime.runtime import Runtime

try:
    from opentelemetry import trace
    from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider
except ImportError as error:
    raise MissingExtra("spans for OpenTelemetry", "otel") from error

VERSION: str = sys.modules["hilt"].__version__
OPERATION = "execute_tool"
OPERATION_NAME = "gen_ai.operation.name"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_CALL_ID = "gen_ai.tool.call.id"
CONVERSATION_ID = "gen_ai.conversation.id"
ERROR_TYPE = "error.type"

CALL = "hilt.call"
DIGEST = "hilt.arguments.digest"
ADJUSTMENTS = "hilt.arguments.adjustments"
DECISION = "hilt.policy.decision"
DECISION_KIND = "hilt.policy.kind"
DECISION_LAYER = "hilt.policy.layer"
DECISION_RULE = "hilt.policy.rule"
LABELS = "hilt.taint.labels"
VERDICT = "hilt.review.verdict"
REVIEWER = "hilt.review.reviewer"
STATUS = "hilt.status"
OUTCOME = "hilt.outcome"
DENIED_BY = "hilt.denied.by"
TRUNCATED = "hilt.truncated"
BYTES_SHOWN = "hilt.result.bytes_shown"
BYTES_PRODUCED = "hilt.result.bytes_produced"
ITEMS = "hilt.result.items"

MOST_OPEN = 10_000
"""Calls under way at once; the oldest span of more is ended as it is, for its call has gone without an answer."""
FAILED = "tool_error"
"""The type of an error of which no class is known."""

Attribute = str | bool | int | float | Sequence[str]
_OF_STEP: Mapping[str, Mapping[str, str]] = {
    "decode": {"digest": DIGEST, "adjustments": ADJUSTMENTS},
    "decide": {
        "word": DECISION,
        "kind": DECISION_KIND,
        "layer": DECISION_LAYER,
        "rule": DECISION_RULE,
        "labels": LABELS,
    },
    "taint": {"labels": LABELS},
    "review": {"verdict": VERDICT, "reviewer": REVIEWER, "by": REVIEWER},
    "verify": {"items": ITEMS},
    "answer": {
        "id": TOOL_CALL_ID,
        "status": STATUS,
        "failure": OUTCOME,
        "denied": DENIED_BY,
        "truncated": TRUNCATED,
        "bytes": BYTES_SHOWN,
        "produced": BYTES_PRODUCED,
    },
}
"""What of each step's facts becomes which attribute; a fact that a step lacks is left out."""
_MOMENTS: Mapping[str, str] = {"review": "hilt.review", "execute": "hilt.execute", "defect": "hilt.defect"}


def listen(runtime: Runtime, *, provider: TracerProvider | None = None) -> "Spans":
    """Make a span of every call of this runtime from now on. `provider` is the program's own where none is given."""
    spans = Spans(provider)
    runtime.listen(spans.hear)
    return spans


class Spans:
    """Events in, spans out. A span begins with a call's first event and ends with its answer."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._tracer: Tracer = trace.get_tracer("hilt", VERSION, tracer_provider=provider)
        self._open: OrderedDict[str, Span] = OrderedDict()

    def hear(self, event: Event) -> None:
        """Take in one event."""
        if not event.call or (event.step == "answer" and "status" not in event.facts):
            return  # of no call, or the news that a late answer has come, whose call has a span of its own
        span = self._open.get(event.call) or self._begin(event)
        for name, value in _attributes(event):
            span.set_attribute(name, value)
        if event.step in _MOMENTS:
            span.add_event(_MOMENTS[event.step], dict(_attributes(event)), timestamp=event.time_ns)
        if event.step == "answer":
            self._end(event, span)

    def _begin(self, event: Event) -> Span:
        given = {
            OPERATION_NAME: OPERATION,
            TOOL_NAME: event.tool,
            TOOL_TYPE: "function",
            CONVERSATION_ID: event.session,
            CALL: event.call,
        }
        name = f"{OPERATION} {event.tool}"
        span = self._tracer.start_span(name, kind=SpanKind.INTERNAL, attributes=given, start_time=event.time_ns)
        self._open[event.call] = span
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)[1].end()
        return span

    def _end(self, event: Event, span: Span) -> None:
        del self._open[event.call]
        status = str(event.facts["status"])
        if status in ("error", "denied"):
            span.set_attribute(
                ERROR_TYPE, "denied" if status == "denied" else str(event.facts.get("failure") or FAILED)
            )
            span.set_status(Status(StatusCode.ERROR))
        span.end(end_time=event.time_ns)


def _attributes(event: Event) -> list[tuple[str, Attribute]]:
    """The facts of an event that become attributes, as far as it has them."""
    named = _OF_STEP.get(event.step, {})
    return [(name, _plain(event.facts[fact])) for fact, name in named.items() if event.facts.get(fact) is not None]


def _plain(value: object) -> Attribute:
    """A value as OpenTelemetry takes it; one of an enumeration is its text."""
    if isinstance(value, bool | int | float):
        return value
    return [str(each) for each in value] if is_array(value) else str(value)
