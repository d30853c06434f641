"""What the verbs about clients have in common: which places are meant, and how what was done is told."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import click

from hilt.assembly.clients.plans import Done, Plan
from hilt.assembly.clients.survey import Found
from hilt.assembly.clients.table import Scope
from hilt.cli.output import Out
from hilt.cli.table import table
from hilt.cli.verb import Function, Place

UNCHANGED = ("there already", "not there", "nothing to adopt")
_SAYS = {
    "user": "For you, in every project; the usual.",
    "local": "For you, in this project alone (Claude Code).",
    "project": "For everyone in this project, in a file of it.",
}


def scopes(function: Function) -> Function:
    """Adds --user, --local and --project, handed on as `scope`, which is None where none is given."""
    for each in reversed(get_args(Scope)):
        function = click.option(f"--{each}", "scope", flag_value=each, default=None, help=_SAYS[each])(function)
    return function


def dry(function: Function) -> Function:
    """Adds --dry-run."""
    return click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")(function)


def start_of(place: Place) -> Path:
    """The folder from which a project is looked for."""
    return (place.workspace or Path.cwd()).absolute()


def arguments_of(place: Place) -> list[str]:
    """The options of this command line that `hilt serve` is to get each time."""
    words: list[str] = []
    if place.workspace:
        words += ["--workspace", str(place.workspace.absolute())]
    if place.config:
        words += ["--config", str(place.config.absolute())]
    for each in place.settings:
        words += ["-c", each]
    return words


def carried_out(
    out: Out,
    plan: Plan,
    *,
    records: Literal["first", "last"],
    dry_run: bool = False,
    more: Callable[[Done], Sequence[str]] = lambda _: (),
) -> None:
    """Write a plan and say what was done, or with `dry_run` print the diff. `more` are lines about one place."""
    copies: Mapping[Path, Path] = {} if dry_run else plan.commit(records=records)
    diff = plan.drafts.diff(plan.secrets) if dry_run else ""
    document: dict[str, object] = {
        "dry_run": dry_run,
        "clients": [_document(each, copies) for each in plan.done],
        **({"diff": diff} if dry_run else {}),
    }
    out.answer(document, lambda: diff or _text(out, plan, copies, more))
    if dry_run:
        for each in plan.done:
            for note in each.notes:
                out.note(f"{each.place.client.title}: {note}")
        out.note("nothing was written" if diff else "nothing to change, nothing was written")


def _document(done: Done, copies: Mapping[Path, Path]) -> dict[str, object]:
    place = done.place
    copy = copies.get(place.file)
    return {
        "client": place.name,
        "title": place.client.title,
        "scope": place.scope,
        "file": str(place.file),
        "state": done.state,
        "servers": list(done.servers),
        "backup": str(copy) if copy else None,
        "restart": place.client.restart,
        "permission": place.client.permission,
        "notes": list(done.notes),
    }


def _text(out: Out, plan: Plan, copies: Mapping[Path, Path], more: Callable[[Done], Sequence[str]]) -> str:
    lines: list[str] = []
    for each in plan.done:
        title = f"{each.place.client.title}{'' if each.place.scope == 'user' else f' ({each.place.scope})'}"
        servers = f": {', '.join(each.servers)}" if each.servers else ""
        lines.append(f"{out.paint(each.state, 'good')}  {title}, {each.place.file}{servers}")
        lines += [f"  note: {note}" for note in each.notes]
        if each.state not in UNCHANGED and (copy := copies.get(each.place.file)):
            lines.append(f"  what was there before: {copy}")
        lines += [f"  {line}" for line in more(each)]
    return "\n".join(lines)


def clients_table(out: Out, found: Sequence[Found]) -> str:
    """The clients of this machine, each with its file, how it stands and what to do next; empty where there is none."""
    rows: list[tuple[str, str, str]] = []
    for each in found:
        scope = "" if each.place.scope == "user" else f" ({each.place.scope})"
        rows.append((f"{each.place.name}{scope}", str(each.place.file), each.says))
        rows += [("", "", f"try: {step}") for step in each.steps]
    return table(("client", "file", "state"), rows, paint=lambda head: out.paint(head, "dim")) if rows else ""
