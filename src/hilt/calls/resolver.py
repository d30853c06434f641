"""Facts about the world that policy needs and may not look up itself.

`workspace` implements `Resolver`; assembly passes it to the runtime. Policy sees the facts,
never the disk; execution opens by handle and refuses if a fact has changed since.
"""

from dataclasses import dataclass
from typing import Literal, Protocol

PathKind = Literal["file", "folder", "missing", "special"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFact:
    """Where one path argument really points.

    `asked` is the argument's text; `real` the canonical absolute path with every link followed
    (for a missing file: its deepest existing parent, then the rest); `inside` whether `real` lies
    in a root; `why` says, for people, why a path is outside. `instead` is given for a text that is
    no absolute path at all: one that is, which may have been meant.
    """

    asked: str
    real: str
    inside: bool
    kind: PathKind
    why: str = ""
    instead: str = ""


class Resolver(Protocol):
    """What the pipeline asks before it decides."""

    def path(self, asked: str) -> PathFact:
        """The fact for one path argument; never raises for a path that cannot be used."""
        ...
