"""`hilt skill`: which skills there are and why one is not offered; a skill judged; Hilt's own installed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from hilt.assembly.config import Config
from hilt.assembly.own_skill import install
from hilt.assembly.skills import KINDS, TRUSTED, find_skills, listed_lines, project_of, user_folder
from hilt.cli.faults import Code, CommandError
from hilt.cli.listing import counter_of, settings
from hilt.cli.output import Out
from hilt.cli.table import beside, pairs, table
from hilt.cli.verb import Place, places, verb
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_array, is_object
from hilt.documents.skill_file import SKILL_BYTES, SKILL_FILE
from hilt.documents.skills import BrokenSkill, Candidate, Skill, Skills, examine
from hilt.workspace.skills.folders import SkillFolder, skill_folders

BODY_TOKENS = 5_000
"""What the format advises a body to stay below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One skill that was found. `says` is its description, or why it is not offered."""

    name: str
    state: str
    scope: str
    folder: Path
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The judgement of one skill: fine, or what is wrong on which line."""

    path: Path
    line: int = 0
    problem: str = ""
    fix: str = ""
    notes: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether it would be offered."""
        return not self.problem


@click.group(short_help="the skills of this place: list, show, check, install")
def command() -> None:
    """Skills: folders with a SKILL.md, each a line in a model's request and read when it is needed."""


def found(place: Place) -> tuple[Skills, Config]:
    """The skills and the settings where a verb works."""
    config = settings(place)
    return find_skills(config, config.paths("workspace.roots") or [Path.cwd()]), config


@verb(name="list", says="every skill found, whether it is offered, and if not, why")
@places
def list_skills(out: Out, place: Place) -> int:
    """Looked for in .agents/skills and .claude/skills of the project up to its repository, in the
    folders of the setting skills.folders, and in the same two of the home folder. The nearest wins.
    """
    skills, config = found(place)
    rows = list(_rows(skills))
    counter = counter_of(config)
    tokens = counter.count("\n".join(listed_lines(skills, config))) if skills.offered else 0
    document = {
        "skills": [
            {"name": each.name, "state": each.state, "scope": each.scope, "folder": str(each.folder), "says": each.says}
            for each in rows
        ],
        "listing_tokens": tokens,
        "counter": counter.name,
        "notes": [skills.cut] if skills.cut else [],
    }
    out.answer(document, lambda: _text(out, rows, f"{tokens:,} tokens every turn for the listing ({counter.name})"))
    if skills.cut:
        out.note(skills.cut)
    return Code.FINE


def _rows(skills: Skills) -> Iterator[Row]:
    for name, skill in sorted(skills.skills.items()):
        state = "offered" if name in skills.offered else "for people"
        says = "; ".join((skill.file.description, *skill.file.repairs))
        yield Row(name=name, state=state, scope=skill.scope, folder=skill.folder, says=says)
    for name, broken in sorted(skills.broken.items()):
        yield Row(name=name, state="broken", scope=broken.scope, folder=broken.path.parent, says=_fault(broken))
    for each in skills.shadowed:
        yield Row(name=each.name, state="hidden", scope="", folder=each.folder, says=f"hidden by {each.by}")
    for folder in skills.untrusted:
        says = f"not trusted: -c {TRUSTED}={project_of(folder)}"
        yield Row(name=folder.name, state="untrusted", scope="project", folder=folder, says=says)


def _fault(broken: BrokenSkill) -> str:
    return f"{f'line {broken.line}: ' if broken.line else ''}{broken.problem}; {broken.fix}"


def _text(out: Out, rows: Sequence[Row], foot: str) -> str:
    if not rows:
        return f"no skill found; make one: {KINDS[0]}/NAME/{SKILL_FILE}, or hilt skill install"
    heads = ("SKILL", "STATE", "SCOPE", "USE")
    used = [each for each in rows if each.state == "offered"]
    drawn = beside(
        [(each.name, each.state, each.scope) for each in used], [each.says for each in used], heads, out.width
    )
    others = [
        f"{each.name} is {out.paint(each.state, 'warn')}, {each.folder}: {each.says}"
        for each in rows
        if each.state != "offered"
    ]
    parts = [table(heads, drawn, paint=lambda head: out.paint(head, "dim")) if used else "", "\n".join(others), foot]
    return "\n\n".join(filter(None, parts))


@verb(name="show", says="one skill: its fields, its body, its price")
@click.argument("name")
@places
def show(out: Out, place: Place, *, name: str) -> int:
    """NAME is one of hilt skill list."""
    skills, config = found(place)
    skill = skills.skills.get(name)
    if skill is None:
        raise _unknown(skills, name)
    tokens = counter_of(config).count(skill.file.body)
    fields: dict[str, object] = {
        "name": name,
        "description": skill.file.description,
        "scope": skill.scope,
        "folder": str(skill.folder),
        "license": skill.file.license,
        "compatibility": skill.file.compatibility,
        "metadata": dict(skill.file.metadata),
        "allowed_tools": None if skill.file.allowed_tools is None else list(skill.file.allowed_tools),
        "for_people_only": skill.file.for_people_only,
        "body_tokens": tokens,
        "notes": [*skill.file.repairs, *skill.file.notes],
    }
    out.answer({"skill": fields | {"body": skill.file.body}}, lambda: _shown(out, fields, skill.file.body))
    return Code.FINE


def _unknown(skills: Skills, name: str) -> CommandError:
    if name in skills.broken:
        return CommandError(
            f"the skill {name} is broken: {skills.broken[name].told}", "mend that line", label="broken_skill"
        )
    left = next((each for each in skills.untrusted if each.name == name), None)
    if left is not None:
        return CommandError(
            f"the skill {name} of {left} was not read: it is not trusted",
            f"hilt skill show {name} -c {TRUSTED}={project_of(left)}",
            label="untrusted_skill",
        )
    near = nearest(name, list(skills.skills), most=1)
    step = f"hilt skill show {near[0]}" if near else "hilt skill list"
    return CommandError(f"there is no skill {name!r} here", step, label="unknown_skill")


def _shown(out: Out, fields: Mapping[str, object], body: str) -> str:
    rows = [(name, _value(value)) for name, value in fields.items() if value not in ("", None, [], {}, False)]
    return f"{pairs(rows, paint=lambda name: out.paint(name, 'dim'))}\n\n{body}"


def _value(value: object) -> str:
    if is_object(value):
        return ", ".join(f"{key}: {each}" for key, each in value.items())
    return "; ".join(map(str, value)) if is_array(value) else str(value)


@verb(name="check", says="judge a skill, or every skill of a folder")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="DIR")
@places
def check(out: Out, place: Place, *, folder: Path) -> int:
    """DIR holds a SKILL.md, or skills. The exit code is 1 where one is broken, 5 where there is none."""
    skills, cut = skill_folders([folder], SKILL_FILE, SKILL_BYTES)
    if not skills:
        raise CommandError(
            f"{folder} holds no {SKILL_FILE}",
            f"name a folder that holds NAME/{SKILL_FILE}",
            code=Code.NO_VERDICT,
            label="no_skill",
        )
    counter = counter_of(settings(place))
    judged = [_judged(each, counter.count) for each in skills]
    broken = sum(not each.fine for each in judged)
    document = {"skills": [_judged_document(each) for each in judged], "broken": broken, "notes": [cut] if cut else []}
    out.answer(document, lambda: "\n".join(_verdict(out, each) for each in judged))
    return Code.FAILED if broken else Code.FINE


def _judged(folder: SkillFolder, count: Callable[[str], int]) -> Judged:
    result = examine(Candidate(folder=folder.path, scope="configured", content=folder.content, trouble=folder.trouble))
    path = folder.path / SKILL_FILE
    if isinstance(result, BrokenSkill):
        return Judged(path=path, line=result.line, problem=result.problem, fix=result.fix)
    return Judged(path=path, notes=tuple(_remarks(result, count)))


def _remarks(skill: Skill, count: Callable[[str], int]) -> Iterator[str]:
    yield from skill.file.repairs
    yield from skill.file.notes
    tokens = count(skill.file.body)
    if tokens > BODY_TOKENS:
        yield f"its body has {tokens:,} tokens; the format advises at most {BODY_TOKENS:,}: move parts to references/"
    if not skill.file.body.strip():
        yield "its body is empty"


def _judged_document(judged: Judged) -> dict[str, object]:
    return {
        "name": judged.path.parent.name,
        "path": str(judged.path),
        "fine": judged.fine,
        "line": judged.line,
        "problem": judged.problem,
        "fix": judged.fix,
        "notes": list(judged.notes),
    }


def _verdict(out: Out, judged: Judged) -> str:
    if judged.fine:
        return "\n".join([f"{out.paint('fine', 'good')}  {judged.path}", *(f"  note: {each}" for each in judged.notes)])
    place = f"{judged.path}:{judged.line}" if judged.line else f"{judged.path}"
    return f"{out.paint('broken', 'bad')}  {place}: {judged.problem}\n  try: {judged.fix}"


@verb(name="install", says="put Hilt's own skill where agents look for skills")
@click.option("--project", is_flag=True, help="For this project; else for you, in your home folder.")
@click.option("--replace", is_flag=True, help="Also where another text of its name is.")
@places
def install_skill(out: Out, place: Place, *, project: bool, replace: bool) -> int:
    """It tells an agent how to find, call and read Hilt's tools from a shell."""
    folder = (place.workspace or Path.cwd()) / KINDS[0] if project else user_folder()
    done = install(folder, replace=replace)
    document = {"path": str(done.path), "state": done.state}
    out.answer(document, f"{done.state}  {done.path}")
    return Code.FINE


for _each in (list_skills, show, check, install_skill):
    command.add_command(_each)
