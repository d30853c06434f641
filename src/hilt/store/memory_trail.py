"""The audit trail of `MemoryStore`: as long as the process, and up to a fixed size."""

import time
from collections import deque
from collections.abc import Iterable
from itertools import islice

from hilt.store.chain import Head, linked, purged
from hilt.store.records import TrailEntry

MOST_TRAIL_ENTRIES = 10_000


class MemoryTrail:
    """Entries of all sessions; the oldest are forgotten beyond `MOST_TRAIL_ENTRIES`."""

    def __init__(self) -> None:
        self._entries: deque[TrailEntry] = deque()
        self._head = Head()

    def append(self, session_id: str, entries: Iterable[str]) -> None:
        """Link the entries to the last one."""
        for entry in linked(self._head, session_id, time.time(), entries):
            self._entries.append(entry)
            self._head = Head(number=entry.number, hash=entry.hash)
        over = len(self._entries) - MOST_TRAIL_ENTRIES
        if over > 0:
            self._remove(over + MOST_TRAIL_ENTRIES // 10)

    def after(self, since: int, limit: int) -> list[TrailEntry]:
        """Entries after a number, in order."""
        first = self._head.number - len(self._entries) + 1
        return list(islice(self._entries, max(since + 1 - first, 0), max(since + 1 - first, 0) + limit))

    def purge(self, cutoff: float) -> int:
        """Remove the oldest, and leave an entry that says which."""
        count = 0
        for entry in self._entries:
            if entry.at > cutoff:
                break
            count += 1
        return self._remove(count)

    def _remove(self, count: int) -> int:
        if count:
            first, last = self._entries[0], self._entries[count - 1]
            for _ in range(count):
                self._entries.popleft()
            self.append("", [purged(first, last)])
        return count
