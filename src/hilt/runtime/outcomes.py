"""Failures and refusals as results: the envelope's form of what a step raised."""

from collections.abc import Sequence
from dataclasses import replace

from hilt.results.envelope import Adjustment, Denied, Denier, Failure, Status, ToolResult
from hilt.results.failures import Aborted, InvalidArguments, Refused, Retryable, ToolFailure

_DENIERS = frozenset(Denier)
_HELPLESS = frozenset({Denier.LEDGER, Denier.PERSON, Denier.NOBODY_TO_ASK})


def failed(failure: ToolFailure) -> ToolResult[object]:
    """A `ToolFailure` as a result."""
    return ToolResult(
        status=Status.ERROR,
        summary=failure.problem,
        failure=Failure(
            kind=failure.kind,
            problem=failure.problem,
            next_steps=failure.next_steps,
            retry_after_s=failure.retry_after_s if isinstance(failure, Retryable) else None,
            outcome=failure.outcome if isinstance(failure, Aborted) else None,
            violations=failure.violations if isinstance(failure, InvalidArguments) else (),
        ),
    )


def denied(refusal: Refused) -> ToolResult[object]:
    """A `Refused` as a result. Asking differently helps where a rule or a breaker looks at the arguments."""
    by = Denier(refusal.by) if refusal.by in _DENIERS else Denier.RULE
    return ToolResult(
        status=Status.DENIED,
        summary=refusal.reason,
        denied=Denied(
            by=by,
            rule=refusal.rule,
            reason=refusal.reason,
            next_steps=refusal.next_steps,
            asking_differently_helps=by not in _HELPLESS,
        ),
    )


def told(
    result: ToolResult[object], *, adjustments: Sequence[Adjustment] = (), notes: Sequence[str] = ()
) -> ToolResult[object]:
    """The result with what the road has to tell beside it; a note stands once."""
    if not adjustments and not notes:
        return result
    return replace(
        result,
        adjustments=(*adjustments, *result.adjustments),
        notes=tuple(dict.fromkeys((*result.notes, *notes))),
    )
