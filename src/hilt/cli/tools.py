"""`hilt tools`: which tools there are, which fits a need, and why one is or is not offered."""

from collections.abc import Sequence

import click

from hilt.assembly.meaning import meaning_of
from hilt.assembly.targets import Listed, Listing
from hilt.catalog.bill import Bill, Row
from hilt.catalog.catalog import Withheld
from hilt.catalog.finding import document
from hilt.catalog.naming import STYLES, wire_name_of
from hilt.catalog.ranking import Document, Found, find
from hilt.catalog.saving import advice
from hilt.cli.listing import listed, priced, targets
from hilt.cli.output import Out
from hilt.cli.table import beside, table
from hilt.cli.verb import Asked, Place, places, verb
from hilt.declarations.description import Environment
from hilt.declarations.names import nearest

BEST = 10
"""Tools that --find shows unless --limit says otherwise."""


@verb(says="list the tools, or find the one for a need")
@targets
@click.option("--find", "query", metavar="WORDS", help="The tools for a need, best first; +WORD must occur.")
@click.option("--limit", type=click.IntRange(min=1), help=f"The most tools to show; {BEST} with --find, else all.")
@click.option("--why", metavar="NAME", help="Why a tool is offered, deferred, kept back or unknown.")
@places
def command(out: Out, place: Place, *, asked: Asked, query: str | None, limit: int | None, why: str | None) -> int:
    """TARGET is the name of a tool, a JSON file of tools, a Python module or file, an http(s) URL, a
    hilt.toml, or a server's command line after --. Without one, the built-in shelf and your own tools.
    """
    listing, config, code = listed(out, place, asked)
    if listing.faults and not listing.tools:
        return code
    if why is not None:
        _explain(out, listing, why)
        return code
    whole = priced(listing, config)
    found = find(query, _documents(listing), meaning_of(config)()) if query is not None else None
    matching = found.places if found else range(len(listing.tools))
    kept = list(matching)[: limit or (BEST if found else None)]
    document = {
        "tools": [_document(listing.tools[number], whole.rows[number]) for number in kept],
        "unmatched": list(found.unmatched if found else ()),
        "matching": len(matching),
        "counter": whole.counter,
        "advice": [{"do": each.do, "tools": list(each.tools), "tokens": each.tokens} for each in advice(whole.rows)],
    }
    out.answer(document, lambda: _text(out, listing, whole, kept, found))
    return code


def _documents(listing: Listing) -> list[Document]:
    environment = listing.environment
    return [
        document(each.declaration, server=each.server, description=each.declaration.text(environment))
        for each in listing.tools
    ]


def _document(tool: Listed, row: Row) -> dict[str, object]:
    return {
        "name": tool.name,
        "server": tool.server,
        "kind": tool.declaration.kind,
        "resident": not tool.deferred,
        "bytes": row.bytes,
        "tokens": row.tokens,
    }


def _text(out: Out, listing: Listing, whole: Bill, kept: Sequence[int], found: Found | None) -> str:
    heads = ("TOOL", "SERVER", "KIND", "TOKENS", "USE")
    tools = [listing.tools[number] for number in kept]
    fixed = [
        (tool.name, tool.server, tool.declaration.kind, f"{whole.rows[number].tokens:,}")
        for number, tool in zip(kept, tools, strict=True)
    ]
    rows = beside(fixed, [_use(tool) for tool in tools], heads, out.width)
    drawn = table(heads, rows, right="lllr", paint=lambda head: out.paint(head, "dim"))
    steps = [] if found else [each.text for each in advice(whole.rows)]
    advised = "\n".join(f"{'then' if number else 'first'} {text}" for number, text in enumerate(steps))
    return "\n\n".join(filter(None, (drawn if rows else "", _foot(whole, kept, found), advised)))


def _use(tool: Listed) -> str:
    use = tool.declaration.description.use_for
    text = use if isinstance(use, str) else use(Environment())
    return f"(on demand) {text}" if tool.deferred else text


def _foot(whole: Bill, kept: Sequence[int], found: Found | None) -> str:
    if found is None:
        more = f"{len(kept)} of {len(whole.rows)} shown; " if len(kept) < len(whole.rows) else ""
        count = "1 tool" if len(whole.rows) == 1 else f"{len(whole.rows)} tools"
        return f"{more}{count}, {whole.resident:,} tokens every turn ({whole.counter})"
    words = f"no tool has: {', '.join(found.unmatched)}" if found.unmatched else ""
    count = f"{len(kept)} of {len(found.places)} that match" if found.places else "no tool matches; try other words"
    return "; ".join(filter(None, (count, words)))


def _explain(out: Out, listing: Listing, name: str) -> None:
    """Say of one name how it stands: offered now, waiting to be found, kept back and why, or not known."""
    server, _, tool = name.partition("/")
    names = (name, *(wire_name_of(server, tool, style) for style in STYLES if tool))
    named = [each for each in listing.tools if each.name in names or name == f"{each.server}/{each.name}"]
    held = [each for each in listing.withheld if each.name in names or name == f"{each.server}/{each.name}"]
    state, reason = _standing(listing, name, named, held)
    servers = [each.server for each in (*named, *held)]
    known = [each.name for each in (*listing.tools, *listing.withheld)]
    near = () if servers else nearest(name, known)
    why = {"name": name, "state": state, "reason": reason, "servers": servers}
    text = f"{name}: {state}" + (f" by {', '.join(servers)}" if servers else "") + f"; {reason}"
    if near:
        text += f"\nnearest: {', '.join(near)}"
    out.answer({"why": why | {"nearest": list(near)}, "tools": [], "unmatched": []}, text)


def _standing(listing: Listing, name: str, named: Sequence[Listed], held: Sequence[Withheld]) -> tuple[str, str]:
    """The state of a name, and why."""
    if len([each for each in named if each.tool is not None]) > 1:
        return "collided", "several tools have this name, and none can be served: give all but one another name"
    if named:
        state = "deferred" if all(each.deferred for each in named) else "offered"
        return state, _REASONS[state]
    if held:
        return held[0].why, f"{held[0].reason}; {held[0].step}"
    note = next((each for each in listing.notes if each.startswith(f"{name} is not on the shelf")), "")
    return ("unusable", note) if note else ("unknown", _REASONS["unknown"])


_REASONS = {
    "offered": "its declaration is in every request",
    "deferred": "its declaration is left out until find_tools loads it; a call of it is answered with its schema",
    "unknown": "no target and no setting names it",
}
