"""The audit trail of one runtime, on its way to the store: entries that may wait, and what else is asked of it."""

from dataclasses import dataclass, field

from hilt.store.protocol import Store

MOST_WAITING = 10_000
"""Outcomes that wait to be written; the oldest go first when more come, and their decisions read as unknown."""


@dataclass(slots=True, kw_only=True)
class Trail:
    """What one runtime writes to its store's trail. `arguments`: those of each call, masked, beside their digest."""

    arguments: bool = False
    _waiting: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def wait(self, session: str, entry: str) -> None:
        """Keep an entry until the session's next one, or until `flush`."""
        entries = self._waiting.setdefault(session, [])
        entries.append(entry)
        del entries[:-MOST_WAITING]

    def taken(self, session: str) -> list[str]:
        """The entries of a session that wait, which the caller writes now."""
        return self._waiting.pop(session, [])

    def put_back(self, session: str, entries: list[str]) -> None:
        """What could not be written waits again, in front of what came meanwhile."""
        if entries:
            self._waiting[session] = (entries + self._waiting.get(session, []))[-MOST_WAITING:]

    async def flush(self, store: Store) -> None:
        """Write everything that waits. Raises `StoreError`; what was not written waits on."""
        for session in list(self._waiting):
            entries = self.taken(session)
            try:
                await store.append_trail(session, entries)
            except BaseException:
                self.put_back(session, entries)
                raise
