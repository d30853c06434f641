"""`hilt uninstall`: Hilt taken out of an MCP client."""

import click

from hilt.assembly.clients import journal
from hilt.assembly.clients.installing import uninstall
from hilt.assembly.clients.table import Scope
from hilt.assembly.clients.table import place as place_of
from hilt.cli.clients import carried_out, dry, scopes, start_of
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb


@verb(says="take Hilt out of an MCP client")
@click.argument("names", nargs=-1, required=True, metavar="CLIENT...")
@scopes
@dry
@places
def command(out: Out, place: Place, *, names: tuple[str, ...], scope: Scope | None, dry_run: bool) -> int:
    """The file is again as it was before hilt install, byte for byte; where something else in it has
    changed since, only the entry named hilt is taken out.
    """
    start = start_of(place)
    with journal.held(dry=dry_run):
        plan = uninstall([place_of(each, scope or "user", start) for each in dict.fromkeys(names)])
        carried_out(out, plan, records="last", dry_run=dry_run)
    return Code.FINE
