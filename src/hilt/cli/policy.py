"""`hilt policy explain`: what the policy says to a call, and which layer said it."""

import json
from functools import partial

import anyio
import click

from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.explain import explain
from hilt.cli.faults import CommandError
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import pairs
from hilt.cli.verb import Place, places, verb
from hilt.policy.decision import Decision
from hilt.results.failures import Refused, ToolFailure

_TONES = {"allow": "good", "ask": "warn", "deny": "bad"}


@click.group(short_help="explain what the policy says to a call")
def command() -> None:
    """Explain what the policy says to a call."""


@verb(name="explain", says="what the policy says to one call, which layer and rule said it, and why")
@click.argument("name")
@click.argument("arguments", default="{}", metavar="[JSON]")
@places
@click.option("--session", metavar="ID", help="A conversation whose state counts; else a fresh one.")
def explain_call(out: Out, place: Place, *, name: str, arguments: str, session: str | None) -> int:
    """Nothing is run and nobody is asked. The exit code is 0 whatever the decision is."""
    config = settings(place)
    assembled = open_runtime(place.workspace, config=config, session=session)
    decision = anyio.run(partial(_decision, assembled, name, arguments))
    reasons = [*decision.reasons, *config.notes]
    document = {
        "decision": decision.word,
        "kind": decision.kind,
        "layer": decision.layer,
        "rule": decision.rule,
        "reasons": reasons,
        "proof": dict(decision.proof),
        "notes": list(decision.notes),
    }
    out.answer(document, lambda: _text(out, decision, reasons))
    return 0


command.add_command(explain_call)


async def _decision(assembled: Assembled, name: str, arguments: str) -> Decision:
    try:
        async with assembled:
            return await explain(assembled, name, arguments)
    except ToolFailure as failure:
        raise CommandError(failure.problem, *failure.next_steps, label="invalid_arguments") from None
    except Refused as refusal:
        raise CommandError(refusal.reason, *refusal.next_steps, label="refused") from None


def _text(out: Out, decision: Decision, reasons: list[str]) -> str:
    word = out.paint(decision.word, _TONES[decision.word])
    rows = [("decision", f"{word} ({decision.kind})" if decision.kind else word)]
    rows += [("layer", decision.layer), ("rule", decision.rule)]
    rows += [("because" if number == 0 else "", reason) for number, reason in enumerate(reasons)]
    if decision.proof:
        rows.append(("proof", json.dumps(dict(decision.proof), ensure_ascii=False, default=str)))
    rows += [("note", note) for note in decision.notes]
    return pairs(rows, paint=lambda name: out.paint(name, "dim"))
