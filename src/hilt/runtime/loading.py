"""What a session is offered now, and how it comes to more: only ever by appending.

What was declared to a session keeps its place, whatever waits or is resident for others by now; so the bytes
before a new declaration stay what a provider has cached. What was loaded is in the session's memos, where every
process that serves the session reads it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hilt.calls.memos import Memos
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Catalog
from hilt.catalog.residence import FIND, HILT, is_built_in
from hilt.declarations.description import Environment
from hilt.declarations.schema import compact, is_array
from hilt.policy.outright import denied_outright
from hilt.results.envelope import ToolResult
from hilt.results.failures import InvalidArguments, Refused
from hilt.runtime.road import Road
from hilt.runtime.sessions import SessionState

_WORD = re.compile(r"\w+")
MEMO = "loaded tools"
"""Under which a session remembers them, in order."""


def declared(catalog: Catalog, state: SessionState) -> tuple[AnyTool, ...]:
    """The tools in the session's requests, each in the place it first had."""
    now = {each.name: each for each in catalog.offered(state.loaded)}
    state.declared |= dict.fromkeys(now)
    known = catalog.by_name
    return tuple(known[name] for name in state.declared if name in known)


def declared_natively(catalog: Catalog, state: SessionState) -> tuple[tuple[AnyTool, ...], tuple[AnyTool, ...]]:
    """The tools a provider shows its model, and those it holds back until the model finds them: none ever moves."""
    state.native = True
    kept = tuple(each for each in catalog if not each.handling.deferred and each.name != FIND)
    return kept, tuple(each for each in catalog if each.handling.deferred)


def callable_names(catalog: Catalog, state: SessionState) -> frozenset[str]:
    """Names of tools whose declaration the model has."""
    if state.native:
        return catalog.everything - {FIND}
    names = catalog.names(state.loaded)
    return names if state.declared.keys() <= names else names | (state.declared.keys() & catalog.everything)


def known_names(catalog: Catalog, state: SessionState) -> frozenset[str]:
    """Names that a model may be told: it has the declaration, or can find it."""
    return catalog.everything if catalog.searchable and not state.native else callable_names(catalog, state)


def findable(catalog: Catalog, state: SessionState) -> Mapping[str, Sequence[str]]:
    """What the session can find, by server: as it was when it made its first call, so that its declarations stay."""
    if state.findable is None or not state.begun:
        state.findable = catalog.waiting
    return state.findable


def environment_of(road: Road, state: SessionState) -> Environment:
    """What this session's descriptions depend on, today; the same before and after it loads something."""
    catalog = road.catalog
    date = road.environment.date or datetime.now(UTC).date().isoformat()
    names = known_names(catalog, state)
    return replace(road.environment, date=date, offered=names, waiting=findable(catalog, state))


def now_loaded(tool: AnyTool) -> InvalidArguments:
    """The answer to a call of a tool whose declaration was not in the request: its schema; the next request has all."""
    return InvalidArguments(
        f"{tool.name} was not loaded; now it is. Parameters: {compact(tool.declaration.parameters)}",
        f"call {tool.name} again with arguments of this form",
    )


async def remember_loaded(road: Road, state: SessionState) -> None:
    """Read what the session has loaded, here or in another process."""
    memos = road.parts.get(Memos)
    if isinstance(memos, Memos):
        _take(state, await memos.get(state.session, MEMO))


async def load(road: Road, state: SessionState, names: Sequence[str]) -> None:
    """Append tools to what the session is offered, in every process."""
    memos = road.parts.get(Memos)
    if not isinstance(memos, Memos):
        _take(state, list(names))
        return

    def appended(before: object) -> tuple[object, object]:
        after = list(dict.fromkeys([*_names(before), *names]))
        return after, after

    _take(state, await memos.change(state.session, MEMO, appended))


def _take(state: SessionState, remembered: object) -> None:
    state.loaded = {**dict.fromkeys(_names(remembered)), **state.loaded}


def _names(remembered: object) -> Iterable[str]:
    return (str(each) for each in remembered) if is_array(remembered) else ()


def denied_always(road: Road, tool: AnyTool) -> str:
    """Why policy denies every call of a tool; empty where a call might pass."""
    return denied_outright(road.policy, tool.name, tool.declaration.effects, server=tool.declaration.server)


async def load_named(road: Road, state: SessionState, tool: AnyTool | None, result: ToolResult[object]) -> None:
    """Load the tools of the shelf by which an answer says to go on, so that its next step can be taken at once.

    Only an answer of the shelf is read so: what somebody else's tool says loads nothing.
    """
    shelf = road.catalog.waiting.get(HILT)
    if not shelf or tool is None or state.native or not is_built_in(tool) or not road.catalog.searchable:
        return
    said = _WORD.findall(" ".join(steps_of(result)))
    has = callable_names(road.catalog, state)
    tools = road.catalog.by_name
    wanted = [name for name in shelf if name in said and name not in has and not denied_always(road, tools[name])]
    if wanted:
        await load(road, state, wanted)


def steps_of(result: ToolResult[object]) -> Iterator[str]:
    """Where an answer says how to go on."""
    yield from result.notes
    if result.truncation is not None and result.truncation.otherwise is not None:
        yield result.truncation.otherwise.tool
    if result.failure is not None:
        yield from result.failure.next_steps
    if result.denied is not None:
        yield from result.denied.next_steps


async def load_called(road: Road, state: SessionState, tool: AnyTool) -> bool:
    """Load a tool that was called without its declaration; whether it was not there until now.

    Raises `Refused` where policy would deny whatever call follows.
    """
    await remember_loaded(road, state)
    if tool.name in state.loaded:
        return False
    if reason := denied_always(road, tool):
        raise Refused(reason, "take another way", "ask the person to change the policy", rule="not-loaded")
    await load(road, state, [tool.name])
    return True
