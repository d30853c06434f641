"""What a tool raises when a call fails: four classes, one for each thing to do next.

    ToolFailure
      Retryable           the same call may work later
      InvalidArguments    the same call never will: change an argument
      EnvironmentFailure  the world lacks something: take another way, or report it
      Aborted             someone ended the call, and nothing was proved

The runtime turns each into a `ToolResult` the model reads. A mistake in the host's own
program is never one of these: see `hilt.errors`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

MOST_NEXT_STEPS = 2


class FailureKind(StrEnum):
    """What the model should do about a failed call."""

    RETRYABLE = "retryable"
    INVALID_ARGUMENTS = "invalid_arguments"
    ENVIRONMENT = "environment"
    ABORTED = "aborted"


class Outcome(StrEnum):
    """What had already happened when a call was cut."""

    NOT_STARTED = "not_started"
    UNKNOWN = "unknown"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One argument that is not as declared.

    `path` is a JSON path such as `edits[0].old`; `received` is the value as JSON text, cut;
    `expected` is the bound or the set; `next_step` is the one change that mends it.
    """

    path: str
    received: str
    expected: str
    next_step: str


class ToolFailure(Exception):
    """A failed call, worded for the model that made it.

    `problem` gives what was asked and what exists; each next step is a call or a change the
    model can make at once. One or two of them, never none. A class of your own that names no
    `kind` counts as `environment`.

    >>> failure = InvalidArguments("offset 3000 is past the end: notes.md has 120 lines",
    ...                            "call read_file with offset at most 120")
    >>> failure.kind.value, failure.next_steps
    ('invalid_arguments', ('call read_file with offset at most 120',))
    """

    kind: ClassVar[FailureKind] = FailureKind.ENVIRONMENT
    outcome: Outcome | None = None

    def __init__(self, problem: str, *next_steps: str) -> None:
        if not 1 <= len(next_steps) <= MOST_NEXT_STEPS:
            raise ValueError(f"a failure offers one or two next steps, not {len(next_steps)}")
        super().__init__(problem)
        self.problem = problem
        self.next_steps = next_steps


class Retryable(ToolFailure):
    """The same call may work later; `retry_after_s` says when, in seconds, where that is known."""

    kind = FailureKind.RETRYABLE

    def __init__(self, problem: str, *next_steps: str, retry_after_s: float | None = None) -> None:
        super().__init__(problem, *next_steps)
        self.retry_after_s = retry_after_s


class InvalidArguments(ToolFailure):
    """The same call never will work: change what is named. `violations` lists every one found."""

    kind = FailureKind.INVALID_ARGUMENTS

    def __init__(self, problem: str, *next_steps: str, violations: Sequence[Violation] = ()) -> None:
        super().__init__(problem, *next_steps)
        self.violations = tuple(violations)


class EnvironmentFailure(ToolFailure):
    """The world lacks something: take another way, or report it."""

    kind = FailureKind.ENVIRONMENT


class Aborted(ToolFailure):
    """Someone ended the call. `outcome` says what had already happened."""

    kind = FailureKind.ABORTED

    def __init__(self, problem: str, *next_steps: str, outcome: Outcome = Outcome.UNKNOWN) -> None:
        super().__init__(problem, *next_steps)
        self.outcome = outcome


class Refused(Exception):
    """A call that policy does not let through: neither a failure nor a mistake.

    Raised by `workspace` when a path leaves the roots between deciding and opening; the runtime
    answers it as `denied`. `by` is one of the envelope's deniers.
    """

    def __init__(self, reason: str, *next_steps: str, by: str = "rule", rule: str | None = None) -> None:
        if not 1 <= len(next_steps) <= MOST_NEXT_STEPS:
            raise ValueError(f"a refusal offers one or two next steps, not {len(next_steps)}")
        super().__init__(reason)
        self.reason = reason
        self.next_steps = next_steps
        self.by = by
        self.rule = rule
