"""`hilt policy explain`: what the policy says to a call, and which layer said it."""

import textwrap
from collections.abc import Iterator, Mapping
from functools import partial

import anyio
import click

from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.explain import explain
from hilt.cli.faults import CommandError
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.table import GAP, pairs
from hilt.cli.verb import Place, places, verb
from hilt.declarations.schema import is_array, is_object
from hilt.policy.decision import Decision
from hilt.results.failures import Refused, ToolFailure

WIDTH = 80
"""Columns a text is folded to, as wide as any terminal."""
_TONES = {"allow": "good", "ask": "warn", "deny": "bad"}
Rows = Iterator[tuple[str, str]]


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
        "shape": decision.shape,
        "limits": [{"key": each.key, "most": each.most, "window_s": each.window_s} for each in decision.claims],
        "proof": dict(decision.proof),
        "notes": list(decision.notes),
    }
    out.answer(document, lambda: _text(out, decision, reasons))
    return 0


command.add_command(explain_call)


async def _decision(assembled: Assembled, name: str, arguments: str) -> Decision:
    if assembled.gateway is not None:
        assembled.gateway.only_when_asked()
    try:
        async with assembled:
            if assembled.gateway is not None:
                await assembled.gateway.ready(assembled.gateway.server_of(name))
                name = assembled.gateway.wire_name(name)
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
    rows += _proof_rows(decision.proof)
    if decision.shape:
        rows.append(("shape", decision.shape))
    rows += [("limit", f"{each.most} in {each.window_s:g} s, counted as {each.key}") for each in decision.claims]
    rows += [("note", note) for note in decision.notes]
    return pairs(list(_folded(rows)), paint=lambda name: out.paint(name, "dim"))


def _folded(rows: list[tuple[str, str]]) -> Rows:
    """Rows whose texts fit beside the names in `WIDTH` columns."""
    room = WIDTH - len(GAP) - max(len(name) for name, _ in rows)
    for name, text in rows:
        lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        yield name, lines[0]
        yield from (("", line) for line in lines[1:])


def _proof_rows(proof: Mapping[str, object]) -> Rows:
    """The facts a decision rests on."""
    for each in _tables(proof, "commands"):
        yield from (("runs", _program(program)) for program in _tables(each, "runs"))
        yield from (("reads", _path(path)) for path in _tables(each, "reads"))
        yield from (("writes", _path(path)) for path in _tables(each, "writes"))
    yield from (("path", _path(path)) for path in _tables(proof, "paths"))
    for name, key in (("hosts", "hosts"), ("walls", "properties"), ("seen", "labels")):
        listed = proof.get(key)
        if is_array(listed):
            yield name, ", ".join(map(str, listed))
    yield "risk", str(proof.get("risk", ""))


def _tables(proof: Mapping[str, object], key: str) -> Iterator[Mapping[str, object]]:
    listed = proof.get(key)
    yield from (each for each in (listed if is_array(listed) else ()) if is_object(each))


def _program(program: Mapping[str, object]) -> str:
    words, around = program.get("words"), program.get("wrappers")
    told = " ".join(map(str, words)) if is_array(words) else ""
    through = f" through {', '.join(map(str, around))}" if is_array(around) else ""
    return f"{told}{through}"


def _path(path: Mapping[str, object]) -> str:
    real = path.get("real")
    where = "" if path.get("inside") else ", outside the workspace"
    hole = f", in {path['hole']}" if path.get("hole") else ""
    names = f", one of {path['links']} names" if path.get("links") else ""
    return f"{real}{where}{hole}{names}"
