"""`hilt new tool NAME`: a tool of your own, with a test that passes."""

from pathlib import Path

import click

from hilt.assembly.scaffold import begin_tool
from hilt.cli.faults import CommandError
from hilt.cli.output import Out
from hilt.cli.table import pairs
from hilt.cli.verb import verb


class New(click.Group):
    """`hilt new NAME` is answered with the command that is meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args[0].startswith("-") and args[0] not in self.commands:
            raise CommandError(f"hilt new does not know {args[0]!r}, only tool", f"hilt new tool {args[0]}")
        return super().resolve_command(ctx, args)


@click.group(cls=New, short_help="start a tool of your own, with its test")
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
