"""How far a call is, as MCP's progress notifications: rising numbers, and of words that come too fast the newest."""

import asyncio
import math
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

from hilt.adapters.wire import sendable
from hilt.calls.events import Event

STEP = 0.001
"""What a word of progress adds that counts nothing itself: MCP's numbers must rise with each notification."""

LONGEST_WORDS = 1_000
"""Characters of one word of progress."""

Send = Callable[[float, float | None, str | None], Awaitable[None]]


class Pump:
    """Sends what calls have to tell, as fast as the client reads it.

    Where there are many clients, one that does not read within `patience_s` is told no more of its call.
    """

    def __init__(self, *, patience_s: float | None = None) -> None:
        self._patience_s = patience_s
        self._ready: deque[Progress] = deque()
        self._news = anyio.Event()

    def announce(self, progress: "Progress") -> None:
        """A call has a word to send."""
        self._ready.append(progress)
        self._news.set()

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            await self._news.wait()
            self._news = anyio.Event()
            while self._ready:
                await self._flush(self._ready.popleft())

    async def _flush(self, progress: "Progress") -> None:
        if self._patience_s is None:
            await progress.flush()
            return
        with anyio.move_on_after(self._patience_s) as scope:
            await progress.flush()
        if scope.cancelled_caught:
            progress.end()


class Progress:
    """The word of one call that is not sent yet: at most one, for a later one says more."""

    def __init__(self, send: Send, pump: Pump) -> None:
        self._send = send
        self._pump = pump
        self._last = -STEP
        self._ended = False
        self._word: tuple[float, float | None, str | None] | None = None
        self._thread = threading.get_ident()
        self._loop = asyncio.get_running_loop()

    def hear(self, event: Event) -> None:
        """Take what an event of this call tells people, from the loop or from a tool's own thread."""
        facts = event.facts
        if event.step == "decode":  # while the call is still being judged
            said = (None, None, facts.get("activity"))
        elif event.step == "progress":
            said = (_number(facts.get("done")), _number(facts.get("total")), facts.get("message"))
        else:
            return
        if threading.get_ident() == self._thread:
            self._say(*said)
        elif not self._loop.is_closed():
            # Not anyio's from_thread: it waits for the loop, and knows only threads that anyio started.
            self._loop.call_soon_threadsafe(self._say, *said)

    def _say(self, done: float | None, total: float | None, message: object) -> None:
        if done is None or done <= self._last:
            done = max(round(self._last + STEP, 3), math.nextafter(self._last, math.inf))
        self._last = done
        if self._word is None:
            self._pump.announce(self)
        self._word = (done, total, None if message is None else sendable(str(message)[:LONGEST_WORDS]))

    async def flush(self) -> None:
        """Send what is left to say."""
        if self._word is not None and not self._ended:
            word, self._word = self._word, None
            await self._send(*word)

    def end(self) -> None:
        """Say no more: nobody reads it."""
        self._ended = True


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


_current: ContextVar[Progress | None] = ContextVar("current_progress", default=None)


def hear(event: Event) -> None:
    """The runtime's listener: hands an event to whoever waits for progress of the call it belongs to."""
    progress = _current.get()
    if progress is not None:
        progress.hear(event)


@contextmanager
def heard(progress: Progress) -> Generator[None]:
    """Within, `progress` hears of the calls that this task makes."""
    token = _current.set(progress)
    try:
        yield
    finally:
        _current.reset(token)
