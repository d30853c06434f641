"""From the settings to what keeps commands to the workspace."""

import os
from typing import cast

from hilt.assembly.config import Config
from hilt.store.home import place
from hilt.workspace import Workspace
from hilt.workspace.isolation import Bounds, Isolation, choose
from hilt.workspace.isolation.ladder import Mode


def isolation_of(config: Config, world: Workspace) -> Isolation:
    """The isolation that the settings ask for. Raises `ConfigError` where it is required and cannot be had."""
    return choose(bounds_of(config, world), cast("Mode", config.text("isolation.mode")))  # the schema knows the words


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
