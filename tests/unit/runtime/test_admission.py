"""Before a decided call runs: its act, its quotas, leave given before and the trail's entry are taken together."""

import json
import time
from typing import Annotated

import anyio
import pytest

from hilt import HiltError, Param, Runtime, Session, tool
from hilt.errors import StoreError
from hilt.policy.claims import Approval
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.policy.taint_state import Switches
from hilt.results.envelope import Denier
from hilt.results.failures import EnvironmentFailure, Outcome
from hilt.runtime.admission import BY_LEAVE
from hilt.runtime.defects import Defect
from hilt.runtime.digests import value_digest
from hilt.runtime.trail import MOST_WAITING, Trail
from hilt.store.memory import MemoryStore
from hilt.store.records import TrailEntry
from tests.kit import EVERYTHING, acting, perceiving, turn

TWICE = Rule(word="limit", tools="send", most=2, window_s=60, per="session", name="two letters a minute")
QUIET = Switches(mode="off")

ran: list[str] = []


@tool(**acting(effects={"does": "send"}))
def send(to: Annotated[str, Param("address")]) -> str:
    ran.append(to)
    return f"sent to {to}"


@tool(**acting(effects={"does": "spend", "irreversible": True}))
def pay(to: Annotated[str, Param("payee")]) -> str:
    ran.append(to)
    return f"paid {to}"


@tool(**perceiving())
def look() -> list[str]:
    return ["seen"]


@tool(**acting())
def fail() -> str:
    raise EnvironmentFailure("no disk", "free some")


@tool(**acting())
async def wait() -> str:
    await anyio.sleep_forever()
    return ""


class Broken(MemoryStore):
    """A store that cannot write its trail."""

    async def append_trail(self, session_id: str, entries: object) -> None:
        raise StoreError("the disk is full", "free some")

    async def admit(self, session_id: str, claims: object, trail: object = ()) -> tuple:
        if trail:
            raise StoreError("the disk is full", "free some")
        return await super().admit(session_id, claims)  # type: ignore[arg-type]  # claims, as the caller gave them


def of(
    store: MemoryStore, *rules: Rule, trail: Trail | None = None, policy: Policy | None = None, **options
) -> Runtime:
    ran.clear()
    policy = policy or Policy(rules=(Rule(word="allow"), *rules), switches=QUIET)
    return Runtime([send, pay, look, fail, wait], policy=policy, store=store, trail=trail or Trail(), **options)


def told(entries: list[TrailEntry]) -> list[dict]:
    return [json.loads(each.text) for each in entries]


async def written(runtime: Runtime, store: MemoryStore) -> list[dict]:
    """What is in the trail once nothing waits for it."""
    road = runtime._road
    assert road.trail is not None
    await road.trail.flush(store)
    return told(await store.trail())


async def test_a_quota_lets_pass_what_it_says_and_names_its_rule_and_when() -> None:
    runtime, session = of(MemoryStore(), TWICE), Session()

    results = [await runtime.call(session, "send", {"to": str(number)}) for number in range(3)]

    assert ran == ["0", "1"]
    failure = results[2].failure
    assert failure is not None
    assert failure.kind == "retryable"
    assert failure.problem == "send may run 2 times within 60 s (two letters a minute), and has"
    assert failure.retry_after_s is not None
    assert 50 < failure.retry_after_s <= 60
    assert (await runtime.call(Session(), "send", {"to": "another session"})).items


async def test_calls_at_once_share_a_quota_exactly() -> None:
    runtime, session = of(MemoryStore(), TWICE), Session()

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(runtime.call, session, "send", {"to": str(number)})

    assert len(ran) == 2


async def test_an_act_refused_by_its_quota_is_free_later_and_one_done_before_uses_no_quota() -> None:
    once = Rule(word="limit", tools="*", most=1, window_s=60, per="session")
    store, session = MemoryStore(), Session()
    runtime = of(store, once)
    await runtime.call(session, "send", {"to": "ann"})

    refused = await runtime.call(session, "pay", {"to": "bob"})
    later = of(store)
    paid = await later.call(session, "pay", {"to": "bob"})
    limited = of(store, Rule(word="limit", tools="pay", most=1, window_s=60, per="session"))
    again = await limited.call(session, "pay", {"to": "bob"})
    other = await limited.call(session, "pay", {"to": "carol"})

    assert refused.failure is not None
    assert paid.items == ("paid bob",)
    assert again.denied is not None
    assert (again.denied.by, again.denied.rule) == (Denier.LEDGER, "irreversible-once")
    assert other.items == ("paid carol",)


async def test_leave_given_before_is_taken_with_the_call_and_once_is_once() -> None:
    store, session = MemoryStore(), Session(principal="ann")
    asking = Policy(rules=(Rule(word="ask", tools="send", name="letters"), Rule(word="allow")), switches=QUIET)
    runtime = of(store, policy=asking)
    unasked = await runtime.call(session, "send", {"to": "bob"})
    refused = told(await store.trail())[-1]
    now, digest = time.time(), value_digest({"to": "carol"})
    bound = {
        "principal": "ann",
        "tool": "send",
        "policy": f"{asking.version}+host:letters",
        "given": now,
        "expires": now + 60,
    }
    await store.save_approval(Approval(id="a1", scope="once", digest=digest, **bound))

    other = await runtime.call(session, "send", {"to": "dave"})
    sent = await runtime.call(session, "send", {"to": "carol"})
    again = await runtime.call(session, "send", {"to": "carol"})

    assert unasked.denied is not None
    assert refused["event"] == "refused"
    assert (refused["word"], refused["status"], refused["by"]) == ("ask", "denied", "nobody_to_ask")
    assert sent.items == ("sent to carol",)
    assert other.denied is not None
    assert again.denied is not None
    assert ran == ["carol"]
    assert [each["verdict"] for each in await written(runtime, store) if each["event"] == "decision"] == [BY_LEAVE]


async def test_leave_is_not_used_up_by_a_call_that_its_quota_refuses() -> None:
    store, session = MemoryStore(), Session(principal="ann")
    asking = Policy(rules=(Rule(word="ask", tools="send", name="letters"), Rule(word="allow"), TWICE), switches=QUIET)
    runtime = of(store, policy=asking)
    for _ in range(2):
        await runtime.call(session, "send", {"to": "ann"}, approved=True)
    now = time.time()
    bound = {
        "principal": "ann",
        "tool": "send",
        "policy": f"{asking.version}+host:letters",
        "given": now,
        "expires": now + 60,
    }
    await store.save_approval(Approval(id="a1", scope="once", digest=value_digest({"to": "carol"}), **bound))

    refused = await runtime.call(session, "send", {"to": "carol"})

    assert refused.failure is not None
    assert refused.failure.retry_after_s is not None
    assert [each.id for each in await store.approvals()] == ["a1"]


async def test_the_trail_tells_the_decision_before_and_the_outcome_after() -> None:
    store, session = MemoryStore(), Session(principal="ann")
    runtime = of(store)

    await runtime.call(session, "send", {"to": "bob"})
    first = told(await store.trail())
    await runtime.call(session, "fail")
    await runtime.call(session, "look")
    decision, outcome, _, failed = await written(runtime, store)

    assert [each["event"] for each in first] == ["decision"]  # the outcome goes along with what is written next
    assert decision | {"tool": "send", "principal": "ann", "word": "allow", "deeds": ["send"], "seen": []} == decision
    assert decision["policy"] == runtime.policy.version
    assert "bob" not in json.dumps(decision)
    assert outcome["call"] == decision["call"]
    assert (outcome["status"], outcome["ran"]) == ("success", True)
    assert (failed["status"], failed["failure"]) == ("error", "environment")


async def test_arguments_stand_in_the_trail_where_a_host_asks_for_them_and_are_masked() -> None:
    store, secret = MemoryStore(), "sk-ant-" + "api03-" + "a" * 93 + "AA"
    runtime = of(store, trail=Trail(arguments=True))

    await runtime.call(Session(), "send", {"to": f"bob {secret}"})

    (decision,) = told(await store.trail())
    assert "bob" in decision["arguments"]
    assert secret not in decision["arguments"]


async def test_reading_leaves_no_entry_and_what_was_refused_does_not_run() -> None:
    store = MemoryStore()
    runtime = of(store, Rule(word="deny", tools="send", name="no letters"))

    await runtime.call(Session(), "look")
    await runtime.call(Session(), "send", {"to": "bob"})
    await runtime.call(Session(), "send", {"address": "bob"})

    (refused,) = await written(runtime, store)
    assert (refused["event"], refused["word"], refused["rule"]) == ("refused", "deny", "no letters")
    assert refused["ran"] is False
    assert ran == []


async def test_the_callers_own_leave_is_named_in_the_trail() -> None:
    store = MemoryStore()
    runtime = of(store, policy=Policy(switches=QUIET))

    await runtime.call(Session(), "send", {"to": "bob"}, approved=True)

    decision, _ = await written(runtime, store)
    assert (decision["word"], decision["verdict"]) == ("ask", "approved by the caller")


async def test_a_call_whose_decision_cannot_be_written_does_not_run_and_reading_goes_on() -> None:
    defects: list[Defect] = []
    store = Broken()
    runtime = of(store, Rule(word="deny", tools="pay"), on_defect=defects.append)

    sent = await runtime.call(Session(), "send", {"to": "bob"})
    denied = await runtime.call(Session(), "pay", {"to": "bob"})
    seen = await runtime.call(Session(), "look")
    await runtime.close()

    assert sent.failure is not None
    assert "nothing was run, for the state cannot be kept" in sent.failure.problem
    assert ran == []
    assert denied.denied is not None
    assert seen.items == ("seen",)
    assert "waits for the trail" in defects[0].problem
    assert "(trail)" in defects[-1].problem


async def test_a_call_the_host_cancels_is_told_as_unknown() -> None:
    store = MemoryStore()
    runtime = of(store)

    with anyio.move_on_after(0.05):
        await runtime.call(Session(), "wait")

    decision, outcome = await written(runtime, store)
    assert decision["call"] == outcome["call"]
    assert (outcome["failure"], outcome["outcome"]) == ("aborted", Outcome.UNKNOWN)


async def test_a_turn_presented_again_is_told_once() -> None:
    store, session = MemoryStore(), Session()
    runtime = of(store)
    again = turn(("send", '{"to": "bob"}'))

    await runtime.answer(session, again)
    await runtime.answer(session, again)

    assert [each["event"] for each in await written(runtime, store)] == ["decision", "outcome"]


async def test_without_a_trail_nothing_is_written() -> None:
    store = MemoryStore()
    runtime = Runtime([send], policy=EVERYTHING, store=store)

    await runtime.call(Session(), "send", {"to": "bob"})
    await runtime.close()

    assert await store.trail() == []


async def test_what_waits_for_the_trail_is_bounded_and_not_lost_on_a_fault() -> None:
    trail, broken, store = Trail(), Broken(), MemoryStore()
    for number in range(MOST_WAITING + 1):
        trail.wait("s", f'{{"say":{number}}}')

    with pytest.raises(HiltError):
        await trail.flush(broken)
    await trail.flush(store)
    await trail.flush(store)

    entries = await store.trail(limit=MOST_WAITING * 2)
    assert json.loads(entries[-1].text)["say"] == MOST_WAITING
    assert len(entries) <= MOST_WAITING
