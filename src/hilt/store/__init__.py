"""What is kept: sessions, the ledger of claims, quotas, leaves, blobs, references, memos, pins, the trace, the trail.

Start with `protocol.py`, the promises; `records.py` holds what comes back. `memory.py` keeps
everything in this process, `sql.py` in SQLite or PostgreSQL, `blobs.py` large content in files.

Not here: what may run (`policy`), and what the road does with an outcome (`runtime`).
Importing this room does not import SQLAlchemy; opening a SQL store does.
"""

from pathlib import Path

from hilt.store.memory import MemoryStore
from hilt.store.protocol import RETENTION, BlobReader, Store
from hilt.store.records import (
    Claimed,
    ClaimOutcome,
    Pending,
    PurgeReport,
    Repeated,
    Running,
    Stored,
    StoredBlob,
    StoredEvent,
    StoredSession,
    Unknown,
    Unsettled,
)

MEMORY = "memory"

__all__ = [
    "MEMORY",
    "RETENTION",
    "BlobReader",
    "ClaimOutcome",
    "Claimed",
    "MemoryStore",
    "Pending",
    "PurgeReport",
    "Repeated",
    "Running",
    "Store",
    "Stored",
    "StoredBlob",
    "StoredEvent",
    "StoredSession",
    "Unknown",
    "Unsettled",
    "open_store",
]


def open_store(where: str | Path | None = None) -> Store:
    """The store at a SQLAlchemy URL or a file path; None is the user's own, "memory" this process.

    Nothing is opened until the first verb, which raises what stands in the way.
    """
    if where == MEMORY:
        return MemoryStore()
    # Imported here, for SQLAlchemy takes longer to import than the rest of Hilt together.
    from hilt.store.sql import SqlStore

    return SqlStore(where)
