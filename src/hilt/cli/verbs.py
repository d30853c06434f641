"""The list of verbs. A verb's module is imported when the verb is used, and never for `hilt --help`.

A new verb is one line here and one module with `command`, a `click.Command` made by `hilt.cli.verb`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import NoReturn

import click

from hilt.cli.faults import explained, wants_json
from hilt.cli.version import VERSION

PROGRAM = "hilt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One verb: its module, the heading it stands under, and what `hilt --help` says of it."""

    module: str
    heading: str
    says: str


def _entry(module: str, heading: str, says: str) -> Entry:
    return Entry(module=f"hilt.cli.{module}", heading=heading, says=says)


USE, SEE, SET = "Use tools", "See what a model sees, and what happened", "Set up"

VERBS = {
    "call": _entry("call", USE, "call one tool and print the result a model would read"),
    "serve": _entry("serve", USE, "offer the tools to an MCP client"),
    "run": _entry("run", USE, "let a model work with the tools on one task"),
    "try": _entry("try_it", USE, "watch one task done by a scripted model; needs no key"),
    "tools": _entry("tools", SEE, "list the tools, or find the one for a need"),
    "show": _entry("show", SEE, "print exactly what a model sees of the tools, and its price"),
    "bill": _entry("bill", SEE, "what a set of tools costs every turn"),
    "overlap": _entry("overlap", SEE, "tools that could be one, are easily confused, or that a command does as well"),
    "policy": _entry("policy", SEE, "explain what the policy says to a call"),
    "audit": _entry("audit", SEE, "whether a set of tools can carry private data out, and what to take out"),
    "log": _entry("log", SEE, "what happened: sessions, calls, steps"),
    "trail": _entry("trail", SEE, "the audit trail, and whether anybody changed it"),
    "pins": _entry("pins", SEE, "what servers declared, what changed, and your word on it"),
    "approvals": _entry("approvals", SEE, "what waits for your leave, and what you have allowed"),
    "undo": _entry("undo", SEE, "take back what a tool changed in files"),
    "config": _entry("config", SET, "the settings in force and where each comes from"),
    "doctor": _entry("doctor", SET, "what works on this machine, and what does not"),
    "install": _entry("install", SET, "offer Hilt's tools in an MCP client: Claude Code, Codex, Cursor and others"),
    "uninstall": _entry("uninstall", SET, "take Hilt out of an MCP client"),
    "adopt": _entry("adopt", SET, "move a client's own MCP servers behind Hilt, each after your yes"),
    "release": _entry("release", SET, "give a client its own MCP servers back"),
    "trust": _entry("trust", SET, "trust a project's settings as they are now"),
    "advise": _entry("advise", SET, "where a capability belongs: a tool, a command, a skill, a prompt"),
    "skill": _entry("skill", SET, "the skills of this place: list, show, check, install"),
    "new": _entry("new", SET, "start a tool of your own, with its test"),
}


class Hilt(click.Group):
    """The command itself: verbs are found in `VERBS` and loaded one at a time."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for name, entry in VERBS.items() if find_spec(entry.module) is not None]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        found = import_module(VERBS[cmd_name].module).command
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not args[0].startswith("-") and args[0] not in self.list_commands(ctx):
            _no_such_verb(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        for heading in dict.fromkeys(entry.heading for entry in VERBS.values()):
            rows = [(name, VERBS[name].says) for name in names if VERBS[name].heading == heading]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def _no_such_verb(group: click.Group, ctx: click.Context, asked: str) -> NoReturn:
    raise click.exceptions.NoSuchCommand(asked, possibilities=group.list_commands(ctx), ctx=ctx)


def _install_completion(ctx: click.Context, _option: click.Parameter, given: object) -> None:
    if given and not ctx.resilient_parsing:
        from hilt.cli.completion import install  # lazy: done once in the life of an installation

        click.echo(install(ctx.command, PROGRAM))
        ctx.exit()


@click.group(
    cls=Hilt,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every verb takes --json, -o FILE, -q, -v, --no-input and --color WHEN.",
)
@click.version_option(VERSION, message="%(prog)s %(version)s")
@click.option(
    "--install-completion",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_install_completion,
    help="Complete verbs and options in this shell, and exit.",
)
def hilt() -> None:
    """The tool layer between a language model and the world."""


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code. Raises nothing but what `--help` and completion end with."""
    return explained(
        lambda: hilt.main(args=list(arguments), prog_name=PROGRAM, standalone_mode=False), as_json=wants_json(arguments)
    )
