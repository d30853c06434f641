"""Which protected names there are below the roots now, remembered between commands that follow each other."""

import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hilt.workspace.hole_names import NAMES
from hilt.workspace.holes import holes_below
from hilt.workspace.processes.guarding import changed_at, placed_in, state_of
from hilt.workspace.processes.supervisor import aside_of
from hilt.workspace.processes.walls import Guarded

LOOK_AGAIN_AFTER_S = 5.0
"""Seconds for which folders that were looked through are not looked through again, only the names found."""
MOST_COPIED_BYTES = 16 << 20
"""Of one protected folder; what is larger is not copied, and so not put back."""
_TOKEN_BYTES = 8

Place = tuple[str, str]
"""A root, and a name below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holes:
    """Protected names by root: those that are there, those reached by a link, and those that are absent.

    `folders` are those in which one could appear, with when each last changed.
    """

    there: tuple[Place, ...] = ()
    links: tuple[Place, ...] = ()
    absent: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    folders: tuple[tuple[str, int], ...] = ()

    @property
    def pinned(self) -> tuple[str, ...]:
        """Folders that lead to a name and are named for that: in place of another anything could be made anew."""
        return tuple(dict.fromkeys(path for root, name in self.there for path in _leading(root, name)))

    @property
    def stands(self) -> bool:
        """Whether nothing can have come or gone since."""
        return bool(self.folders) and all(was > 0 and changed_at(folder) == was for folder, was in self.folders)


class Protecting:
    """The protected names below some roots. Its verbs block for a moment; one is enough for all commands."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = roots
        self._looked_at = -LOOK_AGAIN_AFTER_S
        self._names: Mapping[str, tuple[str, ...]] = {}
        self._known = Holes()
        self._copies: dict[Place, tuple[object, str]] = {}

    def holes(self) -> Holes:
        """As they are now: deep ones as of a few seconds ago."""
        if time.monotonic() - self._looked_at >= LOOK_AGAIN_AFTER_S:
            self._names = {root: tuple(dict.fromkeys(_names(root))) for root in self._roots}
            self._looked_at = time.monotonic()
            self._known = Holes()
        if not self._known.stands:
            self._known = _sorted(self._names)
        return self._known

    def guarded(self, holes: Holes, kept: Sequence[Place], place: Path) -> Guarded:
        """What is to be looked at before and after a command with this folder; of what is to be kept there are copies.

        Copies and what is put aside lie beside the folders of jobs, where no command looks.
        """
        copies = tuple((*each, *self._copy(each, place.parent)) for each in kept)
        aside = str(aside_of(place.parent) / place.name)
        return Guarded(aside=aside, absent=holes.absent, kept=copies, placed=self._placed(holes), folders=holes.folders)

    def _placed(self, holes: Holes) -> tuple[tuple[str, str, int], ...]:
        """Names in folders that are not held in their place, such as those of a repository within."""
        held = set(holes.pinned)
        moving = [
            (root, name) for root, name in holes.there if any(f"{root}/{above}" not in held for above in _above(name))
        ]
        return tuple((root, name, placed_in(root, name)) for root, name in moving)

    def _copy(self, of: Place, folder: Path) -> tuple[str, object]:
        """The path of a copy as it is now, empty where it is too large; and how it is."""
        state, known = state_of(*of), self._copies.get(of)
        if known is None or known[0] != state or not os.path.lexists(known[1]):
            self._copies[of] = known = (state, _copied("/".join(of), folder))
        return known[1], state


def _sorted(names_of: Mapping[str, Sequence[str]]) -> Holes:
    """What of each name is on the disk now."""
    there: list[Place] = []
    links: dict[Place, None] = {}
    absent: dict[str, list[str]] = {root: [] for root in names_of}
    folders = {root: changed_at(root) for root in names_of}  # before anything is looked at
    for root, name in ((root, name) for root, names in names_of.items() for name in names):
        first, *rest = name.split("/")
        if rest and os.path.lexists(f"{root}/{first}"):
            folders |= {f"{root}/{above}": changed_at(f"{root}/{above}") for above in _above(name)}
            if (link := _link_on_the_way(root, name)) is not None:
                links[(root, link)] = None
                continue
        if not os.path.lexists(f"{root}/{name}"):
            absent[root].append(name)
        elif os.path.islink(f"{root}/{name}"):
            links[(root, name)] = None
        else:
            there.append((root, name))
    return Holes(there=tuple(there), links=tuple(links), absent=absent, folders=tuple(folders.items()))


def named_twice(place: Place) -> bool:
    """Whether it is a file with a second name, or holds one: by that it is written past every mount."""
    path = "/".join(place)
    with suppress(OSError):
        if not os.path.isdir(path):
            return os.lstat(path).st_nlink > 1
        with os.scandir(path) as entries:
            return any(entry.stat(follow_symlinks=False).st_nlink > 1 for entry in entries if entry.is_file())
    return False


def _above(name: str) -> list[str]:
    steps = name.split("/")
    return ["/".join(steps[:place]) for place in range(1, len(steps))]


def _names(root: str) -> Iterator[str]:
    yield from ("/".join(name) for name in NAMES)
    below = holes_below(Path(root))
    first = {name[0] for name in NAMES}
    for path in (*below.there, *below.absent):
        name = str(path.relative_to(root))
        if name not in first or (name,) in NAMES:  # else the first step of names that stand above
            yield name


def _leading(root: str, name: str) -> list[str]:
    return [f"{root}/{above}" for above in _above(name) if above.rpartition("/")[2].startswith(".")]


def _link_on_the_way(root: str, name: str) -> str | None:
    """The part above a name that is a link."""
    return next((above for above in _above(name) if os.path.islink(f"{root}/{above}")), None)


def _copied(path: str, folder: Path) -> str:
    if _bytes_of(path) > MOST_COPIED_BYTES:
        return ""
    within = folder / f"kept-{secrets.token_hex(_TOKEN_BYTES)}"
    within.mkdir(mode=0o700, parents=True)
    copy = within / os.path.basename(path)
    with suppress(OSError, shutil.Error):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.copytree(path, copy, symlinks=True)
        else:
            shutil.copy2(path, copy, follow_symlinks=False)
        return str(copy)
    return ""


def _bytes_of(path: str) -> int:
    total = os.lstat(path).st_size
    for above, _, files in os.walk(path):
        for name in files:
            with suppress(OSError):
                total += os.lstat(f"{above}/{name}").st_size
            if total > MOST_COPIED_BYTES:
                return total
    return total
