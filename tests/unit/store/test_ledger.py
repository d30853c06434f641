"""What both stores promise about claims, settled answers and acts that must not happen twice."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from hilt.errors import StoreError
from hilt.policy.claims import LedgerClaim
from hilt.results.envelope import Failure, Status, ToolResult
from hilt.results.failures import FailureKind, Outcome, Refused
from hilt.results.kept import keep
from hilt.store import Claimed, Repeated, Running, Store, Stored

Make = Callable[..., LedgerClaim]

DONE = '{"status": "success"}'
FAILED = '{"status": "error", "failure": {"class": "environment", "problem": "no network"}}'


def _failed(outcome: Outcome | None) -> str:
    failure = Failure(kind=FailureKind.ABORTED, problem="cut", next_steps=("look",), outcome=outcome)
    return keep(ToolResult(summary="cut", status=Status.ERROR, failure=failure), "cut")


async def test_a_session_of_another_principal_is_refused(store: Store) -> None:
    await store.open_session("s", "ann")

    with pytest.raises(Refused, match="belongs to another principal"):
        await store.open_session("s", "bob")


async def test_a_free_claim_is_taken_and_meets_itself_as_running(store: Store, claim: Make) -> None:
    before = time.time()

    assert await store.claim([claim()]) == (Claimed(),)
    (again,) = await store.claim([claim()])

    assert isinstance(again, Running)
    assert before <= again.since <= time.time()
    assert again.claim == claim()


async def test_the_same_call_of_the_same_turn_gets_its_stored_result(store: Store, claim: Make) -> None:
    await store.claim([claim()])
    await store.settle(claim(), DONE, ran=True)

    assert await store.claim([claim(call_id="renamed")]) == (Stored(DONE),)


async def test_the_same_place_with_other_arguments_is_a_new_claim(store: Store, claim: Make) -> None:
    await store.claim([claim(digest="d1")])

    assert await store.claim([claim(digest="d2")]) == (Claimed(),)


async def test_outcomes_come_in_the_order_of_the_claims(store: Store, claim: Make) -> None:
    await store.claim([claim(position=1)])
    await store.settle(claim(position=1), DONE, ran=True)

    outcomes = await store.claim([claim(position=0), claim(position=1), claim(position=2)])

    assert outcomes == (Claimed(), Stored(DONE), Claimed())


async def test_no_claims_have_no_outcomes(store: Store) -> None:
    assert await store.claim([]) == ()


async def test_a_released_claim_is_free_again(store: Store, claim: Make) -> None:
    await store.claim([claim(irreversible=True)])
    await store.release(claim(irreversible=True))

    assert await store.claim([claim(irreversible=True), claim("t2", irreversible=True)]) == (
        Claimed(),
        Running(*_at(await store.unsettled("s"))),
    )


def _at(unsettled: list) -> tuple[float, LedgerClaim]:
    (only,) = unsettled
    return only.since, only.claim


async def test_releasing_does_not_forget_an_answer(store: Store, claim: Make) -> None:
    await store.settle(claim(), DONE, ran=True)
    await store.release(claim())
    await store.release(claim("never claimed"))

    assert await store.claim([claim()]) == (Stored(DONE),)


async def test_an_answer_without_a_claim_is_kept_too(store: Store, claim: Make) -> None:
    await store.settle(claim(), FAILED, ran=False)

    assert await store.results("s", ["call_1"]) == {"call_1": FAILED}
    assert await store.claim([claim()]) == (Stored(FAILED),)


async def test_settling_again_replaces_the_answer(store: Store, claim: Make) -> None:
    await store.settle(claim(), FAILED, ran=True)
    await store.settle(claim(), DONE, ran=True)

    assert await store.claim([claim()]) == (Stored(DONE),)


async def test_results_are_the_latest_by_call_id_and_of_this_session(store: Store, claim: Make) -> None:
    await store.open_session("other", "ann")
    await store.settle(claim("t1"), '{"n": 1}', ran=True)
    await store.settle(claim("t2"), '{"n": 2}', ran=True)
    await store.settle(claim("t1", session="other"), '{"n": 3}', ran=True)
    await store.claim([claim("t3", call_id="running")])

    assert await store.results("s", ["call_1", "running", "unknown"]) == {"call_1": '{"n": 2}'}
    assert await store.results("s", [f"c{number}" for number in range(2_000)]) == {}


async def test_unsettled_claims_are_listed_oldest_first(store: Store, claim: Make) -> None:
    await store.claim([claim(position=2, idempotency_key="k"), claim(position=1), claim(position=0)])
    await store.settle(claim(position=1), DONE, ran=True)

    left = await store.unsettled("s")

    assert [one.claim for one in left] == [claim(position=2, idempotency_key="k"), claim(position=0)]
    assert all(one.alive for one in left)
    assert await store.unsettled("nobody's") == []


@pytest.mark.parametrize("verb", ["claim", "settle"])
async def test_a_session_that_was_never_opened_takes_nothing(store: Store, claim: Make, verb: str) -> None:
    stranger = claim(session="never opened")

    with pytest.raises(StoreError, match="is not open"):
        await (store.claim([claim(), stranger]) if verb == "claim" else store.settle(stranger, DONE, ran=True))

    assert await store.unsettled("s") == []


async def test_an_irreversible_act_is_not_run_again_in_another_turn(store: Store, claim: Make) -> None:
    before = time.time()
    act = claim(irreversible=True)
    await store.claim([act])
    await store.settle(act, DONE, ran=True)

    (outcome,) = await store.claim([claim("t2", 3, irreversible=True)])

    assert isinstance(outcome, Repeated)
    assert outcome.result == DONE
    assert before <= outcome.when <= time.time()


@pytest.mark.parametrize(
    "other",
    [
        {"digest": "d2"},
        {"tool": "refund"},
        {"session": "other"},
        {"irreversible": False},
        {"turn": "t1", "position": 1},
    ],
    ids=["arguments", "tool", "session", "reversible", "same turn"],
)
async def test_what_is_another_act_is_free(store: Store, claim: Make, other: dict[str, object]) -> None:
    await store.open_session("other", "ann")
    act = claim(irreversible=True)
    await store.settle(act, DONE, ran=True)

    assert await store.claim([replace(claim("t2", irreversible=True), **other)]) == (Claimed(),)


@pytest.mark.parametrize(
    ("result", "ran", "effective"),
    [
        (DONE, True, True),
        (keep(ToolResult(summary="paid"), "paid"), True, True),
        ('{"status": "partial"}', True, True),
        (_failed(Outcome.DONE), True, True),
        ("not JSON", True, True),
        ("[]", True, True),
        (DONE, False, False),
        (FAILED, True, False),
        (_failed(Outcome.UNKNOWN), True, False),
        (_failed(Outcome.NOT_STARTED), True, False),
        (_failed(None), True, False),
        ('{"status": "denied"}', False, False),
    ],
    ids=range(12),
)
async def test_only_an_act_that_took_effect_stands_in_the_way(
    store: Store, claim: Make, result: str, ran: bool, effective: bool
) -> None:
    await store.settle(claim(irreversible=True), result, ran=ran)

    (outcome,) = await store.claim([claim("t2", irreversible=True)])

    assert isinstance(outcome, Repeated if effective else Claimed)


async def test_an_irreversible_act_under_way_in_another_turn_is_running(store: Store, claim: Make) -> None:
    await store.claim([claim(irreversible=True)])

    (outcome,) = await store.claim([claim("t2", irreversible=True)])

    assert isinstance(outcome, Running)
    assert outcome.claim.turn == "t1"


async def test_an_act_that_took_effect_says_more_than_one_under_way(store: Store, claim: Make) -> None:
    await store.claim([claim("t1", idempotency_key="k")])
    await store.settle(claim("t2", idempotency_key="k"), '{"n": 2}', ran=True)
    await store.settle(claim("t3", idempotency_key="k"), '{"n": 3}', ran=True)

    (outcome,) = await store.claim([claim("t4", idempotency_key="k")])

    assert isinstance(outcome, Repeated)
    assert outcome.result == '{"n": 3}'


async def test_an_idempotency_key_names_one_act_of_a_principal_in_all_its_sessions(store: Store, claim: Make) -> None:
    await store.open_session("other", "ann")
    await store.open_session("bob's", "bob")
    await store.settle(claim(idempotency_key="k"), DONE, ran=True)

    outcomes = await store.claim(
        [
            claim(position=1, digest="d2", idempotency_key="k"),
            claim(session="other", idempotency_key="k"),
            claim(session="bob's", idempotency_key="k"),
            claim("t2", idempotency_key="k2"),
            claim("t2", 1, tool="refund", idempotency_key="k"),
        ]
    )

    assert [type(one) for one in outcomes] == [Repeated, Repeated, Claimed, Claimed, Claimed]


async def test_a_key_under_way_is_running_even_in_the_same_turn(store: Store, claim: Make) -> None:
    outcomes = await store.claim([claim(idempotency_key="k"), claim(position=1, idempotency_key="k")])

    assert [type(one) for one in outcomes] == [Claimed, Running]
