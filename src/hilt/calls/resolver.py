"""Facts about the world that policy needs and may not look up itself.

`workspace` implements `Resolver`; assembly passes it to the runtime. Policy sees the facts,
never the disk; execution opens by handle and refuses if a fact has changed since.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from hilt.calls.memos import Memos
from hilt.calls.session import Session

PathKind = Literal["file", "folder", "missing", "special"]
Property = Literal["fs_write_confined", "fs_read_confined", "net_blocked", "proc_hidden", "kill_complete", "ro_holes"]
"""What isolation may give to a command: nothing outside the roots changes; nothing outside them and
the system's own folders is read; no way to the network but to hosts the person allowed; other
processes are out of sight; nothing it started outlives it; protected names inside the roots keep
their content."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFact:
    """Where one path argument really points.

    `asked` is the argument's text; `real` the canonical absolute path with every link followed
    (for a missing file: its deepest existing parent, then the rest); `inside` whether `real` lies
    in a root; `why` says, for people, why a path is outside. `instead` is given for a text that is
    no absolute path at all: one that is, which may have been meant. `hole` names the protected
    thing a path lies in (`.git/hooks`), there or not; `links` counts the names of a file, for
    what is written under one shows under all.
    """

    asked: str
    real: str
    inside: bool
    kind: PathKind
    why: str = ""
    instead: str = ""
    hole: str = ""
    links: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SimpleCommand:
    """One program a command line runs: its words decoded as the shell would, None for one only known when it runs.

    `folder` is where it runs, None where that is not known; `wrappers` are the programs it was
    given to (`timeout`, `env`), outermost first.
    """

    words: tuple[str | None, ...]
    folder: str | None
    wrappers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproved:
    """Why a command line is not known to be harmless: the construct, its place (from 1), and the reason.

    `own` says that a program's own doing is all the doubt, which leave for that program covers; every other doubt
    is the shell's, and nothing but leave for this very text covers it.
    """

    node: str
    line: int
    column: int
    reason: str
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFact:
    """What can be known of a command before it runs.

    `reads` and `writes` are the paths it provably touches; `unproved` is empty only where every
    program, option, redirect and path in it is understood and harmless but for those `writes`.
    `driver` names a build or test driver (`npm`, `make`) where running project code is all that is
    unproved.
    """

    text: str
    commands: tuple[SimpleCommand, ...] = ()
    reads: tuple[PathFact, ...] = ()
    writes: tuple[PathFact, ...] = ()
    unproved: tuple[Unproved, ...] = ()
    driver: str = ""

    @property
    def proved(self) -> bool:
        """Whether nothing in it is beyond what is known."""
        return not self.unproved


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlFact:
    """One address argument. `host` is lower-case, empty where the text is no address."""

    asked: str
    host: str
    scheme: str = ""


class Resolver(Protocol):
    """What the pipeline asks before it decides. No verb raises for what cannot be used: the fact says so."""

    def path(self, asked: str) -> PathFact:
        """The fact for one path argument."""
        ...

    def command(self, asked: str | Sequence[str], folder: str | None = None) -> CommandFact:
        """The fact for shell text, or for a program's words; `folder` is where it would start, None where unknown."""
        ...

    async def folder(self, session: Session, memos: Memos) -> str:
        """Where the session's next command starts, unless the call names a folder."""
        ...

    @property
    def confinement(self) -> frozenset[Property]:
        """What is given to whatever a tool runs through Hilt's own processes; empty where nothing isolates."""
        ...
