"""How a verb is written: the options every verb has, and how its function is called.

    @verb(says="list the tools")
    @places
    @click.argument("targets", nargs=-1)
    def command(out: Out, place: Place, *, targets: tuple[str, ...]) -> int: ...

The function gets `out` first, answers through it, and returns its exit code. `@places` adds
--workspace, --config and -c, and hands them on as `place`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from hilt.cli.faults import FORMAT
from hilt.cli.output import Out

SEPARATOR = "--"
Function = Callable[..., int]  # click calls it by the names of its parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a verb works: the workspace, the configuration file, settings given one by one."""

    workspace: Path | None = None
    config: Path | None = None
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a verb is to look at: targets, and the command line of one server, which stood after `--`."""

    targets: tuple[str, ...]
    command: tuple[str, ...] = ()


class TargetArgument(click.Argument):
    """`[TARGET]... [-- COMMAND...]`; a verb that has it gets `asked`."""

    def make_metavar(self, ctx: click.Context) -> str:
        return f"[TARGET]... [{SEPARATOR} COMMAND...]"


def _shared() -> list[click.Parameter]:
    return [
        click.Option(["--json", "as_json"], is_flag=True, help="Answer with one JSON object."),
        click.Option(["--output-format"], type=click.Choice(["text", "json"]), envvar=FORMAT, hidden=True),
        click.Option(["-o", "--output", "file"], type=click.Path(path_type=Path, dir_okay=False), hidden=True),
        click.Option(["-q", "--quiet"], is_flag=True, hidden=True),
        click.Option(["-v", "--verbose"], count=True, hidden=True),
        click.Option(["--no-input"], is_flag=True, hidden=True),
        click.Option(["--color"], type=click.Choice(["auto", "always", "never"]), default="auto", hidden=True),
    ]


class Verb(click.Command):
    """A command with the common options, which its function receives as one `out`."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:  # Any: click's own signature, handed on
        super().__init__(*arguments, **settings)
        self.params += _shared()
        self.places = any(each.name == "config_file" for each in self.params)
        self.targets = any(isinstance(each, TargetArgument) for each in self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What stands after `--` is a server's own command line: none of it is an option of ours."""
        command: list[str] = []
        if self.targets and SEPARATOR in args:
            place = args.index(SEPARATOR)
            args, command = args[:place], args[place + 1 :]
        rest = super().parse_args(ctx, args)
        if self.targets:
            ctx.params["asked"] = Asked(targets=ctx.params.pop("targets"), command=tuple(command))
        return rest

    def invoke(self, ctx: click.Context) -> Any:
        given = ctx.params
        output_format = given.pop("output_format")
        ctx.params = {
            "out": Out(
                json=given.pop("as_json") or output_format == "json",
                quiet=given.pop("quiet"),
                verbose=given.pop("verbose"),
                file=given.pop("file"),
                no_input=given.pop("no_input"),
                color=given.pop("color"),
            )
        }
        if self.places:
            ctx.params["place"] = Place(
                workspace=given.pop("workspace"), config=given.pop("config_file"), settings=given.pop("settings")
            )
        ctx.params |= given
        return super().invoke(ctx)


def verb(*, says: str, name: str | None = None, **settings: Any) -> Callable[[Function], click.Command]:
    """A function as a verb. `says` is the first line of its help; its docstring, if any, follows."""

    def make(function: Function) -> click.Command:
        words = cleandoc(function.__doc__ or "")
        whole = f"{says[0].upper()}{says[1:]}." + (f"\n\n{words}" if words else "")
        return click.command(name, cls=Verb, short_help=says, help=whole, **settings)(function)

    return make


def places(function: Function) -> Function:
    """Adds --workspace, --config and -c."""
    options = (
        click.option(
            "--workspace",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            metavar="DIR",
            help="The folder tools may touch; else the current one.",
        ),
        click.option(
            "--config",
            "config_file",
            type=click.Path(path_type=Path, exists=True, dir_okay=False),
            metavar="FILE",
            help="A hilt.toml to use and to trust; else the nearest one upward.",
        ),
        click.option("-c", "settings", multiple=True, metavar="KEY=VALUE", help="One setting; wins over every file."),
    )
    for option in reversed(options):
        function = option(function)
    return function
