"""What was changed in each client's file, and what stood there before: written before the change, so that a program
that dies between two writes leaves something to go back to.

A record is one file; its layers lie above each other, the latest last. A layer is undone byte for byte where the file
is still as the layer left it, and else by taking out exactly what the layer put in.
"""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hilt.assembly.clients.files import DIGEST_BYTES, FULL, step_of
from hilt.assembly.clients.table import Scope
from hilt.assembly.kept_files import alone, write_whole
from hilt.errors import ConfigError
from hilt.store.home import home, place

FOLDER = "clients"
"""The folder in HILT_HOME that holds the records."""


class _Kept(BaseModel):
    model_config = ConfigDict(extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")


class Adopted(_Kept):
    """One server that was moved: the client's entry, `raw` as it was written, and where it is in `hilt.toml`."""

    entry: object
    raw: str = ""
    server: str
    table: dict[str, object]
    written: bool
    """Whether this put the table into `hilt.toml`; else it stood there."""


class Change(_Kept):
    """What a file held before, and the digest of it after."""

    before: bytes | None
    after: str


class Layer(_Kept):
    """One change of a client's file, at a time in nanoseconds. `entered` is whether it put our entry there, `made` the
    first folder that had to be made for it.
    """

    kind: Literal["install", "adopt", "allow"]
    when: int
    change: Change
    entered: bool = True
    made: Path | None = None
    adopted: dict[str, Adopted] = Field(default_factory=dict[str, Adopted])
    settings: Change | None = None
    settings_file: Path | None = None


class Record(_Kept):
    """One client's file and what was done to it."""

    client: str
    scope: Scope
    file: Path
    key: tuple[str, ...]
    layers: list[Layer] = Field(default_factory=list[Layer])

    def top(self, kind: str) -> Layer | None:
        """The latest layer of a kind."""
        return next((each for each in reversed(self.layers) if each.kind == kind), None)

    @property
    def adopted(self) -> Mapping[str, Adopted]:
        """Every server that was moved out of the file."""
        return {name: each for layer in self.layers for name, each in layer.adopted.items()}


def records() -> list[Record]:
    """Every record there is. Raises `ConfigError` for one that cannot be read."""
    folder = place() / FOLDER
    files = sorted(folder.glob("*.json")) if folder.is_dir() else []
    return [_read(file) for file in files]


def record(client: str, scope: Scope, file: Path, key: tuple[str, ...]) -> Record:
    """The record of a file, or a new one. Raises `ConfigError`."""
    kept = _file(file, key)
    if kept.is_file():
        return _read(kept)
    return Record(client=client, scope=scope, file=file, key=key)


def keep(changed: Record) -> None:
    """Write a record; one without layers is taken away. Raises `ConfigError`."""
    file = _file(changed.file, changed.key)
    try:
        if not changed.layers:
            file.unlink(missing_ok=True)
            return
        _made()
        write_whole(file, changed.model_dump_json(indent=1).encode())
    except OSError as fault:
        raise _unwritable(file, fault) from None


@contextmanager
def held(*, dry: bool = False) -> Generator[None]:
    """Keep other programs from changing clients' files through Hilt meanwhile, where anything is to be written.

    Raises `ConfigError`.
    """
    if dry:
        yield
        return
    folder = place() / FOLDER
    try:
        with alone(_made() / "lock"):
            yield
    except OSError as fault:
        raise _unwritable(folder, fault) from None


def _made() -> Path:
    folder = home() / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _unwritable(file: Path, fault: OSError) -> ConfigError:
    step = step_of(fault, file.parent) if fault.errno in FULL else "set HILT_HOME to a folder you can write to"
    return ConfigError(f"{file} cannot be written: {fault.strerror}", step)


def _file(file: Path, key: tuple[str, ...]) -> Path:
    words = json.dumps([str(file), *key])
    return place() / FOLDER / f"{blake2b(words.encode(), digest_size=DIGEST_BYTES).hexdigest()}.json"


def _read(file: Path) -> Record:
    try:
        return Record.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        raise ConfigError(
            f"the record {file} cannot be read, so Hilt does not know what it changed",
            f"see the copies in {file.parent / 'backups'}, and take the record away",
        ) from None
