"""Each call gets exactly one result, in order, whatever its tool does; presented again, the same, and nothing runs."""

import asyncio
import os
from typing import Annotated, Literal, cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hilt import (
    Aborted,
    Context,
    EnvironmentFailure,
    InvalidArguments,
    Param,
    Retryable,
    Runtime,
    Session,
    ToolCall,
    ToolFailure,
    ToolResult,
    schema_tool,
    tool,
)
from hilt.calls.call import Turn
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import Status
from hilt.results.failures import Refused
from hilt.review.people import Question, Reply
from hilt.store.memory import MemoryStore
from hilt.store.protocol import Store
from hilt.store.sql import SqlStore
from tests.kit import acting, perceiving

Deed = Literal[
    "returns", "raises", "exits", "odd", "unprintable", "hangs", "wrong", "surrogate", "retryable", "invalid", "denies",
    "aborts", "bare", "cancels", "long", "fails_in_thread", "group", "nothing",
]  # fmt: skip
DEEDS: tuple[Deed, ...] = Deed.__args__
LIMIT_S = 0.05
ran: list[int] = []


class Odd(BaseException):
    """What no `except Exception` catches."""


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@tool(**acting(timeout_s=LIMIT_S, parallel=True))
async def act(deed: Annotated[Deed, Param("what to do")], n: Annotated[int, Param("which")]) -> str | None:
    ran.append(n)
    await anyio.lowlevel.checkpoint()
    return await _do(deed, n)


async def _do(deed: Deed, n: int) -> str | None:
    match deed:
        case "hangs":
            await anyio.sleep_forever()
        case "fails_in_thread":
            await anyio.to_thread.run_sync(lambda: 1 / 0)
        case "wrong":
            return cast("str", {"not": "text"})
        case "nothing":
            return None
        case _ if deed in RAISED:
            raise RAISED[deed]()
    return {"surrogate": "a\ud800b", "long": "line\n" * 30_000}.get(deed, f"did {n}")


RAISED = {
    "raises": lambda: ValueError("no"),
    "exits": lambda: SystemExit(3),
    "odd": Odd,
    "unprintable": Unprintable,
    "retryable": lambda: Retryable("busy", "wait", retry_after_s=1),
    "invalid": lambda: InvalidArguments("never", "change n"),
    "denies": lambda: Refused("not you", "ask", by="no such word"),
    "aborts": lambda: Aborted("ended", "look"),
    "bare": lambda: ToolFailure("base class", "look"),
    "cancels": asyncio.CancelledError,
    "group": lambda: BaseExceptionGroup("two", [Odd(), SystemExit(1)]),
}


@tool(**acting(timeout_s=LIMIT_S))
def act_alone(deed: Annotated[Deed, Param("what to do")], n: Annotated[int, Param("which")]) -> str | None:
    ran.append(n)
    if deed in RAISED:
        raise RAISED[deed]()  # in the thread: what is raised inside the event loop's own tasks ends the loop
    return f"did {n}" if deed in ("hangs", "fails_in_thread") else anyio.from_thread.run(_do, deed, n)


@tool(**acting(effects={"does": "spend"}))
def forbidden(deed: Annotated[str, Param("what")], n: Annotated[int, Param("which")]) -> str:
    ran.append(n)
    return "spent"


class Refuser:
    """A person who says no."""

    asked = 0
    reachable: Literal["now", "later"] = "now"

    async def ask(self, question: Question) -> Reply:
        self.asked += 1
        return Reply(word="reject")


NAMES = ("act", "act_alone", "forbidden", "unknown_tool", "fetch")
calls = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(DEEDS),
        st.sampled_from(("", "same", "own")),
        st.sampled_from(("whole", "whole", "whole", "cut", "list", "missing")),
    ),
    max_size=12,
)


def turn_of(asked: list[tuple[str, Deed, str, str]], id: str) -> Turn:
    made: list[ToolCall] = []
    for n, (name, deed, given_id, form) in enumerate(asked):
        whole = f'{{"deed": "{deed}", "n": {n}}}'
        text = {"whole": whole, "cut": whole[: len(whole) // 2], "list": f"[{whole}]", "missing": "{}"}[form]
        made.append(ToolCall(name=name, arguments=text, id=f"call_{n}" if given_id == "own" else given_id))
    return Turn(id=id, calls=tuple(made))


def fresh(store: Store | None = None, person: Refuser | None = None) -> Runtime:
    foreign = schema_tool("fetch", lambda given: object(), parameters={"type": "object"}, kind="perceive")
    rules = (Rule(word="allow", tools="act*"), Rule(word="allow", tools="fetch"))
    return Runtime(
        [act, act_alone, forbidden, foreign],
        policy=Policy(rules=rules),
        store=store,
        person=person,
        on_defect=lambda _: None,
    )


@given(asked=calls)
@settings(max_examples=40, derandomize=True)
async def test_every_call_is_answered_once_in_order_and_never_again(asked: list[tuple[str, Deed, str, str]]) -> None:
    of, session, turn = fresh(person=Refuser()), Session(), turn_of(asked, "t")
    ran.clear()
    with anyio.fail_after(20):
        first = await of.answer(session, turn)
        once = sorted(ran)
        again = await of.answer(session, turn)

    assert [answer.call for answer in first] == list(turn.calls)
    assert len(once) == len(set(once))
    for answer in first:
        answer.text.encode()
        assert answer.text
        assert_consistent(answer.result)
    assert sorted(ran) == once
    assert [answer.text for answer in again] == [answer.text for answer in first]
    assert [answer.result for answer in again] == [answer.result for answer in first]


def assert_consistent(result: ToolResult[object]) -> None:
    assert (result.status is Status.ERROR) == (result.failure is not None)
    assert (result.status is Status.DENIED) == (result.denied is not None)
    assert result.failure is None or 1 <= len(result.failure.next_steps) <= 2


@given(asked=calls)
@settings(max_examples=15, derandomize=True)
async def test_a_turn_presented_three_times_at_once_runs_once_and_all_get_the_same(
    asked: list[tuple[str, Deed, str, str]],
) -> None:
    person = Refuser()
    of, session, turn = fresh(person=person), Session(), turn_of(asked, "t")
    ran.clear()
    given: list[list[str]] = []

    async def present() -> None:
        given.append([answer.text for answer in await of.answer(session, turn)])

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(present)

    assert len(ran) == len(set(ran))
    assert given[0] == given[1] == given[2]


@pytest.mark.parametrize("kind", ["memory", "sql"])
async def test_a_stored_turn_is_answered_alike_by_another_runtime_without_running(
    kind: str, tmp_path: os.PathLike[str]
) -> None:
    where = f"{os.fspath(tmp_path)}/kept.db"
    store: Store = MemoryStore() if kind == "memory" else SqlStore(where)
    asked: list[tuple[str, Deed, str, str]] = [("act", deed, "own", "whole") for deed in DEEDS]
    turn = turn_of([*asked, ("forbidden", "returns", "own", "whole")], "t")
    session = Session(id="kept")
    ran.clear()
    person = Refuser()
    with anyio.fail_after(30):
        first = await fresh(store, person).answer(session, turn)
        once = list(ran)
        if kind == "sql":
            await store.close()
            store = SqlStore(where)
        again = await fresh(store, person).answer(session, turn)
        recovered = await fresh(store, person).recover(session, turn)
        await store.close()

    assert ran == once
    assert person.asked == 1
    assert [answer.text for answer in again] == [answer.text for answer in first]
    assert [answer.text for answer in recovered] == [answer.text for answer in first]
    assert [answer.result for answer in again] == [answer.result for answer in first]


@pytest.mark.parametrize("step", range(0, 24, 2))
async def test_a_host_that_cancels_at_any_moment_finds_every_call_settled(step: int) -> None:
    """Cancelled after so many turns of the event loop, wherever on the road that is."""
    of, session, turn = fresh(), Session(), turn_of([("act", "returns", "own", "whole")] * 3, "t")
    ran.clear()
    with anyio.fail_after(5):
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(of.answer, session, turn)
                for _ in range(step):
                    await anyio.lowlevel.checkpoint()
                scope.cancel()
        before = sorted(ran)
        answers = await of.answer(session, turn)

    assert len(answers) == 3
    assert [n for n in before if sorted(ran).count(n) > 1] == []
    for n, answer in enumerate(answers):
        if answer.result.failure is not None:
            assert answer.result.failure.outcome is not None
        assert n in ran or answer.result.failure is not None


@pytest.mark.parametrize("outcome", ["success", "cut"])
async def test_a_call_that_the_person_cancels_says_what_it_had_done(outcome: str) -> None:
    @tool(**acting(parallel=True))
    async def slow(ctx: Context, n: Annotated[int, Param("which")]) -> str:
        ctx.did("wrote a.txt")
        if outcome == "success":
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                return "finished all the same"
        await anyio.sleep_forever()
        return "never"

    of, session = Runtime([slow], policy=Policy(rules=(Rule(word="allow"),))), Session()
    answers: list[ToolResult[object]] = []

    async def call() -> None:
        answers.append(await of.call(session, "slow", {"n": 1}))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(call)
            while not of.running(session):
                await anyio.lowlevel.checkpoint()
            assert of.cancel(session, of.running(session)[0])
            assert not of.cancel(session, "no such call")

    if outcome == "success":
        assert answers[0].items == ("finished all the same",)
        return
    failure = answers[0].failure
    assert failure is not None
    assert "cancelled by the person" in failure.problem
    assert "done by then: wrote a.txt" in failure.problem
    assert failure.outcome == "unknown"


@tool(**perceiving())
def unrelated() -> str:
    raise EnvironmentFailure("gone", "look elsewhere")


async def test_one_failing_call_leaves_its_neighbours_running_b115() -> None:
    of = Runtime([unrelated, act], policy=Policy(rules=(Rule(word="allow"),)))
    turn = Turn(
        id="t",
        calls=(
            ToolCall(name="unrelated", id="a"),
            ToolCall(name="act", arguments='{"deed": "returns", "n": 1}', id="b"),
            ToolCall(name="act", arguments='{"deed": "returns", "n": 2}', id="c"),
        ),
    )

    answers = await of.answer(Session(), turn)

    assert [answer.result.status.value for answer in answers] == ["error", "success", "success"]
    assert "cancel" not in "".join(answer.text for answer in answers)
