"""Which protected names there are below the roots now, remembered between commands that follow each other."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.workspace.hole_names import NAMES
from hilt.workspace.holes import holes_below

LOOK_AGAIN_AFTER_S = 5.0
"""Seconds for which folders that were looked through are not looked through again, only the names found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holes:
    """Protected names: those that are there, the folders that must stay in their place, and those that are absent."""

    there: tuple[str, ...]
    pinned: tuple[str, ...]
    absent: tuple[str, ...]


class Protecting:
    """The protected names below some roots. `holes` blocks for a moment; one is enough for all commands."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = roots
        self._looked_at = -LOOK_AGAIN_AFTER_S
        self._known: tuple[str, ...] = ()

    def holes(self) -> Holes:
        """As they are now: deep ones as of a few seconds ago."""
        if time.monotonic() - self._looked_at >= LOOK_AGAIN_AFTER_S:
            self._known = tuple(dict.fromkeys(self._look()))
            self._looked_at = time.monotonic()
        there = [each for each in self._known if os.path.lexists(each)]
        absent = [each for each in self._known if each not in set(there)]
        pinned = dict.fromkeys(above for each in there for above in self._pinned(each))
        return Holes(there=tuple(there), pinned=tuple(pinned), absent=tuple(absent))

    def _look(self) -> list[str]:
        found: list[str] = []
        for root in self._roots:
            found += [os.path.join(root, *name) for name in NAMES]
            below = holes_below(Path(root))
            found += [str(each) for each in below.there]
            found += [str(each) for each in below.absent if not self._is_a_beginning(each, root)]
        return found

    def _is_a_beginning(self, path: Path, root: str) -> bool:
        """Whether it is only the first missing step of names that are known whole."""
        return str(path.parent) == root and any(len(name) > 1 and name[0] == path.name for name in NAMES)

    def _pinned(self, hole: str) -> list[str]:
        """Folders above a hole that are named for holding such: in place of others anything could be made anew."""
        above = os.path.dirname(hole)
        found: list[str] = []
        while above not in self._roots and os.path.basename(above).startswith("."):
            found.append(above)
            above = os.path.dirname(above)
        return found[::-1]
