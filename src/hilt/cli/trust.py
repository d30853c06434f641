"""`hilt trust`: whose project settings may loosen what is allowed, load code and offer skills."""

from pathlib import Path

import click

from hilt.assembly.sources import FILE, PROJECT_FILE, project_file
from hilt.assembly.trusting import distrust, trust, trust_of, trusted_files
from hilt.cli.faults import CommandError
from hilt.cli.output import Out
from hilt.cli.table import pairs
from hilt.cli.trust_servers import agree, disagree
from hilt.cli.verb import verb

_STATES = {True: "trusted", None: "changed since, so not trusted", False: "not there"}


@verb(says="trust a project's settings as they are now")
@click.argument("folder", default=".", metavar="[DIR | SERVERS.json]")
@click.option("--list", "listing", is_flag=True, help="What is trusted, and whether it still is.")
@click.option("--remove", is_flag=True, help="Trust this project's settings, or these servers, no more.")
@click.option("--yes", is_flag=True, help="Agree to every server of the file; nobody is asked.")
def command(out: Out, *, folder: str, listing: bool, remove: bool, yes: bool) -> int:
    """A project's own settings only tighten until you trust them. Then they may allow, run the code they
    name and offer the project's skills. A change of the file, or of a file of code it names, ends that.

    Of a file of MCP servers that another program keeps, you are asked about each server's exact command.
    """
    if listing:
        return _list(out)
    if Path(folder).suffix == ".json":
        return disagree(out, Path(folder)) if remove else agree(out, Path(folder), yes=yes)
    if remove:
        return _remove(out, folder)
    file = project_file(Path(folder).absolute())
    if file is None:
        raise CommandError(f"no {FILE} stands in {folder} or above it", f"name the folder that holds {FILE}")
    trust(file)
    out.answer({"trusted": str(file)}, f"trusted: {file}, until it changes")
    return 0


def _list(out: Out) -> int:
    files = [(path, trust_of(Path(path)) if Path(path).is_file() else False) for path in trusted_files()]
    document = {"files": [{"path": path, "state": _STATES[state]} for path, state in files]}
    out.answer(document, lambda: pairs([(path, _STATES[state]) for path, state in files]) or "nothing is trusted")
    return 0


def _remove(out: Out, folder: str) -> int:
    place = Path(folder).absolute()
    if not distrust(str(place)):
        raise CommandError(
            f"no settings in {place} are trusted", "hilt trust --list shows what is", label="not_trusted"
        )
    out.answer({"removed": str(place)}, f"not trusted any more: {FILE} and {PROJECT_FILE} of {place}")
    return 0
