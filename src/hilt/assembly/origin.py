"""Where a setting came from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Layer = Literal["default", "organisation", "user", "project", "environment", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """One source of settings. `folder` is what its relative paths start from; an untrusted one only tightens.

    `changed` says that it was trusted, and is not any more as it is now.
    """

    layer: Layer
    place: str
    folder: Path
    trusted: bool = True
    changed: bool = False

    def __str__(self) -> str:
        if self.layer == "default":
            return "default"
        return f"{self.layer}: {self.place}" + ("" if self.trusted else " (untrusted)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One value in force, and its source."""

    key: str
    value: object
    origin: Origin
