"""One thread for blocking work, in the order given, that outlives the waiting of its callers."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from anyio import Event, from_thread, get_cancelled_exc_class
from anyio.lowlevel import current_token

from hilt.errors import StoreError

T = TypeVar("T")


class Worker:
    """The thread, started with the first work. Usable from several event loops, not after a fork.

    `anyio.to_thread` keeps no order and, cancelled by asyncio itself, loses what the work came to.
    """

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._pid = os.getpid()
        self._closed = False

    async def run(self, work: Callable[[], T], undo: Callable[[T], object] | None = None) -> T:
        """What `work` returns or raises, run in the thread after all that was given before.

        When the caller is cancelled, work without `undo` is done all the same; work with `undo`
        is left out if it has not begun, and else undone right after.
        """
        self._check()
        done = Event()
        post = _poster(done)
        future = self._thread.submit(work)
        future.add_done_callback(lambda _: post())
        try:
            await done.wait()
        except get_cancelled_exc_class():
            if undo is not None and not future.cancel():
                self._thread.submit(_undo, future, undo)
            raise
        return future.result()

    async def close(self, last: Callable[[], object]) -> None:
        """Run `last` after everything else and end the thread. Closing again does nothing."""
        if self._closed:
            return
        try:
            await self.run(last)
        finally:
            self._closed = True
            self._thread.shutdown(wait=False)

    def _check(self) -> None:
        if self._closed:
            raise StoreError("the store is closed", "open another with open_store(...)")
        if self._pid != os.getpid():
            raise StoreError("the store was opened before this process was forked", "open it in each process")


def _undo(future: Future[T], undo: Callable[[T], object]) -> None:
    """Runs after the work itself, for the thread keeps the order."""
    if future.exception() is None:
        undo(future.result())


def _poster(done: Event) -> Callable[[], object]:
    """How another thread sets `done` in the event loop that runs now."""
    token = current_token()
    loop = token.native_token

    def post() -> None:
        try:
            if isinstance(loop, asyncio.AbstractEventLoop):
                loop.call_soon_threadsafe(done.set)
            else:
                from_thread.run_sync(done.set, token=token)
        except RuntimeError:
            return  # that event loop is closed, so nobody waits

    return post
