"""What an audit says of a set: closed chains first, then what else is worth a look."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from hilt.audit.chains import Chain, Chains
from hilt.audit.legs import Audited
from hilt.declarations.effects import UNDECLARED, Deed

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
NAMES_IN_A_LINE = 6
"""Tools that a message names; how many more there are is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One kind of statement an audit makes."""

    code: str
    name: str
    severity: Severity
    says: str
    fix: str


CLOSED = Rule(
    code="S601",
    name="closed-chain",
    severity="error",
    says="Private data, content written by third parties and a way out are in one set of tools.",
    fix="Take the tools of the smallest cut out of the set, or let a person confirm each of their calls.",
)
CONTRADICTED = Rule(
    code="S602",
    name="hint-contradicted",
    severity="warning",
    says="A tool calls itself read-only, and its schema or name shows that it sends, runs or destroys.",
    fix="Correct the annotation. The audit believes what raises a risk and nothing that lowers it.",
)
OPAQUE = Rule(
    code="S603",
    name="nothing-shown",
    severity="warning",
    says="Nothing in a tool's declaration shows what it does, so it counts as everything.",
    fix="Declare its effects: `hilt audit --draft` writes a file to edit, `--effects FILE` reads it.",
)
SECRETS_LEAVE = Rule(
    code="S614",
    name="credential-can-leave",
    severity="warning",
    says="A tool that hands out credentials is in one set with a way out.",
    fix="Leave the tool out, or let a person confirm its calls.",
)
ORDERED = Rule(
    code="S615",
    name="content-can-order",
    severity="warning",
    says="Content written by third parties is in one set with tools that destroy, pay or change access.",
    fix="Let a person confirm the calls that cannot be taken back.",
)
POSSIBLE = Rule(
    code="S616",
    name="not-excluded",
    severity="note",
    says="Tools without declared effects: legs that nothing shows are not excluded, and count with --strict.",
    fix="Declare the effects of these tools: `hilt audit --draft` writes a file to edit, `--effects FILE` reads it.",
)
RULES = (CLOSED, CONTRADICTED, OPAQUE, SECRETS_LEAVE, ORDERED, POSSIBLE)
_ORDERS: Mapping[Deed, str] = {"destroy": "destroys", "spend": "pays", "credential": "changes access"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One statement: by which rule, of which tools; `argument` is the one of the first tool that it goes through,
    `about` tells two of one rule and the same tools apart.
    """

    rule: Rule
    message: str
    tools: tuple[Audited, ...]
    argument: str | None = None
    about: str = ""


def findings(tools: Sequence[Audited], chains: Chains) -> tuple[Finding, ...]:
    """Everything to be said of a set, the gravest first."""
    worth_a_look = (*_leaving(chains, tools), *_ordered(chains, tools), *_possible(tools, strict=chains.strict))
    return (*_closed(chains), *_contradicted(tools), *_opaque(tools), *worth_a_look)


def witnesses(chains: Chains) -> Iterator[Chain]:
    """For each way out the chain of the fewest tools that goes through it."""
    waiting = {each.label for each in chains.by_leg["way_out"]} if chains.closed else set[str]()
    for chain in chains.chains() if waiting else ():
        label = chain.legs["way_out"].label
        if label in waiting:
            waiting.discard(label)
            yield chain
        if not waiting:
            return


def listed(tools: Sequence[Audited]) -> str:
    """Names, and how many more there are."""
    names = ", ".join(each.label for each in tools[:NAMES_IN_A_LINE])
    more = len(tools) - NAMES_IN_A_LINE
    return f"{names} and {more} more" if more > 0 else names


def through(tool: Audited) -> str:
    """A tool with the arguments by which it is a way out."""
    arguments = tool.arguments("way_out")
    return f"{tool.label}({', '.join(arguments)})" if arguments else tool.label


def _closed(chains: Chains) -> Iterator[Finding]:
    for chain in witnesses(chains):
        private, third, out = (chain.legs[leg] for leg in ("private", "third_party", "way_out"))
        if private is third is out:
            message = f"{out.label} alone closes a chain: {out.showing('way_out').why}"
        else:
            message = (
                f"what {private.label} reads can leave through {through(out)}, at the word of what {third.label} brings"
            )
        yield Finding(
            rule=CLOSED, message=message, tools=(out, *(each for each in chain.tools if each is not out)),
            argument=out.showing("way_out").argument,
        )  # fmt: skip


def _contradicted(tools: Sequence[Audited]) -> Iterator[Finding]:
    for each in tools:
        yield from (
            Finding(rule=CONTRADICTED, message=f"{each.label}: {hint}", tools=(each,), about=hint)
            for hint in each.hinted
        )


def _opaque(tools: Sequence[Audited]) -> Iterator[Finding]:
    for each in tools:
        if (found := next((one for one in each.showings if one.basis == "undeclared"), None)) is not None:
            yield Finding(rule=OPAQUE, message=f"{each.label}: {found.why}", tools=(each,))


def _leaving(chains: Chains, tools: Sequence[Audited]) -> Iterator[Finding]:
    secrets = tuple(each for each in tools if each.secrets)
    outs = chains.by_leg["way_out"]
    if secrets and outs:
        message = f"credentials from {listed(secrets)} can leave through {listed(outs)}"
        yield Finding(rule=SECRETS_LEAVE, message=message, tools=secrets)


def _ordered(chains: Chains, tools: Sequence[Audited]) -> Iterator[Finding]:
    sources = chains.by_leg["third_party"]
    for deed, says in _ORDERS.items():
        doers = tuple(each for each in tools if deed in each.does and not each.executor and each.effects != UNDECLARED)
        if doers and sources:
            message = f"what {listed(sources)} brings can order what {says}: {listed(doers)}"
            yield Finding(rule=ORDERED, message=message, tools=doers, about=deed)


def _possible(tools: Sequence[Audited], *, strict: bool) -> Iterator[Finding]:
    undeclared = tuple(each for each in tools if each.foreign)
    if not undeclared or strict:
        return
    unclear = tuple(each for each in undeclared if each.unclear)
    message = f"{len(undeclared)} of {len(tools)} tools declare no effects"
    if unclear:
        message += f", and nothing shows what {len(unclear)} of them read or do: {listed(unclear)}"
    yield Finding(rule=POSSIBLE, message=message, tools=unclear or undeclared)
