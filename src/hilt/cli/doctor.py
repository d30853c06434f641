"""`hilt doctor`: what works on this machine, and what to do about what does not."""

from functools import partial

import anyio

from hilt.assembly.health import Finding, examine
from hilt.cli.faults import Code
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import pairs
from hilt.cli.verb import Place, places, verb
from hilt.cli.version import VERSION

_TONES = {"ok": "good", "warn": "warn", "fail": "bad"}


@verb(says="what works on this machine, and what does not")
@places
def command(out: Out, place: Place) -> int:
    """The exit code is 1 when a part that Hilt needs does not work."""
    config = settings(place)
    findings = anyio.run(partial(examine, config))
    failed = any(each.state == "fail" for each in findings)
    document = {
        "version": VERSION,
        "healthy": not failed,
        "parts": [
            {"part": each.part, "state": each.state, "says": each.says, "next_steps": list(each.steps)}
            for each in findings
        ],
    }
    out.answer(document, lambda: _text(out, findings))
    return Code.FAILED if failed else Code.FINE


def _text(out: Out, findings: list[Finding]) -> str:
    rows = [("hilt", VERSION)]
    for each in findings:
        mark = "" if each.state == "ok" else out.paint(f"{each.state}: ", _TONES[each.state])
        rows.append((each.part, f"{mark}{each.says}"))
        rows += [("", f"try: {step}") for step in each.steps]
    return pairs(rows, paint=lambda name: out.paint(name, "dim"))
