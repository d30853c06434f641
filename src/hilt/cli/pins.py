"""`hilt pins`: what other people's servers declared, what of it changed, and a person's word on that."""

import getpass
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import anyio
import click

from hilt.assembly.pinning import Pinning
from hilt.assembly.storing import store_of
from hilt.catalog.pin_words import named
from hilt.catalog.pins import Pin, Pinned, waits
from hilt.cli.faults import Code, CommandError
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.pins_view import SHOWN_DIGEST, changes_text, document, tools_text, waiting_text
from hilt.cli.verb import Place, places, verb
from hilt.cli.worded import Worded
from hilt.declarations.names import nearest
from hilt.store import MEMORY

R = TypeVar("R")
DEFAULT = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Pins of one server that were asked for; `whole` where the server was, and not one of its tools."""

    server: Pinned
    pins: tuple[Pin, ...]
    whole: bool


class Pins(Worded):
    """See `Worded`."""

    default = DEFAULT


@click.group(cls=Pins, short_help="what servers declared, what changed, and your word on it")
def command() -> None:
    """Each tool of other people's servers is pinned as it was first seen. One that changes is not offered until
    you accept it, nor is one that is new and deceives.
    """


@verb(name=DEFAULT, says="pins by server, with their state; `hilt pins` is the same")
@click.argument("targets", nargs=-1, metavar="[SERVER[/TOOL]]...")
@click.option("--diff", "diffs", is_flag=True, help="What changed, and what was found, of each that waits for you.")
@places
def list_pins(out: Out, place: Place, *, targets: tuple[str, ...], diffs: bool) -> int:
    """A tool is accepted, warned (offered, and something in it speaks to the model), quarantined (not offered),
    or gone. Characters that nobody sees are shown as their code points.
    """
    chosen = _with_pins(place, partial(_chosen, targets))
    shown = [(each.server, each.pins) for each in chosen]
    if diffs:
        waiting = [(server, tuple(filter(waits, pins))) for server, pins in shown]
        out.answer(document(waiting, diffs=True), lambda: changes_text(out, waiting))
    else:
        out.answer(document(shown, diffs=False), lambda: tools_text(out, shown, each_tool=bool(targets)))
    return Code.FINE


@verb(says="whether anything is quarantined; exits with 1 where it is")
@click.argument("targets", nargs=-1, metavar="[SERVER[/TOOL]]...")
@places
def check(out: Out, place: Place, *, targets: tuple[str, ...]) -> int:
    """For scripts: it asks no server, and goes by what was last seen."""
    chosen = _with_pins(place, partial(_chosen, targets))
    held = [(each.server, tuple(pin for pin in each.pins if pin.state == "quarantined")) for each in chosen]
    count = sum(len(pins) for _, pins in held)
    out.answer({"quarantined": count, **document(held, diffs=False)}, lambda: waiting_text(out, held))
    return Code.FAILED if count else Code.FINE


@verb(says="accept what was last seen of a tool, or of all that wait of a server")
@click.argument("target", metavar="SERVER[/TOOL]")
@click.option("--digest", metavar="HEX", default="", help="Only if it is what has this digest, as --diff showed it.")
@places
def accept(out: Out, place: Place, *, target: str, digest: str) -> int:
    """It is offered as it is now, also by a Hilt that runs, and what was found in it is not told again."""
    done = _with_pins(place, partial(_accept, target, digest))
    text = "\n".join(f"accepted: {named(each)}" for each in done) or f"nothing of {named(target)} waits for you"
    out.answer({"accepted": list(done)}, text)
    return Code.FINE


@verb(says="forget a server, so that what it lists next is seen for the first time")
@click.argument("server", metavar="SERVER")
@places
def forget(out: Out, place: Place, *, server: str) -> int:
    """For a server that is no longer used, or that you trust anew as a whole."""
    count = _with_pins(place, partial(_forget, server))
    out.answer({"server": server, "forgotten": count}, f"forgotten: {count} pins of {named(server)}")
    return Code.FINE


for _each in (list_pins, check, accept, forget):
    command.add_command(_each)


def _with_pins(place: Place, work: Callable[[Pinning], Awaitable[R]]) -> R:
    config = settings(place)
    if config.text("store.where") == MEMORY:
        raise CommandError("the store is in memory, where no pin is kept", "name a store: -c store.where=FILE")

    async def done() -> R:
        store = store_of(config)
        try:
            return await work(Pinning(store))
        finally:
            await store.close()

    return anyio.run(done)


async def _chosen(targets: Sequence[str], pinning: Pinning) -> list[Chosen]:
    """What the targets name, every server where there is none. Raises `CommandError` for what nobody declared."""
    servers = {each.server: each for each in await pinning.all()}
    if not targets:
        return [Chosen(server=each, pins=each.pins, whole=True) for each in servers.values()]
    return [_found(target, servers) for target in targets]


def _found(target: str, servers: dict[str, Pinned]) -> Chosen:
    name, _, tool = target.partition("/")
    server = servers.get(name)
    if server is None:
        near = nearest(name, list(servers), most=1)
        step = f"hilt pins {near[0]}" if near else "hilt pins lists the servers that are known"
        raise CommandError(f"nothing is pinned of a server {name!r}", step, label="unknown_server")
    pins = tuple(pin for pin in server.pins if tool in ("", pin.tool, named(pin.tool)))
    if not pins and tool:
        near = nearest(tool, [pin.tool for pin in server.pins], most=1)
        step = f"hilt pins {name}/{near[0]}" if near else f"hilt pins {name} lists its tools"
        raise CommandError(f"{name} has declared no tool {tool!r}", step, label="unknown_tool")
    return Chosen(server=server, pins=pins, whole=not tool)


async def _accept(target: str, digest: str, pinning: Pinning) -> tuple[str, ...]:
    (chosen,) = await _chosen([target], pinning)
    server, tools = chosen.server.server, [pin.tool for pin in chosen.pins]
    if digest and chosen.whole:
        raise CommandError("a digest is of one tool", f"hilt pins accept {server}/TOOL --digest {digest}")
    done = await pinning.accept(server, tools, by=getpass.getuser(), digest=digest.lower())
    if digest and not done and any(map(waits, chosen.pins)):
        now = chosen.pins[0].seen[:SHOWN_DIGEST]
        raise CommandError(
            f"what was last seen of {target} has the digest {now}, not {digest}",
            f"hilt pins --diff {target}",
            label="other_digest",
        )
    return tuple(f"{server}/{tool}" for tool in done)


async def _forget(server: str, pinning: Pinning) -> int:
    await _chosen([server.partition("/")[0]], pinning)
    if "/" in server:
        raise CommandError("a server is forgotten as a whole", f"hilt pins forget {server.partition('/')[0]}")
    return await pinning.forget(server, by=getpass.getuser())
