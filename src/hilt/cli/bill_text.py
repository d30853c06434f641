"""A bill as a person reads it: tables on a terminal, Markdown for a pull request."""

from collections.abc import Sequence
from dataclasses import dataclass

from hilt.assembly.billing_session import SessionBill
from hilt.catalog.bill import Bill, Row
from hilt.catalog.bill_change import Change
from hilt.catalog.saving import advice
from hilt.cli.output import Out
from hilt.cli.table import table

PERCENT = 100
MOST_ROWS = 20
"""Tools that Markdown lists; the rest is one row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is to be said: the bill, what it would be if all waited, a window, and what changed."""

    whole: Bill
    waiting: int | None = None
    window: int | None = None
    change: Change | None = None


def text(out: Out, shown: Shown) -> str:
    """The dearest first, for that is what can be saved."""
    whole = shown.whole
    heads = ("TOKENS", "SHARE", "NAME+SCHEMA", "DESCRIPTION", "TOOL", "SERVER")
    rows = [
        (
            f"{row.tokens:,}",
            percent(row.tokens, whole.total),
            f"{row.name_schema_bytes:,} B",
            f"{row.description_bytes:,} B",
            row.name + (" (on demand)" if row.deferred else ""),
            row.server,
        )
        for row in dearest(whole.rows)
    ]
    rows.append((f"{whole.preamble:,}", percent(whole.preamble, whole.total), "", "", "preamble", ""))
    drawn = [table(heads, rows, right="rrrr", paint=lambda head: out.paint(head, "dim"))]
    servers = whole.by_server()
    if len(servers) > 1:
        per = [(f"{each.total:,}", f"{len(each.rows)}", name) for name, each in _dearest_servers(whole)]
        drawn.append(table(("TOKENS", "TOOLS", "SERVER"), per, right="rr", paint=lambda head: out.paint(head, "dim")))
    if shown.change is not None:
        drawn.append(_moved(out, shown.change))
    steps = [
        f"{'then' if number else 'first'} {each.text}" for number, each in enumerate(advice(whole.rows)) if each.text
    ]
    return "\n\n".join(filter(None, [*drawn, foot(shown), "\n".join(steps)]))


def _moved(out: Out, change: Change) -> str:
    rows = [(f"{each.tokens:+,}", each.became, each.name, each.server) for each in change.moved]
    heads = ("TOKENS", "", "TOOL", "SERVER")
    drawn = [table(heads, rows, right="r", paint=lambda head: out.paint(head, "dim"))] if rows else []
    return "\n\n".join([*drawn, change.text])


def foot(shown: Shown) -> str:
    """All of it in a sentence or two."""
    whole = shown.whole
    words = f"{whole.total:,} tokens in all ({whole.counter})"
    if whole.resident != whole.total:
        words += f", {whole.resident:,} of them every turn"
    if shown.window is not None:
        words += f"; {percent(whole.resident, shown.window)} of a window of {shown.window:,}"
    if shown.waiting is not None and shown.waiting < whole.resident:
        words += f"; {shown.waiting:,} every turn if all that can waited to be found"
    return words


def markdown(shown: Shown) -> str:
    """For a pull request or the summary of a step: what changed first, then what is dearest."""
    whole, change = shown.whole, shown.change
    parts = [f"**{change.text[0].upper()}{change.text[1:]}.**" if change is not None else "", f"{foot(shown)}."]
    if change is not None and change.moved:
        rows = [(f"{each.tokens:+,}", each.became, _code(each.name), each.server) for each in change.moved[:MOST_ROWS]]
        parts.append(_grid(("tokens", "", "tool", "server"), [*rows, *_more(len(change.moved))]))
    rows = [
        (f"{row.tokens:,}", percent(row.tokens, whole.total), _code(row.name), row.server, _when(row))
        for row in dearest(whole.rows)[:MOST_ROWS]
    ]
    parts.append(_grid(("tokens", "share", "tool", "server", "sent"), [*rows, *_more(len(whole.rows))]))
    steps = [f"{number}. {each.text}" for number, each in enumerate(advice(whole.rows), 1)]
    return "\n\n".join(filter(None, [*parts, "\n".join(steps)])) + "\n"


def _when(row: Row) -> str:
    return "on demand" if row.deferred else "every turn"


def _more(count: int) -> list[tuple[str, ...]]:
    return [("", f"and {count - MOST_ROWS} more")] if count > MOST_ROWS else []


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *([*row, *[""] * (len(heads) - len(row))] for row in rows)]
    return "\n".join(f"| {' | '.join(_cell(each) for each in line)} |" for line in lines)


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


def _code(name: str) -> str:
    return f"`{name.replace('`', chr(39))}`"


def session_text(out: Out, bill: SessionBill) -> str:
    """The bill of a session."""
    heads = ("TOKENS", "DECLARED", "TURNS", "CALLS", "RETURNED", "TOOL")
    rows = [
        (f"{row.tokens:,}", f"{row.declared:,}", f"{row.turns}", f"{row.calls}", f"{row.returned:,}", row.name)
        for row in bill.rows
    ]
    rows.append((f"{bill.preamble:,}", f"{bill.preamble:,}", f"{bill.turns}", "", "", "preamble"))
    drawn = table(heads, rows, right="rrrrr", paint=lambda head: out.paint(head, "dim"))
    later = f"; loaded on the way: {', '.join(bill.loaded)}" if bill.loaded else ""
    returned = sum(row.returned for row in bill.rows)
    return (
        f"{drawn}\n\nsession {bill.session}: {bill.total:,} tokens ({bill.counter}) in at least {bill.turns} turns, "
        f"{returned:,} of them returned{later}"
    )


def dearest(rows: Sequence[Row]) -> list[Row]:
    """Rows by their tokens."""
    return sorted(rows, key=lambda row: -row.tokens)


def _dearest_servers(whole: Bill) -> list[tuple[str, Bill]]:
    return sorted(whole.by_server().items(), key=lambda each: -each[1].total)


def percent(part: int, whole: int) -> str:
    """A share, for people."""
    return f"{part * PERCENT / whole:.1f} %" if whole else "0 %"
