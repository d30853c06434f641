"""The nouns of the tables: a word as it is known before it runs, and what a program would do with its words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

Prints = Literal["", "names", "paths", "revisions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word. `text` is what the program will get, None where that is known only when it runs.

    Of such a word it may still be known how it begins (`start`), that it is the names a pattern `glob` stands
    for, or that it is `found`: a name below folders that another part of the command reads, as `find` puts
    for `{}`, or a file the shell itself made for a substitution.
    `dashed` says that it may begin with a dash and so be an option, `many` that it may become several words or none,
    `split` that its names are taken apart at blanks once more.
    """

    text: str | None = None
    start: str = ""
    glob: str = ""
    found: bool = False
    dashed: bool = True
    many: bool = False
    split: bool = False

    @property
    def named(self) -> bool:
        """Whether it is known what it names, if not by which text."""
        return self.text is not None or bool(self.glob) or self.found


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """What is not known to be harmless: the place of the word among the words, and why."""

    at: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What a program would do with its words, as far as its table says.

    `reads`, `writes` and `followed` are words naming files and folders; what lies in those `followed` is
    read through links too. `inner` are words of commands it would run in turn. `driver` names a family
    whose running of project code is the only doubt. `repositories` are folders in which git looks for its
    configuration, relative to where it runs. `renamed` are those of the writes where a
    name itself is changed, which follows no link.
    `prints` says what its lines are, where that is known: names of files below folders it reads, whose
    `links` must be looked at before those are read, and which as paths begin with no dash; or revisions.
    """

    reads: tuple[Word, ...] = ()
    writes: tuple[Word, ...] = ()
    followed: tuple[Word, ...] = ()
    renamed: tuple[Word, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    inner: tuple[tuple[Word, ...], ...] = ()
    driver: str = ""
    repositories: tuple[str, ...] = ()
    prints: Prints = ""
    links: tuple[Word, ...] = ()
    whole: bool = False
    """Names that it is given come parted by NULs, so that each stays whole."""
    script: Word | None = None
    """Text that a shell would run: never proved, but looked into for the commands it holds."""


Reader = Callable[[Sequence[Word]], Use]
"""From the words of a command, its name first, to what it would do."""


def names(text: str) -> frozenset[str]:
    """The words of a line, as a set."""
    return frozenset(text.split())


def doubtful(at: int, reason: str) -> Use:
    """A use of which nothing is known but why."""
    return Use(doubts=(Doubt(at=at, reason=reason),))
