"""`hilt bill`: what a set of tools costs every turn, which of them cost it, and what a change adds."""

import json
import os
from functools import partial
from pathlib import Path

import anyio
import click

from hilt.assembly.billing import all_waiting, kept_counts
from hilt.assembly.billing_session import Prices, SessionBill, session_bill
from hilt.assembly.config import Config
from hilt.assembly.storing import store_of
from hilt.assembly.targets import Listing
from hilt.catalog.bill import Bill, Row, bill
from hilt.catalog.bill_change import AGAIN, Change, changed, earlier, most_increase
from hilt.catalog.saving import advice
from hilt.cli.bill_text import Shown, foot, markdown, session_text, text
from hilt.cli.bill_watch import watch
from hilt.cli.faults import Code, CommandError
from hilt.cli.listing import counter_of, entries_of, listed, priced, targets
from hilt.cli.output import Out
from hilt.cli.verb import Asked, Place, places, verb
from hilt.errors import HiltError
from hilt.results.counting import QUARTER_BYTES

SUMMARY = "GITHUB_STEP_SUMMARY"


@verb(says="what a set of tools costs every turn")
@targets
@click.option("--window", type=click.IntRange(min=1), metavar="TOKENS", help="Also say what share of it they take.")
@click.option("--baseline", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="An earlier --json.")
@click.option("--max-increase", "most", metavar="N[%]", help="Exit 1 if every turn costs so many tokens more.")
@click.option("--markdown", "as_markdown", is_flag=True, help=f"Markdown; with a CI's ${SUMMARY} also appended there.")
@click.option("--session", metavar="ID", help="What that session cost, turns and returns included.")
@click.option("--last", is_flag=True, help="The same of the session used last.")
@click.option("--watch", "watched", is_flag=True, help="Follow settings and calls; Ctrl-C ends it.")
@places
def command(
    out: Out,
    place: Place,
    *,
    asked: Asked,
    window: int | None,
    baseline: Path | None,
    most: str | None,
    as_markdown: bool,
    session: str | None,
    last: bool,
    watched: bool,
) -> int:
    """Each declaration is counted by itself: a row is what leaving the tool out would save. Rows and
    preamble add up to the total.
    """
    if most is not None and baseline is None:
        raise CommandError(
            "--max-increase has nothing to compare with", f"add --baseline FILE; {AGAIN}", code=Code.WRONG_USE
        )
    if watched:
        return watch(out, partial(_line, out, place, asked))
    listing, config, code = listed(out, place, asked)
    if listing.faults and not listing.tools:
        return code
    if session is not None or last:
        found = _session(listing, config, session)
        out.answer(_session_document(found), lambda: session_text(out, found))
        return code
    shown = _shown(listing, config, window, baseline)
    limit = most_increase(most, shown.change.before) if most is not None and shown.change is not None else None
    _answer(out, shown, as_markdown=as_markdown)
    if limit is None or shown.change is None or shown.change.tokens <= limit:
        return code
    words = f"every turn costs {shown.change.tokens:,} tokens more; {limit:,} more were allowed"
    raise CommandError(
        words, "take out or shorten what grew, or write the baseline anew: -o FILE --json", code=Code.FAILED
    )


def _shown(listing: Listing, config: Config, window: int | None, baseline: Path | None) -> Shown:
    whole = priced(listing, config)
    with kept_counts(counter_of(config)) as counter:
        waiting = all_waiting(listing, whole, counter)
    return Shown(whole=whole, waiting=waiting, window=window, change=_change(baseline, whole) if baseline else None)


def _change(file: Path, whole: Bill) -> Change:
    try:
        document: object = json.loads(file.read_bytes())
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}", AGAIN, code=Code.WRONG_USE) from None
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{file} is not JSON: {error}", AGAIN, code=Code.WRONG_USE) from None
    return changed(earlier(document, str(file)), whole)


def _answer(out: Out, shown: Shown, *, as_markdown: bool) -> None:
    if as_markdown and (summary := os.environ.get(SUMMARY)):
        try:
            with Path(summary).open("a", encoding="utf-8") as file:
                file.write(markdown(shown) + "\n")
        except OSError as error:
            out.note(f"{summary} cannot be written: {error.strerror}")
    out.answer(_document(shown), lambda: markdown(shown) if as_markdown else text(out, shown))


def _line(out: Out, place: Place, asked: Asked) -> str:
    """What --watch says now."""
    listing, config, _ = listed(out, place, asked)
    line = foot(Shown(whole=priced(listing, config)))
    try:
        last = _session(listing, config, None)
    except HiltError:
        return line
    return f"{line}; session {last.session}: {sum(r.calls for r in last.rows)} calls, {last.total:,} tokens"


def _session(listing: Listing, config: Config, session: str | None) -> SessionBill:
    whole = bill(entries_of(listing), QUARTER_BYTES)
    prices = Prices(
        tokens={row.name: row.tokens for row in whole.rows},
        resident=frozenset(row.name for row in whole.rows if not row.deferred),
        preamble=whole.preamble,
        counter=whole.counter,
    )
    return anyio.run(partial(_read_session, config, session, prices))


async def _read_session(config: Config, session: str | None, prices: Prices) -> SessionBill:
    store = store_of(config)
    try:
        return await session_bill(store, session, prices)
    finally:
        await store.close()


def _document(shown: Shown) -> dict[str, object]:
    whole, change = shown.whole, shown.change
    document: dict[str, object] = {
        "tools": [_row(row) for row in whole.rows],
        "preamble": whole.preamble,
        "total": whole.total,
        "counter": whole.counter,
        "resident": whole.resident,
        "all_waiting": shown.waiting,
        "bytes": whole.bytes,
        "servers": [
            {"server": name, "tools": len(each.rows), "bytes": each.bytes, "tokens": each.total}
            for name, each in whole.by_server().items()
        ],
        "advice": [{"do": each.do, "tools": list(each.tools), "tokens": each.tokens} for each in advice(whole.rows)],
    }
    if change is not None:
        moved = [{"became": e.became, "name": e.name, "server": e.server, "tokens": e.tokens} for e in change.moved]
        document["change"] = {"before": change.before, "after": change.after, "tokens": change.tokens, "tools": moved}
    if shown.window is not None:
        document |= {"window": shown.window, "share": whole.resident / shown.window}
    return document


def _row(row: Row) -> dict[str, object]:
    return {
        "name": row.name,
        "server": row.server,
        "name_schema_bytes": row.name_schema_bytes,
        "description_bytes": row.description_bytes,
        "tokens": row.tokens,
        "resident": not row.deferred,
    }


def _session_document(found: SessionBill) -> dict[str, object]:
    tools = [
        {"name": row.name, "calls": row.calls, "turns": row.turns, "declared": row.declared, "returned": row.returned}
        | {"tokens": row.tokens}
        for row in found.rows
    ]
    return {
        "session": found.session,
        "turns": found.turns,
        "tools": tools,
        "preamble": found.preamble,
        "loaded": list(found.loaded),
        "total": found.total,
        "counter": found.counter,
    }
