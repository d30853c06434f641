"""Hilt's own skill, which ships with it, put where agents look for skills."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hilt.documents.skill_file import SKILL_FILE
from hilt.errors import ConfigError

OWN = Path(__file__).with_name("own_skill") / "hilt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """Where the skill is now, and whether this made it so."""

    path: Path
    state: Literal["written", "there already", "replaced"]


def install(place: Path, *, replace: bool) -> Installed:
    """Put the skill into a folder of skills. Raises `ConfigError` where another file of its name is there."""
    path = place / OWN.name / SKILL_FILE
    content = (OWN / SKILL_FILE).read_bytes()
    try:
        there = path.read_bytes() if path.exists() else None
        if there == content:
            return Installed(path=path, state="there already")
        if there is not None and not replace:
            raise ConfigError(f"{path} is there already and is another text", "hilt skill install --replace")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be written: {os.strerror(error.errno or 0)}", "choose a folder you own"
        ) from None
    return Installed(path=path, state="written" if there is None else "replaced")
