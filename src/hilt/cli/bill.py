"""`hilt bill`: what a set of tools costs every turn, and which of them cost it."""

import click

from hilt.catalog.bill import Bill, Row
from hilt.cli.listing import listed, priced, targets
from hilt.cli.output import Out
from hilt.cli.table import table
from hilt.cli.verb import Asked, Place, places, verb

PERCENT = 100


@verb(says="what a set of tools costs every turn")
@targets
@click.option("--window", type=click.IntRange(min=1), metavar="TOKENS", help="Also say what share of it they take.")
@places
def command(out: Out, place: Place, *, asked: Asked, window: int | None) -> int:
    """Each declaration is counted by itself: a row is what leaving the tool out would save. Rows and
    preamble add up to the total.
    """
    listing, config, code = listed(out, place, asked)
    if listing.faults and not listing.tools:
        return code
    whole = priced(listing, config)
    out.answer(_document(whole, window), lambda: _text(out, whole, window))
    return code


def _document(whole: Bill, window: int | None) -> dict[str, object]:
    servers = [
        {"server": name, "tools": len(each.rows), "bytes": each.bytes, "tokens": each.total}
        for name, each in whole.by_server().items()
    ]
    document: dict[str, object] = {
        "tools": [_row(row) for row in whole.rows],
        "preamble": whole.preamble,
        "total": whole.total,
        "counter": whole.counter,
        "resident": whole.resident,
        "bytes": whole.bytes,
        "servers": servers,
    }
    return document if window is None else document | {"window": window, "share": whole.resident / window}


def _row(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "server": row.server,
        "name_schema_bytes": row.name_schema_bytes,
        "description_bytes": row.description_bytes,
        "tokens": row.tokens,
        "resident": not row.deferred,
    }


def _text(out: Out, whole: Bill, window: int | None) -> str:
    """The dearest first, for that is what can be saved."""
    heads = ("TOKENS", "SHARE", "NAME+SCHEMA", "DESCRIPTION", "TOOL", "SERVER")
    dearest = sorted(whole.rows, key=lambda row: -row.tokens)
    rows = [
        (
            f"{row.tokens:,}",
            _percent(row.tokens, whole.total),
            f"{row.name_schema_bytes:,} B",
            f"{row.description_bytes:,} B",
            row.name + (" (on demand)" if row.deferred else ""),
            row.server,
        )
        for row in dearest
    ]
    rows.append((f"{whole.preamble:,}", _percent(whole.preamble, whole.total), "", "", "preamble", ""))
    drawn = [table(heads, rows, right="rrrr", paint=lambda head: out.paint(head, "dim"))]
    servers = whole.by_server()
    if len(servers) > 1:
        per = [(f"{each.total:,}", f"{len(each.rows)}", name) for name, each in servers.items()]
        per.sort(key=lambda row: -int(row[0].replace(",", "")))
        drawn.append(table(("TOKENS", "TOOLS", "SERVER"), per, right="rr", paint=lambda head: out.paint(head, "dim")))
    return "\n\n".join([*drawn, _foot(whole, window)])


def _foot(whole: Bill, window: int | None) -> str:
    text = f"{whole.total:,} tokens in all ({whole.counter})"
    if whole.resident != whole.total:
        text += f", {whole.resident:,} of them every turn"
    if window is not None:
        text += f"; {_percent(whole.resident, window)} of a window of {window:,}"
    return text


def _percent(part: int, whole: int) -> str:
    return f"{part * PERCENT / whole:.1f} %" if whole else "0 %"
