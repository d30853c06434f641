"""What the adapters of all frameworks share: the line of a session's calls, and a framework that is not there."""

import subprocess
import sys

import anyio
import pytest

from hilt import Session, tool
from hilt.adapters.framework_tools import LONGEST_WORDS, Returned, failure, part_of, words_of
from hilt.adapters.frameworks import Door, Line
from hilt.results.parts import Audio, FilePart
from tests.kit import acting, runtime
from tests.unit.adapters.frameworks.tools import forecast

FRAMEWORKS = {
    "pydantic_ai": ("pydantic-ai", "toolset(None, None)", "await from_pydantic_ai(None)"),
    "openai_agents": ("openai-agents", "tools(None, None)", "from_openai_agents([])"),
    "langchain": ("langchain", "tools(None, None)", "from_langchain([])"),
    "inspect_ai": ("inspect", "tools(None, None)", "source(None, None)", "from_inspect_ai([])"),
    "fastmcp": ("fastmcp", "await from_fastmcp(None)"),
}
SDKS = ("pydantic_ai", "agents", "langchain_core", "inspect_ai", "fastmcp")


def run(program: str) -> str:
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return finished.stdout


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_that_is_not_there_is_named_with_its_extra(name: str) -> None:
    extra, *calls = FRAMEWORKS[name]
    tries = "".join(
        f"    try:\n        {call}\n    except MissingExtra as error:\n        print(error.next_steps[0])\n"
        for call in calls
    )

    told = run(
        f"import sys, anyio\nsys.modules.update(dict.fromkeys({SDKS}))\n"
        f"from hilt.adapters.{name} import *\nfrom hilt.errors import MissingExtra\n"
        f"async def main():\n{tries}\nanyio.run(main)"
    )

    assert told.splitlines() == [f"uv pip install 'hilt[{extra}]'"] * len(calls)


def test_no_framework_is_imported_before_its_function_is_called() -> None:
    modules = ", ".join(f"hilt.adapters.{name}" for name in FRAMEWORKS)

    assert run(f"import sys, {modules}\nprint(*set({SDKS}) & set(sys.modules))").split() == []


async def test_calls_wait_in_the_order_they_came() -> None:
    line, order, before = Line(), list[str](), list[str]()
    first_is_in, first_may_go = anyio.Event(), anyio.Event()

    async def take(name: str, *, beside: bool) -> None:
        async with line.place(beside=beside):
            order.append(name)
            if name == "first":
                first_is_in.set()
                await first_may_go.wait()

    async with anyio.create_task_group() as group:
        group.start_soon(lambda: take("first", beside=True))
        await first_is_in.wait()
        group.start_soon(lambda: take("beside it", beside=True))
        await anyio.wait_all_tasks_blocked()
        group.start_soon(lambda: take("alone", beside=False))
        await anyio.wait_all_tasks_blocked()
        group.start_soon(lambda: take("behind", beside=True))
        await anyio.wait_all_tasks_blocked()
        before += order
        first_may_go.set()

    assert before == ["first", "beside it"]
    assert order == ["first", "beside it", "alone", "behind"]


async def test_a_call_that_is_cancelled_while_it_waits_leaves_the_line() -> None:
    line, is_in, may_go = Line(), anyio.Event(), anyio.Event()

    async def hold() -> None:
        async with line.place(beside=False):
            is_in.set()
            await may_go.wait()

    async with anyio.create_task_group() as group:
        group.start_soon(hold)
        await is_in.wait()
        with anyio.move_on_after(0):
            async with line.place(beside=False):
                raise AssertionError("its turn never comes")
        may_go.set()

    with anyio.fail_after(5):
        async with line.place(beside=False):
            pass


async def test_a_call_made_from_inside_another_does_not_wait_for_it() -> None:
    of = runtime(forecast)
    door = Door(host=of, session=Session(id="s"))

    @tool(**acting())
    async def ask() -> str:
        return (await door.answer("forecast", '{"city": "Oslo"}')).text

    of.catalog.add(ask)
    with anyio.fail_after(5):
        answer = await door.answer("ask", "{}")

    assert "Oslo, day 1: fine" in answer.text


async def test_a_call_of_the_same_turn_runs_once() -> None:
    times = 0

    @tool(**acting())
    async def count() -> str:
        nonlocal times
        times += 1
        return f"{times} times"

    door = Door(host=runtime(count), session=Session(id="s"))
    texts = [(await door.answer("count", "{}", id="c1", turn=turn)).text for turn in ("t1", "t1", "t2", "", "")]

    assert times == 4
    assert texts[0] == texts[1]


async def test_an_unknown_tool_is_refused_with_the_nearest_name() -> None:
    door = Door(host=runtime(forecast), session=Session())

    assert "forecast" in (await door.answer("forcast", "{}")).text


def test_words_of_an_exception_are_cut_and_never_empty() -> None:
    assert words_of(KeyError()) == "KeyError"
    assert words_of(ValueError("x" * 3_000)).startswith("x" * LONGEST_WORDS + "...")


@pytest.mark.parametrize(
    ("error", "kind", "outcome"),
    [
        (TimeoutError("took too long"), "retryable", "unknown"),
        (ValueError("invalid argument: days"), "invalid_arguments", None),
        (ValueError("the printer is out of paper"), "environment", None),
    ],
)
def test_a_failure_has_the_class_that_its_words_tell(error: Exception, kind: str, outcome: str | None) -> None:
    made = failure(error)

    assert (made.kind, made.outcome) == (kind, outcome)


def test_an_http_status_counts_wherever_the_client_puts_it() -> None:
    class Response:
        status_code = 503

    class Failed(Exception):
        response = Response()

    assert failure(Failed("no room")).kind == "retryable"


def test_bytes_become_the_part_they_are() -> None:
    returned = Returned()

    assert isinstance(part_of(b"x", "audio/wav"), Audio)
    assert isinstance(part_of(b"x", "application/pdf", "a.pdf"), FilePart)
    assert not returned.take_bytes("https://example.org/a.png", "image")
    assert returned.take_bytes("data:image/png;base64,eA==", "image")
    assert [part.content for part in returned.parts] == [b"x"]
