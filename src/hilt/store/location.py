"""Where one SQL store keeps its tables and its files."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from hilt.errors import ConfigError
from hilt.store.home import home

DATABASE = "hilt.db"
BLOBS = "blobs"
POSTGRESQL = "postgresql+psycopg"
"""The one driver used, whichever of a server's usual addresses is given."""
POSTGRESQL_NAMES = frozenset({"postgres", "postgresql", POSTGRESQL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A store's address. `file` is the SQLite file, None on a server; `blobs` is a folder."""

    url: URL
    file: Path | None
    blobs: Path

    def __str__(self) -> str:
        return str(self.file) if self.file else self.url.render_as_string(hide_password=True)


def locate(where: str | Path | None) -> Location:
    """The location for a URL or a file path; None is `hilt.db` in `home()`.

    Raises `ConfigError` for a database that is neither SQLite in a file nor PostgreSQL.
    """
    if where is None:
        folder = home()
        return _file(folder / DATABASE, folder / BLOBS)
    if isinstance(where, Path) or "://" not in where:
        file = Path(where).expanduser().absolute()
        return _file(file, file.with_name(file.name + f".{BLOBS}"))
    try:
        url = make_url(where)
    except ArgumentError as fault:
        raise ConfigError(f"{where!r} is not a database URL", "write sqlite:////path/to/hilt.db") from fault
    if url.drivername in POSTGRESQL_NAMES:
        url = url.set(drivername=POSTGRESQL)
        name = hashlib.sha256(url.render_as_string().encode()).hexdigest()[:16]
        return Location(url=url, file=None, blobs=home() / f"{BLOBS}-{name}")
    if url.get_backend_name() != "sqlite":
        raise ConfigError(
            f"a store on {url.drivername} is not supported",
            "use a sqlite:/// or a postgresql:// URL; PostgreSQL is met through psycopg",
        )
    if not url.database or url.database == ":memory:":
        raise ConfigError(f"{where!r} names no file", 'use "memory", or sqlite:////path/to/hilt.db')
    return locate(Path(url.database))


def _file(file: Path, blobs: Path) -> Location:
    return Location(url=URL.create("sqlite", database=str(file)), file=file, blobs=blobs)
