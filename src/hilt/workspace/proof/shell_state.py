"""What is known of a shell at one point of a script: the folders it may be in, variables, what its input is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hilt.policy.programs.words import Word

MOST_FOLDERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """That the lines of an input are names of files below folders which are read, or revisions.

    `links` must be looked at before the files are read; `dashed` says that a line may begin with a dash.
    They lie `below` folders, or a repository of those in `tracked` has them.
    """

    links: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    tracked: tuple[str, ...] = ()
    dashed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """`folders` are all it may be in, None where that is not known, and none at all where it is never reached."""

    folders: tuple[str, ...] | None
    variables: Mapping[str, Word] = field(default_factory=dict[str, Word])
    input: Names | None = None

    def with_variable(self, name: str, word: Word) -> "Shell":
        return replace(self, variables={**self.variables, name: word})

    def without(self, names: frozenset[str]) -> "Shell":
        """Nothing known of these variables any more."""
        return replace(self, variables={name: word for name, word in self.variables.items() if name not in names})


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """The shell where a command succeeded, and where it failed."""

    success: Shell
    failure: Shell

    @property
    def either(self) -> Shell:
        return joined(self.success, self.failure)


def both(shell: Shell) -> After:
    """A command that leaves the shell as it was, whatever comes of it."""
    return After(success=shell, failure=shell)


def joined(one: Shell, other: Shell) -> Shell:
    """What is known where either may be the case."""
    if one.folders == () or one == other:
        return other
    if other.folders == ():
        return one
    folders: tuple[str, ...] | None = None
    if one.folders is not None and other.folders is not None:
        folders = tuple(dict.fromkeys((*one.folders, *other.folders)))
        folders = folders if len(folders) <= MOST_FOLDERS else None
    same = {name: word for name, word in one.variables.items() if other.variables.get(name) == word}
    return replace(one, folders=folders, variables=same)
