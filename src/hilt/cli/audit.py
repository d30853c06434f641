"""`hilt audit`: what a set of tools can do together, and the fewest of them to take out."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from hilt.assembly.audited import audited, unknown_names
from hilt.assembly.effects_file import read_effects_file
from hilt.assembly.targets import Listed
from hilt.audit.chains import closed_chains
from hilt.audit.draft import draft
from hilt.audit.findings import SEVERITIES, Finding, findings
from hilt.audit.legs import Audited
from hilt.cli.audit_report import CHAINS_SHOWN, Judged, document, text
from hilt.cli.faults import Code, CommandError, worst
from hilt.cli.listing import listed, targets
from hilt.cli.output import Out
from hilt.cli.verb import Asked, Place, places, verb
from hilt.cli.version import VERSION

NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The tools of all targets, the file each target's tools stand in, and the exit code so far."""

    tools: tuple[Listed, ...]
    places: Mapping[tuple[str, str], str]
    code: int


@verb(says="whether a set of tools can carry private data out, and what to take out of it")
@targets
@click.option("--strict", is_flag=True, help="Legs that nothing excludes count too.")
@click.option("--effects", type=click.Path(path_type=Path), metavar="FILE", help="Effects declared for foreign tools.")
@click.option("--draft", "drafts", is_flag=True, help="Write effects drafted from the schemas, for a person to edit.")
@click.option(
    "--fail-on", type=click.Choice([*SEVERITIES, NEVER]), default="error", show_default=True, help="What exits with 1."
)
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="Chains to list; 0 for all.")
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text", help="How to answer.")
@places
def command(
    out: Out,
    place: Place,
    *,
    asked: Asked,
    strict: bool,
    effects: Path | None,
    drafts: bool,
    fail_on: str,
    limit: int | None,
    form: str,
) -> int:
    """Several targets are judged as one set. A set is closed where it has all three: a tool that reads private data,
    one that brings content written by others, and one through which something can leave.
    """
    out = _in_form(out, form)
    found = _found(out, place, asked)
    if not found.tools and found.code:
        return found.code
    tools = _audited(out, found.tools, effects)
    if drafts:
        _draft(out, tools)
        return found.code
    chains = closed_chains(tools, strict=strict)
    said = findings(tools, chains)
    if form == "sarif":
        _sarif(out, said, found)
    else:
        judged = Judged(tools=tools, chains=chains, findings=said, limit=_limit(out, limit))
        out.answer(document(judged) if out.json else {}, lambda: text(out, judged))
    return _code(found.code, said, fail_on)


def _draft(out: Out, tools: Sequence[Audited]) -> None:
    """Effects for the tools that have none declared; what is declared needs no guess."""
    foreign = [each for each in tools if each.foreign]
    if not foreign:
        out.note("every tool declares its effects, so there is nothing to draft")
    out.answer({"draft": draft(foreign)}, lambda: draft(foreign))


def _in_form(out: Out, form: str) -> Out:
    """The way of answering that two options ask for together."""
    if form == "sarif" and out.json:
        raise CommandError("--json and --format sarif ask for two forms", "give one of them")
    return Out(
        json=out.json or form == "json",
        quiet=out.quiet,
        verbose=out.verbose,
        file=out.file,
        no_input=out.no_input,
        color=out.color,
    )


def _limit(out: Out, limit: int | None) -> int | None:
    if limit is None:
        return None if out.json else CHAINS_SHOWN
    return limit or None


def _found(out: Out, place: Place, asked: Asked) -> Found:
    """Each target by itself, so that it is known which file a tool stands in."""
    each = [Asked(targets=(target,)) for target in asked.targets]
    each += [Asked(targets=(), command=asked.command)] if asked.command or not each else []
    tools: list[Listed] = []
    files: dict[tuple[str, str], str] = {}
    codes: list[int] = []
    for one in each:
        listing, _, code = listed(out, place, one)
        codes.append(code)
        tools += listing.tools
        file = next((target for target in one.targets if Path(target).is_file()), None)
        if file is not None:
            files |= {(tool.server, tool.name): _uri(file) for tool in listing.tools}
    wrong = Code.WRONG_USE if Code.WRONG_USE in codes else worst(codes)
    return Found(tools=tuple(tools), places=files, code=wrong)


def _uri(file: str) -> str:
    """The file as seen from here, which is what a code host compares."""
    path = Path(file).resolve()
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.as_uri()


def _audited(out: Out, tools: Sequence[Listed], effects: Path | None) -> tuple[Audited, ...]:
    declared = read_effects_file(effects) if effects else None
    if declared:
        for name in unknown_names(tools, declared):
            out.note(f"{effects} declares effects of {name}, which no target has")
    return audited(tools, declared)


def _sarif(out: Out, said: Sequence[Finding], found: Found) -> None:
    from hilt.audit.sarif import sarif  # lazy: one form of three

    names = {each.label: (each.server, each.name) for one in said for each in one.tools}
    files = {label: found.places[key] for label, key in names.items() if key in found.places}
    log = json.dumps(sarif(said, version=VERSION, places=files), ensure_ascii=False, indent=2)
    out.answer({}, log)


def _code(code: int, said: Sequence[Finding], fail_on: str) -> int:
    """A verdict that failed, else what became of the targets: a set with a part missing is no verdict of all."""
    if fail_on != NEVER and any(SEVERITIES.index(each.rule.severity) <= SEVERITIES.index(fail_on) for each in said):
        return Code.WRONG_USE if code == Code.WRONG_USE else Code.FAILED
    return code
