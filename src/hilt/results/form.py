"""The envelope as JSON: the public contract, written field by field.

Optional fields appear only when they hold something, `truncated` always: a program can rely on
the key and a reader on its absence meaning nothing.
"""

from base64 import b64encode

from hilt.results.envelope import SCHEMA_VERSION, Artifact, Denied, Failure, ToolResult, Truncation
from hilt.results.parts import FilePart, Part


def to_json(result: ToolResult[object], *, versioned: bool = False) -> dict[str, object]:
    """The envelope as a JSON object; with `versioned`, `schema_version` stands first."""
    document: dict[str, object] = {"schema_version": SCHEMA_VERSION} if versioned else {}
    document |= {"status": result.status.value, "summary": result.summary, "items": list(result.items)}
    if result.artifact is not None:
        document["artifact"] = _artifact(result.artifact)
    document["truncated"] = result.truncated
    if result.truncation is not None:
        document["truncation"] = _truncation(result.truncation)
    if result.failure is not None:
        document["failure"] = _failure(result.failure)
    if result.denied is not None:
        document["denied"] = _denied(result.denied)
    if result.pending is not None:
        waits = result.pending
        document["pending"] = {"handle": waits.handle, "waiting_for": waits.waiting_for, "expires": waits.expires}
    return document | _beside(result)


def _beside(result: ToolResult[object]) -> dict[str, object]:
    adjustments = [
        {"what": each.what, "from": each.before, "to": each.after, "why": each.why} for each in result.adjustments
    ]
    return _present(
        adjustments=adjustments or None,
        notes=list(result.notes) or None,
        parts=[_part(part) for part in result.parts] or None,
    )


def _artifact(artifact: Artifact) -> dict[str, object]:
    return _present(id=artifact.id, path=artifact.path, bytes=artifact.bytes, media_type=artifact.media_type)


def _present(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _truncation(cut: Truncation) -> dict[str, object]:
    otherwise = cut.otherwise
    return _present(
        shown=cut.shown,
        total=cut.total,
        total_is=cut.total_is,
        unit=cut.unit,
        limit={"name": cut.limit.name, "value": cut.limit.value},
        next=dict(cut.next),
        otherwise=otherwise and {"tool": otherwise.tool, "arguments": dict(otherwise.arguments)},
    )


def _failure(failure: Failure) -> dict[str, object]:
    violations = [
        {"path": each.path, "received": each.received, "expected": each.expected, "next_step": each.next_step}
        for each in failure.violations
    ]
    return {"class": failure.kind.value} | _present(
        problem=failure.problem,
        next_steps=list(failure.next_steps),
        retry_after_s=failure.retry_after_s,
        outcome=failure.outcome and failure.outcome.value,
        violations=violations or None,
    )


def _denied(denied: Denied) -> dict[str, object]:
    return _present(
        by=denied.by.value,
        rule=denied.rule,
        reason=denied.reason,
        asking_differently_helps=denied.asking_differently_helps,
        next_steps=list(denied.next_steps),
    )


def _part(part: Part) -> dict[str, object]:
    name = part.name if isinstance(part, FilePart) else None
    return _present(
        type=type(part).__name__.lower().removesuffix("part"),
        media_type=part.media_type,
        name=name,
        bytes=len(part.content),
        content=b64encode(part.content).decode("ascii"),
    )
