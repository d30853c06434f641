"""`find_tools`: which tools there are for a need, and the definitions of those that are wanted.

Two steps, for one definition may cost more than fifty lines: a search gives one line a tool, `select:` the definitions.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, NotRequired, cast

import anyio.to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.catalog.finding import LOADED_BYTES, Finding, Line, Lines, Loading, short
from hilt.catalog.residence import HILT
from hilt.declarations.description import Description, Environment
from hilt.declarations.parameters import Param
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import InvalidArguments
from hilt.results.render import compact_json

BEST = 10
"""Tools on one page."""
SELECT = "select:"
NAMED_CHARACTERS = 600
"""Characters within which every tool that can be found is named; more of them are counted by server."""
LISTED_CHARACTERS = 1_600
"""Characters of the list of servers; a longer one is only a number."""


MOST_TOLD = 50
"""Servers, words or wrong names of one call that are told."""


class FoundTool(TypedDict):
    """A tool that fits, or one that is loaded: then with the name to call it by, and its definition."""

    tool: str
    use: NotRequired[str]
    required: NotRequired[list[str]]
    state: NotRequired[str]
    name: NotRequired[str]
    description: NotRequired[str]
    parameters: NotRequired[dict[str, object]]


def listed(waiting: Mapping[str, Sequence[str]]) -> str:
    """What can be found, by server: the tools' names where there are few, else how many; Hilt's own always by name."""
    named = "; ".join(f"{server}: {', '.join(names)}" for server, names in waiting.items())
    if len(named) <= NAMED_CHARACTERS:
        return named
    own = [f"{HILT}: {', '.join(names)}" for server, names in waiting.items() if server == HILT]
    others = [f"{server} {len(names)}" for server, names in waiting.items() if server != HILT]
    counted = ", ".join(others)
    if len(counted) > LISTED_CHARACTERS:
        counted = f"{sum(map(len, waiting.values())):,} tools of {len(waiting):,} servers"
    return "; ".join([*own, counted])


def _use(environment: Environment) -> str:
    there = listed(environment.waiting)
    return f"finding and loading tools that are not declared here{f' ({there})' if there else ''}"


def rendered(items: Sequence[object]) -> str:
    """One line a tool; a definition as JSON."""
    return "\n".join(_line(cast("FoundTool", each)) for each in items)  # the declared return holds them to it


def _line(item: FoundTool) -> str:
    if "name" in item:
        whole = {
            "name": item["name"],
            "description": item.get("description", ""),
            "input_schema": item.get("parameters", {}),
        }
        return compact_json(whole)
    required = ", ".join(item.get("required", []))
    state = f" [{item['state']}]" if "state" in item else ""
    return f"{item['tool']}({required}): {item.get('use', '')}{state}"


@tool(
    kind="perceive",
    limit=BEST,
    continues="offset",
    noun="tool",
    effects={"reads": "none", "brings": "own"},
    activity="looking for tools: {query}",
    render=rendered,
    description=Description(
        use_for=_use,
        returns=f"{BEST} lines server/tool(required); select: loads whole definitions, callable from then on",
        traps="A tool that a text names and is not declared is loaded so too",
    ),
)
async def find_tools(
    ctx: Context,
    query: Annotated[
        str, Param("English verb and object; +word must occur; or select:server/tool,... to load", min_length=1)
    ],
    server: Annotated[str, Param("prefer its tools")] = "",
    offset: Annotated[int, Param("tools to skip", ge=0)] = 0,
) -> ToolResult[FoundTool]:
    finding = ctx.part(Finding)
    if query.strip().startswith(SELECT):
        names = [each.strip() for each in query.strip().removeprefix(SELECT).split(",") if each.strip()]
        return _loaded(await finding.load(ctx.session, names))
    search = partial(finding.find, finding.view(ctx.session), query, server, offset=offset, limit=BEST)
    found = await anyio.to_thread.run_sync(search)
    return _page(found, query, server, offset, finding.servers)


def _page(found: Lines, query: str, server: str, offset: int, servers: Sequence[str]) -> ToolResult[FoundTool]:
    following: dict[str, object] = {"query": query, "server": server, "offset": offset + len(found.lines)}
    more = offset + len(found.lines) < found.total
    return ToolResult(
        summary=_summary(found, offset, servers),
        items=tuple(_found(each) for each in found.lines),
        notes=tuple(_notes(found, server, servers)),
        truncation=Truncation(
            shown=len(found.lines),
            total=found.total,
            limit=Limit(name="limit", value=BEST),
            next={name: value for name, value in following.items() if value},
        )
        if more
        else None,
    )


def _summary(found: Lines, offset: int, servers: Sequence[str]) -> str:
    if not found.total:
        return f"no tool matches; servers: {', '.join(servers[:MOST_TOLD])}" + _more(len(servers) - MOST_TOLD)
    return f"{found.total} match" + ("" if found.lines else f", none from offset {offset} on")


def _more(left: int) -> str:
    return f" and {left} more" if left > 0 else ""


def _found(line: Line) -> FoundTool:
    made = FoundTool(tool=line.path, use=line.use, required=list(line.required))
    if line.denied:
        made["state"] = f"denied: {line.denied}"
    elif line.declared:
        made["state"] = "declared"
    return made


def _notes(found: Lines, server: str, servers: Sequence[str]) -> Iterator[str]:
    if found.unmatched:
        yield f"no tool has: {', '.join(found.unmatched[:MOST_TOLD])}" + _more(len(found.unmatched) - MOST_TOLD)
    if found.elsewhere:
        known = f"nothing of {server} matches" if server in servers else f"no server is named {short(server)!r}"
        yield f"{known}; these are of others"
    for each in found.withheld:
        yield f"{each.name} is kept back ({each.why}): {each.reason}; {each.step}"


def _loaded(loading: Loading) -> ToolResult[FoundTool]:
    told = loading.faults[:MOST_TOLD]
    if len(loading.faults) > MOST_TOLD:
        told = (*told, f"and {len(loading.faults) - MOST_TOLD} more names like that")
    if not loading.definitions:
        faults = "; ".join(told) or "no tool is named"
        raise InvalidArguments(faults, "search by words", f'name tools as a search does: "{SELECT}server/tool,..."')
    new = [each.name for each in loading.definitions if not each.before]
    shown = len(loading.definitions)
    return ToolResult(
        summary=f"loaded {', '.join(new)}" if new else "nothing to load: declared already",
        status=Status.PARTIAL if loading.faults else Status.SUCCESS,
        items=tuple(
            FoundTool(tool=each.path, name=each.name, description=each.description, parameters=each.parameters)
            for each in loading.definitions
        ),
        notes=told,
        truncation=Truncation(
            shown=shown,
            total=shown + len(loading.rest),
            limit=Limit(name="bytes", value=LOADED_BYTES),
            next={"query": SELECT + ",".join(loading.rest)},
        )
        if loading.rest
        else None,
    )
