"""Running a tool's function: timed, cancellable, and the one place that catches whatever it raises.

A timed-out async function was cancelled where it waited. A timed-out sync function cannot be
stopped: its thread runs on, and the answer says so.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable
from types import CoroutineType
from typing import Any, cast

import anyio
from anyio import to_thread

from hilt.calls.arguments import Values
from hilt.calls.context import Context
from hilt.calls.returns import BrokenReturn
from hilt.calls.tool import AnyTool
from hilt.errors import HiltError, StoreError
from hilt.results.failures import Aborted, EnvironmentFailure, Outcome, Refused, ToolFailure
from hilt.runtime.deadlines import deadlines_here
from hilt.runtime.defects import Defect
from hilt.runtime.outcomes import cut_outcome, store_failed
from hilt.runtime.road import Road
from hilt.runtime.trip import Trip


async def run(trip: Trip, tool: AnyTool, values: Values, context: Context | None) -> object:
    """What the function returned. Raises `ToolFailure` or `Refused`, and nothing else but cancellation."""
    if tool.context is not None:
        values = {**values, tool.context: context}
    road, calls = trip.road, trip.state.running
    started = _AT_ONCE if tool.is_async else _Started()
    forks = _forks.times
    deadlines = road.deadlines = deadlines_here(road.deadlines)
    running = calls[trip.key] = deadlines.start(tool.handling.timeout_s)
    try:
        value: object = tool.function(**values) if tool.is_async else await _in_a_thread(road, tool, values, started)
        # A coroutine is what an async function gives; to ask isawaitable costs as much as a step of the road.
        if type(value) is CoroutineType or isawaitable(value):
            return await cast("Awaitable[object]", value)
        return value
    except BaseException as error:
        # A tool may raise CancelledError of its own accord, or a class that is no Exception: only a
        # cancellation that somebody asked for may end the call without an answer.
        if isinstance(error, _ANSWERS) or (not running.cut and _asked_to_end(error)):
            raise
        if not (running.cut and isinstance(error, asyncio.CancelledError)):
            raise _raised(road, tool, error) from error
    finally:
        deadlines.stop(running)
        del calls[trip.key]
        _leave_a_forked_child(forks)
        if running.cut and not await running.ended():
            raise asyncio.CancelledError
    raise _cut(trip, tool, context, started)


async def _in_a_thread(road: Road, tool: AnyTool, values: Values, started: "_Started") -> object:
    work = partial(_started_work, tool.function, values, started)
    return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=road.threads)


_ANSWERS = (ToolFailure, Refused, KeyboardInterrupt)


def _raised(road: Road, tool: AnyTool, error: BaseException) -> ToolFailure:
    if isinstance(error, StoreError):
        return store_failed(tool, error)
    road.report(Defect(tool=tool.name, problem=f"raised {_words(error)}", error=error))
    unknown = None if tool.declaration.effects.read_only else Outcome.UNKNOWN
    return faulty(tool, f"it raised {type(error).__name__}", unknown)


_NOT_ITS_FAULT = (ToolFailure, Refused, HiltError, BrokenReturn)


class blamed:  # a class, for a generator with @contextmanager costs twice as much, and each call has one or two
    """What a tool's own types, checks and words raise is a fault of the tool, as in its function."""

    __slots__ = ("_outcome", "_part", "_road", "_tool")

    def __init__(self, road: Road, tool: AnyTool, part: str, outcome: Outcome | None = None) -> None:
        self._road = road
        self._tool = tool
        self._part = part
        self._outcome = outcome

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception) or isinstance(error, _NOT_ITS_FAULT):
            return
        problem = f"{self._part} raised {_words(error)}"
        self._road.report(Defect(tool=self._tool.name, problem=problem, error=error))
        raise faulty(self._tool, f"{self._part} raised {type(error).__name__}", self._outcome) from error


def broken_off(trip: Trip, error: Exception) -> EnvironmentFailure:
    """What a part of the host raises on the way (a person's side, a resolver) ends one call and not the turn.

    Where a part of the tool is `at_work` it is blamed, as by `blamed`: nothing is entered on a road without faults.
    """
    tool, problem = trip.tool, _words(error)
    if tool is not None and trip.at_work and not isinstance(error, HiltError):
        trip.road.report(Defect(tool=tool.name, problem=f"{trip.at_work} raised {problem}", error=error))
        return faulty(tool, f"{trip.at_work} raised {type(error).__name__}", Outcome.DONE if trip.ran else None)
    defect = f"not answered: a part of the host raised {problem}"
    trip.road.report(Defect(tool=trip.call.name, problem=defect, error=error))
    failure = EnvironmentFailure(
        f"{trip.call.name}: a part of the host raised {type(error).__name__}; the host has the report",
        "take another way",
        "report it to the person",
    )
    failure.outcome = Outcome.UNKNOWN if trip.ran else Outcome.NOT_STARTED
    return failure


def _asked_to_end(error: BaseException) -> bool:
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return anyio.get_current_task().has_pending_cancellation() or bool(task and task.cancelling())
    return isinstance(error, (anyio.get_cancelled_exc_class(), GeneratorExit))


def _words(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # its own __str__ may be what is broken
        return type(error).__name__


class _Forks:
    """How often this process is the child of a fork: asking for its number each time is a call of the kernel."""

    def __init__(self) -> None:
        self.times = 0
        os.register_at_fork(after_in_child=self._in_child)

    def _in_child(self) -> None:
        self.times += 1  # pragma: no cover  # what is measured in the child ends with it


_forks = _Forks()


def _leave_a_forked_child(forks: int) -> None:
    """A tool that forked and returned in the child would answer twice: the child ends here."""
    if _forks.times != forks:
        os._exit(1)  # pragma: no cover  # what is measured in the child ends with it


def _cut(trip: Trip, tool: AnyTool, context: Context | None, started: "_Started") -> Aborted:
    by = trip.state.cancelled.pop(trip.key, None)
    why = f"{tool.name} was cancelled by {by}" if by else f"{tool.name} passed its time limit of {_limit(tool)} s"
    done = f"; done by then: {'; '.join(context.deeds)}" if context and context.deeds else ""
    if not started.yes:
        return Aborted(f"{why} before it started{done}", f"call {tool.name} again", outcome=Outcome.NOT_STARTED)
    if not tool.is_async:
        return Aborted(
            f"{why}; it cannot be stopped, is still running, and its outcome is unknown{done}",
            _verify(tool),
            outcome=Outcome.UNKNOWN,
        )
    return Aborted(f"{why}{done}", _verify(tool), outcome=cut_outcome(tool))


def _verify(tool: AnyTool) -> str:
    if tool.declaration.idempotent:
        return f"call {tool.name} again, or with narrower arguments"
    return "check whether it took effect before calling it again"


def _limit(tool: AnyTool) -> str:
    return f"{tool.handling.timeout_s:g}" if tool.handling.timeout_s is not None else "none"


@dataclass(slots=True)
class _Started:
    """Whether the function's first line was reached."""

    yes: bool = False


_AT_ONCE = _Started(yes=True)


def _started_work(function: Callable[..., Any], values: Values, started: _Started) -> object:
    started.yes = True
    forks = _forks.times
    try:
        return function(**values)
    finally:
        _leave_a_forked_child(forks)


def faulty(tool: AnyTool, problem: str, outcome: Outcome | None = None) -> EnvironmentFailure:
    """What the model reads when the tool itself is at fault; the host has the full report."""
    failure = EnvironmentFailure(
        f"the tool {tool.name} is faulty: {problem}; its host has the report",
        "take another way",
        "report it to the person",
    )
    failure.outcome = outcome
    return failure
