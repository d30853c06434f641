"""`use_skill`: the instructions of one skill, or one file of its folder, when they are needed.

Which skills there are stands below the description; assembly puts it there. The tool runs nothing.
"""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.names import nearest
from hilt.declarations.parameters import Param
from hilt.documents.skill_file import SKILL_BYTES, SKILL_FILE, SkillFile
from hilt.documents.skills import BrokenSkill, Candidate, Skill, Skills, examine
from hilt.errors import ConfigError
from hilt.results.counting import utf8_length
from hilt.results.cutting import Budget
from hilt.results.envelope import Limit, Status, ToolResult, Truncation
from hilt.results.failures import EnvironmentFailure, InvalidArguments, Refused, ToolFailure
from hilt.workspace.skills.arguments import keep_arguments
from hilt.workspace.workspace import Workspace

PAGE_BYTES = 20_000
"""Bytes of one page: about the 5,000 tokens that the format advises for a whole skill."""
FRAME_BYTES = 12_000
"""What the lines around a page may take: its summary, the names of files, its cut."""
FILE_BYTES = 1_000_000
"""The largest file of a skill that is read here."""
MOST_FILES = 40
"""Files of a skill that are named."""
DEEPEST = 3
MOST_NAMES = 12
LEAST_LINE = 2
"""A page ends at a line where that costs less than one part in so many."""


@tool(
    kind="perceive",
    limit=1,
    continues="offset",
    noun="part",
    effects={"reads": "private"},
    activity="using skill {name}",
    budget=Budget(bytes=PAGE_BYTES + FRAME_BYTES),
    description=Description(
        use_for="loading a skill below before work that it covers",
        returns=f"its instructions and the names of its files, {PAGE_BYTES:,} bytes a call; runs nothing",
    ),
)
async def use_skill(
    ctx: Context,
    name: Annotated[str, Param("of the skill")],
    file: Annotated[str | None, Param("one of its files instead", example="references/forms.md")] = None,
    arguments: Annotated[dict[str, object] | None, Param("for its scripts, handed on as a JSON file")] = None,
    offset: Annotated[int, Param("bytes to skip", ge=0)] = 0,
) -> ToolResult[str]:
    skill = _known(ctx.part(Skills), name)
    folder = _confined(skill)
    now = await _fresh(folder, skill)
    files = await _files(folder, skill.folder)
    notes = () if file is not None or offset else tuple(_notes(now, skill.folder, files))
    if arguments is not None:
        notes = (*notes, f"arguments are in {await keep_arguments(arguments)}; give scripts this path")
    text = now.file.body if file is None else await _text(folder, now, file, files)
    return _page(now, text, file, offset, notes)


def _known(skills: Skills, asked: str) -> Skill:
    offered = skills.offered
    if asked in offered:
        return offered[asked]
    if asked in skills.broken:
        raise _broken(skills.broken[asked])
    if asked in skills.skills:
        raise EnvironmentFailure(f"the skill {asked} is for people to start, not for models", "ask the person to do it")
    near = nearest(asked, list(offered), most=1)
    listed = ", ".join(list(offered)[:MOST_NAMES]) + (
        f" and {len(offered) - MOST_NAMES:,} more" if len(offered) > MOST_NAMES else ""
    )
    raise InvalidArguments(
        f"there is no skill {asked!r}; there are {listed or 'none'}",
        f"did you mean {near[0]}?" if near else "give one of these names, and no path",
    )


def _confined(skill: Skill) -> Workspace:
    """The folder of the skill, and nothing outside of it."""
    try:
        return Workspace([skill.folder])
    except ConfigError:
        raise EnvironmentFailure(
            f"the skill {skill.file.name} is gone: {skill.folder} was moved or deleted", "do the work without it"
        ) from None


def _broken(skill: BrokenSkill) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"the skill {skill.name} is broken and not used until it is mended: {skill.told}",
        "do the work without it",
        "tell the person what to mend",
    )


async def _fresh(folder: Workspace, skill: Skill) -> Skill:
    """The skill as its file is now. Raises `EnvironmentFailure` where it has been broken since, or is gone."""
    async with folder.open(str(skill.folder / SKILL_FILE)) as opened:
        content = await opened.read_at(0, SKILL_BYTES + 1)
    found = examine(Candidate(folder=skill.folder, scope=skill.scope, content=content))
    if isinstance(found, BrokenSkill):
        raise _broken(found)
    return found


async def _files(folder: Workspace, path: PurePath) -> tuple[str, ...]:
    """The names of a skill's files, by folder, as many as are named and one."""
    found: list[str] = []
    waiting = [path]
    for current in waiting:
        for entry in await folder.list_folder(str(current)):
            place = current / entry.name
            deep = len(place.relative_to(path).parts) > DEEPEST
            if entry.kind == "folder" and not entry.link and not deep and not entry.name.startswith("."):
                waiting.append(place)
            elif entry.kind != "file" or (current == path and entry.name == SKILL_FILE):
                continue
            elif not entry.link or folder.path(str(place)).inside:
                found.append(place.relative_to(path).as_posix())
        if len(found) > MOST_FILES:
            break
    return tuple(found)


def _named(files: tuple[str, ...]) -> str:
    return ", ".join(files[:MOST_FILES]) + (" and more" if len(files) > MOST_FILES else "") or "none but SKILL.md"


def _notes(skill: Skill, folder: PurePath, files: tuple[str, ...]) -> list[str]:
    notes = [f"its folder is {folder}; its files: {_named(files)}"]
    notes += skill.file.repairs
    if skill.file.compatibility:
        notes.append(f"compatibility: {skill.file.compatibility}")
    if skill.file.allowed_tools is not None:
        notes.append(_restricted(skill.file))
    return notes


def _restricted(file: SkillFile) -> str:
    """What `allowed-tools` comes to here, neither more nor less."""
    names = " ".join(file.allowed_tools or ()) or "none"
    told = "keep to them. Hilt neither allows them in advance nor stops others: policy decides each call"
    return f"allowed-tools: {names}; {told}"


async def _text(folder: Workspace, skill: Skill, asked: str, files: tuple[str, ...]) -> str:
    """One file of the skill as text. Raises `InvalidArguments` for what is none of its files."""
    if PurePath(asked).is_absolute() or ".." in PurePath(asked).parts or "\0" in asked:
        raise _no_file(skill, asked, files, "is no path inside its folder")
    try:
        async with folder.open(str(skill.folder / asked)) as opened:
            size, content = opened.size, await opened.read_at(0, FILE_BYTES + 1)
    except Refused:
        raise _no_file(skill, asked, files, "leads out of its folder") from None
    except EnvironmentFailure as failure:
        if asked in files:
            raise
        raise _no_file(skill, asked, files, "is none of its files") from failure
    place = f"use it where it lies: {skill.folder / asked}"
    if len(content) > FILE_BYTES:
        raise EnvironmentFailure(
            f"{asked} has {size:,} bytes; the largest file of a skill that is read is {FILE_BYTES:,}", place
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise EnvironmentFailure(f"{asked} is no text in UTF-8 ({size:,} bytes)", place) from None


def _no_file(skill: Skill, asked: str, files: tuple[str, ...], why: str) -> ToolFailure:
    near = nearest(asked, files, most=1)
    step = f"did you mean {near[0]}?" if near else "give one of these, relative to its folder"
    return InvalidArguments(
        f"{asked!r} {why}; files of the skill {skill.file.name}: {_named(files)}",
        step if files else "leave file out",
    )


def _page(skill: Skill, text: str, file: str | None, offset: int, notes: tuple[str, ...]) -> ToolResult[str]:
    whole = text.encode()
    name = skill.file.name if file is None else f"{skill.file.name}/{file}"
    if offset and offset >= len(whole):
        raise InvalidArguments(
            f"offset {offset:,} is past the end: {name} has {len(whole):,} bytes",
            f"give an offset below {len(whole):,}",
        )
    while offset > 0 and whole[offset] & 0xC0 == 0x80:  # inside a character: back to its first byte
        offset -= 1
    part = _whole(whole[offset : offset + PAGE_BYTES], last=offset + PAGE_BYTES >= len(whole))
    end = offset + utf8_length(part)
    said = f"{len(whole):,} bytes" if end - offset == len(whole) else f"bytes {offset:,} to {end:,} of {len(whole):,}"
    return ToolResult(
        summary=f"skill {name} ({skill.scope}): {said}",
        items=(part,),
        status=Status.SUCCESS if end == len(whole) else Status.PARTIAL,
        notes=notes,
        truncation=_cut(skill.file.name, file, end, offset, len(whole)),
    )


def _whole(content: bytes, *, last: bool) -> str:
    """A page up to a line's end where one is near, else between characters."""
    if last:
        return content.decode(errors="replace")
    border = content.rfind(b"\n") + 1
    if border > len(content) // LEAST_LINE:
        content = content[:border]
    return content.decode(errors="ignore")


def _cut(name: str, file: str | None, end: int, start: int, total: int) -> Truncation | None:
    if end >= total:
        return None
    following: Mapping[str, object] = {"name": name, **({} if file is None else {"file": file}), "offset": end}
    return Truncation(
        shown=end - start, total=total, unit="bytes", limit=Limit(name="page", value=PAGE_BYTES), next=following
    )
