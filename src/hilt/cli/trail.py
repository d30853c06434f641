"""`hilt trail`: the audit trail: what was decided about calls that do something, and whether anybody changed it."""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TextIO

import anyio
import click

from hilt.assembly.config import Config
from hilt.assembly.durations import duration
from hilt.assembly.storing import store_of
from hilt.assembly.trail import Told, Verified, entries, told, verify
from hilt.cli.faults import Code, CommandError
from hilt.cli.filters import Language
from hilt.cli.listing import settings
from hilt.cli.log_export import STDOUT, made
from hilt.cli.output import Out
from hilt.cli.table import beside, pairs, table
from hilt.cli.verb import Place, places, verb
from hilt.cli.worded import Worded

LATEST = 20
DEFAULT = "entries"
ENTRIES: Language[Told] = Language(
    fields={
        "event": lambda each: each.fact("event"),
        "tool": lambda each: each.fact("tool"),
        "session": lambda each: each.entry.session,
        "principal": lambda each: each.fact("principal"),
        "call": lambda each: each.fact("call"),
        "word": lambda each: each.fact("word"),
        "rule": lambda each: each.fact("rule"),
        "status": lambda each: each.fact("status"),
        "digest": lambda each: each.fact("digest"),
    },
    text=lambda each: each.entry.text,
    at=lambda each: each.entry.at,
)


class Trail(Worded):
    """See `Worded`."""

    default = DEFAULT


@click.group(cls=Trail, short_help="the audit trail, and whether anybody changed it")
def command() -> None:
    """What was decided about calls that do something, who was asked, and what came of it, latest first.

    WORDS choose entries: event:refused tool:mail_* word:deny principal:ann since:2h, ! in front for all
    others, any other word is looked for in the whole entry.
    """


@verb(name=DEFAULT, says="entries, latest first; `hilt trail WORDS` is the same")
@click.argument("words", nargs=-1)
@click.option("--limit", type=click.IntRange(min=1), default=LATEST, show_default=True, help="The most to show.")
@places
def list_entries(out: Out, place: Place, *, words: tuple[str, ...], limit: int) -> int:
    """WORDS: event: tool: session: principal: call: word: rule: status: digest: since: and plain words, ! turns one."""
    found = anyio.run(partial(_told, settings(place), ENTRIES.test(words), limit))
    document = {"entries": [{**each.facts, "hash": each.entry.hash} for each in found]}
    out.answer(document, lambda: _entries_text(out, found, filtered=bool(words)))
    return 0


async def _told(config: Config, wanted: Callable[[Told], bool], limit: int) -> list[Told]:
    store = store_of(config)
    try:
        return await told(store, wanted, limit)
    finally:
        await store.close()


def _entries_text(out: Out, found: list[Told], *, filtered: bool) -> str:
    if not found:
        return "no entry matches" if filtered else "nothing is in the trail: no call has done anything yet"
    heads = ("N", "TIME", "EVENT", "TOOL", "WORD", "CALL", "WHAT")
    fixed = [
        (
            str(each.entry.number),
            _clock(each.entry.at),
            each.fact("event"),
            each.fact("tool"),
            each.fact("word"),
            each.fact("call"),
        )
        for each in found
    ]
    rows = beside(fixed, [_what(each) for each in found], heads, out.width)
    return table(heads, rows, right="r", paint=lambda head: out.paint(head, "dim"))


def _what(each: Told) -> str:
    """What of an entry is not in a column of its own, the most telling first."""
    names = ("status", "rule", "kind", "verdict", "failure", "outcome", "handle", "answer", "scope", "approval")
    known = [each.fact(name) for name in (*names, "by", "through")]
    return " ".join(text for text in known if text)


def _clock(at: float) -> str:
    """Local time; with the day when it is not today."""
    when, today = datetime.fromtimestamp(at), datetime.now()
    return when.strftime("%H:%M:%S" if when.date() == today.date() else "%Y-%m-%d %H:%M")


@verb(name="show", says="everything one entry says")
@click.argument("number", metavar="N", type=click.IntRange(min=1))
@places
def show_entry(out: Out, place: Place, *, number: int) -> int:
    """N is what the column N shows."""
    found = anyio.run(partial(_told, settings(place), lambda each: each.entry.number == number, 1))
    if not found:
        raise CommandError(f"no entry {number} is kept", "hilt trail lists the latest", label="unknown_entry")
    facts = {**found[0].facts, "hash": found[0].entry.hash}
    shown = [(name, str(value)) for name, value in facts.items() if value not in (None, "", [])]
    out.answer(facts, lambda: pairs(shown, paint=lambda name: out.paint(name, "dim")))
    return 0


@verb(name="verify", says="whether the chain holds; exits with 1 where it does not")
@click.option("--head", metavar="HASH", default="", help="A hash noted earlier, elsewhere: it must be in the chain.")
@places
def verify_chain(out: Out, place: Place, *, head: str) -> int:
    """Every entry names the hash of the one before, so a change, a move or a gap shows. Who owns the file can
    still write the whole chain anew, or cut its end: note the head that is printed where they cannot
    write, and give it to --head later.
    """
    found = anyio.run(partial(_verified, settings(place), head.strip().lower()))
    out.answer(_document(found), lambda: _verified_text(found, head))
    return Code.FINE if found.holds else Code.FAILED


async def _verified(config: Config, head: str) -> Verified:
    store = store_of(config)
    try:
        return await verify(store, head)
    finally:
        await store.close()


def _document(found: Verified) -> dict[str, object]:
    return {
        "holds": found.holds,
        "entries": found.count,
        "first": found.first,
        "head": {"number": found.head.number, "hash": found.head.hash},
        "broken_at": found.broken_at or None,
        "why": found.why or None,
        "head_known": found.known,
    }


def _verified_text(found: Verified, head: str) -> str:
    if found.why:
        return f"broken at entry {found.broken_at}: {found.why}\n{found.count:,} entries looked at, from {found.first}"
    if found.known is False:
        return (
            f"the chain of {found.count:,} entries holds, but no entry has the hash {head}:\n"
            "its end was cut, or it was written anew, after that hash was noted; or it is older than is kept"
        )
    if not found.count:
        return "nothing is in the trail, so there is nothing to break"
    gone = f", the {found.first - 1:,} before them purged" if found.first > 1 else ""
    many = "1 entry" if found.count == 1 else f"{found.count:,} entries"
    return f"the chain holds: {many}{gone}\nhead {found.head.number} {found.head.hash}"


@verb(name="export", says="write the chain's lines")
@click.argument("to", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@places
def export(out: Out, place: Place, *, to: Path) -> int:
    """FILE is made, readable by you alone; `-` is standard output. Each line is an entry as it was hashed: its
    SHA-256 is what the next line names as `previous`.
    """
    if to == STDOUT:
        anyio.run(partial(_write, settings(place), sys.stdout))
        return 0
    with made(to) as target:
        count = anyio.run(partial(_write, settings(place), target))
    out.answer({"file": str(to), "entries": count}, f"{count:,} entries written to {to}")
    return 0


async def _write(config: Config, target: TextIO) -> int:
    store, count = store_of(config), 0
    try:
        async for entry in entries(store):
            target.write(f"{entry.text}\n")
            count += 1
    finally:
        await store.close()
    return count


@verb(name="purge", says="remove the oldest entries")
@click.option("--older", metavar="LENGTH", help="Older than this, such as 90d; else trail.keep of the settings.")
@places
def purge(out: Out, place: Place, *, older: str | None) -> int:
    """What is left still holds: an entry says how many went, up to when, and the hash of the last of them."""
    config = settings(place)
    length = duration(older) if older else config.duration("trail.keep")
    if length is None:
        raise CommandError(f"{older!r} is no length of time", "--older 90d or --older 52w")
    until = datetime.now(UTC) - length
    count = anyio.run(partial(_purge, config, length))
    out.answer({"removed": count}, f"{count:,} entries before {until:%Y-%m-%d %H:%M} UTC removed")
    return 0


async def _purge(config: Config, older: timedelta) -> int:
    store = store_of(config)
    try:
        return await store.purge_trail(older)
    finally:
        await store.close()


for _each in (list_entries, show_entry, verify_chain, export, purge):
    command.add_command(_each)
