"""The envelope: one result form for every tool, whatever happened.

Its JSON form (`schema_version` 1) is a public contract; `hilt.results.form` writes and reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Literal, TypeVar

from hilt.results.failures import FailureKind, Outcome, Violation
from hilt.results.parts import Part

SCHEMA_VERSION = 1

ItemT = TypeVar("ItemT")
Unit = Literal["items", "lines", "bytes", "tokens"]
Arguments = Mapping[str, object]


class Status(StrEnum):
    """What the model should conclude at a glance."""

    SUCCESS = "success"
    PARTIAL = "partial"
    ERROR = "error"
    DENIED = "denied"
    PENDING = "pending"


class Denier(StrEnum):
    """Who refused a call."""

    RULE = "rule"
    REVIEWER = "reviewer"
    PERSON = "person"
    BREAKER = "breaker"
    TAINT = "taint"
    PIN = "pin"
    LEDGER = "ledger"
    NOBODY_TO_ASK = "nobody_to_ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The limit that cut: its declared name and its value, in the truncation's unit."""

    name: str
    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherTool:
    """A second way out of a cut: a call of another tool that is offered."""

    tool: str
    arguments: Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """That a result was cut, by which limit, and the call that continues it.

    `shown` and `total` count `unit`s; `total_is` says whether the total is known. `next` holds
    the arguments of this tool that continue without gap or overlap, and is empty only for a
    tool that cannot continue: then `otherwise` names the call that can.
    """

    shown: int
    total: int
    total_is: Literal["exact", "at_least"] = "exact"
    unit: Unit = "items"
    limit: Limit
    next: Arguments
    otherwise: OtherTool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """The whole of what was shown in part. `bytes` is its size; `path` is set where the model may open it."""

    id: str
    bytes: int
    media_type: str
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The envelope's form of a `ToolFailure`."""

    kind: FailureKind
    problem: str
    next_steps: tuple[str, ...]
    retry_after_s: float | None = None
    outcome: Outcome | None = None
    violations: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """A refusal: who, by which rule, why, and whether asking differently helps."""

    by: Denier
    reason: str
    next_steps: tuple[str, ...]
    rule: str | None = None
    asking_differently_helps: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A call that waits for a person. `expires` is RFC 3339, UTC."""

    handle: str
    waiting_for: str
    expires: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A change made to the arguments, told to the model. `before` and `after` are JSON values."""

    what: str
    before: object
    after: object
    why: str


# No slots: Python 3.11 cannot call ToolResult[int](...) on a class that is frozen, slotted and generic.
# Its own __init__, for the generated one of a frozen class costs twice as much and every call makes one.
@dataclass(frozen=True, kw_only=True, init=False)
class ToolResult(Generic[ItemT]):
    """What one call came to.

    A tool returns one to word its own summary, cut or notes; the runtime returns one for every
    call, with `items` as JSON values that fit the declared return. `parts` are pictures, sound
    and files beside the text.

    >>> ToolResult(summary="2 tickets", items=("a", "b")).truncated
    False
    """

    summary: str
    items: tuple[ItemT, ...] = ()
    status: Status = Status.SUCCESS
    truncation: Truncation | None = None
    artifact: Artifact | None = None
    failure: Failure | None = None
    denied: Denied | None = None
    pending: Pending | None = None
    adjustments: tuple[Adjustment, ...] = ()
    notes: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()

    def __init__(
        self,
        *,
        summary: str,
        items: tuple[ItemT, ...] = (),
        status: Status = Status.SUCCESS,
        truncation: Truncation | None = None,
        artifact: Artifact | None = None,
        failure: Failure | None = None,
        denied: Denied | None = None,
        pending: Pending | None = None,
        adjustments: tuple[Adjustment, ...] = (),
        notes: tuple[str, ...] = (),
        parts: tuple[Part, ...] = (),
    ) -> None:
        # What is as the class has it stays there: most results are a summary and items.
        own = self.__dict__
        own["summary"] = summary
        if items:
            own["items"] = items
        if status is not Status.SUCCESS:
            own["status"] = status
        if truncation or artifact or failure or denied or pending:
            own.update(truncation=truncation, artifact=artifact, failure=failure, denied=denied, pending=pending)
        if adjustments or notes or parts:
            own.update(adjustments=adjustments, notes=notes, parts=parts)

    @property
    def truncated(self) -> bool:
        """Whether more exists than `items` holds."""
        return self.truncation is not None

    @property
    def is_error(self) -> bool:
        """Whether the call did not do what was asked: failed or refused."""
        return self.status in (Status.ERROR, Status.DENIED)
