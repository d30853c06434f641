"""Who stands in every request, and who waits to be found: chosen by pin, by use and by budget.

Of the built-in tools eight stand there, always. Other tools all stand there while their declarations are small
together; where they are not, only those do that somebody pinned, and those used most as far as a share of the
budget goes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from hilt.calls.tool import AnyTool
from hilt.catalog.bill import declared_text
from hilt.declarations.description import Environment
from hilt.results.counting import utf8_length

FIND = "find_tools"
"""The tool that finds and loads the others; without it whatever fits is promoted."""
BUILT_IN = ("search_code", "find_files", "read_file", "edit_file", "write_file", "run_command", "artifact_read", FIND)
"""The built-in tools that are resident; every other waits."""
LISTING = "use_skill"
"""Resident too where it is offered at all: the skills stand in its description, and nowhere else."""
RESIDENT_BYTES = 40_000
"""Bytes that the declarations of other tools may have together before they wait: about 10,000 tokens."""
USED_SHARE = 4
"""Of a set that waits, the most used stay within one part in so many of that."""
LEAST_USES = 3
"""A tool that was called less often is not one that is used."""
OWN, HILT = "own", "hilt"
"""What tools of this program count as the server of: those of a host or a project, and those that come with Hilt."""

Defer = Literal["auto", "always", "never"]
Uses = Mapping[str, int]
NO_USES: Uses = MappingProxyType({})
_SHELF = "hilt.tools."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What a person set: when tools wait, which never do (names, `server/tool`, `server/*`), and the budget."""

    defer: Defer = "auto"
    pins: tuple[str, ...] = ()
    bytes: int = RESIDENT_BYTES


def is_built_in(tool: AnyTool) -> bool:
    """Whether a tool comes with Hilt."""
    return (getattr(tool.function, "__module__", None) or "").startswith(_SHELF)  # None for what was executed as text


def server_of(tool: AnyTool) -> str:
    """Where a tool comes from, in one word."""
    return tool.declaration.server or (HILT if is_built_in(tool) else OWN)


def path_of(tool: AnyTool) -> str:
    """What a tool is called among those of every server: `server/tool`."""
    return f"{server_of(tool)}/{tool.declaration.original_name or tool.name}"


def declared_bytes(tool: AnyTool) -> int:
    """What a declaration adds to each request."""
    declaration = tool.declaration
    return utf8_length(declared_text(tool.name, declaration.text(Environment()), declaration.parameters))


def residents(tools: Sequence[AnyTool], wishes: Wishes, uses: Uses = NO_USES) -> frozenset[str]:
    """Names of the tools that go into every request.

    What its author declared to wait waits, unless it is pinned or used, or nothing is to wait.
    """
    if wishes.defer == "never":
        return frozenset(each.name for each in tools)
    pinned = {each.name for each in tools if _is_pinned(each, wishes.pins)}
    built_in = {each.name for each in tools if is_built_in(each) and each.name in (*BUILT_IN, LISTING)}
    others = [each for each in tools if not is_built_in(each)]
    if wishes.defer == "auto" and sum(map(declared_bytes, others)) <= wishes.bytes:
        return frozenset(pinned | built_in | {each.name for each in others if not each.handling.deferred})
    used = _most_used(others, uses, wishes.bytes // USED_SHARE) if wishes.defer == "auto" else ()
    return frozenset({*pinned, *built_in, *used})


def settled(tools: Sequence[AnyTool], wishes: Wishes, uses: Uses = NO_USES) -> tuple[AnyTool, ...]:
    """The same tools, each marked to wait or not; those that are marked so already are the same objects."""
    resident = residents(tools, wishes, uses)
    return tuple(
        each
        if each.handling.deferred is (each.name not in resident)
        else replace(each, handling=replace(each.handling, deferred=not each.handling.deferred))
        for each in tools
    )


def waiting_names(tools: Sequence[AnyTool]) -> frozenset[str]:
    """Names of the tools that are left out of requests that offer these."""
    later = frozenset(each.name for each in tools if each.handling.deferred)
    return later if any(each.name == FIND for each in tools) else later - promoted(tools)


def promoted(tools: Iterable[AnyTool]) -> frozenset[str]:
    """Names of waiting tools that go into the request where nothing can find them: as many as the budget takes."""
    return frozenset(_within((each for each in tools if each.handling.deferred), RESIDENT_BYTES))


def _is_pinned(tool: AnyTool, pins: Sequence[str]) -> bool:
    server = server_of(tool)
    return not {tool.name, path_of(tool), f"{server}/{tool.name}", f"{server}/*"}.isdisjoint(pins)


def _most_used(tools: Sequence[AnyTool], uses: Uses, budget: int) -> Iterator[str]:
    """The tools that are called most, as many as the budget takes."""
    used = [each for each in tools if uses.get(each.name, 0) >= LEAST_USES]
    used.sort(key=lambda each: -uses[each.name])
    return _within(used, budget)


def _within(tools: Iterable[AnyTool], budget: int) -> Iterator[str]:
    """Names of those that fit, in order; a large one does not keep a smaller one out."""
    for each in tools:
        size = declared_bytes(each)
        if size <= budget:
            budget -= size
            yield each.name
