"""Functions of every sort, run to one answer: in threads, awaited, too slow, forked, faulty."""

import asyncio
import os
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.lowlevel
import pytest

from hilt import Check, Context, Param, Retryable, Session, schema_tool, tool
from hilt.calls.answer import Answer
from hilt.declarations.effects import PERCEIVING
from hilt.errors import StoreError, StoreFull, StoreLocked
from hilt.results.failures import FailureKind, Outcome
from hilt.runtime.defects import Defect, log_defect
from hilt.runtime.road import Road
from tests.kit import acting, answered, perceiving, runtime


async def test_sync_and_async_functions_are_run_and_stay_callable_as_themselves() -> None:
    @tool(**perceiving())
    def plain(n: Annotated[int, Param("n")]) -> int:
        return n + 1

    @tool(**perceiving())
    async def awaited(n: Annotated[int, Param("n")]) -> int:
        return n + 1

    of = runtime(plain, awaited)

    assert plain(n=1) == await awaited(n=1) == 2
    assert (await of.call(Session(), "plain", {"n": 1})).items == (2,)
    assert (await of.call(Session(), "awaited", {"n": 1})).items == (2,)


async def test_what_a_function_hands_back_unawaited_is_awaited() -> None:
    async def fetch(given: Mapping[str, object]) -> str:
        return f"{given['n']}"

    async def promised() -> str:
        return "kept"

    @tool(**perceiving())
    def deferred() -> str:
        return promised()  # type: ignore[return-value]  # a function that hands on a coroutine

    foreign = schema_tool("fetch", lambda given: fetch(given), parameters={"type": "object"}, effects=PERCEIVING)

    assert (await answered(runtime(foreign), "fetch", '{"n": 3}')).text == "3"
    assert (await answered(runtime(deferred), "deferred")).text == "kept"


async def test_a_sync_function_past_its_limit_is_answered_and_said_to_run_on() -> None:
    release = threading.Event()

    @tool(**acting(timeout_s=0.05))
    def stuck() -> str:
        release.wait(10)
        return "late"

    with anyio.fail_after(5):
        answer = await answered(runtime(stuck), "stuck")
    release.set()

    assert answer.result.failure is not None
    assert answer.result.failure.outcome == "unknown"
    assert "it cannot be stopped, is still running" in answer.text
    assert "check whether it took effect" in answer.text


async def test_a_call_that_found_no_thread_in_time_never_started() -> None:
    release, held = threading.Event(), threading.Event()
    ran: list[int] = []

    @tool(**acting(timeout_s=None))
    def holds() -> str:
        held.set()
        release.wait(10)
        return "held"

    @tool(**acting(timeout_s=0.1))
    def waits() -> str:
        ran.append(1)
        return "done"

    of = runtime(holds, waits)
    of._road.threads.limiter.total_tokens = 1  # the runtime's own limit, made small
    answers: list[Answer] = []
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(of.call, Session(), "holds", {})
            await anyio.to_thread.run_sync(held.wait)
            answers.append(await answered(of, "waits"))
            release.set()

    (answer,) = answers
    assert answer.result.failure is not None
    assert answer.result.failure.outcome == "not_started"
    assert "before it started" in answer.text
    assert ran == []


def test_calls_that_find_no_thread_wait_and_run_in_the_order_they_came_in_any_event_loop() -> None:
    ran: list[int] = []
    at_once: list[int] = []
    inside = [0]

    @tool(**acting(parallel=True))
    def works(n: Annotated[int, Param("n")]) -> str:
        inside[0] += 1
        at_once.append(inside[0])
        ran.append(n)
        inside[0] -= 1
        return "done"

    of = runtime(works)
    of._road.threads.limiter.total_tokens = 1  # the runtime's own limit, made small

    async def all_of_them() -> None:
        with anyio.fail_after(5):
            results = await asyncio.gather(*[of.call(Session(), "works", {"n": n}) for n in range(20)])
        assert {each.status for each in results} == {"success"}

    for _ in range(2):
        anyio.run(all_of_them)

    assert ran == [*range(20)] * 2
    assert set(at_once) == {1}


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_tool_that_forks_is_answered_once_and_its_child_ends(asynchronous: bool, tmp_path: Path) -> None:
    marks = tmp_path / "children"

    def fork() -> str:
        child = os.fork()
        if child == 0:
            return "from the child"
        with marks.open("a") as file:
            file.write(f"{child}\n")
        return "from the parent"

    async def afork() -> str:
        return fork()

    made = tool(name="fork", **acting())(afork if asynchronous else fork)
    answer = await answered(runtime(made), "fork")

    assert answer.result.items == ("from the parent",)
    (child,) = marks.read_text().split()
    assert exit_code(int(child)) == 1


def test_a_host_that_forks_after_it_made_its_runtime_can_call_in_the_child() -> None:
    @tool(**perceiving())
    async def echo() -> str:
        return "alive"

    of = runtime(echo)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if anyio.run(lambda: of.call(Session(), "echo", {})).items == ("alive",) else 2
        finally:
            os._exit(code)

    assert exit_code(child) == 0


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


async def test_only_an_idempotent_tool_is_repeated_as_declared_and_each_repeat_is_told() -> None:
    tries: list[list[int]] = []

    @tool(**acting(idempotent=True, repeats=2))
    def shaky(numbers: Annotated[list[int], Param("numbers")]) -> str:
        tries.append(list(numbers))
        numbers.clear()
        if len(tries) < 3:
            raise Retryable("busy", "wait", retry_after_s=0.001)
        return "through"

    answer = await answered(runtime(shaky), "shaky", '{"numbers": [1, 2]}')

    assert tries == [[1, 2]] * 3
    assert answer.result.items == ("through",)
    assert answer.result.notes == ("repeated after: busy",)


async def test_a_tool_that_stays_busy_past_its_repeats_is_retryable() -> None:
    @tool(**acting(idempotent=True, repeats=1))
    def busy() -> str:
        raise Retryable("busy", "wait", retry_after_s=0)

    result = (await answered(runtime(busy), "busy")).result

    assert result.failure is not None
    assert result.failure.kind == "retryable"


async def test_a_tool_that_changes_its_arguments_changes_nothing_of_the_call() -> None:
    def devour(given: Mapping[str, object]) -> str:
        for value in given.values():
            if isinstance(value, list):
                value.clear()
        return "devoured"

    def many(ids: Any = None, offset: Any = 0) -> Any:
        ids.clear()
        return ["a"] * 5

    many.__annotations__ = {
        "ids": Annotated[list[int], Param("ids")],
        "offset": Annotated[int, Param("offset")],
        "return": list[str],
    }
    paged = tool(**perceiving(limit=2, continues="offset"))(many)
    foreign = schema_tool("devour", devour, parameters={"type": "object"})
    of = runtime(foreign, paged)

    answer = await answered(of, "devour", '{"ids": [1]}')
    page = await answered(of, "many", '{"ids": [1, 2]}')

    assert answer.result.items == ("devoured",)
    assert page.result.truncation is not None
    assert page.result.truncation.next == {"ids": [1, 2], "offset": 2}


async def test_the_host_hears_of_every_fault_in_full_and_the_model_only_that_there_is_one() -> None:
    heard: list[Defect] = []

    @tool(**perceiving())
    def faulty() -> str:
        raise KeyError("/root/secret/path")

    answer = await answered(runtime(faulty, on_defect=heard.append), "faulty")

    assert "secret" not in answer.text
    assert "report it to the person" in answer.text
    assert heard[0].problem == "raised KeyError: '/root/secret/path'"
    assert isinstance(heard[0].error, KeyError)


def test_a_fault_that_nobody_listens_to_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    log_defect(Defect(tool="lookup", problem="raised ValueError: x", error=ValueError("x")))

    assert "tool lookup raised ValueError: x" in caplog.text


@pytest.mark.parametrize("part", ["check", "summary", "rendering"])
async def test_a_fault_in_the_tools_own_words_is_answered_as_a_fault_of_the_tool(part: str) -> None:
    def broken(*_: object) -> Any:
        raise ZeroDivisionError("words")

    options: dict[str, dict[str, Any]] = {
        "check": {"checks": [Check(path="n", broken=broken, next_step="x")]},
        "summary": {"summarise": broken},
        "rendering": {"render": broken},
    }
    ran: list[int] = []

    @tool(**acting(**options[part]))
    def speak(n: Annotated[int, Param("n")] = 1) -> str:
        ran.append(n)
        return "data"

    answer = await answered(runtime(speak), "speak")

    assert "ZeroDivisionError" in answer.text
    if part == "check":
        assert ran == []
        assert answer.result.failure is not None
    if part == "summary":
        assert answer.result.failure is not None
        assert answer.result.failure.outcome == "done"
    if part == "rendering":
        assert answer.result.items == ("data",)
        assert answer.text.startswith("data\n")


async def test_progress_notes_and_deeds_of_a_tool_reach_people_and_the_model() -> None:
    @tool(**acting(activity="copying {name}"))
    async def copy(ctx: Context, name: Annotated[str, Param("file")]) -> str:
        ctx.progress("half", done=1, total=2)
        ctx.note("kept the mode")
        ctx.note("kept the mode")
        ctx.did("copied")
        assert ctx.arguments == {"name": "a"}
        assert "copy" in ctx.offered
        return "ok"

    of, events = runtime(copy), []
    of.listen(events.append)
    answer = await answered(of, "copy", '{"name": "a"}')

    assert answer.result.notes == ("kept the mode",)
    assert [each.facts for each in events if each.step == "progress"] == [{"message": "half", "done": 1, "total": 2}]
    assert "copying a" in [each.facts.get("activity") for each in events]


async def test_a_missing_part_is_the_hosts_fault_and_names_what_to_give() -> None:
    heard: list[Defect] = []

    @tool(**perceiving())
    def needs(ctx: Context) -> str:
        ctx.part(Road)
        return "never"

    answer = await answered(runtime(needs, on_defect=heard.append), "needs")

    assert answer.result.failure is not None
    assert "this runtime has no Road; give Runtime(parts={Road: ...})" in heard[0].problem


async def test_a_hundred_megabytes_are_answered_in_time_and_within_budget() -> None:
    @tool(**perceiving())
    def huge() -> str:
        return "0123456789abcde\n" * (100 * 1024 * 1024 // 16)

    started = time.monotonic()
    of, session = runtime(huge), Session()
    answer = await answered(of, "huge", session=session)

    assert time.monotonic() - started < 20
    assert len(answer.text) <= 40_000
    assert answer.result.artifact is not None
    assert answer.result.artifact.bytes == 100 * 1024 * 1024
    await of.close()


async def test_a_function_that_swallows_its_cancellation_is_cancelled_again_until_it_ends() -> None:
    swallowed: list[int] = []

    @tool(**perceiving(timeout_s=0.05))
    async def stubborn() -> str:
        for number in range(2):
            with suppress(asyncio.CancelledError):
                await anyio.sleep(60)
            swallowed.append(number)
        await anyio.sleep(60)
        return "never"

    with anyio.fail_after(5):
        answer = await answered(runtime(stubborn), "stubborn")

    assert swallowed == [0, 1]
    assert answer.result.failure is not None
    assert answer.result.failure.kind == "aborted"
    assert (task := asyncio.current_task()) is not None
    assert task.cancelling() == 0


async def test_a_function_that_ends_as_it_is_cancelled_keeps_its_answer_and_harms_nothing_after_it() -> None:
    of, session = runtime(), Session()

    @tool(**perceiving())
    async def just_in_time() -> str:
        (key,) = of.running(session)
        assert of.cancel(session, key)
        return "done in time"

    of.catalog.add(just_in_time)
    with anyio.fail_after(5):
        answer = await of.answer_one(session, "just_in_time")
        await anyio.lowlevel.checkpoint()

    assert answer.result.summary == "done in time"


async def test_a_host_that_cancels_while_the_time_is_up_is_obeyed() -> None:
    started = anyio.Event()

    @tool(**perceiving())
    async def slow() -> str:
        started.set()
        await anyio.sleep(60)
        return "never"

    of, session = runtime(slow), Session()
    answers: list[Answer] = []

    async def host() -> None:
        answers.append(await of.answer_one(session, "slow"))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(host)
            await started.wait()
            (key,) = of.running(session)
            assert of.cancel(session, key)
            group.cancel_scope.cancel()

    assert answers == []
    assert of.running(session) == ()


async def test_a_wrapper_of_an_async_function_may_give_any_awaitable() -> None:
    class Soon:
        def __await__(self) -> Generator[None, None, str]:
            yield
            return "soon"

    async def later() -> str:
        return "unused"

    @wraps(later)
    def wrapper() -> Soon:
        return Soon()

    made: Any = tool(**perceiving())(wrapper)
    assert made.is_async

    assert (await answered(runtime(made), "later")).result.summary == "soon"


async def test_a_time_limit_of_the_host_ends_a_call_too() -> None:
    @tool(**perceiving())
    async def slow() -> str:
        await anyio.sleep(60)
        return "never"

    of, session = runtime(slow), Session()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await of.call(session, "slow")

    assert of.running(session) == ()


async def test_a_task_that_its_host_cancels_as_well_is_its_hosts_to_end() -> None:
    of, session, task = runtime(), Session(), asyncio.current_task()
    assert task is not None

    @tool(**perceiving())
    async def both() -> str:
        (key,) = of.running(session)
        assert of.cancel(session, key)
        task.cancel()  # as the host would, whose task this is
        await anyio.sleep(60)
        return "never"

    of.catalog.add(both)
    with pytest.raises(asyncio.CancelledError):
        await of.call(session, "both")
    assert task.uncancel() == 0


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (StoreLocked("locked for 5 s", "wait"), FailureKind.RETRYABLE, "which another process holds: locked for 5 s"),
        (StoreFull("no room", "free some"), FailureKind.ENVIRONMENT, "could not read or keep its state: no room"),
    ],
)
async def test_a_tool_whose_state_cannot_be_kept_is_not_called_faulty(
    error: StoreError, kind: FailureKind, says: str
) -> None:
    defects: list[Defect] = []

    @tool(**acting())
    def remembering() -> str:
        raise error

    @tool(**perceiving())
    def recalling() -> str:
        raise error

    of = runtime(remembering, recalling, on_defect=defects.append)
    wrote, read = (await answered(of, "remembering")).result.failure, (await answered(of, "recalling")).result.failure

    assert wrote is not None
    assert read is not None
    assert (wrote.kind, wrote.outcome, read.outcome) == (kind, Outcome.UNKNOWN, None)
    assert says in wrote.problem
    assert defects == []
