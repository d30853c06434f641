"""What of a result is shown: references named, budget kept, the rest put aside."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from hilt.calls.arguments import Values
from hilt.calls.tool import AnyTool
from hilt.declarations.parameters import REFERENCE_KEYWORD
from hilt.declarations.schema import is_array, is_object
from hilt.results.cutting import Budget
from hilt.results.envelope import Artifact, ToolResult
from hilt.results.form import to_json
from hilt.results.render import model_text, plain_lines
from hilt.runtime.answering import ARTIFACT_TOOL, Shape, Shown, fit
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState

FALLBACK_BUDGET = Budget(tokens=2_000)
"""The budget of an answer that belongs to no tool."""


async def show(
    road: Road,
    state: SessionState,
    tool: AnyTool | None,
    arguments: Values,
    produced: ToolResult[object],
    *,
    budget: Budget | None = None,
) -> Shown:
    """The result as the model reads it. `result` keeps original ids for the program, `text` names them."""
    within = budget or (tool.handling.budget if tool else FALLBACK_BUDGET)
    if tool is None or not tool.returned_references:
        text = model_text(
            produced, (tool.handling.render if tool else plain_lines)(produced.items) if produced.items else ""
        )
        if road.form == "text" and within.fits(text, road.counter.count):
            return Shown(result=produced, text=text)
    shape = Shape(
        budget=within,
        counter=road.counter,
        render=tool.handling.render if tool else plain_lines,
        arguments=arguments,
        tool=tool,
        artifacts=ARTIFACT_TOOL in road.catalog,
    )

    async def spill(body: str) -> Artifact:
        await road.open(state)
        blob = await road.store.spill(
            state.session.id, body.encode("utf-8", "backslashreplace"), "text/plain", mask=True
        )
        return Artifact(id=blob.id, bytes=blob.bytes, media_type=blob.media_type)

    named = await _named(road, state, tool, produced)
    shown = await fit(named, shape, spill)
    if named is not produced:
        shown = Shown(result=_with_originals(shown.result, produced), text=shown.text)
    if road.form == "json":
        return replace(shown, text=json.dumps(to_json(shown.result), ensure_ascii=False))
    return shown


def _with_originals(shown: ToolResult[object], produced: ToolResult[object]) -> ToolResult[object]:
    """The shown items with their original ids, where the cut kept a head of them."""
    return replace(shown, items=produced.items[: len(shown.items)])


async def _named(
    road: Road, state: SessionState, tool: AnyTool | None, produced: ToolResult[object]
) -> ToolResult[object]:
    """Opaque ids replaced by this session's short names, where the return declares them `Ref`."""
    if tool is None or not produced.items or not tool.returned_references:
        return produced
    found = _Found(originals={})
    for item in produced.items:
        _collect(item, tool.declaration.returns, found)
    await road.open(state)
    names: dict[tuple[str, str], str] = {}
    for kind, originals in found.originals.items():
        given = await road.store.reference(state.session.id, kind, list(originals))
        names |= {(kind, original): name for original, name in zip(originals, given, strict=True)}
    items = tuple(_replaced(item, tool.declaration.returns, names) for item in produced.items)
    return replace(produced, items=items)


@dataclass(slots=True, kw_only=True)
class _Found:
    """Original ids by kind, in the order they occur."""

    originals: dict[str, dict[str, None]]


def _collect(value: object, schema: Mapping[str, object], found: _Found) -> None:
    kind = schema.get(REFERENCE_KEYWORD)
    if isinstance(kind, str) and isinstance(value, str):
        found.originals.setdefault(kind, {})[value] = None
    for child, below in _children(value, schema):
        _collect(child, below, found)


def _replaced(value: object, schema: Mapping[str, object], names: Mapping[tuple[str, str], str]) -> object:
    kind = schema.get(REFERENCE_KEYWORD)
    if isinstance(kind, str) and isinstance(value, str):
        return names[kind, value]
    properties = schema.get("properties")
    if is_object(value) and is_object(properties):
        return {key: _replaced(each, _schema(properties.get(key)), names) for key, each in value.items()}
    items = schema.get("items")
    if is_array(value) and is_object(items):
        return [_replaced(each, items, names) for each in value]
    return value


def _children(value: object, schema: Mapping[str, object]) -> Sequence[tuple[object, Mapping[str, object]]]:
    properties, items = schema.get("properties"), schema.get("items")
    if is_object(value) and is_object(properties):
        return [(each, _schema(properties.get(key))) for key, each in value.items()]
    if is_array(value) and is_object(items):
        return [(each, items) for each in value]
    return []


def _schema(value: object) -> Mapping[str, object]:
    return value if is_object(value) else {}
