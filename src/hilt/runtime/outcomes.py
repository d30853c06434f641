"""Failures and refusals as results: the envelope's form of what a step raised."""

from collections.abc import Sequence
from dataclasses import replace

from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Withheld
from hilt.errors import StoreError, StoreLocked
from hilt.results.envelope import Adjustment, Denied, Denier, Failure, Status, ToolResult
from hilt.results.failures import (
    EnvironmentFailure,
    InvalidArguments,
    Outcome,
    Refused,
    Retryable,
    ToolFailure,
)
from hilt.review.breaker import RULE as REFUSALS_IN_A_ROW

_DENIERS = frozenset(Denier)
_HELPLESS = frozenset({Denier.LEDGER, Denier.PERSON, Denier.NOBODY_TO_ASK})
_HELPLESS_RULES = frozenset({REFUSALS_IN_A_ROW})


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
            outcome=failure.outcome,
            violations=failure.violations if isinstance(failure, InvalidArguments) else (),
        ),
    )


def without_store(error: StoreError) -> ToolFailure:
    """What the model reads when state could not be read or kept, so that nothing was run."""
    if isinstance(error, StoreLocked):
        return Retryable(f"the state is held by another process: {error.problem}", "wait and call again")
    return EnvironmentFailure(
        f"nothing was run, for the state cannot be kept: {error.problem}", "take another way", "report it to the person"
    )


def withheld_refusal(withheld: Withheld) -> ToolFailure | Refused:
    """The answer to a call of a tool that is known and kept back."""
    problem = f"{withheld.name} is not offered: {withheld.reason}"
    if withheld.why == "unusable":
        return EnvironmentFailure(problem, "take another way", withheld.step)
    by = Denier.PIN if withheld.why == "quarantined" else Denier.RULE
    return Refused(problem, "take another way", withheld.step, by=by, rule=withheld.why)


def store_failed(tool: AnyTool, error: StoreError) -> ToolFailure:
    """What the model reads when a tool that was running could not read or keep its state."""
    failure: ToolFailure
    if isinstance(error, StoreLocked):
        problem = f"{tool.name} could not use its state, which another process holds: {error.problem}"
        failure = Retryable(problem, "wait and call again")
    else:
        problem = f"{tool.name} could not read or keep its state: {error.problem}"
        person = f"ask the person to {error.next_steps[0]}" if error.next_steps else "report it to the person"
        failure = EnvironmentFailure(problem, "take another way", person)
    failure.outcome = None if tool.declaration.effects.read_only else Outcome.UNKNOWN
    return failure


def cut_outcome(tool: AnyTool) -> Outcome:
    """What to assume of a call that was cut: a repeat of an idempotent one is safe, of another is not."""
    return Outcome.NOT_STARTED if tool.declaration.idempotent else Outcome.UNKNOWN


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
            asking_differently_helps=by not in _HELPLESS and refusal.rule not in _HELPLESS_RULES,
        ),
    )


def told(
    result: ToolResult[object], *, adjustments: Sequence[Adjustment] = (), notes: Sequence[str] = ()
) -> ToolResult[object]:
    """The result with what the road has to tell beside it; a note stands once."""
    return replace(
        result,
        adjustments=(*adjustments, *result.adjustments),
        notes=tuple(dict.fromkeys((*result.notes, *notes))),
    )
