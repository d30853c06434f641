"""`hilt install`: Hilt among the servers of an MCP client."""

import click

from hilt.assembly.clients import journal
from hilt.assembly.clients.installing import install
from hilt.assembly.clients.plans import Done
from hilt.assembly.clients.survey import Found, survey
from hilt.assembly.clients.table import Scope, clients, place
from hilt.cli.clients import arguments_of, carried_out, clients_table, dry, scopes, start_of
from hilt.cli.faults import Code
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb

CHANGED = ("installed", "renewed")


@verb(says="offer Hilt's tools in an MCP client: Claude Code, Codex, Cursor and others")
@click.argument("names", nargs=-1, metavar="[CLIENT]...")
@scopes
@click.option("--permissions", is_flag=True, help="Also write what lets the client call without asking each time.")
@dry
@places
def command(
    out: Out, place: Place, *, names: tuple[str, ...], scope: Scope | None, permissions: bool, dry_run: bool
) -> int:
    """Adds one entry named hilt to the client's file and leaves the rest as it is, comments too; hilt
    uninstall takes it out again. --workspace, --config and -c become options of hilt serve there.
    Without CLIENT it lists the clients of this machine.
    """
    if not names:
        return _list(out, place)
    start, wanted = start_of(place), scope or "user"
    with journal.held(dry=dry_run):
        plan = install(
            [_place(each, wanted, start) for each in dict.fromkeys(names)], arguments_of(place), allow=permissions
        )
        carried_out(out, plan, records="first", dry_run=dry_run, more=lambda done: _next(done, allowed=permissions))
    return Code.FINE


_place = place


def _next(done: Done, *, allowed: bool) -> list[str]:
    client = done.place.client
    lines = [f"next: {client.restart}"] if done.state in CHANGED else []
    if not allowed:
        offered = done.place.row.allow is not None or client.allow_entry
        step = f" (hilt install {done.place.name} --permissions writes it)" if offered else ""
        lines.append(f"to be asked less: {client.permission}{step}")
    return lines


def _list(out: Out, place: Place) -> int:
    found = list(survey(start_of(place)))
    document = {"clients": [each.document for each in found], "known": list(clients())}
    out.answer(document, lambda: _text(out, found))
    return Code.FINE


def _text(out: Out, found: list[Found]) -> str:
    drawn = clients_table(out, found) or "no client that Hilt knows was found"
    return f"{drawn}\n\nknown clients: {', '.join(clients())}"
