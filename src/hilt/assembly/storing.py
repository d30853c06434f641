"""The store that the settings name."""

from pathlib import Path

from hilt.assembly.config import Config
from hilt.assembly.late import late_store
from hilt.store import MEMORY, open_store
from hilt.store.protocol import Store


def store_of(config: Config) -> Store:
    """The store that the settings name, not yet opened."""
    if config.text("store.where") == MEMORY:
        return open_store(MEMORY)
    return late_store(lambda: _sql(config))


def _sql(config: Config) -> Store:
    from hilt.store.sql import SqlStore  # lazy: SQLAlchemy takes longer to import than the rest of Hilt together

    return SqlStore(
        store_address(config), retention=config.duration("log.keep"), trail_retention=config.duration("trail.keep")
    )


def store_address(config: Config) -> str | None:
    """The URL or file of the store, relative to the file that names it; None for the user's own."""
    where, origin = config.text("store.where"), config.origin("store.where")
    if where is None or origin is None or "://" in where:
        return where
    return str(origin.folder / Path(where).expanduser())
