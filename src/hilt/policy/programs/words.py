"""The nouns of the tables: a word of a command as it is known before it runs, and what a program would do with its words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word. `text` is what the program will get, None where that is known only when it runs.

    Of such a word it may still be known that it is the names a pattern `glob` stands for, or that it is
    `found`: names below folders that another part of the command reads, as `find` puts them for `{}`.
    `dashed` says that it may begin with a dash and so be an option.
    """

    text: str | None = None
    glob: str = ""
    found: bool = False
    dashed: bool = True

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
    configuration, relative to where it runs. `unless` are files that, there or in a folder above,
    decide what runs. `names` says that it prints names of regular files below folders it reads.
    """

    reads: tuple[Word, ...] = ()
    writes: tuple[Word, ...] = ()
    followed: tuple[Word, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    inner: tuple[tuple[Word, ...], ...] = ()
    driver: str = ""
    repositories: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    names: bool = False
    script: Word | None = None
    """Text that a shell would run: never proved, but looked into for the commands it holds."""


Reader = Callable[[Sequence[Word]], Use]
"""From the words of a command, its name first, to what it would do."""


@dataclass(slots=True)
class Uses:
    """What is gathered while words are read."""

    reads: list[Word] = field(default_factory=list[Word])
    writes: list[Word] = field(default_factory=list[Word])
    followed: list[Word] = field(default_factory=list[Word])
    doubts: list[Doubt] = field(default_factory=list[Doubt])

    def doubt(self, at: int, reason: str) -> None:
        self.doubts.append(Doubt(at=at, reason=reason))

    def use(self, **more: object) -> Use:
        raise NotImplementedError


def literal(*texts: str) -> tuple[Word, ...]:
    """Words that are known."""
    return tuple(Word(text=text, dashed=text.startswith("-")) for text in texts)


def doubtful(at: int, reason: str) -> Use:
    """A use of which nothing is known but why."""
    return Use(doubts=(Doubt(at=at, reason=reason),))
