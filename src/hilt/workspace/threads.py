"""Work in a thread that must not be left behind: its descriptors would be closed, or given to other files, under it.

A time limit cancels the task itself, which no shield of anyio holds off; so both waits are our own.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import TypeVar

from anyio import from_thread, to_thread

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


class GivenUp(Exception):
    """Nobody waits for this work any more. Raised in its thread by `Waited.pulse`."""


@dataclass(slots=True)
class Waited:
    """Work in a thread, and whether somebody waits for it still."""

    given_up: bool = False
    begun: bool = False
    over: bool = False
    lock: Lock = field(default_factory=Lock)

    def pulse(self) -> None:
        """Called by the work between its parts. Raises `GivenUp` where it need not go on."""
        if self.given_up:
            raise GivenUp

    def begin(self) -> None:
        """In the thread, before anything else."""
        with self.lock:
            self.pulse()
            self.begun = True

    def end(self) -> bool:
        """In the thread, after everything else: whether somebody waits for just that."""
        with self.lock:
            self.over = True
            return self.given_up

    def give_up(self) -> bool:
        """In the task: whether the thread is at work, and its end must be waited for."""
        with self.lock:
            self.given_up = True
            return self.begun and not self.over


async def while_waited_for(action: Callable[[Callable[[], None]], Outcome]) -> Outcome:
    """Run `action` in a thread; a cancellation arrives once the thread has ended, or if it never began.

    `action` is given a function to call between its parts, which ends it when it is cancelled.
    """
    loop, ended, waited = asyncio.get_running_loop(), asyncio.Event(), Waited()

    def pulse() -> None:
        waited.pulse()
        from_thread.check_cancelled()  # a scope of anyio shields the wait for a thread, and tells it alone

    def work() -> Outcome:
        waited.begin()
        try:
            return action(pulse)
        finally:
            if waited.end():
                loop.call_soon_threadsafe(ended.set)

    try:
        return await to_thread.run_sync(work)
    except asyncio.CancelledError:
        if waited.give_up():
            while not ended.is_set():
                with suppress(asyncio.CancelledError):  # told once is enough: the first one goes on below
                    await ended.wait()
        raise
