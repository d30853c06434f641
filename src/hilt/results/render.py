"""The text a model reads: complete on its own, in the fewest tokens.

One line of status and conclusion, the items as plain lines, then what was cut and the call that
continues. A tool may render its own items; the frame around them is always this one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from hilt.results.envelope import Failure, Status, ToolResult, Truncation

Render = Callable[[Sequence[object]], str]
SEPARATOR = " | "
LONGEST_GLIMPSE = 200
"""Characters of a value that the text of an adjustment shows; its JSON holds the whole."""


def plain_lines(items: Sequence[object]) -> str:
    """Items without a rendering of their own: text as it is, records as a table or as `name: value`.

    >>> print(plain_lines([{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]))
    id | title
    1 | a
    2 | b
    """
    if len(items) == 1 and isinstance(items[0], str):
        return items[0]
    records = [cast("Mapping[str, object]", item) for item in items if isinstance(item, Mapping)]
    if len(records) == len(items) > 1 and _alike(records):
        rows = [SEPARATOR.join(_cell(value) for value in record.values()) for record in records]
        return "\n".join((SEPARATOR.join(records[0]), *rows))
    return "\n".join(_plain(item) for item in items)


def no_lines(items: Sequence[object]) -> str:
    """The rendering of a tool whose summary says all that its items do."""
    return ""


def _alike(records: Sequence[Mapping[str, object]]) -> bool:
    names = list(records[0])
    return bool(names) and all(
        list(record) == names and not any(isinstance(value, (Mapping, list)) for value in record.values())
        for record in records
    )


def _cell(value: object) -> str:
    if isinstance(value, str) and "\n" not in value and SEPARATOR not in value:
        return value
    return compact_json(value)


def _plain(item: object) -> str:
    if isinstance(item, str):
        return item
    if isinstance(item, Mapping):
        record = cast("Mapping[str, object]", item)
        fields = (
            f"{name}: {value if isinstance(value, str) else compact_json(value)}" for name, value in record.items()
        )
        return ("\n" if any(isinstance(value, str) and "\n" in value for value in record.values()) else ", ").join(
            fields
        )
    return compact_json(item)


def compact_json(value: object) -> str:
    """JSON in the fewest bytes, non-ASCII text as itself, what JSON lacks as text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def model_text(result: ToolResult[object], body: str) -> str:
    """The whole text of one result; `body` is its items, rendered."""
    lines = [headline(result)]
    if result.failure is not None:
        lines += _failure_lines(result.failure)
    if result.denied is not None:
        lines.append(_next_line(result.denied.next_steps))
    if body and body != lines[0]:
        lines.append(body)
    if result.adjustments or result.notes:
        lines += _told_lines(result)
    if result.truncation is not None:
        lines.append(cut_notice(result.truncation))
    return "\n".join(lines)


def _told_lines(result: ToolResult[object]) -> list[str]:
    adjusted = [
        f"adjusted {each.what}: {_glimpse(each.before)} -> {_glimpse(each.after)} ({each.why})"
        for each in result.adjustments
    ]
    return [*adjusted, *(f"note: {note}" for note in result.notes)]


def _glimpse(value: object) -> str:
    text = compact_json(value)
    return text if len(text) <= LONGEST_GLIMPSE else f"{text[:LONGEST_GLIMPSE]}... ({len(text):,} characters)"


def headline(result: ToolResult[object]) -> str:
    """Status and conclusion on one line; a success needs no word for it."""
    match result:
        case ToolResult(status=Status.SUCCESS):
            return result.summary
        case ToolResult(failure=Failure() as failure):
            outcome = f", outcome {failure.outcome}" if failure.outcome else ""
            return f"error ({failure.kind}{outcome}): {failure.problem}"
        case ToolResult(denied=denied) if denied is not None:
            rule = f" {denied.rule}" if denied.rule else ""
            return f"denied by {denied.by}{rule}: {denied.reason}"
        case ToolResult(pending=pending) if pending is not None:
            return f"pending {pending.handle}: waiting for {pending.waiting_for} until {pending.expires}"
        case _:
            return f"{result.status}: {result.summary}"


def _failure_lines(failure: Failure) -> list[str]:
    lines = [
        f"- {each.path}: received {each.received}; expected {each.expected}; {each.next_step}"
        for each in failure.violations
    ]
    if failure.retry_after_s is not None:
        lines.append(f"wait {failure.retry_after_s:g} s")
    return [*lines, _next_line(failure.next_steps)]


def _next_line(steps: Sequence[str]) -> str:
    return "next: " + "; or: ".join(steps)


def cut_notice(cut: Truncation) -> str:
    """What was cut and how to go on, on one line.

    >>> from hilt.results.envelope import Limit
    >>> cut_notice(Truncation(shown=2, total=9, limit=Limit(name="limit", value=2), next={"path": "/a", "offset": 2}))
    '[2 of 9 items shown, limit 2; next: {"path":"/a","offset":2}]'
    """
    total = f"{cut.total:,}" if cut.total_is == "exact" else f"at least {cut.total:,}"
    ways = [f"next: {compact_json(dict(cut.next))}"] if cut.next else []
    if cut.otherwise is not None:
        ways.append(f"{'or' if ways else 'next'}: {cut.otherwise.tool} {compact_json(dict(cut.otherwise.arguments))}")
    if not ways:
        ways = ["next: call again with narrower arguments; the rest cannot be read on from here"]
    return f"[{'; '.join((f'{cut.shown:,} of {total} {cut.unit} shown, {cut.limit.name} {cut.limit.value:,}', *ways))}]"
