"""`hilt release`: a client's servers given back to it."""

from collections.abc import Iterator, Sequence

import click

from hilt.assembly.clients import journal
from hilt.assembly.clients.adopting import release
from hilt.assembly.clients.table import Place as ClientPlace
from hilt.assembly.clients.table import client, of_record
from hilt.cli.clients import carried_out, dry
from hilt.cli.faults import Code, CommandError
from hilt.cli.output import Out
from hilt.cli.verb import verb


@verb(says="give a client its own MCP servers back")
@click.argument("names", nargs=-1, metavar="[CLIENT]...")
@dry
def command(out: Out, *, names: tuple[str, ...], dry_run: bool) -> int:
    """Undoes hilt adopt: the client's file is as it was, byte for byte, and the servers are gone from
    hilt.toml. Where the client's file has changed since, Hilt's entry is taken out and the servers are
    put back beside what is new. Without CLIENT: every client that was adopted.
    """
    with journal.held(dry=dry_run):
        places = list(_places(names))
        if not places:
            whose = " or ".join(client(each).title for each in names) or "any client"
            raise CommandError(
                f"no servers of {whose} are behind Hilt", "hilt install lists the clients of this machine"
            )
        plan = release(places)
        carried_out(
            out, plan, records="last", dry_run=dry_run, more=lambda done: [f"next: {done.place.client.restart}"]
        )
    return Code.FINE


def _places(names: Sequence[str]) -> Iterator[ClientPlace]:
    for record in journal.records():
        if record.adopted and (not names or record.client in names):
            yield of_record(record.client, record.scope, record.file, record.key)
