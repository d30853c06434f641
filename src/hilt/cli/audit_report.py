"""The answer of `hilt audit`: as a document for programs, and as text of at most 80 columns for people."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import wrap

from hilt.audit.chains import Chain, Chains
from hilt.audit.findings import CLOSED, POSSIBLE, Finding, Severity, through, witnesses
from hilt.audit.legs import LEG_NAMES, LEGS, Audited, Leg
from hilt.cli.output import Out
from hilt.cli.table import cut

CHAINS_SHOWN = 5
"""Chains of the text, where nobody asks for another number."""
CHAINS_IN_JSON = 1_000
"""Chains of the document; sets of hundreds of tools close millions."""
WIDEST = 80
INDENT = "  "
_EACH: dict[Leg, str] = {
    "private": "each reads private data",
    "third_party": "each brings third-party content",
    "way_out": "each a way out",
}
_OTHER: dict[Leg, str] = {
    "private": "that read private data",
    "third_party": "that bring third-party content",
    "way_out": "that are ways out",
}
_TONES: dict[Severity, str] = {"error": "bad", "warning": "warn", "note": "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What an audit found. `limit` is how many chains to list, None for as many as the form holds."""

    tools: tuple[Audited, ...]
    chains: Chains
    findings: tuple[Finding, ...]
    limit: int | None


def picked(chains: Chains, limit: int) -> list[Chain]:
    """The chains to list: first one for each way out, then the others, the shortest first."""
    found: dict[frozenset[str], Chain] = {}
    for source in (witnesses(chains), chains.chains()):
        for chain in islice(source, limit):
            if len(found) < limit:
                found.setdefault(frozenset(each.label for each in chain.tools), chain)
    return list(found.values())


def document(judged: Judged) -> dict[str, object]:
    """The answer for programs. `legs` of a chain names the tool of each leg, `cut` the tools to take out."""
    chains = judged.chains
    shown = picked(chains, judged.limit or CHAINS_IN_JSON)
    return {
        "chains": [_chain(each) for each in shown],
        "chains_total": chains.total,
        "truncated": len(shown) < chains.total,
        "strict": chains.strict,
        "cut": [each.label for each in chains.cut],
        "cut_leg": chains.smallest if chains.closed else None,
        "cut_is": "exact",
        "cut_arguments": {each.label: list(each.arguments(chains.smallest)) for each in chains.cut},
        "legs": {leg: [each.label for each in chains.by_leg[leg]] for leg in LEGS},
        "findings": [_finding(each) for each in judged.findings],
        "tools": [_tool(each) for each in judged.tools],
    }


def _chain(chain: Chain) -> dict[str, object]:
    witness = [_showing(tool, leg) | {"tool": tool.label, "server": tool.server} for leg, tool in chain.legs.items()]
    return {
        "legs": {leg: tool.label for leg, tool in chain.legs.items()},
        "tools": [each.label for each in chain.tools],
        "witness": witness,
    }


def _showing(tool: Audited, leg: Leg) -> dict[str, object]:
    found = tool.showing(leg)
    return {"leg": leg, "basis": found.basis, "why": found.why, "argument": found.argument}


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.rule.code,
        "severity": finding.rule.severity,
        "tools": [each.label for each in finding.tools],
        "path": finding.argument,
        "message": finding.message,
        "fix": finding.rule.fix,
    }


def _tool(tool: Audited) -> dict[str, object]:
    legs = [{"leg": each.leg, "basis": each.basis, "why": each.why, "argument": each.argument} for each in tool.ranked]
    return {
        "name": tool.name,
        "server": tool.server,
        "legs": legs,
        "does": sorted(tool.does),
        "executor": tool.executor,
    }


def text(out: Out, judged: Judged) -> str:
    """The answer for people."""
    parts = [_verdict(out, judged), _legs(out, judged)]
    if judged.chains.closed:
        parts += [_chains(out, judged), _cut(out, judged)]
    return "\n\n".join(filter(None, [*parts, _others(out, judged)]))


def _verdict(out: Out, judged: Judged) -> str:
    count = _count(len(judged.tools), "tool")
    if not judged.chains.closed:
        counted = "what nothing excludes" if judged.chains.strict else "what is declared or shown"
        return f"{out.paint('open', 'good')}: no closed chain among {count}, counting {counted}"
    chains = _count(judged.chains.total, "chain")
    return f"{out.paint('closed', 'bad')}: {chains} among {count} by which private data can be made to leave"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _legs(out: Out, judged: Judged) -> str:
    lines: list[str] = []
    for leg in LEGS:
        tools = judged.chains.by_leg[leg]
        names = [through(each) if leg == "way_out" else each.label for each in tools]
        head = f"{LEG_NAMES[leg]:<19} {len(tools):>4}  "
        lines.append(out.paint(head, "dim") + cut(", ".join(names) or "none", _width(out) - len(head)))
    return "\n".join(lines)


def _chains(out: Out, judged: Judged) -> str:
    limit = judged.limit or judged.chains.total
    shown = picked(judged.chains, limit)
    drawn = [line for number, chain in enumerate(shown, 1) for line in _drawn(out, number, chain)]
    rest = judged.chains.total - len(shown)
    more = [f"{rest:,} more; --limit N lists N of them, --limit 0 all"] if rest else []
    return "\n".join([*drawn, *more])


def _drawn(out: Out, number: int, chain: Chain) -> Iterator[str]:
    yield f"{number}. " + " + ".join(each.label for each in chain.tools)
    if len({tool.showing(leg).why for leg, tool in chain.legs.items()}) == 1:
        yield from _wrapped(out, f"all three legs: {chain.legs['way_out'].showing('way_out').why}", "   ")
        return
    for leg, tool in chain.legs.items():
        name = through(tool) if leg == "way_out" else tool.label
        yield from _wrapped(out, f"{LEG_NAMES[leg]}: {name}, {tool.showing(leg).why}", "   ")


def _cut(out: Out, judged: Judged) -> str:
    chains = judged.chains
    leg = chains.smallest
    head = f"smallest cut: {_count(len(chains.cut), 'tool')}, {_EACH[leg]}"
    names = [through(each) if leg == "way_out" else each.label for each in chains.cut]
    lines = [
        out.paint(head, "strong"),
        *_wrapped(out, ", ".join(names), INDENT),
        *_wrapped(out, "Without them, or with a person asked at each of these calls, no chain is closed.", INDENT),
    ]
    others = [f"{len(chains.by_leg[each]):,} {_OTHER[each]}" for each in LEGS if each != leg]
    return "\n".join([*lines, *_wrapped(out, f"Other cuts: {' or '.join(others)}.", INDENT)])


def _others(out: Out, judged: Judged) -> str:
    lines: list[str] = []
    for each in judged.findings:
        if each.rule == CLOSED:
            continue
        tone = _TONES[each.rule.severity]
        first, *rest = _wrapped(out, f"{each.rule.severity} {each.rule.code} {each.message}", "")
        lines += [
            first.replace(each.rule.severity, out.paint(each.rule.severity, tone), 1),
            *(INDENT + one for one in rest),
        ]
        if each.rule == POSSIBLE:
            lines += _wrapped(out, each.rule.fix, INDENT)
    return "\n".join(lines)


def _wrapped(out: Out, said: str, indent: str) -> Sequence[str]:
    return wrap(
        said, _width(out) - len(INDENT), initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def _width(out: Out) -> int:
    return min(out.width, WIDEST)
