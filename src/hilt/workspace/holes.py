"""The holes of a root: protected names as they are on disk, and those that must not come to be.

What isolation takes to keep them: it is asked before a command runs, and decides nothing itself.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hilt.workspace.hole_names import GIT, IN_GIT, NAMES, SHARED
from hilt.workspace.holes_led_to import git_folders, holes_in, led_to_from

DEEPEST = 3
"""Levels of folders below a root in which existing holes are looked for."""
MOST_FOLDERS = 1_000
"""Folders of one root that are looked into."""
# A package manager fills and empties these; nobody opens a project, a shell or a repository in them.
_PASSED_OVER = frozenset({"node_modules", "site-packages", ".venv", "venv", "__pycache__", ".tox", ".nox", "target"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """The holes of one root: those that exist; paths that must stay absent; and whether all of it was looked at.

    `pinned` are the folders that lead to one and are none themselves: one that is renamed takes its
    holes along, and another can be put in its place.
    """

    there: tuple[Path, ...]
    absent: tuple[Path, ...]
    pinned: tuple[Path, ...]
    whole: bool


def holes_below(root: Path, deepest: int = DEEPEST) -> Below:
    """The holes of one root, looked for so many levels deep. Blocks.

    Absent are only those directly in the root and in the folders of repositories that were found: a
    name that could appear in any folder cannot be held off in all of them. For several steps the
    first that is missing is given. What a link leads to is not looked into.
    """
    folders = list(_folders(root, deepest))
    found = dict.fromkeys(path for folder in folders for path in _of(folder) if root in path.parents)
    there = tuple(path for path in found if os.path.lexists(path))
    absent = dict.fromkeys([*_missing(root), *(path for path in found if path not in there)])
    ways = {above: None for path in (*there, *absent) for above in path.parents if root in above.parents}
    pinned = tuple(path for path in ways if path not in there)
    return Below(there=there, absent=tuple(absent), pinned=pinned, whole=len(folders) < MOST_FOLDERS)


def _of(folder: Path) -> Iterator[Path]:
    """Every hole that something directly in a folder makes, there or not."""
    yield from holes_in(folder)
    yield from (Path(path) for path, _ in led_to_from(str(folder)))
    for repository in git_folders(folder):
        yield from (repository / name for name in IN_GIT)


def _missing(root: Path) -> Iterator[Path]:
    """For every name the first step that is not there, directly below a root."""
    for name in NAMES:
        path = root
        for step in name:
            path = path / step
            if not os.path.lexists(path):
                if step not in SHARED:
                    yield path
                break


def _folders(root: Path, deepest: int) -> Iterator[Path]:
    """The root and the folders below it, nearest first, within bounds."""
    waiting = [(root, 0)]
    for count in range(MOST_FOLDERS):
        if count >= len(waiting):
            return
        folder, depth = waiting[count]
        yield folder
        if depth < deepest and len(waiting) < MOST_FOLDERS:
            waiting += [(each, depth + 1) for each in _plain_folders(folder)]


def _plain_folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [
                folder / entry.name
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
                and entry.name not in _PASSED_OVER
                and not entry.name.endswith(GIT)
            ]
    except OSError:
        return []
