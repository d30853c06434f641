"""A turn: repeated ids, repeated blocks, order of acts, one budget, and the same turn again."""

from typing import Annotated, Any

import anyio
import pytest

from hilt import Budget, EnvironmentFailure, Param, Runtime, Session, ToolCall, tool
from hilt.calls.call import Turn
from hilt.errors import StoreError
from hilt.policy.claims import LedgerClaim
from hilt.runtime.defects import Defect
from hilt.store.memory import MemoryStore
from hilt.store.records import StoredBlob
from hilt.tools.find_tools import find_tools
from tests.kit import acting, perceiving, runtime, turn

ran: list[int] = []


@tool(**acting())
async def note(n: Annotated[int, Param("which")]) -> str:
    ran.append(n)
    return f"noted {n}"


@tool(**perceiving())
async def look(n: Annotated[int, Param("which")]) -> str:
    ran.append(n)
    return f"saw {n}"


@tool(**acting(effects={"does": "spend", "irreversible": True}))
async def pay(n: Annotated[int, Param("which")]) -> str:
    ran.append(n)
    return f"paid {n}"


async def texts(of: Runtime, session: Session, *calls: ToolCall, id: str = "t") -> list[str]:
    return [each.text for each in await of.answer(session, turn(*calls, id=id))]


def called(name: str, n: int, id: str) -> ToolCall:
    return ToolCall(name=name, arguments=f'{{"n": {n}}}', id=id)


async def test_calls_of_one_id_are_each_run_once_and_paired_by_their_place_b116() -> None:
    ran.clear()
    of, session = runtime(note), Session()
    two = (called("note", 1, "c1"), called("note", 2, "c1"))
    empty = (called("note", 3, ""), called("note", 3, ""))

    assert await texts(of, session, *two) == ["noted 1", "noted 2"]
    assert await texts(of, session, *two) == ["noted 1", "noted 2"]
    assert await texts(of, session, called("note", 1, "c1"), id="next") == ["noted 1"]
    assert await texts(of, session, *empty, id="third") == ["noted 3", "noted 3"]
    assert ran == [1, 2, 1, 3, 3]
    recovered = await of.recover(session, turn(*two, id="t"))
    ambiguous = await of.recover(session, turn(*two, id=""))
    assert [each.text for each in recovered] == ["noted 1", "noted 2"]
    assert [each.result.failure and each.result.failure.outcome for each in ambiguous] == ["unknown", "unknown"]


async def test_a_block_that_a_stream_repeated_whole_is_one_call_b116() -> None:
    ran.clear()

    given = await texts(runtime(note), Session(), called("note", 1, "c1"), called("note", 1, "c1"))

    assert given == ["noted 1", "noted 1"]
    assert ran == [1]


async def test_acts_run_alone_in_order_and_looks_beside_each_other() -> None:
    under_way, most = 0, 0
    order: list[str] = []

    async def step(name: str, n: int) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        order.append(f"{name} {n}")
        under_way -= 1
        return str(most)

    @tool(name="act", **acting())
    async def act(n: Annotated[int, Param("n")]) -> str:
        assert under_way == 0
        return await step("act", n)

    @tool(name="see", **perceiving())
    async def see(n: Annotated[int, Param("n")]) -> str:
        return await step("see", n)

    await runtime(act, see).answer(
        Session(), turn(*(called(name, n, str(n)) for n, name in enumerate(["see", "see", "act", "act", "see"])))
    )

    assert most == 2
    assert order[2:4] == ["act 2", "act 3"]


async def test_an_irreversible_act_runs_once_a_session_and_its_turn_gets_its_answer_again() -> None:
    ran.clear()
    of, session = runtime(pay), Session()

    first = await texts(of, session, called("pay", 1, "a"), id="one")
    assert await texts(of, session, called("pay", 1, "a"), id="one") == first
    (again,) = await texts(of, session, called("pay", 1, "b"), id="two")
    (spelled,) = await texts(of, session, ToolCall(name="pay", arguments='{ "n": 1.0 }', id="c"), id="three")
    other = await texts(of, session, called("pay", 2, "d"), id="four")
    elsewhere = await texts(of, Session(), called("pay", 1, "e"), id="one")

    assert "already ran at 20" in again
    assert "already ran at" in spelled
    assert (other, elsewhere) == (["paid 2"], ["paid 1"])
    assert ran == [1, 2, 1]


async def test_an_irreversible_act_under_way_is_not_started_a_second_time() -> None:
    started, finish = anyio.Event(), anyio.Event()

    @tool(name="pay", **acting(effects={"does": "spend", "irreversible": True}, parallel=True))
    async def slow() -> str:
        started.set()
        await finish.wait()
        return "paid"

    of, session, given = runtime(slow), Session(), []

    async def first() -> None:
        given.append(await of.call(session, "pay", {}))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(first)
            await started.wait()
            given.append(await of.call(session, "pay", {}))
            finish.set()

    second, paid = given
    assert second.failure is not None
    assert second.failure.kind == "retryable"
    assert paid.items == ("paid",)


async def test_an_act_that_failed_or_was_refused_is_no_act() -> None:
    attempts: list[int] = []

    @tool(name="pay", **acting(effects={"does": "spend", "irreversible": True}))
    async def fails_once() -> str:
        attempts.append(1)
        if len(attempts) == 1:
            raise EnvironmentFailure("no network", "try later")
        return "paid"

    of, session = runtime(fails_once), Session()

    assert (await of.call(session, "pay", {})).failure is not None
    assert (await of.call(session, "pay", {})).items == ("paid",)
    assert (await of.call(session, "pay", {})).denied is not None


async def test_a_turn_without_an_id_is_new_each_time() -> None:
    ran.clear()
    of, session = runtime(note), Session()

    for _ in range(2):
        await texts(of, session, called("note", 1, "a"), id="")

    assert ran == [1, 1]


async def test_a_deferred_tool_shows_its_schema_once_and_the_same_turn_never_runs_it() -> None:
    ran.clear()
    later = tool(name="later", **acting(deferred=True))(note.function)
    of, session = runtime(later, find_tools), Session()

    (shown,) = await texts(of, session, called("later", 1, "a"), id="one")
    assert await texts(of, session, called("later", 1, "a"), id="one") == [shown]
    assert ran == []
    assert '"n":{"type":"integer"' in shown
    assert await texts(of, session, called("later", 1, "a"), id="two") == ["noted 1"]


class Failing(MemoryStore):
    """A store in which one verb fails."""

    def __init__(self, verb: str) -> None:
        super().__init__()
        self._verb = verb

    async def settle(self, claim: LedgerClaim, result: str, *, ran: bool) -> None:
        if self._verb == "settle":
            raise StoreError("the disk went away")
        await super().settle(claim, result, ran=ran)

    async def spill(self, session_id: str, content: Any, media_type: str, *, mask: bool) -> StoredBlob:
        if self._verb == "spill":
            raise StoreError("the disk went away")
        return await super().spill(session_id, content, media_type, mask=mask)


async def test_an_act_whose_answer_cannot_be_kept_is_answered_and_the_host_hears_of_it() -> None:
    heard: list[Defect] = []
    of = runtime(note, store=Failing("settle"), on_defect=heard.append)

    assert await texts(of, Session(), called("note", 1, "a")) == ["noted 1"]
    assert "could not be kept: the disk went away" in heard[0].problem


async def test_a_result_that_cannot_be_put_aside_is_cut_all_the_same_and_says_that_the_rest_is_lost() -> None:
    heard: list[Defect] = []

    @tool(**perceiving(budget=Budget(bytes=500)))
    def tell() -> str:
        return "word " * 500

    answer = await runtime(tell, store=Failing("spill"), on_defect=heard.append).answer_one(Session(), "tell")

    assert answer.result.artifact is None
    assert answer.result.truncated
    assert "could not be put aside: what next does not reach is lost" in answer.text
    assert len(answer.text.encode()) <= 500
    assert heard


async def test_another_principals_session_is_refused_and_nothing_is_written_to_it() -> None:
    ran.clear()
    store = MemoryStore()
    mine, theirs = Session(id="shared", principal="ann"), Session(id="shared", principal="bob")
    await runtime(note, store=store).answer(mine, turn(called("note", 1, "a")))

    (answer,) = await runtime(note, store=store).answer(theirs, turn(called("note", 2, "a")))

    assert answer.result.denied is not None
    assert "another principal" in answer.text
    assert ran == [1]


async def test_a_repeated_block_is_cut_with_its_own_arguments() -> None:
    @tool(**perceiving(limit=5000, continues="offset"))
    def many(offset: Annotated[int, Param("skip")] = 0, word: Annotated[str, Param("word")] = "") -> list[str]:
        return [f"{word} {n}" for n in range(offset, 2000)]

    call = ToolCall(name="many", arguments='{"word": "w", "offset": 10}', id="same")
    of = runtime(many, turn_budget=Budget(tokens=2_000))
    answers = await of.answer(Session(), Turn(id="t", calls=(call, call)))

    for answer in answers:
        cut = answer.result.truncation
        assert cut is not None
        assert cut.next == {"word": "w", "offset": 10 + cut.shown}
        assert cut.total == 2000


async def test_a_turns_share_keeps_the_tools_own_bounds_and_unbounded_turns_are_left_alone() -> None:
    @tool(**perceiving(budget=Budget(tokens=5_000, lines=12)))
    def lines() -> str:
        return "some words on a line\n" * 100

    calls = [ToolCall(name="lines", id=str(n)) for n in range(5)]
    bounded = await runtime(lines, turn_budget=Budget(tokens=300)).answer(Session(), turn(*calls))
    unbounded = await runtime(lines, turn_budget=Budget()).answer(Session(), turn(*calls))

    assert all(each.text.count("\n") < 12 for each in (*bounded, *unbounded))


@pytest.mark.parametrize("limit", [0, 1])
async def test_a_turn_of_few_calls_is_a_turn(limit: int) -> None:
    answers = await runtime(look).answer(Session(), turn(*[called("look", n, "a") for n in range(limit)]))

    assert [each.text for each in answers] == ["saw 0"][:limit]


async def test_a_transcript_whose_turn_is_not_known_is_completed_by_the_providers_ids() -> None:
    of, session = runtime(note), Session()
    await of.answer(session, turn(called("note", 1, "c1"), id="t"))

    found, lost = await of.recover(session, turn(called("note", 1, "c1"), called("note", 2, "c2"), id="other"))

    assert found.text == "noted 1"
    assert lost.result.failure is not None
    assert lost.result.failure.outcome == "not_started"
