"""What confines one command, as a value that can be sent to the launcher; `Confining` is who says so for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from hilt.calls.resolver import Property
from hilt.workspace.processes.command import Command

FIRST_PASSED = 3
"""The descriptor of a command that the first it is given becomes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Protected names that a wall cannot keep, so they are looked at before and after.

    `absent` are names below each root that must not come to be. `kept` must stay as they are: root,
    name, the path of a copy, and how it was. `placed` cannot be changed, but what leads to them can get
    another name, so that others come in their place: root, name, and which file it was. `folders` are
    those in which a name could appear, with how each was: where none has changed, nothing did. What is
    not right is moved to the folder `aside`.
    """

    aside: str
    absent: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    kept: tuple[tuple[str, str, str, object], ...] = ()
    placed: tuple[tuple[str, str, int], ...] = ()
    folders: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Walls:
    """How the kernel confines one command.

    `prefix` is a program that isolates, with its options, before the command's own words; in it
    the filter of system calls is the descriptor behind those the command is given. `grants` are
    the paths and rights of Landlock: where there are any, the filter is put on with them.
    `environment` comes to the command's own.
    """

    prefix: tuple[str, ...] = ()
    grants: tuple[tuple[str, int], ...] = ()
    filter: bytes = b""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    guarded: Guarded | None = None


class Confining(Protocol):
    """What `Processes` asks of an isolation, and what those who use them are told of it."""

    @property
    def properties(self) -> frozenset[Property]:
        """What it gives to every command."""
        ...

    @property
    def says(self) -> str:
        """The same in a sentence."""
        ...

    def environment(self, all_of_it: Mapping[str, str]) -> Mapping[str, str]:
        """The part of an environment that commands are given."""
        ...

    def missed(self, command: str, all_of_it: Mapping[str, str]) -> str:
        """What to say of a command that uses a variable it is not given; empty where it uses none."""
        ...

    def close(self) -> None:
        """Let go of what it keeps running for commands. Blocks for a moment."""
        ...

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """What confines this command with this environment, whose folder of files is `place`. Blocks for a moment."""
        ...
