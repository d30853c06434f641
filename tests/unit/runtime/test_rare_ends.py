"""What happens seldom on the road: leave that is gone when it is taken, a call that fails by its own word."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import anyio
import pytest

from hilt import Param, Runtime, Session, ToolResult, tool
from hilt.calls.memos import Memos
from hilt.declarations.effects import ALL_DEEDS, Deed
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import Failure, Status
from hilt.results.failures import FailureKind
from hilt.review import breaker
from hilt.review.asked import answer_text
from hilt.review.people import Question, Reply
from hilt.review.review import Review
from hilt.review.reviewer import View, When
from hilt.review.verdict import APPROVED, Verdict
from hilt.runtime import sightings
from hilt.runtime.facts import facts_of
from hilt.store.memory import MemoryStore
from tests.kit import EVERYTHING, acting, perceiving

ALLOWED = Policy(rules=(Rule(word="allow"),))


@tool(**acting(effects={"reads": "none", "does": "send", "roles": {"to": "destination"}}))
def send(to: Annotated[str, Param("address")]) -> ToolResult[str]:
    if to == "nobody":
        failure = Failure(kind=FailureKind.ENVIRONMENT, problem="no such box", next_steps=("take another",))
        return ToolResult(status=Status.ERROR, summary="no such box", failure=failure)
    return ToolResult(summary=f"sent to {to}")


@tool(**perceiving(effects={"reads": "public", "brings": "third-party", "does": "fetch", "roles": {"url": "url"}}))
async def page(url: Annotated[str, Param("where")]) -> str:
    return "read https://one.example/a and https://two.example/b"


@dataclass
class Once:
    """Refuses the first call it sees, and no other."""

    name: str = "once"
    when: When = "before"
    deeds: frozenset[Deed] = ALL_DEEDS
    irreversible: bool = False
    waits: bool = False
    seen: int = 0

    async def review(self, view: View) -> Verdict:
        self.seen += 1
        return Verdict(word="reject", reason="not yet") if self.seen == 1 else APPROVED


class Reader:
    """Somebody who looks into the inbox, and is not asked otherwise."""

    reachable: Any = "inbox"

    async def ask(self, question: Question) -> Reply:
        return Reply(word="absent")


async def test_a_yes_whose_leave_is_gone_when_it_is_taken_lets_nothing_run() -> None:
    store, results = MemoryStore(), list[ToolResult[object]]()
    runtime = Runtime([send], person=Reader(), store=store, wait_s=20)

    async def ask() -> None:
        results.append(await runtime.call(Session(), "send", {"to": "ann"}))

    with anyio.fail_after(20):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            while not (waiting := await store.list_pending()):  # noqa: ASYNC110  # a store tells nobody of news
                await anyio.sleep(0.01)
            assert await store.answer_pending(waiting[0].handle, answer_text(Reply(word="approve")))

    (result,) = results
    assert result.denied is not None
    assert "the leave that was given for this call of send does not cover it any more" in result.denied.reason


async def test_a_call_that_failed_by_its_own_word_does_not_end_a_row_of_refusals() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = Runtime([send], policy=EVERYTHING, store=store, review=Review(reviewers=(Once(),)))

    assert (await runtime.call(session, "send", {"to": "ann"})).denied is not None
    assert (await runtime.call(session, "send", {"to": "nobody"})).status is Status.ERROR
    assert breaker.counted(await Memos(store).get(session, breaker.MEMO)) == 1
    assert (await runtime.call(session, "send", {"to": "ann"})).status is Status.SUCCESS
    assert breaker.counted(await Memos(store).get(session, breaker.MEMO)) == 0


async def test_without_a_breaker_no_row_is_counted() -> None:
    runtime = Runtime([send], policy=EVERYTHING, review=Review(refusals=0))

    assert (await runtime.call(Session(), "send", {"to": "ann"})).status is Status.SUCCESS


def test_an_address_that_is_none_has_no_host() -> None:
    (fact,) = facts_of(page, {"url": "http://[::1"}, None).urls

    assert (fact.asked, fact.host) == ("http://[::1", "")


async def test_of_very_many_addresses_in_a_page_the_first_may_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "MOST_LINKS", 1)
    runtime, session = Runtime([page], policy=ALLOWED), Session(user_words="read https://start.example/x for me")

    await runtime.call(session, "page", {"url": "https://start.example/x"})
    first = await runtime.call(session, "page", {"url": "https://one.example/a"})
    second = await runtime.call(session, "page", {"url": "https://two.example/b"})

    assert first.status is Status.SUCCESS
    assert second.denied is not None
    assert second.denied.rule == "taint/address"


async def test_of_very_much_that_a_session_writes_the_first_is_held_as_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sightings, "MOST_WRITTEN", 1)
    store, session = MemoryStore(), Session(id="s", user_words="send it to ann@a.example; bob@b.example")
    runtime = Runtime([page, send], policy=ALLOWED, store=store, review=Review())

    await runtime.call(session, "page", {"url": "https://start.example/x"})
    await runtime.call(session, "send", {"to": "carl@c.example; dora@d.example"}, approved=True)

    noted = [json.loads(document) for _, document in await store.sightings("s")]
    assert [len(each["written"]) for each in noted if "written" in each] == [1]


@tool(**perceiving(effects={"reads": "none"}))
def look() -> str:
    return "seen"


@pytest.mark.parametrize(("word", "by"), [("ask", "nobody_to_ask"), ("deny", "rule")])
async def test_a_rule_holds_for_every_call_of_a_tool_that_only_looks(word: Literal["ask", "deny"], by: str) -> None:
    runtime, session = Runtime([look], policy=Policy(rules=(Rule(word=word, tools="look"),))), Session()

    for _ in range(2):
        denied = (await runtime.call(session, "look")).denied
        assert denied is not None
        assert denied.by == by
    assert (await Runtime([look]).call(session, "look")).items == ("seen",)
