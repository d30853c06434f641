"""Which skills a session has: where they are looked for, which folders are trusted, and the tool that lists them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from hilt.assembly.config import Config
from hilt.assembly.shelf import Shelf
from hilt.calls.tool import AnyTool
from hilt.catalog.skill_lines import listing_budget, skill_lines
from hilt.documents.skill_file import SKILL_BYTES, SKILL_FILE
from hilt.documents.skills import Candidate, Scope, Skills, choose
from hilt.workspace.skills.folders import skill_folders

TOOL = "use_skill"
KINDS = (".agents/skills", ".claude/skills")
"""Where skills lie below a project's folder or the home folder; the first wins."""
REPOSITORY = ".git"
TRUSTED, FOLDERS, WINDOW = "skills.trusted", "skills.folders", "skills.window"
MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder in which skills may lie. What lies in one that is not trusted is named, and not read."""

    folder: Path
    scope: Scope
    trusted: bool = True


def find_skills(config: Config, roots: Sequence[Path]) -> Skills:
    """The skills for a session on these roots, nearest first: the project's, those of the settings, the user's own."""
    known = list(_places(config, roots))
    found, cut = skill_folders([each.folder for each in known], SKILL_FILE, SKILL_BYTES)
    placed = [(known[each.place], each) for each in found]
    return choose(
        (
            Candidate(folder=each.path, scope=place.scope, content=each.content, trouble=each.trouble)
            for place, each in placed
            if place.trusted
        ),
        untrusted=tuple(each.path for place, each in placed if not place.trusted),
        cut=cut,
    )


def user_folder() -> Path:
    """Where the user's own skills lie; the first of two places."""
    return Path.home() / KINDS[0]


def _places(config: Config, roots: Sequence[Path]) -> Iterator[Place]:
    """Every place once, by what it really is; the user's own stays the user's also inside a project."""
    own = [Path.home() / kind for kind in KINDS]
    seen = {each.resolve() for each in own}
    trusted = _trusted(config)
    for folder in dict.fromkeys(folder for root in roots for folder in _upward(root.resolve())):
        ours = any(folder.is_relative_to(each) for each in trusted)
        for kind in KINDS:
            place = folder / kind
            if place.resolve() not in seen:
                seen.add(place.resolve())
                yield Place(folder=place, scope="project", trusted=ours)
    for place in config.paths(FOLDERS):
        if place.resolve() not in seen:
            seen.add(place.resolve())
            yield Place(folder=place, scope="configured")
    yield from (Place(folder=each, scope="user") for each in own)


def _upward(root: Path) -> list[Path]:
    """The root and the folders above it as far as its repository's; the root alone where it is in none."""
    above = [root, *root.parents]
    top = next((number for number, folder in enumerate(above) if (folder / REPOSITORY).exists()), 0)
    return above[: top + 1]


def _trusted(config: Config) -> tuple[Path, ...]:
    """Folders whose skills may speak to a model: named by the person, or holding a project file the person named."""
    named = [each.resolve() for each in config.paths(TRUSTED)]
    return (*named, *(each.folder for each in config.origins if each.layer == "project" and each.trusted))


def with_skills(loaded: Shelf, found: Skills, config: Config) -> Shelf:
    """The shelf with the skills listed in the tool that loads them; without that tool where there are none."""
    tools = tuple(_listing(each, found, config) if each.name == TOOL else each for each in loaded.tools)
    kept = tuple(each for each in tools if each.name != TOOL or found.offered)
    return replace(loaded, tools=kept, notes=(*loaded.notes, *notes(found)))


def listed_lines(found: Skills, config: Config) -> tuple[str, ...]:
    """The skills as a model is told of them, a line each."""
    budget = listing_budget(int(config.number(WINDOW)) or None)
    return skill_lines({name: each.file.description for name, each in found.offered.items()}, budget)


def _listing(tool: AnyTool, found: Skills, config: Config) -> AnyTool:
    lines = listed_lines(found, config)
    declaration = tool.declaration
    return replace(tool, declaration=replace(declaration, description=replace(declaration.description, lines=lines)))


def notes(found: Skills) -> tuple[str, ...]:
    """What is not as a person may expect: broken, hidden, repaired and untrusted skills."""
    return (
        *(f"the skill {name} is broken and not offered: {each.told}" for name, each in found.broken.items()),
        *(
            f"the skill {each.name} in {each.by} hides the one in {each.folder}"
            for each in found.shadowed
            if not each.same
        ),
        *(f"the skill {name}: {said}" for name, each in found.skills.items() for said in each.file.repairs),
        *(untrusted_note(place, list(group)) for place, group in _by_place(found.untrusted)),
        *([found.cut] if found.cut else []),
    )


def _by_place(folders: Sequence[Path]) -> Iterator[tuple[Path, Iterator[Path]]]:
    return groupby(folders, key=project_of)


def project_of(skill: Path) -> Path:
    """The project's folder of a skill that lies in one of its places."""
    parts = skill.parts
    for kind in KINDS:
        steps = tuple(kind.split("/"))
        for end in range(len(parts) - len(steps)):
            if parts[end : end + len(steps)] == steps:
                return Path(*parts[:end])
    return skill.parent


def untrusted_note(project: Path, skills: Sequence[Path]) -> str:
    """That skills of a project were left alone, and how to trust it."""
    names = ", ".join(each.name for each in skills[:MOST_NAMED])
    more = f" and {len(skills) - MOST_NAMED:,} more" if len(skills) > MOST_NAMED else ""
    return f"skills of {project} are not loaded ({names}{more}): it is not trusted. Trust it: -c {TRUSTED}={project}"
