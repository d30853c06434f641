"""What every store promises about admission: claims of one call taken together, quotas, a person's leave."""

import time
from collections.abc import Callable
from datetime import timedelta

import anyio
import pytest

from hilt.errors import HiltError, StoreError
from hilt.policy.claims import Approval, ApprovalClaim, LedgerClaim, QuotaClaim
from hilt.store import Claimed, Repeated, Store
from hilt.store.memory_admission import MOST_IDLE_COUNTERS, MemoryAdmission
from hilt.store.memory_ledger import MemoryLedger
from hilt.store.records import Exhausted, Granted, Ungranted, Untaken, admitted
from hilt.store.sql_admission import FORGET_EVERY

Make = Callable[..., LedgerClaim]
Leave = Callable[..., Approval]
Asks = Callable[..., ApprovalClaim]

DONE = '{"status": "success"}'
SHORT_S = 0.2


def quota(key: str = "tool:pay", most: int = 2, window_s: float = 60) -> QuotaClaim:
    return QuotaClaim(key=key, most=most, window_s=window_s)


async def test_everything_a_call_needs_is_taken_together(store: Store, claim: Make, leave: Leave, asks: Asks) -> None:
    kept = leave()
    await store.save_approval(kept)

    outcomes = await store.admit("s", [claim(irreversible=True), quota(), asks()])

    assert outcomes[:2] == (Claimed(), Claimed())
    assert isinstance(outcomes[2], Granted)
    assert outcomes[2].approval.id == kept.id
    assert [one.claim for one in await store.unsettled("s")] == [claim(irreversible=True)]
    assert await store.admit("s", []) == ()


async def test_where_one_cannot_be_taken_none_is(store: Store, claim: Make, leave: Leave, asks: Asks) -> None:
    await store.save_approval(leave())
    await store.settle(claim("t0", irreversible=True), DONE, ran=True)

    outcomes = await store.admit("s", [quota(most=1), claim(irreversible=True), asks()], ['{"event":"decision"}'])

    assert outcomes[0] == outcomes[2] == Untaken()
    assert isinstance(outcomes[1], Repeated)
    assert not admitted(outcomes)
    assert await store.unsettled("s") == []
    assert [each.id for each in await store.approvals()] == ["a1"]
    assert await store.admit("s", [quota(most=1)]) == (Claimed(),)
    assert [each for each in await store.trail() if "decision" in each.text] == []


async def test_a_claim_taken_before_a_refusal_is_free_again(store: Store, claim: Make, asks: Asks) -> None:
    outcomes = await store.admit("s", [claim(irreversible=True), asks()])

    assert outcomes == (Untaken(), Ungranted())
    assert await store.claim([claim(irreversible=True)]) == (Claimed(),)


@pytest.mark.parametrize("verb", ["admit"])
async def test_a_session_that_was_never_opened_is_admitted_nothing(store: Store, verb: str) -> None:
    with pytest.raises(StoreError, match="is not open"):
        await store.admit("never opened", [quota(most=1)])

    assert await store.admit("s", [quota(most=1)]) == (Claimed(),)


async def test_a_quota_lets_pass_what_it_says_and_names_when_the_next_is_free(store: Store) -> None:
    before = time.time()
    assert await store.admit("s", [quota()]) == await store.admit("s", [quota()]) == (Claimed(),)

    (refused,) = await store.admit("s", [quota()])

    assert isinstance(refused, Exhausted)
    assert 60 - (time.time() - before) <= refused.free_in_s <= 60


async def test_a_quota_is_free_again_once_its_window_has_passed(store: Store) -> None:
    short = quota(most=1, window_s=SHORT_S)
    await store.admit("s", [short])
    (refused,) = await store.admit("s", [short])
    assert isinstance(refused, Exhausted)

    await anyio.sleep(refused.free_in_s + SHORT_S / 10)

    assert admitted(await store.admit("s", [short]))
    assert isinstance((await store.admit("s", [short]))[0], Exhausted)


async def test_quotas_count_each_key_and_each_window_for_itself(store: Store) -> None:
    minute, day = quota(most=1), quota(most=2, window_s=86_400)
    await store.admit("s", [minute, day])

    assert await store.admit("s", [quota("tool:other", 1)]) == (Claimed(),)
    assert isinstance((await store.admit("s", [minute, day]))[0], Exhausted)
    assert await store.admit("s", [day]) == (Claimed(),)
    assert isinstance((await store.admit("s", [day]))[0], Exhausted)


async def test_two_bounds_on_one_counter_are_one_use(store: Store) -> None:
    both = [quota(most=2), quota(most=3)]
    assert admitted(await store.admit("s", both))
    assert admitted(await store.admit("s", both))

    tight, loose = await store.admit("s", both)

    assert isinstance(tight, Exhausted)
    assert loose == Untaken()


@pytest.mark.parametrize(("most", "window_s"), [(0, 60), (1, 0), (1, float("inf")), (1, float("nan"))])
def test_a_quota_that_lets_nothing_pass_is_the_hosts_mistake(most: int, window_s: float) -> None:
    with pytest.raises(HiltError, match="lets nothing pass"):
        quota(most=most, window_s=window_s)


async def test_leave_for_once_is_used_up_by_taking_it(store: Store, leave: Leave, asks: Asks) -> None:
    await store.save_approval(leave())

    assert admitted(await store.admit("s", [asks()]))
    assert await store.admit("s", [asks()]) == (Ungranted(),)
    assert await store.approvals() == []


@pytest.mark.parametrize(
    "other",
    [{"principal": "bob"}, {"tool": "refund"}, {"digest": "d2"}, {"policy": "p2"}],
    ids=lambda bound: next(iter(bound)),
)
async def test_leave_is_bound_to_what_it_was_given_for(
    store: Store, leave: Leave, asks: Asks, other: dict[str, str]
) -> None:
    await store.save_approval(leave())

    assert await store.admit("s", [asks(**other)]) == (Ungranted(),)
    assert admitted(await store.admit("s", [asks()]))


@pytest.mark.parametrize(
    ("kept", "asked", "covered"),
    [
        ({"scope": "once"}, {"session": "other"}, True),
        ({"scope": "once", "session": "s"}, {"session": "other"}, False),
        ({"scope": "session"}, {"digest": "d2", "shape": "any"}, True),
        ({"scope": "session"}, {"session": "other"}, False),
        ({"scope": "session", "shape": "pay/*"}, {"digest": "d2"}, True),
        ({"scope": "session", "shape": "pay/*"}, {"shape": "other"}, False),
        ({"scope": "shape"}, {"digest": "d2", "session": "other"}, True),
        ({"scope": "shape"}, {"shape": "other"}, False),
        ({"scope": "shape"}, {"shape": ""}, False),
        ({"scope": "always"}, {"digest": "d2", "shape": "other", "session": "other"}, True),
        ({"scope": "always"}, {"policy": "p2"}, False),
    ],
    ids=range(11),
)
async def test_how_far_leave_reaches_is_its_scope(
    store: Store, leave: Leave, asks: Asks, kept: dict, asked: dict[str, str], covered: bool
) -> None:
    await store.open_session("other", "ann")
    await store.save_approval(leave(**kept))

    for _ in range(2 if kept["scope"] != "once" else 1):
        assert admitted(await store.admit(asked.get("session", "s"), [asks(**asked)])) is covered


async def test_leave_that_stands_spares_leave_for_once(store: Store, leave: Leave, asks: Asks) -> None:
    await store.save_approval(leave("one"))
    await store.save_approval(leave("standing", scope="always"))

    (granted,) = await store.admit("s", [asks()])

    assert isinstance(granted, Granted)
    assert granted.approval.id == "standing"
    assert {each.id for each in await store.approvals("ann")} == {"one", "standing"}


@pytest.mark.parametrize("scope", ["once", "session", "shape"])
def test_leave_that_nothing_bounds_is_the_hosts_mistake(leave: Leave, scope: str) -> None:
    with pytest.raises(HiltError, match="names nothing that bounds it"):
        leave(scope=scope, digest="", session="", shape="")


async def test_leave_ends_when_it_expires(store: Store, leave: Leave, asks: Asks) -> None:
    await store.save_approval(leave(lasts=-1))

    assert await store.admit("s", [asks()]) == (Ungranted(),)
    assert await store.approvals() == []
    assert await store.revoke_approval("a1") is False


async def test_leave_can_be_listed_and_taken_back_once(store: Store, leave: Leave, asks: Asks) -> None:
    first, second = leave("a1"), leave("a2", scope="always", principal="bob", by="bob", says="pay whom you like")
    await store.save_approval(first)
    await store.save_approval(second)

    assert await store.approvals() == [second, first]
    assert await store.approvals("bob") == [second]
    assert await store.revoke_approval("a1", by="ann") is True
    assert await store.revoke_approval("a1", by="ann") is False
    assert await store.revoke_approval("never given") is False
    assert await store.admit("s", [asks()]) == (Ungranted(),)
    with pytest.raises(StoreError, match="is there already"):
        await store.save_approval(leave("a1"))
    kinds = [each.text.split('"event":"')[1].split('"')[0] for each in await store.trail()]
    assert kinds == ["approval", "approval", "revoked"]


async def test_a_purge_forgets_leave_that_ended_and_nothing_that_still_counts(
    store: Store, leave: Leave, asks: Asks
) -> None:
    await store.save_approval(leave("used"))
    await store.admit("s", [asks(), quota(most=1)])
    await store.save_approval(leave("expired", lasts=-1))
    await store.save_approval(leave("holds", scope="always"))

    await store.purge(timedelta(0))
    await store.open_session("s", "ann")

    assert [each.id for each in await store.approvals()] == ["holds"]
    await store.save_approval(leave("used"))
    await store.save_approval(leave("expired"))
    assert isinstance((await store.admit("s", [quota(most=1)]))[0], Exhausted)


async def test_uses_that_no_window_counts_are_forgotten_and_the_others_are_not(store: Store) -> None:
    moment, minute = quota("moment", most=1_000, window_s=1e-6), quota("minute", most=FORGET_EVERY * 2)
    for _ in range(FORGET_EVERY * 2):
        assert admitted(await store.admit("s", [moment, minute]))

    assert isinstance((await store.admit("s", [minute]))[0], Exhausted)


async def test_counters_in_memory_that_nobody_uses_are_forgotten() -> None:
    admission, ledger = MemoryAdmission(), MemoryLedger()
    for number in range(MOST_IDLE_COUNTERS + 1):
        admission.take([quota(f"k{number}", window_s=1e-6)], "ann", ledger)

    assert len(admission._uses) < MOST_IDLE_COUNTERS
