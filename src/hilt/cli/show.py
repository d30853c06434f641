"""`hilt show`: exactly what goes into the request for each tool, line by line with its price."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

import click

from hilt.assembly.targets import Listed, Listing
from hilt.calls.adapter import Offer
from hilt.cli.faults import CommandError
from hilt.cli.listing import counter_of, listed, targets
from hilt.cli.output import Out
from hilt.cli.segments import Priced, priced
from hilt.cli.table import columns
from hilt.cli.verb import Asked, Place, places, verb
from hilt.declarations.description import Environment
from hilt.declarations.names import nearest
from hilt.results.counting import Counter

FORMS = {
    "anthropic": "hilt.adapters.anthropic",
    "openai": "hilt.adapters.openai_chat",
    "openai-responses": "hilt.adapters.openai_responses",
    "gemini": "hilt.adapters.gemini",
    "mcp": "hilt.adapters.mcp_forms",
}
INDENT = "  "


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One tool in a provider's form, each line priced."""

    tool: Listed
    wire: object
    lines: tuple[Priced, ...]

    @property
    def bytes(self) -> int:
        """Bytes of the whole."""
        return sum(line.bytes for line in self.lines)

    @property
    def tokens(self) -> int:
        """Tokens of the whole."""
        return sum(line.tokens for line in self.lines)


@verb(says="print exactly what a model sees of the tools, and its price")
@targets
@click.option(
    "--as", "form", type=click.Choice(list(FORMS)), default="anthropic", show_default=True, help="Whose form."
)
@click.option("--name", "names", multiple=True, metavar="NAME", help="Only this tool; may be repeated.")
@places
def command(out: Out, place: Place, *, asked: Asked, form: str, names: tuple[str, ...]) -> int:
    """The lines are compact JSON cut for reading: put together they are what is sent, and their
    prices are what the whole costs.
    """
    listing, config, code = listed(out, place, asked)
    if listing.faults and not listing.tools:
        return code
    tools = _chosen(listing, names)
    counter = counter_of(config)
    shown = [
        _shown(tool, wire, counter)
        for tool, wire in zip(tools, _written(tools, form, listing.environment), strict=True)
    ]
    document = {
        "as": form,
        "tools": [
            {"name": each.tool.name, "server": each.tool.server, "bytes": each.bytes, "tokens": each.tokens}
            | {"wire": each.wire}
            for each in shown
        ],
        "counter": counter.name,
    }
    out.answer(document, lambda: "\n\n".join(_text(out, each, form, counter) for each in shown))
    return code


def _chosen(listing: Listing, names: Sequence[str]) -> list[Listed]:
    known = [each.name for each in listing.tools]
    for name in names:
        if name not in known:
            near = nearest(name, known, most=1)
            step = f"--name {near[0]}" if near else "hilt tools lists them"
            raise CommandError(f"no tool is named {name!r}", step, label="unknown_tool")
    return [each for each in listing.tools if not names or each.name in names]


def _written(tools: Sequence[Listed], form: str, environment: Environment) -> list[object]:
    """One wire form for each tool, made by the provider's adapter."""
    write: Callable[[Sequence[Offer]], list[object]] = import_module(FORMS[form]).tools
    return [
        write(
            [
                Offer(
                    declaration=each.declaration, description=each.declaration.text(environment), deferred=each.deferred
                )
            ]
        )[0]
        for each in tools
    ]


def _shown(tool: Listed, wire: object, counter: Counter) -> Shown:
    return Shown(tool=tool, wire=wire, lines=tuple(priced(wire, counter)))


def _text(out: Out, shown: Shown, form: str, counter: Counter) -> str:
    head = f"{shown.tool.name}  {shown.bytes:,} bytes, {shown.tokens:,} tokens ({counter.name})  as {form}"
    lines = [out.paint(head, "strong"), out.paint(f"{'bytes':>6} {'tokens':>6}", "dim")]
    for line in shown.lines:
        price = out.paint(f"{line.bytes:>6,} {line.tokens:>6,}", "dim")
        folded = _folded(INDENT * line.segment.depth + line.segment.text, out)
        lines += [f"{price if number == 0 else ' ' * 13}  {part}" for number, part in enumerate(folded)]
    return "\n".join(lines)


def _folded(text: str, out: Out) -> list[str]:
    """A long line over several, on a terminal only: elsewhere a line is one piece."""
    room = out.width - 15
    if not out.watched or columns(text) <= room:
        return [text]
    inside = len(text) - len(text.lstrip()) + len(INDENT)
    parts, rest, space = list[str](), text, room
    while columns(rest) > space:
        place = max(rest.rfind(" ", 0, space), rest.rfind(",", 0, space) + 1)
        place = place if place > space // 2 else space
        parts.append(rest[:place])
        rest, space = rest[place:].lstrip(" "), room - inside
    return [parts[0], *(" " * inside + part for part in [*parts[1:], rest])] if parts else [rest]
