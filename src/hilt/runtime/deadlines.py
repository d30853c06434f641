"""Time limits of the calls that run, kept by one timer: a timer for each costs more than a short call itself."""

import asyncio
from math import inf

import anyio


class Deadlines:
    """Cancels the scopes of one event loop whose time is up."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._scope = type(anyio.CancelScope())  # asked for by name, anyio looks for the event loop each time
        self._ends: dict[anyio.CancelScope, float] = {}
        self._wakes_at = inf

    def start(self, seconds: float | None) -> anyio.CancelScope:
        """A scope that is cancelled after so many seconds, unless `stop` comes first."""
        scope = self._scope()
        if seconds is not None:
            end = self._ends[scope] = self.loop.time() + seconds
            if end < self._wakes_at:
                self._wake_at(end)
        return scope

    def stop(self, scope: anyio.CancelScope) -> None:
        """What ran in the scope has ended."""
        self._ends.pop(scope, None)

    def _wake_at(self, end: float) -> None:
        self._wakes_at = end
        self.loop.call_at(end, self._wake)

    def _wake(self) -> None:
        now = self.loop.time()
        for scope, end in self._ends.items():
            if end <= now:
                scope.cancel()
        self._wakes_at = inf
        if later := [end for end in self._ends.values() if end > now]:
            self._wake_at(min(later))


def deadlines_here(known: Deadlines | None) -> Deadlines | None:
    """The deadlines of the running event loop: `known` where it is that loop's; None where it is not asyncio's."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    return known if known is not None and known.loop is loop else Deadlines(loop)
