"""`hilt log export`: the trace as JSON lines, every event of it, for other programs to read."""

import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import TextIO

import anyio
import click

from hilt.assembly.config import Config
from hilt.assembly.history import exported
from hilt.assembly.storing import store_of
from hilt.cli.faults import Code, CommandError
from hilt.cli.listing import settings
from hilt.cli.output import Out
from hilt.cli.verb import Place, places, verb

STDOUT = Path("-")


@verb(name="export", says="write the trace as JSON lines")
@click.argument("to", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--session", metavar="ID", help="The events of one session; else of all.")
@places
def export(out: Out, place: Place, *, to: Path, session: str | None) -> int:
    """FILE is made, readable by you alone; `-` is standard output. One event a line, in the order they
    happened, each with its schema_version. Arguments stand in it as digests, as they do in the store.
    """
    if to == STDOUT:
        anyio.run(partial(_write, settings(place), session, sys.stdout))
        return 0
    with made(to) as target:
        count = anyio.run(partial(_write, settings(place), session, target))
    out.answer({"file": str(to), "events": count}, f"{count:,} events written to {to}")
    return 0


def made(file: Path) -> TextIO:
    """A new file for lines, readable by its owner alone. Raises `CommandError`."""
    try:
        return os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8")
    except FileExistsError:
        raise CommandError(f"{file} is there already", "name a new file, or remove it first") from None
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error.strerror}", "name a file in a folder of yours", code=Code.WRONG_USE
        ) from error


async def _write(config: Config, session: str | None, target: TextIO) -> int:
    store, count = store_of(config), 0
    try:
        async for event in exported(store, session):
            target.write(json.dumps(event, ensure_ascii=False) + "\n")
            count += 1
    finally:
        await store.close()
    return count
