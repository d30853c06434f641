"""Calls that run, and what ends them: their time limit, or somebody who cancels them.

A cancel scope of anyio for each call cost more than a short call itself, so one timer keeps every
limit of an event loop, and a call is ended through its task, as `asyncio.timeout` does. Unlike
there, a function that swallows its cancellation is cancelled again, until it ends.
"""

import asyncio
from contextlib import suppress
from math import inf

AGAIN_S = 0.1
"""Seconds after which a function that did not end when it was cancelled is cancelled again."""


class Running:
    """One call that runs in a task. `cut` says that it was ended on purpose, and not by its host."""

    __slots__ = ("_asked", "_before", "_ends", "_task", "cut")

    def __init__(self, ends: "Deadlines", task: "asyncio.Task[object]") -> None:
        self.cut = False
        self._ends = ends
        self._task = task
        self._asked = 0
        self._before = task.cancelling()

    def cancel(self) -> None:
        """End the call; the function sees a cancellation where it waits."""
        self.cut = True
        self._asked += 1
        self._task.cancel()
        self._ends.again(self)

    async def ended(self) -> bool:
        """Take our cancellations back. False where the host has cancelled the task as well."""
        for _ in range(self._asked):
            self._task.uncancel()
        if not self._cancelled_by_host():
            # A cancellation that came when the function had already returned arrives now, and nowhere later.
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
        return not self._cancelled_by_host()

    def _cancelled_by_host(self) -> bool:
        return self._task.cancelling() > self._before


class Deadlines:
    """The time limits of the calls of one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._ends: dict[Running, float] = {}
        self._wakes_at = inf

    def start(self, seconds: float | None) -> Running:
        """A call of the current task that is cancelled after so many seconds, unless `stop` comes first."""
        task = asyncio.current_task(self.loop)
        assert task is not None, "calls run in tasks"
        running = Running(self, task)
        if seconds is not None:
            self._end(running, self.loop.time() + seconds)
        return running

    def stop(self, running: Running) -> None:
        """The function has ended."""
        self._ends.pop(running, None)

    def again(self, running: Running) -> None:
        """Cancel once more a little later, unless the function has ended by then."""
        self._end(running, self.loop.time() + AGAIN_S)

    def _end(self, running: Running, end: float) -> None:
        self._ends[running] = end
        if end < self._wakes_at:
            self._wakes_at = end
            self.loop.call_at(end, self._wake)

    def _wake(self) -> None:
        now = self.loop.time()
        self._wakes_at = inf
        for running in [each for each, end in self._ends.items() if end <= now]:
            running.cancel()
        if self._ends and self._wakes_at is inf:
            soonest = min(self._ends.values())
            self._wakes_at = soonest
            self.loop.call_at(soonest, self._wake)


def deadlines_here(known: Deadlines | None) -> Deadlines:
    """The deadlines of the running event loop: `known` where it is that loop's."""
    loop = asyncio.get_running_loop()
    return known if known is not None and known.loop is loop else Deadlines(loop)
