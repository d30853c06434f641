"""The servers that the settings name: their own, and those of other programs' files."""

import os
from dataclasses import dataclass
from pathlib import Path

from hilt.assembly.config import Config
from hilt.assembly.gateway.files import read_servers
from hilt.assembly.gateway.settings import ServerSpec, configured, unique
from hilt.catalog.naming import Style
from hilt.errors import ConfigError

FROM = "servers_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Every server that the settings name; `faults` are files of others that could not be read."""

    specs: tuple[ServerSpec, ...]
    notes: tuple[str, ...] = ()
    faults: tuple[ConfigError, ...] = ()


def servers_of(config: Config) -> Servers:
    """The servers of a configuration."""
    notes: list[str] = []
    faults: list[ConfigError] = []
    found = list(configured(config, os.environ))
    for file in config.paths(FROM):
        try:
            read = read_servers(file, os.environ)
        except ConfigError as error:
            faults.append(error)
            continue
        found += read.servers
        notes += read.notes
    return Servers(specs=unique(found, notes.append), notes=tuple(notes), faults=tuple(faults))


def style_of(config: Config) -> Style:
    """Where a server's name stands in the names of its tools."""
    return "suffix" if config.text("set.names") == "suffix" else "prefix"


def files_of(config: Config) -> tuple[Path, ...]:
    """Files that say which servers there are: settings, and other programs'."""
    return (*(Path(each.place) for each in config.origins if Path(each.place).is_file()), *config.paths(FROM))
