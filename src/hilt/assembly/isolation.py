"""From the settings to what keeps commands to the workspace."""

import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import cast

from hilt.assembly.config import Config
from hilt.calls.resolver import Property
from hilt.store.home import place
from hilt.workspace import Workspace
from hilt.workspace.egress.hosts import Hosts
from hilt.workspace.isolation import Bounds, Isolation, choose
from hilt.workspace.isolation.ladder import Mode
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.walls import Walls


def isolation_of(config: Config, world: Workspace) -> "LateIsolation":
    """The isolation that the settings ask for.

    Raises `ConfigError` for a host that is none, and where isolation is required and cannot be had.
    """
    mode = cast("Mode", config.text("isolation.mode"))  # the schema knows the words
    bounds = bounds_of(config, world)
    Hosts(bounds.hosts)
    late = LateIsolation(bounds, mode)
    if mode == "require":
        late.chosen  # noqa: B018  # who requires it learns at the start that there is none
    return late


class LateIsolation:
    """An isolation that is tried out when the first command or decision needs it: most sessions begin without."""

    def __init__(self, bounds: Bounds, mode: Mode) -> None:
        self._bounds = bounds
        self._mode: Mode = mode

    @cached_property
    def chosen(self) -> Isolation:
        """The rung in use. Blocks where it was not tried before."""
        return choose(self._bounds, self._mode)

    @property
    def properties(self) -> frozenset[Property]:
        """As `Isolation`."""
        return self.chosen.properties

    @property
    def says(self) -> str:
        """As `Isolation`."""
        return self.chosen.says

    def environment(self, all_of_it: Mapping[str, str]) -> Mapping[str, str]:
        """As `Isolation`."""
        return self.chosen.environment(all_of_it)

    def missed(self, command: str, all_of_it: Mapping[str, str]) -> str:
        """As `Isolation`."""
        return self.chosen.missed(command, all_of_it)

    def walls(self, command: Command, place: Path, environment: Mapping[str, str]) -> Walls:
        """As `Isolation`."""
        return self.chosen.walls(command, place, environment)

    def close(self) -> None:
        """As `Isolation`; nothing where no command ran."""
        if "chosen" in self.__dict__:
            self.chosen.close()


def bounds_of(config: Config, world: Workspace) -> Bounds:
    """What commands are kept to."""
    return Bounds(
        roots=tuple(str(each) for each in world.roots),
        readable=_real(config, "isolation.readable"),
        writable=_real(config, "isolation.writable"),
        hidden=(os.path.realpath(place()),),
        environment=config.texts("isolation.environment") or (),
        hosts=config.texts("isolation.hosts") or (),
    )


def _real(config: Config, key: str) -> tuple[str, ...]:
    return tuple(os.path.realpath(each) for each in config.paths(key))
