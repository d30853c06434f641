"""`hilt call`: one tool, once, on the road every model's call takes."""

import sys
from functools import partial

import anyio
import click

from hilt.assembly.build import Assembled, open_runtime
from hilt.cli.faults import Code
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb
from hilt.results.envelope import Denier, Status, ToolResult
from hilt.results.form import to_json
from hilt.review.people import Person
from hilt.store import MEMORY

LEAVE = "the person can allow this one call: hilt call --approve"


@verb(says="call one tool and print the result a model would read")
@click.argument("name")
@click.argument("arguments", default="{}", metavar="[JSON | -]")
@places
@click.option("--session", metavar="ID", help="A conversation to go on with; else a fresh one for this call.")
@click.option("--approve", is_flag=True, help="Give a person's leave for this one call.")
def command(out: Out, place: Place, *, name: str, arguments: str, session: str | None, approve: bool) -> int:
    """JSON is one object of arguments, and - reads it from standard input. With --json the answer is
    the whole envelope.
    """
    text = _standard_input() if arguments == "-" else arguments
    config = settings(place)
    for note in config.notes:
        out.note(note)
    assembled = open_runtime(place.workspace, config=config, session=session, person=_person(out), leave=LEAVE)
    return anyio.run(partial(_call, out, assembled, name, text, approve=approve, fresh=session is None))


def _person(out: Out) -> Person | None:
    if not out.asks:
        return None
    from hilt.cli.asking import TerminalPerson  # lazy: only where somebody can be asked

    return TerminalPerson(out)


def _standard_input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")


async def _call(out: Out, assembled: Assembled, name: str, arguments: str, *, approve: bool, fresh: bool) -> int:
    """The answer is printed before the trace is written: whoever waits for it need not wait for the store."""
    if assembled.gateway is not None:
        assembled.gateway.only_when_asked()
    async with assembled:
        if assembled.gateway is not None:
            await assembled.gateway.ready(assembled.gateway.server_of(name))
            name = assembled.gateway.wire_name(name)
        assembled.runtime.declare(assembled.session, [name])
        answer = await assembled.runtime.answer_one(assembled.session, name, arguments, approved=approve)
        out.answer(to_json(answer.result, versioned=True), answer.text)
    if fresh and _goes_on(assembled, name, answer.result):
        out.note(
            f"to go on with what this call saw or put aside: --session {assembled.session.id}; "
            "commands it left running have ended with it"
        )
    if assembled.trace.dropped:
        out.note(f"{assembled.trace.dropped} events were not kept: {assembled.trace.fault}")
    return exit_code(answer.result)


def _goes_on(assembled: Assembled, name: str, result: ToolResult[object]) -> bool:
    """Whether a later call may need this one's session: for an artifact, or after a tool that does more than read."""
    if assembled.config.text("store.where") == MEMORY or result.denied is not None:
        return False
    tool = assembled.runtime.catalog.get(name)
    return result.artifact is not None or (tool is not None and tool.declaration.kind != "perceive")


def exit_code(result: ToolResult[object]) -> int:
    """0 for what was done or waits, 3 where nobody could be asked, 1 for a failed or refused call."""
    if result.denied is not None and result.denied.by is Denier.NOBODY_TO_ASK:
        return Code.CONSENT
    return Code.FAILED if result.status in (Status.ERROR, Status.DENIED) else Code.FINE
