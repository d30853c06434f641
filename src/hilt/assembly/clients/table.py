"""The table of clients, and where on this machine each of their files is."""

import os
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from hilt.assembly.clients.forms import Form
from hilt.declarations.names import nearest
from hilt.errors import ConfigError

TABLE_FILE = Path(__file__).with_name("clients.toml")
NAME = "hilt"
"""The name of our entry in every client."""
FOLDER = "{folder}"
"""In a key: the project's folder."""
REPOSITORY = ".git"

Scope = Literal["user", "local", "project"]


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Allow(_Row):
    """Where a client keeps what it does not ask about, and what stands there for Hilt."""

    files: tuple[str, ...]
    key: tuple[str, ...]
    value: str


class PlaceRow(_Row):
    """One file of a client. `key` leads to its servers; `listed` where they are a list of items with names."""

    scope: Scope
    files: tuple[str, ...]
    files_macos: tuple[str, ...] = ()
    form: Form = "json"
    key: tuple[str, ...]
    listed: bool = False
    allow: Allow | None = None


class Client(_Row):
    """One client.

    `signs` and `programs` say that it is here. `entry` is what our entry has besides command and arguments; `fields`
    names what the client calls otherwise; `one_line` where command and arguments are one list; `off` is what marks a
    server that is switched off. `variables` are the forms it fills in. `allow_entry` goes into our entry where a
    person wants that.
    """

    title: str
    restart: str
    permission: str
    places: tuple[PlaceRow, ...]
    signs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    entry: Mapping[str, object] = {}
    fields: Mapping[str, str] = {}
    one_line: bool = False
    off: Mapping[str, object] = {}
    variables: tuple[str, ...] = ()
    allow_entry: Mapping[str, object] = {}

    def called(self, field: str) -> str:
        """What the client calls a field."""
        return self.fields.get(field, field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file of one client on this machine, with the keys that lead to its servers."""

    name: str
    client: Client
    row: PlaceRow
    file: Path
    key: tuple[str, ...]
    folder: Path

    @property
    def scope(self) -> Scope:
        """For whom its servers are."""
        return self.row.scope

    @property
    def form(self) -> Form:
        """The format of the file."""
        return self.row.form

    @property
    def allow_file(self) -> Path | None:
        """The file that says what is not asked about."""
        return located(self.row.allow.files, self.folder) if self.row.allow else None


@cache
def clients() -> Mapping[str, Client]:
    """Every client that Hilt knows, by the name it is called on the command line."""
    rows = tomllib.loads(TABLE_FILE.read_text(encoding="utf-8"))
    return {name: Client.model_validate(row) for name, row in rows.items()}


def client(name: str) -> Client:
    """One client. Raises `ConfigError` naming the nearest."""
    found = clients().get(name)
    if found is None:
        near = nearest(name, list(clients()), most=1)
        nearly = f" (perhaps {near[0]}?)" if near else ""
        known = ", ".join(clients())
        raise ConfigError(
            f"no client is called {name!r}{nearly}; known are {known}", "hilt install lists the clients of this machine"
        )
    return found


def places(name: str, start: Path) -> Iterator[Place]:
    """Each place of a client, seen from a folder. Raises `ConfigError`."""
    found = client(name)
    for row in found.places:
        files = row.files_macos if row.files_macos and sys.platform == "darwin" else row.files
        folder = project_folder(start, files if row.scope == "project" else ())
        key = tuple(str(folder) if each == FOLDER else each for each in row.key)
        yield Place(name=name, client=found, row=row, file=located(files, folder), key=key, folder=folder)


def place(name: str, scope: Scope, start: Path) -> Place:
    """The place of a client for a scope. Raises `ConfigError` where it has none."""
    found = next((each for each in places(name, start) if each.scope == scope), None)
    if found is None:
        raise ConfigError(f"{client(name).title} has no place for {scope} servers", f"leave --{scope} out")
    return found


def of_record(name: str, scope: Scope, file: Path, key: tuple[str, ...]) -> Place:
    """A place as it was when something was done to it. Raises `ConfigError`."""
    found = client(name)
    row = next(each for each in found.places if each.scope == scope)
    return Place(name=name, client=found, row=row, file=file, key=key, folder=file.parent)


def here(name: str) -> bool:
    """Whether a client is on this machine: one of its files or folders, or its program."""
    found = client(name)
    signs = (_path(each, Path()) for each in found.signs)
    return any(sign is not None and sign.exists() for sign in signs) or any(map(shutil.which, found.programs))


def located(files: Sequence[str], folder: Path) -> Path:
    """The first of these files that exists, else the first that can be named."""
    named = [path for each in files if (path := _path(each, folder)) is not None]
    return next((path for path in named if path.exists()), named[0])


def _path(text: str, folder: Path) -> Path | None:
    """A path of the table; None where it begins with a variable that is not set."""
    if not text.startswith("$"):
        return folder / Path(text).expanduser()
    variable, _, rest = text[1:].partition("/")
    value = os.environ.get(variable)
    return Path(value).expanduser().absolute() / rest if value else None


def project_folder(start: Path, files: Sequence[str] = ()) -> Path:
    """The nearest folder upward that has one of the files, within the repository; else the repository, else `start`.

    The person's own folder and those above are no project, unless it is there that they stand.
    """
    for folder in (start, *start.parents):
        if folder == Path.home():
            break
        if any((folder / each).is_file() for each in files if not each.startswith(("~", "$"))):
            return folder
        if (folder / REPOSITORY).exists():
            return folder
    return start
