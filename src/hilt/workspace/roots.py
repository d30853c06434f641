"""The folders a session may touch, and which of them a path lies in.

Everything here is about spelling and containment; nothing is opened for its contents.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hilt.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """One folder: its canonical path, and the spelling it was given by."""

    real: str
    given: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A place below a root: `relative` is never absolute and may be empty (the root itself)."""

    root: Root
    relative: str

    @property
    def path(self) -> str:
        return os.path.join(self.root.real, self.relative) if self.relative else self.root.real


def root_of(given: Path) -> Root:
    """A root made canonical. Raises ConfigError where it is no folder."""
    absolute = os.path.join(os.getcwd(), os.fspath(given))
    try:
        real = os.path.realpath(absolute, strict=True)
    except (OSError, ValueError) as error:
        raise ConfigError(f"the workspace root {given} cannot be used: {error}", "name a folder that exists") from None
    if not os.path.isdir(real):
        raise ConfigError(f"the workspace root {given} is not a folder", "name a folder that exists")
    return Root(real=real, given=absolute)


def steps(path: str) -> list[str]:
    """The components of a path, without empty ones and `.`; `..` stays: only links decide what it means."""
    return [step for step in path.split("/") if step not in ("", ".")]


def by_spelling(roots: Sequence[Root], asked: str) -> Spot | None:
    """The innermost root whose canonical or given spelling begins `asked`."""
    return _innermost(roots, steps(asked), lambda root: (root.real, root.given))


def by_real_path(roots: Sequence[Root], real: str) -> Spot | None:
    """The innermost root that holds a canonical path."""
    return _innermost(roots, steps(real), lambda root: (root.real,))


def _innermost(roots: Sequence[Root], path: list[str], spellings: Callable[[Root], tuple[str, ...]]) -> Spot | None:
    best: tuple[int, Spot] | None = None
    for root in roots:
        for spelling in spellings(root):
            start = steps(spelling)
            if path[: len(start)] == start and (best is None or len(start) > best[0]):
                best = (len(start), Spot(root=root, relative="/".join(path[len(start) :])))
    return best[1] if best else None
