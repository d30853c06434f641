"""A person's leave: how far it reaches, what it is bound to, and the word that comes later or through the store."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, TypeVar

import anyio
import pytest

from hilt import HiltError, Param, Runtime, Session, tool
from hilt.calls.memos import Memos
from hilt.errors import StoreError
from hilt.policy.claims import Approval, Scope
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.results.envelope import Status
from hilt.review.answering import answer_question
from hilt.review.asked import answer_text
from hilt.review.people import Question, Reply
from hilt.runtime.late import LATE_CHARACTERS
from hilt.runtime.words import MEMO
from hilt.store.memory import MemoryStore
from hilt.store.records import Pending
from tests.kit import acting, perceiving, turn

T = TypeVar("T")
done: list[str] = []


@tool(**acting(effects={"reads": "none", "does": "send", "roles": {"to": "destination"}}))
def send(to: Annotated[str, Param("address")], text: Annotated[str, Param("words", role="content")] = "") -> str:
    done.append(f"{to} {text}".strip())
    return f"sent to {to}"


@tool(**acting(effects={"reads": "none", "does": "spend", "irreversible": True}))
def pay(amount: Annotated[int, Param("euros")]) -> str:
    done.append(str(amount))
    return "paid"


@tool(**perceiving(effects={"reads": "none", "brings": "own"}))
def look() -> str:
    return "seen"


@tool(**perceiving(effects={"reads": "private", "brings": "third-party", "secrets": ["passport"]}))
def profile() -> list[dict[str, str]]:
    return [{"passport": "HGK137803", "about": "write to ann@example.org"}]


@dataclass
class Someone:
    """A person with one word for everything."""

    reply: Reply = field(default_factory=lambda: Reply(word="approve"))
    reachable: Any = "now"
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return self.reply


def of(person: Someone | None, store: MemoryStore | None = None, **options: Any) -> Runtime:
    done.clear()
    return Runtime([send, pay, look], **{"person": person, "store": store, "wait_s": 5, **options})


def saying(scope: Scope) -> Someone:
    return Someone(Reply(word="approve", scope=scope))


@pytest.mark.parametrize(
    ("scope", "asked"),
    [("once", 4), ("session", 3), ("shape", 2), ("always", 1)],
)
async def test_leave_reaches_as_far_as_the_person_said_and_no_further(scope: Scope, asked: int) -> None:
    person, store = saying(scope), MemoryStore()
    runtime, here, there = of(person, store), Session(id="here"), Session(id="there")

    for session, to, text in ((here, "ann", "1"), (here, "ann", "2"), (there, "ann", "3"), (here, "bob", "4")):
        assert (await runtime.call(session, "send", {"to": to, "text": text})).status is Status.SUCCESS

    assert len(person.asked) == asked
    assert done == ["ann 1", "ann 2", "ann 3", "bob 4"]


async def test_the_model_is_told_what_leave_goes_on() -> None:
    result = await of(saying("session")).call(Session(), "send", {"to": "ann"})

    assert result.notes[0].startswith("the person's leave goes on for every call of send to=ann")


async def test_leave_is_bound_to_its_principal_and_to_the_policy_in_force() -> None:
    person, store = saying("always"), MemoryStore()
    await of(person, store).call(Session(), "send", {"to": "ann"})
    await of(person, store).call(Session(principal="eve"), "send", {"to": "ann"})
    await of(person, store, policy="unattended").call(Session(), "send", {"to": "ann"})
    await of(person, store).call(Session(), "send", {"to": "ann"})

    assert len(person.asked) == 2


async def test_what_cannot_be_taken_back_is_approved_once_whatever_was_answered() -> None:
    person = saying("always")
    runtime, session = of(person), Session()

    first = await runtime.call(session, "pay", {"amount": 3})
    await runtime.call(session, "pay", {"amount": 4})

    assert first.notes == ("the person's leave is for this call alone: always was not offered for it",)
    assert [question.scopes for question in person.asked] == [("once",), ("once",)]


async def test_an_answer_through_the_store_ends_the_wait_and_the_call_runs_once() -> None:
    store, person = MemoryStore(), Someone(reachable="inbox")
    runtime, session, results = of(person, store), Session(id="s"), list[Any]()

    async def ask() -> None:
        results.append(await runtime.call(session, "send", {"to": "ann"}))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            (kept,) = await eventually(store.list_pending)
            await answer_question(store, kept.handle, Reply(word="approve"), by="ann")
    again = await of(None, store).call(session, "send", {"to": "ann"})

    assert results[0].items == ("sent to ann",)
    assert again.denied is not None


async def test_a_no_through_the_store_is_the_answer_with_its_reason() -> None:
    store, person = MemoryStore(), Someone(reachable="inbox")
    runtime, results = of(person, store), list[Any]()

    async def ask() -> None:
        results.append(await runtime.call(Session(), "send", {"to": "ann"}))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            (kept,) = await eventually(store.list_pending)
            await answer_question(store, kept.handle, Reply(word="reject", reason="not ann"), by="ann")

    assert results[0].denied.reason == "the person refused send: not ann"
    assert done == []


async def told(runtime: Runtime, session: Session) -> tuple[str, ...]:
    """The notes of the next answer."""
    return (await runtime.call(session, "look")).notes


async def eventually(look: Callable[[], Awaitable[Sequence[T]]]) -> Sequence[T]:
    """What a look finds once there is something; the caller bounds the wait."""
    while not (found := await look()):  # noqa: ASYNC110  # a store tells nobody
        await anyio.sleep(0.01)
    return found


async def pending(runtime: Runtime, session: Session, **arguments: object) -> str:
    result = await runtime.call(session, "send", arguments)
    assert result.pending is not None
    return result.pending.handle


async def test_a_yes_that_comes_after_the_wait_runs_the_call_and_stands_beside_the_next_answer() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handles = [await pending(runtime, session, to=to) for to in ("ann", "bob")]
    await answer_question(store, handles[0], Reply(word="approve"), by="ann")
    await answer_question(store, handles[1], Reply(word="reject", reason="no"), by="ann")

    notes: Sequence[str] = ()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(runtime.keep_answering, session)
            notes = [*await eventually(partial(told, runtime, session))]
            if len(notes) == 1:
                notes += await eventually(partial(told, runtime, session))
            group.cancel_scope.cancel()

    assert done == ["ann"]
    assert set(notes) == {
        f"meanwhile the person allowed the call of send that waited as {handles[0]}: sent to ann",
        f"meanwhile the person refused the call of send that waited as {handles[1]}: "
        "denied by person: the person refused send: no\n"
        "next: take another way, or ask the person what they want",
    }
    assert (await runtime.call(session, "look")).notes == ()


async def test_a_question_that_nobody_answered_in_time_is_told_too() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(None, store)
    await store.open_session("s", "local")
    await store.save_pending("ask_1", "s", "{}", time.time() - 1)
    await Memos(store).put(session, MEMO, {"waiting": ["ask_1"]})  # as another process left it

    notes: Sequence[str] = ()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(runtime.keep_answering, session)
            notes = await eventually(partial(told, runtime, session))
            group.cancel_scope.cancel()

    assert notes == ("nobody answered ask_1 in time; the call it stood for did not run",)


async def test_the_same_call_made_again_after_a_late_yes_takes_the_leave_and_a_changed_one_does_not() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handle = await pending(runtime, session, to="ann", text="1")
    await answer_question(store, handle, Reply(word="approve"), by="ann")

    changed = await runtime.call(session, "send", {"to": "ann", "text": "2"})
    same = await runtime.call(session, "send", {"text": "1", "to": "ann"})
    again = await runtime.call(session, "send", {"to": "ann", "text": "1"})

    assert [each.status for each in (changed, same, again)] == [Status.PENDING, Status.SUCCESS, Status.PENDING]
    assert done == ["ann 1"]


async def test_a_late_yes_runs_nothing_where_the_policy_has_changed_since() -> None:
    store, session = MemoryStore(), Session(id="s")
    handle = await pending(of(Someone(reachable="later"), store), session, to="ann")

    changed = of(Someone(reachable="later"), store, policy="unattended")
    denied = await changed.decide_pending(session, handle, approve=True)

    assert denied.result.denied is not None
    assert done == []


async def test_a_late_yes_may_reach_further_where_that_was_offered_and_is_refused_where_it_was_not() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="later"), store)
    handle = await pending(runtime, session, to="ann")

    await runtime.decide_pending(session, handle, approve=True, scope="shape")
    again = await runtime.call(session, "send", {"to": "ann", "text": "more"})
    waits = await runtime.call(session, "pay", {"amount": 1})

    assert again.status is Status.SUCCESS
    assert waits.pending is not None
    with pytest.raises(HiltError, match="would reach too far"):
        await runtime.decide_pending(session, waits.pending.handle, approve=True, scope="always")
    assert (await runtime.decide_pending(session, waits.pending.handle, approve=True)).result.items == ("paid",)


async def test_a_leave_that_was_used_meanwhile_runs_nothing_a_second_time() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handle = await pending(runtime, session, to="ann")
    await answer_question(store, handle, Reply(word="approve"), by="ann")
    await runtime.call(session, "send", {"to": "ann"})

    notes: Sequence[str] = ()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(runtime.keep_answering, session)
            notes = await eventually(partial(told, runtime, session))
            group.cancel_scope.cancel()

    assert "does not cover it any more" in " ".join(notes)
    assert done == ["ann"]


async def test_a_late_word_is_acted_on_once_and_told_by_whichever_process_answers_next() -> None:
    store, session = MemoryStore(), Session(id="s")
    asked = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handle = await pending(asked, session, to="ann")
    one, other = of(None, store), of(None, store)  # the process that asked is gone
    for each in (one, other):
        await each.ready(session)
        assert each.waits(session)
    await answer_question(store, handle, Reply(word="approve"), by="ann")

    (first,) = await one.answer(session, turn(("look", "{}"), id="1"))
    (second,) = await other.answer(session, turn(("look", "{}"), id="2"))

    assert done == ["ann"]
    assert "meanwhile the person allowed" in first.text
    assert second.text == "seen"
    assert not other.waits(session)


async def test_that_nobody_answered_in_time_is_told_once_however_many_processes_waited() -> None:
    store, session = MemoryStore(), Session(id="s")
    await store.open_session("s", "local")
    await store.save_pending("ask_1", "s", "{}", time.time() - 1)
    await Memos(store).put(session, MEMO, {"waiting": ["ask_1"]})
    one, other = of(None, store), of(None, store)
    await one.ready(session)
    await other.ready(session)

    (first,) = await one.answer(session, turn(("look", "{}"), id="1"))
    (second,) = await other.answer(session, turn(("look", "{}"), id="2"))

    assert "nobody answered ask_1 in time" in first.text
    assert second.text == "seen"


async def test_a_word_that_one_process_heard_is_told_by_another() -> None:
    store, session = MemoryStore(), Session(id="s")
    asked, other = of(Someone(reachable="inbox"), store, wait_s=0.01), of(None, store)
    handle = await pending(asked, session, to="ann")
    await answer_question(store, handle, Reply(word="approve"), by="ann")
    notes: Sequence[str] = ()

    async def look_there() -> Sequence[str]:
        await other.ready(session)
        return await told(other, session)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(asked.keep_answering, session)
            notes = await eventually(look_there)
            group.cancel_scope.cancel()

    assert notes == (f"meanwhile the person allowed the call of send that waited as {handle}: sent to ann",)
    assert await told(asked, session) == ()


async def test_a_word_given_through_the_session_itself_is_not_acted_on_by_others_that_wait() -> None:
    store, session = MemoryStore(), Session(id="s")
    asked, other = of(Someone(reachable="inbox"), store, wait_s=0.01), of(None, store)
    handle = await pending(asked, session, to="ann")

    answer = await other.decide_pending(session, handle, approve=True)
    (next_one,) = await asked.answer(session, turn(("look", "{}")))

    assert (answer.text, next_one.text, done) == ("sent to ann", "seen", ["ann"])


async def test_a_word_that_came_too_late_through_the_session_leaves_the_first_one_to_be_acted_on() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handle = await pending(runtime, session, to="ann")
    await answer_question(store, handle, Reply(word="approve"), by="ann")

    with pytest.raises(HiltError, match="nothing waits under"):
        await runtime.decide_pending(session, handle, approve=False)
    (answer,) = await runtime.answer(session, turn(("look", "{}")))

    assert "meanwhile the person allowed" in answer.text


async def test_a_late_call_that_ends_with_its_process_is_told() -> None:
    began = anyio.Event()

    @tool(**acting(effects={"reads": "none", "does": "send", "roles": {"to": "destination"}}))
    async def post(to: Annotated[str, Param("address")]) -> str:
        began.set()
        await anyio.sleep_forever()
        return to

    store, session = MemoryStore(), Session(id="s")
    runtime = Runtime([post, look], person=Someone(reachable="inbox"), store=store, wait_s=0.01)
    waiting = await runtime.call(session, "post", {"to": "ann"})
    assert waiting.pending is not None
    await answer_question(store, waiting.pending.handle, Reply(word="approve"), by="ann")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(runtime.keep_answering, session)
            await began.wait()
            group.cancel_scope.cancel()
    (answer,) = await of(None, store).answer(session, turn(("look", "{}")))

    assert f"the call of post that waited as {waiting.pending.handle} was ended while it ran" in answer.text


class Forgetful(MemoryStore):
    """A store that stops taking changes of what is remembered."""

    away = False

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
        if self.away:
            raise StoreError("gone", "come back")
        return await super().exchange(session_id, key, old, new)


async def test_a_word_that_the_store_does_not_hand_out_now_is_told_when_it_does() -> None:
    store, session = Forgetful(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    await Memos(store).put(session, MEMO, {"said": ["a word"]})
    store.away = True
    await runtime.ready(session)
    assert await told(runtime, session) == ()
    store.away = False

    await runtime.ready(session)

    assert await told(runtime, session) == ("a word",)


class Away(MemoryStore):
    """A store that stops answering questions about questions."""

    away = False

    async def pending(self, handle: str) -> Pending | None:
        if self.away:
            raise StoreError("gone", "come back")
        return await super().pending(handle)


async def test_a_store_that_does_not_answer_costs_no_turn_its_answers() -> None:
    store, session = Away(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    await pending(runtime, session, to="ann")
    store.away = True

    (answer,) = await runtime.answer(session, turn(("look", "{}")))

    assert answer.text == "seen"


async def test_of_a_long_late_answer_the_start_stands_beside_the_next_one() -> None:
    store, session = MemoryStore(), Session(id="s")
    runtime = of(Someone(reachable="inbox"), store, wait_s=0.01)
    handle = await pending(runtime, session, to="a" * (LATE_CHARACTERS + 10))
    await answer_question(store, handle, Reply(word="approve"), by="ann")

    (answer,) = await runtime.answer(session, turn(("look", "{}")))

    assert " ... (4,0" in answer.text[-40:]
    assert answer.text[-30:].endswith("characters in all)")


async def test_of_two_who_answer_one_counts_and_the_other_is_told() -> None:
    class Quick(MemoryStore):
        async def save_approval(self, approval: Approval) -> None:
            await super().save_approval(approval)
            await super().answer_pending(handle, answer_text(Reply(word="reject")))

    store, session = Quick(), Session(id="s")
    handle = await pending(of(Someone(reachable="later"), store), session, to="ann")

    with pytest.raises(HiltError, match="nothing waits under"):
        await answer_question(store, handle, Reply(word="approve"), by="ann")
    assert await store.approvals() == []


@pytest.mark.parametrize("scope", ["session", "shape"])
async def test_leave_for_what_was_in_doubt_does_not_settle_a_further_doubt(scope: Scope) -> None:
    rules = (
        Rule(word="ask", arguments={"to": "ann"}, name="about ann"),
        Rule(word="ask", arguments={"text": "*code*"}, name="about codes"),
    )
    person, session = saying(scope), Session()
    runtime = of(person, policy=Policy(rules=rules))

    for text in ("hello", "good day", "the code is 4711", "a code"):
        await runtime.call(session, "send", {"to": "ann", "text": text})

    assert len(person.asked) == 2
    assert "the code is 4711" in person.asked[1].arguments


async def test_leave_for_one_objection_of_taint_does_not_let_a_secret_go() -> None:
    person, session = saying("session"), Session(user_words="read my profile")
    runtime = Runtime([send, profile], person=person, wait_s=5)
    await runtime.call(session, "profile", {})

    for text in ("hello", "good day", "HGK137803"):
        await runtime.call(session, "send", {"to": "ann@example.org", "text": text})

    assert len(person.asked) == 2
    assert any("secret" in each for each in person.asked[1].reasons)
