"""How pins are shown: a table of servers or tools, what waits for a person, and each change as a diff."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime

from hilt.catalog.pin_words import day, diff, named, visible, why
from hilt.catalog.pins import Finding, Pin, Pinned, form_of
from hilt.cli.output import Out
from hilt.cli.table import beside, pairs, table

SHOWN_DIGEST = 12
"""Characters of a digest that are shown, and are enough to name it."""
NOTHING = "nothing is pinned: no server's tools were seen yet"
_TONES = {"+": "good", "-": "bad", "@": "link"}

Chosen = Sequence[tuple[Pinned, tuple[Pin, ...]]]


def tools_text(out: Out, chosen: Chosen, *, each_tool: bool) -> str:
    """A row for each server, or for each of its tools; and behind it, what waits."""
    if not chosen:
        return NOTHING
    if each_tool:
        return _tools(out, chosen)
    heads = ("SERVER", "TOOLS", "WARNED", "QUARANTINED", "GONE")
    rows: list[tuple[str, ...]] = []
    for server, pins in chosen:
        states = Counter(pin.state for pin in pins)
        counts = (len(pins) - states["gone"], states["warned"], states["quarantined"], states["gone"])
        rows.append((named(server.server), *map(str, counts)))
    waiting = [(server, tuple(pin for pin in pins if why(pin))) for server, pins in chosen]
    parts = [table(heads, rows, right="lrrrr", paint=lambda head: out.paint(head, "dim"))]
    if any(pins for _, pins in waiting):
        parts.append(waiting_text(out, waiting))
    return "\n\n".join(parts)


def waiting_text(out: Out, chosen: Chosen) -> str:
    """A row for each tool that waits for a person, and what to do."""
    if not any(pins for _, pins in chosen):
        return "nothing is quarantined"
    return f"{_tools(out, chosen)}\n\nlook: hilt pins --diff SERVER/TOOL, then hilt pins accept SERVER/TOOL"


def _tools(out: Out, chosen: Chosen) -> str:
    heads = ("TOOL", "STATE", "ACCEPTED", "BY", "WHY")
    rows = [
        (
            f"{named(server.server)}/{named(pin.tool)}",
            pin.state,
            day(pin.accepted_at) if pin.accepted else "-",
            visible(pin.accepted_by) or "-",
        )
        for server, pins in chosen
        for pin in pins
    ]
    reasons = [why(pin) for _, pins in chosen for pin in pins]
    return table(heads, beside(rows, reasons, heads, out.width), paint=lambda head: out.paint(head, "dim"))


def changes_text(out: Out, chosen: Chosen) -> str:
    """Each tool that waits: why, what was found, and the change."""
    parts = [_change(out, server.server, pin) for server, pins in chosen for pin in pins]
    return "\n\n".join(parts) or "nothing waits for you"


def _change(out: Out, server: str, pin: Pin) -> str:
    target = f"{named(server)}/{named(pin.tool)}"
    rows = [("tool", target), ("state", f"{pin.state}, seen so since {day(pin.seen_at)}"), ("why", why(pin))]
    rows += [("found" if not place else "", _found(each)) for place, each in enumerate(pin.findings)]
    rows.append(("accept", f"hilt pins accept {target} --digest {pin.seen[:SHOWN_DIGEST]}"))
    lines = diff(pin)
    if not lines:
        return pairs(rows, paint=lambda name: out.paint(name, "dim"))
    painted = "\n".join(out.paint(line, _TONES[line[0]]) if line[:1] in _TONES else line for line in lines)
    return f"{pairs(rows, paint=lambda name: out.paint(name, 'dim'))}\n\n{painted}"


def _found(finding: Finding) -> str:
    quote = " ".join(finding.quote.split())
    return f"{finding.grade} in {finding.where}: {finding.says}" + (f": {visible(quote)}" if quote else "")


def document(chosen: Chosen, *, diffs: bool) -> dict[str, object]:
    """The same for programs."""
    return {
        "servers": [
            {"server": server.server, "tools": [_document(pin, diffs=diffs) for pin in pins]} for server, pins in chosen
        ]
    }


def _document(pin: Pin, *, diffs: bool) -> dict[str, object]:
    return {
        "tool": pin.tool,
        "state": pin.state,
        "why": why(pin) or None,
        "accepted": _side(pin.accepted, pin.accepted_at),
        "accepted_by": pin.accepted_by or None,
        "seen": _side(pin.seen, pin.seen_at),
        "gone": _rfc3339(pin.gone) if pin.gone is not None else None,
        "findings": [
            {"kind": f.kind, "grade": f.grade, "where": f.where, "says": f.says, "quote": f.quote} for f in pin.findings
        ],
        **({"diff": diff(pin), "declaration": form_of(pin.seen_document)} if diffs else {}),
    }


def _side(digest: str, at: float) -> dict[str, object] | None:
    return {"digest": digest, "at": _rfc3339(at)} if digest else None


def _rfc3339(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
