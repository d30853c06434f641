"""`Isolation`: one rung of the ladder with what it gives, as a value that starts commands."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from hilt.calls.resolver import Property
from hilt.workspace.commands.environment import command_environment, missed_by
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.walls import Walls

Rung = Literal["bubblewrap", "landlock", "rlimits"]
NOT_ISOLATED = "not isolated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What commands are kept to, whatever keeps them.

    They write in `roots` and `writable` and read in `readable`; `hidden` they never see. `environment`
    are variables they are given beside the known ones; `hosts` are those they may reach.
    """

    roots: tuple[str, ...]
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()


class Wall(Protocol):
    """The way of one rung to confine a command."""

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """What confines this command."""
        ...

    def close(self) -> None:
        """Let go of what it keeps running for commands."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """A rung that this machine has. Give it to `Processes`; `properties` are what it gives to every command there.

    `says` is the whole truth in a sentence, for models and people.
    """

    rung: Rung
    properties: frozenset[Property]
    says: str
    bounds: Bounds
    wall: Wall | None = None

    def environment(self, all_of_it: Mapping[str, str]) -> Mapping[str, str]:
        """The part of an environment that commands are given."""
        return command_environment(self.bounds.environment, all_of_it).given

    def missed(self, command: str, all_of_it: Mapping[str, str]) -> str:
        """What to say of a command that uses a variable it is not given; empty where it uses none."""
        return missed_by(command, command_environment(self.bounds.environment, all_of_it))

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """What confines this command, whose folder of files is `place`. Blocks for a moment."""
        return Walls() if self.wall is None else self.wall.walls(command, place, environment)

    def close(self) -> None:
        """Let go of what it keeps running for commands. Blocks for a moment."""
        if self.wall is not None:
            self.wall.close()
