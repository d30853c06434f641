"""What of a result is shown: references named, budget kept, the rest put aside."""

import json
from dataclasses import replace

from anyio import to_thread

from hilt.calls.arguments import Values
from hilt.calls.tool import AnyTool
from hilt.declarations.references import exchanged, references
from hilt.errors import StoreError
from hilt.results.cutting import Budget
from hilt.results.envelope import Artifact, ToolResult
from hilt.results.failures import Refused
from hilt.results.form import to_json
from hilt.results.render import model_text, plain_lines
from hilt.results.secrets import mask_secrets
from hilt.results.unicode import SURROGATES, well_formed, without_surrogates
from hilt.runtime.answering import ARTIFACT_TOOL, Shape, Shown, Spilled, cut_to_fit
from hilt.runtime.defects import Defect
from hilt.runtime.outcomes import told
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState

QUICKLY_MASKED = 1_000_000
"""Characters that are searched for credentials where they are; more are handed to a thread."""
FALLBACK_BUDGET = Budget(tokens=2_000)
"""The budget of an answer that belongs to no tool."""


def whole(road: Road, tool: AnyTool | None, produced: ToolResult[object]) -> Shown | None:
    """The result as it is, which most are: a text that fits and a plain rendering, with nothing to name."""
    if tool is None or tool.returned_references or tool.handling.render is not plain_lines or road.form != "text":
        return None
    text = model_text(produced, plain_lines(produced.items) if produced.items else "")
    return Shown(produced, text) if text.isascii() and tool.handling.budget.fits(text, road.counter.count) else None


async def show(
    road: Road,
    state: SessionState,
    tool: AnyTool | None,
    arguments: Values,
    produced: ToolResult[object],
    *,
    tokens: int | None = None,
) -> Shown:
    """The result as the model reads it. `result` keeps original ids for the program, `text` names them."""
    budget = tool.handling.budget if tool else FALLBACK_BUDGET
    if tokens is not None:
        budget = replace(budget, tokens=tokens)
    render = tool.handling.render if tool else plain_lines
    write = model_text if road.form == "text" else _json_text
    named = await _named(road, state, tool, produced) if tool and tool.returned_references else produced
    body = render(named.items) if named.items else ""
    text = write(named, body)
    if budget.fits(text, road.counter.count):
        shown = Shown(named, text)
    else:
        shape = Shape(
            budget=budget,
            counter=road.counter,
            render=render,
            write=write,
            arguments=arguments,
            tool=tool,
            artifacts=ARTIFACT_TOOL in road.catalog,
        )
        shown = cut_to_fit(named, body, text, shape, await _aside(road, state, produced, body or text))
    if not (shown.text.isascii() or well_formed(shown.text)):
        escaped = told(without_surrogates(produced), notes=[SURROGATES])
        return await show(road, state, tool, arguments, escaped, tokens=tokens)
    if named is not produced:
        return Shown(result=_with_originals(shown.result, named, produced), text=shown.text)
    return shown


def _json_text(result: ToolResult[object], body: str) -> str:
    """The envelope instead of words; `body` is its items in words, which it has no place for."""
    del body
    return json.dumps(to_json(result), ensure_ascii=False)


async def _aside(road: Road, state: SessionState, produced: ToolResult[object], whole: str) -> Spilled | None:
    """What holds the whole: the artifact a tool made of it itself, else a new one."""
    if produced.artifact is not None:
        return Spilled(artifact=produced.artifact, body=whole)
    return await _spill(road, state, whole)


async def _spill(road: Road, state: SessionState, whole: str) -> Spilled | None:
    # A long text takes seconds to mask, and the loop has other calls to serve.
    body, content = await to_thread.run_sync(_masked, whole) if len(whole) > QUICKLY_MASKED else _masked(whole)
    try:
        await road.open(state)
        blob = await road.store.spill(state.session.id, content, "text/plain", mask=False)
    except (StoreError, Refused) as error:
        road.report(Defect(tool="", problem=f"gave a long result, which could not be put aside: {error}", error=error))
        return None
    artifact = Artifact(id=blob.id, bytes=blob.bytes, media_type=blob.media_type)
    return Spilled(artifact=artifact, body=body)


def _masked(whole: str) -> tuple[str, bytes]:
    body = mask_secrets(whole)[0]
    return body, body.encode("utf-8", "backslashreplace")


def _with_originals(
    shown: ToolResult[object], named: ToolResult[object], produced: ToolResult[object]
) -> ToolResult[object]:
    """The shown items with their original ids. Those that were cut inside stay as they were read."""
    original = {id(name): each for name, each in zip(named.items, produced.items, strict=True)}
    return replace(shown, items=tuple(original.get(id(each), each) for each in shown.items))


async def _named(road: Road, state: SessionState, tool: AnyTool, produced: ToolResult[object]) -> ToolResult[object]:
    """Opaque ids replaced by this session's short names, where the return declares them `Ref`."""
    if not produced.items:
        return produced
    schema = tool.declaration.returns
    originals: dict[str, dict[str, None]] = {}
    for item in produced.items:
        for kind, original in references(item, schema):
            originals.setdefault(kind, {})[original] = None
    names: dict[tuple[str, str], str] = {}
    try:
        await road.open(state)
        for kind, found in originals.items():
            given = await road.store.reference(state.session.id, kind, list(found))
            names |= {(kind, original): name for original, name in zip(found, given, strict=True)}
    except (StoreError, Refused) as error:
        road.report(Defect(tool=tool.name, problem=f"its ids are shown in full, for {error}", error=error))
        return produced
    items = tuple(exchanged(item, schema, lambda kind, original: names[kind, original]) for item in produced.items)
    return replace(produced, items=items)
