"""Pins of `MemoryStore`: as long as the process."""

from anyio import Lock, to_thread

from hilt.catalog.pins import Pinned
from hilt.store.protocol import Revise


class MemoryPins:
    """What is known of every server."""

    def __init__(self) -> None:
        self._servers: dict[str, Pinned] = {}
        self._alone = Lock()

    def pinned(self, server: str | None) -> list[Pinned]:
        """Of one server, or of each, by name."""
        return [self._servers[name] for name in sorted(self._servers) if server in (None, name)]

    async def revise(self, server: str, revise: Revise) -> tuple[Pinned, Pinned]:
        """What was known of the server, and what is now. In a thread: thousands of tools take a second."""
        async with self._alone:
            before = self._servers.get(server) or Pinned(server=server)
            others = {
                (name, pin.tool)
                for name, known in self._servers.items()
                if name != server
                for pin in known.pins
                if pin.accepted and pin.gone is None
            }
            after = await to_thread.run_sync(revise, before, others)
            if after.pins or after.source:
                self._servers[server] = after
            else:
                self._servers.pop(server, None)
        return before, after
