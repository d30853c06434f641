"""Work in a thread that must not be left half done."""

import asyncio
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from anyio import to_thread

Outcome = TypeVar("Outcome")


async def to_its_end(action: Callable[[Event], Outcome]) -> Outcome:
    """Run `action` in a thread and wait for its end, also where this task is cancelled meanwhile.

    The event given to `action` is set then, for what it may leave out. Its outcome is returned all
    the same, so that what was done can be stated and what was opened closed; the cancellation
    arrives where the task waits next. (A wait that a cancellation breaks off would close the
    descriptors of a thread that still writes.)
    """
    given_up = Event()
    work = asyncio.ensure_future(  # noqa: TID251  a task group waits as well, but loses the outcome when cancelled
        to_thread.run_sync(action, given_up)
    )
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            given_up.set()
    task = asyncio.current_task()
    if given_up.is_set() and task is not None:
        task.uncancel()  # the count stays as it was: one taken off, one put on
        task.cancel()
    return work.result()
