"""What stands beside a parameter's type: its words, its example, its bounds, its meaning to policy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hilt.declarations.effects import Role

REFERENCE_KEYWORD = "x-hilt-ref"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """JSON Schema's own bounds, by pydantic's names where Python has taken the word."""

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True, init=False)
class Param:
    """One parameter's text, in `Annotated[T, Param("customer", example="cust_12")]`.

    `text` says what it holds; `example` is a value a model can copy; `role` is what the argument
    means to policy (`path`, `command`, `url`, ...); bounds are JSON Schema's.
    """

    text: str
    example: object
    role: Role | None
    bounds: Bounds

    def __init__(
        self,
        text: str,
        *,
        example: object = None,
        role: Role | None = None,
        ge: float | None = None,
        gt: float | None = None,
        le: float | None = None,
        lt: float | None = None,
        min_length: int | None = None,
        max_length: int | None = None,
        pattern: str | None = None,
    ) -> None:
        bounds = Bounds(ge=ge, gt=gt, le=le, lt=lt, min_length=min_length, max_length=max_length, pattern=pattern)
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "example", example)
        object.__setattr__(self, "role", role)
        object.__setattr__(self, "bounds", bounds)


@dataclass(frozen=True, slots=True)
class Ref:
    """An opaque id, shown to the model as `ticket_3` and translated back: `Annotated[str, Ref("ticket")]`.

    On a returned field it names the id; on a parameter it accepts the name (and the id itself).
    """

    kind: str

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> Mapping[str, object]:
        # Any: pydantic's own protocol for metadata, called by it alone.
        return {**handler(core_schema), REFERENCE_KEYWORD: self.kind}


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A declared difference with one possible meaning: `old` is the name a parameter used to have.

    With `new` as `edits[].text`, `old` is another name for that field of each item of the list
    `edits`; beside the list, and where the list itself is not given, it makes the one item.

    >>> Repair(old="file_path", new="path").new
    'path'
    """

    old: str
    new: str
