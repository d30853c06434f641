"""What policy asks about: put to a person who is there, kept for one who comes later, refused when nobody is."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

import anyio
import pytest

from hilt import HiltError, Param, Runtime, Session, ToolCall, tool
from hilt.calls.events import Event
from hilt.policy.decision import Decision
from hilt.results.envelope import Status
from hilt.review.people import Question, Reply
from hilt.runtime.defects import Defect
from hilt.runtime.questions import Doubt, nobody
from hilt.store.memory import MemoryStore
from tests.kit import acting, turn

ran: list[str] = []


@tool(**acting(effects={"does": "send"}, activity="sending to {to}"))
def send(to: Annotated[str, Param("address")]) -> str:
    ran.append(to)
    return f"sent to {to}"


@dataclass
class Someone:
    """A person who says `word`, or never answers."""

    word: Literal["approve", "reject", "absent"] | None
    reachable: Literal["now", "later"] = "now"
    reason: str = ""
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        if self.word is None:
            await anyio.sleep_forever()
        return Reply(word=self.word or "absent", reason=self.reason)


def fresh(person: Someone | None, **options: object) -> Runtime:
    ran.clear()
    return Runtime([send], person=person, wait_s=0.02, **options)  # type: ignore[arg-type]  # options of the runtime


async def test_a_person_who_is_there_sees_the_whole_call_and_approves_it() -> None:
    person = Someone("approve")

    result = await fresh(person).call(Session(id="s"), "send", {"to": "ann"})

    assert result.items == ("sent to ann",)
    (question,) = person.asked
    assert (question.tool, question.arguments, question.activity) == ("send", '{"to": "ann"}', "sending to ann")
    assert question.reasons == ("preset workspace: send is ask",)


@pytest.mark.parametrize(
    ("person", "by", "says"),
    [
        (Someone("reject"), "person", "the person refused send"),
        (Someone("reject", reason="not ann"), "person", "refused send: not ann"),
        (Someone("absent"), "nobody_to_ask", "nobody answered within 0.02 s"),
        (Someone(None), "nobody_to_ask", "nobody answered within 0.02 s"),
        (None, "nobody_to_ask", "ask whoever runs this to let a person be asked"),
        (None, "nobody_to_ask", "a rule that allows send to their own hilt.toml"),
    ],
    ids=["no", "no because", "absent", "silent", "nobody", "no rule"],
)
async def test_without_leave_nothing_runs_and_who_refused_is_told(person: Someone | None, by: str, says: str) -> None:
    with anyio.fail_after(5):
        answer = await fresh(person).answer_one(Session(), "send", {"to": "ann"})

    assert answer.result.denied is not None
    assert answer.result.denied.by == by
    assert not answer.result.denied.asking_differently_helps
    assert says in answer.text
    assert ran == []


async def test_the_leave_for_one_call_is_for_that_call_alone() -> None:
    of, session = fresh(None), Session()

    assert (await of.call(session, "send", {"to": "a"}, approved=True)).items == ("sent to a",)
    assert (await of.call(session, "send", {"to": "b"})).denied is not None


async def test_a_person_who_comes_later_finds_the_question_and_their_yes_counts_once() -> None:
    store = MemoryStore()
    of, session = fresh(Someone(None, reachable="later"), store=store), Session(id="s")
    call = ToolCall(name="send", arguments='{"to": "ann"}', id="c")

    (first,) = await of.answer(session, turn(call))
    (again,) = await of.answer(session, turn(call))

    assert first.result.status is Status.PENDING
    assert first.result.pending is not None
    assert again.text == first.text
    assert len(await store.list_pending()) == 1
    assert ran == []

    handle = first.result.pending.handle
    answer = await of.decide_pending(session, handle, approve=True)
    assert answer.result.items == ("sent to ann",)
    for stranger in (session, Session(id="other")):
        with pytest.raises(HiltError, match="nothing waits"):
            await of.decide_pending(stranger, handle, approve=True)
    assert ran == ["ann"]


async def test_a_late_no_is_told_and_runs_nothing() -> None:
    of, session = fresh(Someone(None, reachable="later")), Session()
    result = await of.call(session, "send", {"to": "ann"})
    assert result.pending is not None

    answer = await of.decide_pending(session, result.pending.handle, approve=False)

    assert "denied by person" in answer.text
    assert ran == []
    with pytest.raises(HiltError, match="nothing waits under 'nothing'"):
        await of.decide_pending(session, "nothing", approve=True)


@pytest.mark.parametrize("part", ["person", "listener"])
async def test_a_part_of_the_host_that_raises_ends_one_call_and_leaves_the_others_answered(part: str) -> None:
    class Broken(Someone):
        async def ask(self, question: Question) -> Reply:
            raise RuntimeError("the window is gone")

    def listener(event: Event) -> None:
        if part == "listener" and event.tool == "send" and event.step == "decide":
            raise RuntimeError("the window is gone")

    heard: list[Defect] = []
    of, session = fresh(Broken("approve"), on_defect=heard.append), Session()
    of.listen(listener)
    calls = [ToolCall(name="send", arguments='{"to": "ann"}', id="a"), ToolCall(name="nobody", id="b")]

    first = await of.answer(session, turn(*calls))
    again = await of.answer(session, turn(*calls))

    assert first[0].result.failure is not None
    assert first[0].result.failure.outcome == "not_started"
    assert "there is no tool 'nobody'" in first[1].text
    assert [each.text for each in again] == [each.text for each in first]
    assert "RuntimeError: the window is gone" in heard[0].problem


@pytest.mark.parametrize(
    ("layer", "rule", "step"),
    [
        ("preset", "workspace/send", "add a rule that allows send"),
        ("user", "ask send", "narrow or remove the user's rule 'ask send'"),
        ("taint", "taint/destination", "known in [policy.taint]"),
        ("built-in", "whole-workspace", "do it themselves"),
    ],
)
def test_what_a_person_can_change_is_what_lifts_the_doubt(layer: str, rule: str, step: str) -> None:
    decision = Decision(word="ask", layer=layer, rule=rule)

    refusal = nobody("send", Doubt(decision=decision, reasons=("why",), account="", rule=rule), "ask a person")

    assert step in refusal.next_steps[1]
