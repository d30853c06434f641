"""`hilt doctor`: what works on this machine, and what to do about what does not."""

from functools import partial
from textwrap import wrap

import anyio

from hilt.assembly.health import Finding, Health, examine
from hilt.assembly.protections import Protections
from hilt.cli.clients import clients_table
from hilt.cli.faults import Code
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import GAP, pairs, table
from hilt.cli.verb import Place, places, verb
from hilt.cli.version import VERSION

WIDTH = 80
"""Columns into which words are broken."""
_TONES = {"ok": "good", "warn": "warn", "fail": "bad"}


@verb(says="what works on this machine, and what protects from commands")
@places
def command(out: Out, place: Place) -> int:
    """The exit code is 1 when a part that Hilt needs does not work."""
    config = settings(place)
    health = anyio.run(partial(examine, config))
    failed = any(each.state == "fail" for each in health.findings)
    out.answer({"version": VERSION, "healthy": not failed, **_document(health)}, lambda: _text(out, health))
    return Code.FAILED if failed else Code.FINE


def _document(health: Health) -> dict[str, object]:
    held = health.protections
    return {
        "parts": [
            {"part": each.part, "state": each.state, "says": each.says, "next_steps": list(each.steps)}
            for each in health.findings
        ],
        "clients": [each.document for each in health.clients],
        "isolation": {
            "rung": held.rung,
            "properties": [
                {"property": row.property, "protected": row.holds, "says": row.says, "by": row.by} for row in held.rows
            ],
            "not_protected": list(held.open),
            "notes": list(held.notes),
        },
    }


def _text(out: Out, health: Health) -> str:
    drawn = (_parts(out, health.findings), clients_table(out, health.clients), _protection(out, health.protections))
    return "\n\n".join(filter(None, drawn))


def _parts(out: Out, findings: tuple[Finding, ...]) -> str:
    room = WIDTH - len(GAP) - max(len(each.part) for each in findings)
    rows = [("hilt", VERSION)]
    for each in findings:
        mark = "" if each.state == "ok" else f"{each.state}: "
        first, *more = wrap(f"{mark}{each.says}", room, break_long_words=False, break_on_hyphens=False) or [""]
        rows.append((each.part, f"{out.paint(mark, _TONES[each.state])}{first.removeprefix(mark)}"))
        rows += [("", line) for line in more]
        rows += [("", f"try: {step}") for step in each.steps]
    return pairs(rows, paint=lambda name: out.paint(name, "dim"))


def _protection(out: Out, held: Protections) -> str:
    """What protects from commands, as it was tried: in words, for a person who wants to know what is left."""
    rows = [(row.says, row.by or "NOTHING") for row in held.rows]
    heads = ("protected from commands and code", "by")
    drawn = [table(heads, rows, paint=lambda line: out.paint(line, "dim"))] if rows else []
    if held.open:
        drawn.append("\n".join([out.paint("not protected", "dim"), *_lines(held.open)]))
    if held.notes:
        drawn.append("\n".join([out.paint("notes", "dim"), *_lines(held.notes)]))
    return "\n\n".join(drawn)


def _lines(texts: tuple[str, ...]) -> list[str]:
    return [line for text in texts for line in wrap(text, WIDTH, initial_indent="- ", subsequent_indent="  ")]
