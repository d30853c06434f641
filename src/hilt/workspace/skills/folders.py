"""Where skills lie: folders that hold a SKILL.md, looked for within bounds, their files read within theirs.

What a SKILL.md says is not known here. These folders may lie outside the roots of the session: the
person's own, in the home folder.
"""

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hilt.workspace.beneath import open_beneath

DEEPEST = 5
"""Levels below a place at which a skill may lie."""
MOST_FOLDERS = 2_000
"""Folders looked into, of all places together."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_LEADS_OUT = (errno.EXDEV, errno.ELOOP)
_SKIPPED = ("node_modules", "__pycache__")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFolder:
    """A folder that holds a skill: its canonical path, which of the places it lies in, and the file's bytes.

    With `trouble` the file could not be read, and that says why.
    """

    path: Path
    place: int
    content: bytes = b""
    trouble: str = ""


@dataclass(slots=True)
class _Search:
    """One scan: what it may read, what it has looked into, and what it found."""

    file: str
    most_bytes: int
    places: tuple[str, ...]
    looked: int = 0
    cut: bool = False
    seen: set[str] = field(default_factory=set[str])


def skill_folders(places: Sequence[Path], file: str, most_bytes: int) -> tuple[tuple[SkillFolder, ...], str]:
    """Every folder below the places that holds `file`, in order; and what was not looked into, empty for nothing.

    No more than `most_bytes` and one are read of each file. A place that is not there holds nothing.
    A link is followed where it stays in one of the places.
    """
    search = _Search(file=file, most_bytes=most_bytes, places=tuple(os.path.realpath(each) for each in places))
    found: list[SkillFolder] = []
    for number, place in enumerate(search.places):
        try:
            top = os.open(place, _FOLDER | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found.append(SkillFolder(path=Path(place), place=number, trouble=f"it cannot be opened: {error.strerror}"))
            continue
        try:
            found += _below(search, top, number, "", 0)
        finally:
            os.close(top)
    said = f"more than {MOST_FOLDERS:,} folders: those after were not looked into for skills" if search.cut else ""
    return tuple(found), said


def _below(search: _Search, top: int, place: int, relative: str, depth: int) -> Iterator[SkillFolder]:
    """Skills in one folder of a place; one that holds a skill is not looked into further."""
    real = os.path.realpath(Path(search.places[place], relative))
    if real in search.seen:
        return
    if search.looked >= MOST_FOLDERS:
        search.cut = True
        return
    search.looked += 1
    try:
        folder = open_beneath(top, relative or ".", _FOLDER)
    except OSError as error:
        if error.errno not in _LEADS_OUT or not _in_a_place(search, real):
            yield SkillFolder(path=Path(search.places[place], relative), place=place, trouble=_shut(real, error))
        return
    try:
        search.seen.add(real)
        names, folders = _entries(folder)
        if named := next((name for name in names if name.lower() == search.file.lower()), None):
            yield _skill(search, folder, Path(real), place, named)
            return
    finally:
        os.close(folder)
    for name in folders if depth < DEEPEST else ():
        yield from _below(search, top, place, f"{relative}/{name}" if relative else name, depth + 1)


def _entries(folder: int) -> tuple[list[str], list[str]]:
    """Every name, the exact before its look-alikes, and those of folders that may hold skills."""
    with os.scandir(folder) as entries:
        listed = sorted((each.name, _may_be_folder(each)) for each in entries)
    return [name for name, _ in listed], [
        name for name, is_folder in listed if is_folder and not name.startswith(".") and name not in _SKIPPED
    ]


def _may_be_folder(entry: "os.DirEntry[str]") -> bool:
    """Whether to open it as one; a link that leads nowhere is, so that opening says what is wrong with it."""
    try:
        return entry.is_dir() or (entry.is_symlink() and not entry.is_file())
    except OSError:
        return True


def _in_a_place(search: _Search, real: str) -> bool:
    """Whether a link leads to where the scan comes by anyway."""
    return Path(real).exists() and any(real == place or real.startswith(f"{place}/") for place in search.places)


def _shut(real: str, error: OSError) -> str:
    leads = (
        f": it leads to {real}, outside of where skills are looked for"
        if Path(real).exists() and error.errno in _LEADS_OUT
        else ""
    )
    return f"it cannot be opened{leads or f': {error.strerror}'}"


def _skill(search: _Search, folder: int, path: Path, place: int, named: str) -> SkillFolder:
    if named != search.file:
        return SkillFolder(path=path, place=place, trouble=f"its file is named {named}, not {search.file}")
    try:
        file = open_beneath(folder, named, _READ)
    except OSError as error:
        real = os.path.realpath(path / named)
        leads = "is an absolute link" if real.startswith(f"{path}/") else "is a link that leads out of its folder"
        why = f"it {leads}, to {real}" if error.errno == errno.EXDEV else error.strerror
        return SkillFolder(path=path, place=place, trouble=f"{named} cannot be opened: {why}")
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return SkillFolder(path=path, place=place, trouble=f"{named} is no file")
        return SkillFolder(path=path, place=place, content=_read(file, search.most_bytes + 1))
    finally:
        os.close(file)


def _read(file: int, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := os.read(file, most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)
