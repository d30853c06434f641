"""`hilt adopt`: a client's own MCP servers moved behind Hilt, each after a yes."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from hilt.assembly import consents
from hilt.assembly.clients import journal
from hilt.assembly.clients.adopting import Adoption, Asked, adopt
from hilt.assembly.clients.plans import Done
from hilt.assembly.clients.table import Place as ClientPlace
from hilt.assembly.clients.table import Scope, clients, here
from hilt.assembly.clients.table import places as places_of
from hilt.cli.clients import arguments_of, carried_out, dry, scopes, start_of
from hilt.cli.faults import Code, CommandError
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb

USUAL: tuple[Scope, ...] = ("user", "local")
"""Whose servers are moved where nothing is said: those that are the person's own."""
EFFECTS = (
    "calls of their tools ask you until somebody says what the tools do: hilt audit --draft -o FILE writes that down "
    'as their schemas suggest; read it, correct it, and write effects = "FILE" below each [servers.NAME]'
)
"""What a person who has adopted servers needs to know next."""


@verb(says="move a client's own MCP servers behind Hilt, each after your yes")
@click.argument("names", nargs=-1, metavar="[CLIENT]...")
@scopes
@dry
@click.option("--yes", is_flag=True, help="Agree to every server; nobody is asked.")
@places
def command(out: Out, place: Place, *, names: tuple[str, ...], scope: Scope | None, dry_run: bool, yes: bool) -> int:
    """Each server moves to your own hilt.toml, and the client's file keeps Hilt and whatever you did not
    agree to. You are shown the exact command or address of each; your yes is remembered for exactly
    that. hilt release gives everything back, byte for byte. Without CLIENT: every client found here.
    """
    wanted = list(_places(names, scope, start_of(place)))
    arguments = arguments_of(place)
    first = adopt(wanted, lambda _: True, arguments)
    if dry_run:
        return _shown(out, first)
    line = shlex.join(["hilt", "adopt", *dict.fromkeys(names), *([f"--{scope}"] if scope else [])])
    agreed = _agreed(out, first.asked, yes=yes, line=line)
    with journal.held():
        adoption = adopt(wanted, lambda spec: spec.digest in agreed, arguments)
        carried_out(out, adoption.plan, records="first", more=_next)
    if any(each.state == "adopted" for each in adoption.plan.done):
        out.note(EFFECTS)
    return Code.FINE


def _places(names: Sequence[str], scope: Scope | None, start: Path) -> Iterator[ClientPlace]:
    """The places meant; of clients that were not named, those that are here and have a file."""
    scopes = (scope,) if scope else USUAL
    for name in dict.fromkeys(names) or filter(here, clients()):
        found = [each for each in places_of(name, start) if each.scope in scopes]
        if names and not found:
            raise CommandError(f"{clients()[name].title} has no place for {scope} servers", f"hilt adopt {name}")
        yield from (each for each in found if names or each.file.is_file())


def _shown(out: Out, adoption: Adoption) -> int:
    carried_out(out, adoption.plan, records="first", dry_run=True)
    for each in _open(adoption.asked):
        out.note(f"you would be asked about {_words(each, each.spec.asks)}")
    return Code.FINE


def _open(asked: Sequence[Asked]) -> list[Asked]:
    """Those that nobody has agreed to, each once."""
    unknown = {each.spec.digest: each for each in reversed(asked) if not consents.consented(each.spec)}
    return [each for each in asked if unknown.get(each.spec.digest) is each]


def _words(asked: Asked, says: str) -> str:
    does = "reaches" if asked.spec.url else "starts"
    return f"{consents.visible(asked.name)} of {asked.place.client.title}, which {does}: {says}"


def _agreed(out: Out, asked: Sequence[Asked], *, yes: bool, line: str) -> set[str]:
    """The digests of what a person agreed to, now or before."""
    unknown = _open(asked)
    if unknown and not (yes or out.asks):
        shown = "; ".join(_words(each, each.spec.says) for each in unknown)
        raise CommandError(
            f"nobody is here to agree to these servers ({len(unknown)}): {shown}",
            f"{line} --dry-run shows everything",
            f"{line} --yes agrees to all of it",
            code=Code.CONSENT,
            label="consent",
        )
    for each in unknown:
        if yes or _asks(out, each):
            consents.give(each.spec)
    return {each.spec.digest for each in asked if consents.consented(each.spec)}


def _asks(out: Out, asked: Asked) -> bool:
    for note in asked.notes:
        out.note(f"{asked.name}: {note}")
    return click.confirm(f"{_words(asked, asked.spec.asks)}\n  move it behind Hilt?", default=False, err=True)


def _next(done: Done) -> list[str]:
    if done.state != "adopted":
        return []
    return [f"next: {done.place.client.restart}", f"undo: hilt release {done.place.name}"]
