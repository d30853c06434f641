"""The tools that the targets of a verb name, and what could not be read of them."""

import logging
from functools import partial

import anyio
import click

from hilt.assembly.billing import kept_counts
from hilt.assembly.config import Config, read_config
from hilt.assembly.counter import counter
from hilt.assembly.targets import Listing, list_targets
from hilt.catalog.bill import Bill, Entry, bill
from hilt.cli.faults import Code, fault_of, worst
from hilt.cli.output import Out
from hilt.cli.verb import Asked, Function, Place, TargetArgument
from hilt.results.counting import Counter


def targets(function: Function) -> Function:
    """Adds the targets, which the function gets as `asked`."""
    return click.argument("targets", nargs=-1, cls=TargetArgument)(function)


def settings(place: Place) -> Config:
    """The settings for where a verb works."""
    return read_config(place.workspace, file=place.config, settings=place.settings)


def listed(out: Out, place: Place, asked: Asked) -> tuple[Listing, Config, int]:
    """What the targets hold, the settings, and the exit code so far; faults and notes are told on the way."""
    config = settings(place)
    waits = bool(asked.command) or any(each.startswith("http") for each in asked.targets)
    out.progress("asking the server for its tools ..." if waits else "")
    if waits and not out.verbose:
        # The SDK logs, with a traceback, what the one error of this verb says in words.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
    try:
        listing = anyio.run(partial(list_targets, asked.targets, asked.command, config=config))
    finally:
        out.progress("")
    for note in listing.notes:
        out.note(note)
    codes = [out.fault(fault_of(error)) for error in listing.faults]
    return listing, config, Code.WRONG_USE if Code.WRONG_USE in codes else worst(codes)


def counter_of(config: Config) -> Counter:
    """The counter that the settings name."""
    return counter(config.text("results.counter") or "auto")


def entries_of(listing: Listing) -> list[Entry]:
    """The declarations of a listing, to be counted."""
    environment = listing.environment
    return [
        Entry(
            server=each.server,
            declaration=each.declaration,
            description=each.declaration.text(environment),
            deferred=each.deferred,
        )
        for each in listing.tools
    ]


def priced(listing: Listing, config: Config) -> Bill:
    """What each tool of a listing costs, in its order."""
    with kept_counts(counter_of(config)) as counter:
        return bill(entries_of(listing), counter)
