"""The skills of a session, chosen among all that were found: nearest first, each name once.

A broken skill keeps its name: a farther one, which may restrict less, does not take its place.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from hilt.documents.front_matter import BrokenFrontMatter
from hilt.documents.skill_file import SKILL_FILE, SkillFile, read_skill

Scope = Literal["project", "configured", "user"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A folder with a SKILL.md: the file's bytes, or the `trouble` of reading them."""

    folder: Path
    scope: Scope
    content: bytes = b""
    trouble: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A skill that is in force, and the folder it is confined to."""

    file: SkillFile
    folder: Path
    scope: Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenSkill:
    """A skill that is not offered until it is mended. `line` is 0 where no line is to blame."""

    name: str
    path: Path
    scope: Scope
    line: int
    problem: str
    fix: str

    @property
    def told(self) -> str:
        """Where, what, and the fix."""
        place = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{place}: {self.problem}; {self.fix}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadowed:
    """A skill that a nearer one of the same name hides."""

    name: str
    folder: Path
    by: Path
    same: bool
    """Whether both are the same text, so that nothing is lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skills:
    """Every skill found. `untrusted` are folders of skills that were left alone; `cut` what was not looked into."""

    skills: Mapping[str, Skill] = field(default_factory=dict[str, Skill])
    broken: Mapping[str, BrokenSkill] = field(default_factory=dict[str, BrokenSkill])
    shadowed: tuple[Shadowed, ...] = ()
    untrusted: tuple[Path, ...] = ()
    cut: str = ""

    @property
    def offered(self) -> Mapping[str, Skill]:
        """Those a model may use, by name."""
        return {name: each for name, each in sorted(self.skills.items()) if not each.file.for_people_only}


def choose(candidates: Iterable[Candidate], *, untrusted: tuple[Path, ...] = (), cut: str = "") -> Skills:
    """The skills in force; `candidates` come nearest first."""
    skills: dict[str, Skill] = {}
    broken: dict[str, BrokenSkill] = {}
    shadowed: list[Shadowed] = []
    nearest: dict[str, Candidate] = {}
    for each in candidates:
        name = each.folder.name
        first = nearest.setdefault(name, each)
        if first is not each:
            same = each.content == first.content
            shadowed.append(Shadowed(name=name, folder=each.folder, by=first.folder, same=same))
            continue
        found = examine(each)
        if isinstance(found, Skill):
            skills[name] = found
        else:
            broken[name] = found
    return Skills(skills=skills, broken=broken, shadowed=tuple(shadowed), untrusted=untrusted, cut=cut)


def examine(candidate: Candidate) -> Skill | BrokenSkill:
    """One skill, or what is wrong with it."""
    folder, scope = candidate.folder, candidate.scope
    path = folder / SKILL_FILE
    if candidate.trouble:
        return BrokenSkill(
            name=folder.name,
            path=path,
            scope=scope,
            line=0,
            problem=candidate.trouble,
            fix=f"put a readable {SKILL_FILE} there",
        )
    try:
        return Skill(file=read_skill(candidate.content, folder.name), folder=folder, scope=scope)
    except BrokenFrontMatter as error:
        return BrokenSkill(
            name=folder.name, path=path, scope=scope, line=error.line, problem=error.problem, fix=error.fix
        )
