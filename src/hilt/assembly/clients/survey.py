"""Which clients are on this machine, and how each of them stands to Hilt."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hilt.assembly.clients import forms, journal
from hilt.assembly.clients.broken import BrokenText
from hilt.assembly.clients.entries import Stays, server_of
from hilt.assembly.clients.files import look
from hilt.assembly.clients.installing import interpreter_of
from hilt.assembly.clients.ours import is_ours
from hilt.assembly.clients.table import NAME, Place, clients, here, places
from hilt.assembly.clients.table import place as place_of
from hilt.errors import ConfigError

Standing = Literal["behind hilt", "beside hilt", "not set up", "outdated", "broken"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One place of a client. `servers` are its own besides Hilt; `steps` what to do next."""

    place: Place
    standing: Standing
    says: str
    servers: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    @property
    def document(self) -> dict[str, object]:
        """It as one object, for programs."""
        return {
            "client": self.place.name,
            "title": self.place.client.title,
            "scope": self.place.scope,
            "file": str(self.place.file),
            "standing": self.standing,
            "says": self.says,
            "servers": list(self.servers),
            "next_steps": list(self.steps),
        }


def survey(start: Path) -> Iterator[Found]:
    """Each place of the clients that are here: the user's, and others whose file exists."""
    for name in clients():
        if here(name):
            for place in places(name, start):
                if place.scope == "user" or _counts(place, start):
                    yield examined(place)


def _counts(place: Place, start: Path) -> bool:
    """Whether a place besides the user's is worth a line: its file is there, is another one, and has servers."""
    if not place.file.is_file() or (
        place.scope == "project" and place.file == place_of(place.name, "user", start).file
    ):
        return False
    try:
        return bool(_entries(place))
    except (BrokenText, ConfigError):
        return place.scope != "local"


def _movable(entries: Mapping[str, object], place: Place) -> bool:
    for name, entry in entries.items():
        try:
            if name != NAME and server_of(entry, place, os.environ):
                return True
        except Stays:
            continue
    return False


def _entries(place: Place) -> dict[str, object]:
    return forms.entries(look(place.file).content or b"", place.form, place.key)


def examined(place: Place) -> Found:
    """How one place stands."""
    scope = {"user": "", "local": " --local", "project": " --project"}[place.scope]
    adopt, install = f"hilt adopt {place.name}{scope} --dry-run", f"hilt install {place.name}{scope}"
    try:
        present = _entries(place)
    except (BrokenText, ConfigError) as broken:
        return Found(place=place, standing="broken", says=f"{place.file}: {broken}", steps=(f"correct {place.file}",))
    servers = tuple(name for name in present if name != NAME)
    if NAME not in present:
        says = f"{_count(len(servers))} of its own, not Hilt" if servers else "not set up"
        return Found(
            place=place, standing="not set up", says=says, servers=servers, steps=(adopt if servers else install,)
        )
    if not is_ours(present[NAME]):
        says = f"another server is called {NAME}, and {_count(len(servers))} beside it"
        step = f"give the server {NAME} another name in {place.file}"
        return Found(place=place, standing="not set up", says=says, servers=tuple(present), steps=(step,))
    program = interpreter_of(present[NAME], place.client)
    if program is None or not os.access(program, os.X_OK):
        says = f"its entry starts {program}, which is not there" if program else "its entry hilt starts nothing"
        return Found(place=place, standing="outdated", says=says, servers=servers, steps=(install,))
    other = "" if str(program) == sys.executable else f", by {program}"
    if servers:
        says = f"Hilt{other}, and {_count(len(servers))} beside it"
        steps = (adopt,) if _movable(present, place) else ()
        return Found(place=place, standing="beside hilt", says=says, servers=servers, steps=steps)
    try:
        behind = len(journal.record(place.name, place.scope, place.file, place.key).adopted)
    except ConfigError as broken:
        return Found(place=place, standing="broken", says=broken.problem, steps=broken.next_steps)
    return Found(place=place, standing="behind hilt", says=f"Hilt{other}" + (f"; {behind} adopted" if behind else ""))


def _count(servers: int) -> str:
    return "1 server" if servers == 1 else f"{servers} servers"
