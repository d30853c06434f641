"""`hilt new tool NAME`: a tool of your own, with a test that passes."""

from pathlib import Path

import click

from hilt.assembly.scaffold import begin_tool
from hilt.cli.output import Out
from hilt.cli.table import pairs
from hilt.cli.verb import verb


@click.group(short_help="start a tool of your own, with its test")
def command() -> None:
    """Start a tool of your own, with its test."""


@verb(name="tool", says="write the module of a tool and its test, and add it to hilt.toml")
@click.argument("name")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    metavar="DIR",
    help="Where tools/ and tests/ are; else the current folder.",
)
def new_tool(out: Out, *, name: str, folder: Path) -> int:
    """NAME is a Python name such as search_notes. No file that is there is written over."""
    begun = begin_tool(name, folder)
    example = '{"query": "hello"}'
    steps = [
        f"hilt show {begun.tool}",
        f"hilt call {name} '{example}' --config {begun.config}",
        f"python -m pytest {begun.test}",
    ]
    files = {"tool": str(begun.tool), "test": str(begun.test), "config": str(begun.config)}
    rows = [*files.items(), *(("try" if number == 0 else "", step) for number, step in enumerate(steps))]
    out.answer({"files": files, "next_steps": steps}, lambda: pairs(rows, paint=lambda each: out.paint(each, "dim")))
    return 0


command.add_command(new_tool)
