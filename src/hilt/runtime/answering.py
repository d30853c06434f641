"""`answer`: a result cut to its budget, the rest put aside, and the text the model reads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from hilt.calls.arguments import Values
from hilt.calls.tool import AnyTool
from hilt.declarations.schema import is_object
from hilt.results.counting import Counter, utf8_length
from hilt.results.cutting import Budget, Keep, cut_text, largest, most_items
from hilt.results.envelope import Artifact, Limit, OtherTool, ToolResult, Truncation, Unit
from hilt.results.render import Render, model_text, plain_lines

LONGEST_FRAME = 2_000
"""Characters of words below which a failure that is cut leaves its violations out."""
LONGEST_CONCLUSION = 200
"""Characters of a one-line text that is its own summary, and is not said twice."""
ARTIFACT_TOOL = "artifact_read"
"""The parameter form of the tool that reads artifacts: `artifact`, `offset` in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spilled:
    """The whole put aside. `body` is what was kept of it: secrets in it are masked."""

    artifact: Artifact
    body: str


Write = Callable[[ToolResult[object], str], str]
"""The text of a result; the second argument is its items, rendered."""
NOT_KEPT = "the whole could not be put aside: what next does not reach is lost; ask for less at a time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How one result is to be shown: its budget and counter, its words, and what continues it."""

    budget: Budget
    counter: Counter
    render: Render
    write: Write
    arguments: Values
    tool: AnyTool | None
    artifacts: bool

    @property
    def keep(self) -> Keep:
        """Which end of a text too long is kept."""
        return self.tool.handling.keep if self.tool else "head"

    def fits(self, text: str) -> bool:
        """Whether a whole text, its notice included, keeps to the budget."""
        return self.budget.fits(text, self.counter.count)


class Shown(NamedTuple):  # a tuple, for one is made on every call
    """A result that fits, and its text."""

    result: ToolResult[object]
    text: str


def cut_to_fit(result: ToolResult[object], body: str, text: str, shape: Shape, spilled: Spilled | None) -> Shown:
    """A result over its budget within it; what does not fit was put aside before, or that is said."""
    whole = body or text
    if spilled is None:
        result = replace(result, notes=(*result.notes, NOT_KEPT))
    else:
        result = replace(result, artifact=spilled.artifact)
    kept = spilled.body if spilled else whole
    return (body and _cut(result, body, kept, shape)) or _shorter(result, whole, shape)


def _cut(result: ToolResult[object], body: str, kept: str, shape: Shape) -> Shown | None:
    """Whole items where at least one fits, else part of the text; None where not even the frame fits."""
    limit, _ = _limit(shape.budget, shape.write(result, body))

    def shown(items: Sequence[object]) -> Shown:
        rendered = shape.render(items) if items else ""
        offset = _offset(rendered, kept) if shape.keep == "head" else 0
        cut = _item_truncation(result, len(items), limit, shape, offset)
        part = replace(result, items=tuple(items), truncation=cut)
        return Shown(result=part, text=shape.write(part, rendered))

    items = most_items(result.items, shape.keep, lambda some: shape.fits(shown(some).text))
    return shown(items) if items else _cut_inside(result, body, kept, shape)


def _offset(shown: str, kept: str) -> int:
    """Bytes of the kept text that are shown already: up to where the two differ, for masking may shift it."""
    return utf8_length(shown[: largest(len(shown), lambda count: kept.startswith(shown[:count]))])


def _limit(budget: Budget, text: str) -> tuple[Limit, Unit]:
    """The bound that cut, by the order in which bounds are checked."""
    if budget.bytes is not None and utf8_length(text) > budget.bytes:
        return Limit(name="bytes", value=budget.bytes), "bytes"
    if budget.lines is not None and text.count("\n") + 1 > budget.lines:
        return Limit(name="lines", value=budget.lines), "lines"
    return Limit(name="tokens", value=budget.tokens or 0), "tokens"


def _item_truncation(result: ToolResult[object], shown: int, limit: Limit, shape: Shape, offset: int) -> Truncation:
    """The cut of a page: `next` continues behind the last item shown, in the tool's own parameter."""
    own = result.truncation
    start = _start(shape)
    seen = len(result.items) if start is None else len(result.items) + start - _base(shape)
    return Truncation(
        shown=shown,
        total=own.total if own else seen,
        total_is=own.total_is if own else "exact",
        unit=own.unit if own else "items",
        limit=limit,
        next=_continuation(start, shown, shape),
        otherwise=_whole(result, shape, offset),
    )


def _continuation(start: int | None, shown: int, shape: Shape) -> Mapping[str, object]:
    tool = shape.tool
    if tool is None or start is None or shown == 0 or shape.keep != "head":
        return {}
    return {**shape.arguments, str(tool.declaration.continues): start + shown}


def _start(shape: Shape) -> int | None:
    """Where this page began, in the parameter that continues; None where pages are not counted."""
    continues = shape.tool.declaration.continues if shape.tool else None
    if continues is None:
        return None
    given = shape.arguments.get(continues)
    if given is None:
        return _base(shape)
    return given if isinstance(given, int) else None


def _base(shape: Shape) -> int:
    """The number of the first item: the default of the parameter that continues."""
    declaration = shape.tool.declaration if shape.tool else None
    properties = declaration.parameters.get("properties") if declaration else None
    parameter = properties.get(str(declaration.continues)) if declaration and is_object(properties) else None
    default = parameter.get("default", 0) if is_object(parameter) else 0
    return default if isinstance(default, int) else 0


def _whole(result: ToolResult[object], shape: Shape, offset: int) -> OtherTool | None:
    """The call that reads on in the artifact, from the first byte not shown."""
    if result.artifact is None or not shape.artifacts:
        return None
    return OtherTool(tool=ARTIFACT_TOOL, arguments={"artifact": result.artifact.id, "offset": offset})


def _cut_inside(result: ToolResult[object], body: str, kept: str, shape: Shape) -> Shown | None:
    """Not one item fits: the text itself is cut, at a line's border or between characters."""
    limit, _ = _limit(shape.budget, shape.write(result, body))

    def framed(text: str, shown_bytes: int) -> Shown:
        cut = Truncation(
            shown=shown_bytes,
            total=utf8_length(body),
            unit="bytes",
            limit=limit,
            next={},
            otherwise=_whole(result, shape, _offset(text, kept) if shape.keep == "head" else 0),
        )
        part = replace(result, items=_partial_items(result.items, text), truncation=cut)
        return Shown(result=part, text=shape.write(part, text))

    total = utf8_length(body)
    cut = cut_text(body, shape.keep, lambda text: shape.fits(framed(text, total).text))
    return framed(cut.text, cut.shown_bytes) if cut.text else None


def _partial_items(items: Sequence[object], text: str) -> tuple[object, ...]:
    """The first item cut where it is text, so that what a program reads is what the model read."""
    if len(items) == 1 and isinstance(items[0], str):
        return (text,)
    return ()


def _shorter(result: ToolResult[object], whole: str, shape: Shape) -> Shown:
    """The frame alone is over the budget: its longest words are cut, and the cut is told as any other."""
    limit, _ = _limit(shape.budget, whole)
    bare = replace(result, items=(), notes=(), adjustments=(), parts=())

    def shown(most: int) -> Shown:
        cut = Truncation(
            shown=most,
            total=utf8_length(whole),
            unit="bytes",
            limit=limit,
            next={},
            otherwise=_whole(result, shape, 0),
        )
        part = replace(brief(bare, most), truncation=cut)
        return Shown(result=part, text=shape.write(part, ""))

    least = shown(largest(utf8_length(whole), lambda most: shape.fits(shown(most).text)))
    if shape.fits(least.text):
        return least
    return least._replace(text=cut_text(least.text, "head", shape.fits).text)


def brief(result: ToolResult[object], most: int) -> ToolResult[object]:
    """The result with at most so many characters of each of its long words."""
    failure, refusal = result.failure, result.denied
    return replace(
        result,
        summary=result.summary[:most],
        failure=failure
        and replace(
            failure,
            problem=failure.problem[:most],
            next_steps=tuple(step[:most] for step in failure.next_steps),
            violations=failure.violations if most >= LONGEST_FRAME else (),
        ),
        denied=refusal
        and replace(
            refusal, reason=refusal.reason[:most], next_steps=tuple(step[:most] for step in refusal.next_steps)
        ),
    )


def page(items: tuple[object, ...], tool: AnyTool, arguments: Values) -> ToolResult[object]:
    """A plain return as a result: at most the declared limit of items, and how to go on."""
    declaration = tool.declaration
    limit = declaration.limit
    summary = conclusion(items, tool)
    if limit is None or len(items) <= limit or declaration.kind != "perceive":
        return ToolResult(summary=summary, items=items)
    shape = Shape(
        budget=Budget(),
        counter=_NO_COUNTER,
        render=plain_lines,
        write=model_text,
        arguments=arguments,
        tool=tool,
        artifacts=False,
    )
    start = _start(shape)
    kept = items[:limit]
    total = len(items) + (start - _base(shape) if start is not None else 0)
    return ToolResult(
        summary=conclusion(kept, tool),
        items=kept,
        truncation=Truncation(
            shown=limit,
            total=total,
            total_is="at_least",
            limit=Limit(name="limit", value=limit),
            next=_continuation(start, limit, shape),
        ),
    )


_NO_COUNTER = Counter(name="none", count=len)


def conclusion(items: Sequence[object], tool: AnyTool) -> str:
    """The summary of a plain return: the tool's own words, a short text itself, or the count."""
    if tool.handling.summarise:
        return tool.handling.summarise(items)
    if len(items) == 1 and isinstance(items[0], str):
        text = items[0]
        if 0 < len(text) <= LONGEST_CONCLUSION and "\n" not in text:
            return text
        return count_of(text.count("\n") + 1, "line") if text else "empty text"
    if not items and not tool.declaration.returns:
        return "done"
    return count_of(len(items), tool.declaration.noun)


def count_of(number: int, noun: str) -> str:
    """`1 ticket`, `2 tickets`, `no entries`: the default summary."""
    if number == 1:
        return f"1 {noun}"
    plural = noun[:-1] + "ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun + "s"
    return f"{number:,} {plural}" if number else f"no {plural}"
