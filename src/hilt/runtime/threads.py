"""The threads that sync functions run in: at most so many at once, in the order they asked."""

from types import TracebackType
from typing import Self

import anyio


class Threads(anyio.CapacityLimiter):
    """anyio's limiter, without the turn of the event loop that it takes where a thread is free.

    `to_thread.run_sync` takes one of its own before it asks; the second costs half as much as the road.
    """

    __slots__ = ("limiter",)

    def __new__(cls, most: int) -> Self:
        """An object of this class: anyio's own chooses one of the running event loop's kind."""
        return object.__new__(cls)

    def __init__(self, most: int) -> None:
        self.limiter = anyio.CapacityLimiter(most)

    async def __aenter__(self) -> None:
        """Take a thread, at once where one is free."""
        try:
            self.limiter.acquire_nowait()
        except anyio.WouldBlock:
            await self.limiter.acquire()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the thread back."""
        self.limiter.release()
