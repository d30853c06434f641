"""The third layer on the road: reviewers before, beside and after, the breaker, and what the irreversible needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import anyio
import pytest

from hilt import Context, EnvironmentFailure, HiltError, Param, Runtime, Session, tool
from hilt.calls.events import Event, MemoryTrace
from hilt.declarations.effects import ALL_DEEDS, Deed
from hilt.errors import StoreLocked
from hilt.results.envelope import Status
from hilt.review.breaker import REFUSALS
from hilt.review.judging import JudgeQuestion, JudgeReviewer, Maker
from hilt.review.people import Question, Reply
from hilt.review.review import Review
from hilt.review.reviewer import View, When, verdict_of
from hilt.review.verdict import APPROVED, Verdict
from hilt.runtime.defects import Defect
from hilt.runtime.reviewing import MOST_PREVIEW
from hilt.store.memory import MemoryStore
from tests.kit import EVERYTHING, acting, perceiving

done: list[str] = []
NO = Verdict(word="reject", reason="ann is not who was meant", suggestion="ask the person for the address")
DOUBT = Verdict(word="escalate", reason="who is ann?")


@tool(**acting(effects={"reads": "none", "does": "send", "roles": {"to": "destination"}}, activity="sending to {to}"))
def send(to: Annotated[str, Param("address")], text: Annotated[str, Param("words", role="content")] = "") -> str:
    done.append(to)
    return f"sent to {to}"


@tool(**acting(effects={"reads": "none", "does": "spend", "irreversible": True}))
def pay(amount: Annotated[int, Param("euros")]) -> str:
    done.append(str(amount))
    return "paid"


@tool(**perceiving(effects={"reads": "none", "brings": "own"}))
def look() -> str:
    return "seen"


async def _shows(ctx: Context, to: str, text: str = "") -> str:
    return f"+ {text} for {to} in {ctx.session.id}"


@tool(**acting(effects={"reads": "none", "does": "send", "roles": {"to": "destination"}}, preview=_shows))
def mail(ctx: Context, to: Annotated[str, Param("address")], text: Annotated[str, Param("words")] = "") -> str:
    done.append(to)
    return f"mailed {to}"


@dataclass
class Looking:
    """A reviewer that says one thing, and remembers what it was shown."""

    says: Any = APPROVED
    when: When = "before"
    name: str = "looking"
    deeds: frozenset[Deed] = ALL_DEEDS
    irreversible: bool = False
    waits: bool = False
    seen: list[View] = field(default_factory=list[View])

    async def review(self, view: View) -> Verdict:
        self.seen.append(view)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


@dataclass
class Someone:
    """A person who is there, and says the same to every question."""

    reply: Reply
    asked: list[Question] = field(default_factory=list[Question])
    reachable: Any = "now"

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return self.reply


def of(*reviewers: Looking | JudgeReviewer, review: Mapping[str, Any] | None = None, **options: Any) -> Runtime:
    done.clear()
    given = Review(reviewers=reviewers, **(review or {}))
    return Runtime([send, pay, look, mail], **{"policy": EVERYTHING, "review": given, "on_defect": print, **options})


async def test_a_reviewers_no_is_a_result_with_its_reason_and_its_suggestion_and_nothing_runs() -> None:
    answer = await of(Looking(NO)).answer_one(Session(), "send", {"to": "ann"})

    refusal = answer.result.denied
    assert refusal is not None
    assert (refusal.by, refusal.rule) == ("reviewer", "looking")
    assert refusal.next_steps == ("ask the person for the address",)
    assert refusal.asking_differently_helps
    assert "ann is not who was meant" in answer.text
    assert done == []


async def test_a_persons_leave_beforehand_lifts_a_doubt_and_not_a_no() -> None:
    assert (await of(Looking(DOUBT)).call(Session(), "send", {"to": "ann"}, approved=True)).status is Status.SUCCESS
    assert (await of(Looking(NO)).call(Session(), "send", {"to": "ann"}, approved=True)).denied is not None


@pytest.mark.parametrize(
    "says", [None, "approve", Verdict(word="perhaps"), RuntimeError("no line"), DOUBT],  # type: ignore[arg-type]  # no word
    ids=["nothing", "a text", "another word", "raised", "escalate"],
)  # fmt: skip
@pytest.mark.parametrize("when", ["before", "beside"])
async def test_whatever_is_no_clear_verdict_is_put_to_a_person_and_refused_where_nobody_is(
    says: object, when: When
) -> None:
    person = Someone(Reply(word="approve"))

    alone = await of(Looking(says, when=when)).call(Session(), "send", {"to": "ann"})
    asked = await of(Looking(says, when=when), person=person).call(Session(), "send", {"to": "ann"})

    assert alone.denied is not None
    assert (alone.denied.by, alone.denied.rule) == ("reviewer", "looking")
    assert asked.items == ("sent to ann",)
    assert person.asked[0].reasons[0].startswith("looking: ")


async def test_who_works_beside_is_shown_the_name_and_the_arguments_and_nothing_else() -> None:
    before, beside = Looking(), Looking(when="beside", name="beside")

    await of(before, beside).call(Session(user_words="mail ann"), "mail", {"to": "ann"})

    assert beside.seen == [View(tool="mail", arguments={"to": "ann"})]
    assert before.seen[0].user_words == "mail ann"
    assert before.seen[0].facts is not None


async def test_a_person_is_asked_once_with_the_reasons_of_policy_and_of_every_reviewer() -> None:
    person = Someone(Reply(word="approve"))
    reviewers = Looking(DOUBT), Looking(Verdict(word="escalate", reason="late"), when="beside", name="second")

    await of(*reviewers, policy="workspace", person=person).call(Session(), "send", {"to": "ann"})

    (question,) = person.asked
    assert question.reasons[1:] == ("looking: who is ann?", "second: late") or question.reasons[1:] == (
        "second: late",
        "looking: who is ann?",
    )
    assert question.scopes == ("once",)


async def test_reading_is_not_reviewed() -> None:
    reviewer = Looking(NO)

    assert (await of(reviewer).call(Session(), "look")).status is Status.SUCCESS
    assert reviewer.seen == []


async def test_progress_is_heard_while_slow_judges_work_beside_each_other() -> None:
    both, heard = anyio.Event(), list[str]()
    working: list[str] = []

    def judge(name: str, when: When) -> JudgeReviewer:
        async def slow(question: JudgeQuestion) -> Verdict:
            working.append(name)
            if len(working) == 3:
                both.set()
            await both.wait()
            return APPROVED

        return JudgeReviewer(name=name, judge=slow, maker=Maker(family="other"), when=when)

    def listener(event: Event) -> None:
        if event.step == "decode":
            heard.append(f"{event.facts['activity']} with {len(working)} verdicts")

    runtime = of(judge("a", "before"), judge("b", "before"), judge("c", "beside"))
    runtime.listen(listener)
    with anyio.fail_after(5):
        result = await runtime.call(Session(), "send", {"to": "ann"})

    assert heard == ["sending to ann with 0 verdicts"]
    assert result.items == ("sent to ann",)
    assert sorted(working) == ["a", "b", "c"]


async def test_a_no_beside_ends_the_wait_for_a_slower_reviewer() -> None:
    async def never(question: JudgeQuestion) -> Verdict:
        await anyio.sleep_forever()
        raise AssertionError

    slow = JudgeReviewer(name="slow", judge=never, maker=Maker(family="other"))
    with anyio.fail_after(5):
        result = await of(slow, Looking(NO, when="beside")).call(Session(), "send", {"to": "ann"})

    assert result.denied is not None
    assert result.denied.rule == "looking"


async def test_policys_no_ends_the_reviewers_beside_it_and_is_the_answer() -> None:
    async def never(question: JudgeQuestion) -> Verdict:
        await anyio.sleep_forever()
        raise AssertionError

    slow = JudgeReviewer(name="slow", judge=never, maker=Maker(family="other"), when="beside")
    with anyio.fail_after(5):
        result = await of(slow, policy="read-only").call(Session(), "send", {"to": "ann"})

    assert result.denied is not None
    assert result.denied.by == "rule"


async def test_what_came_of_a_call_is_looked_at_afterwards_with_what_it_was_to_do_and_told() -> None:
    after = Looking(Verdict(word="reject", reason="it says tuesday", suggestion="send a correction"), when="after")

    result = await of(after).call(Session(id="s"), "mail", {"to": "ann", "text": "hi"})

    assert done == ["ann"]
    assert result.status is Status.PARTIAL
    assert result.notes == ("it ran, and the reviewer looking found this wrong: it says tuesday; send a correction",)
    assert after.seen[0].preview == "+ hi for ann in s"
    assert "mailed ann" in after.seen[0].outcome


async def test_an_escalation_afterwards_is_a_note_and_the_success_stays_one() -> None:
    result = await of(Looking(Verdict(word="escalate"), when="after")).call(Session(), "send", {"to": "ann"})

    assert result.status is Status.SUCCESS
    assert result.notes == ("it ran, and the reviewer looking would have a person look at this: no reason given",)


async def test_a_judge_and_a_person_see_what_the_call_would_do() -> None:
    shown: list[JudgeQuestion] = []

    async def judge(question: JudgeQuestion) -> Verdict:
        shown.append(question)
        return Verdict(word="escalate", reason="unsure")

    person = Someone(Reply(word="approve"))
    reviewer = JudgeReviewer(name="judge", judge=judge, maker=Maker(family="other"))
    await of(reviewer, person=person).call(Session(id="s"), "mail", {"to": "ann", "text": "hi"})

    assert shown[0].preview == person.asked[0].preview == "+ hi for ann in s"
    assert shown[0].does == ("send",)
    assert "Your stress: what could go wrong" in shown[0].rules


async def test_a_preview_that_cannot_be_made_is_said_and_the_question_is_put_all_the_same() -> None:
    async def broken(to: str) -> str:
        raise RuntimeError("no")

    @tool(**acting(effects={"reads": "none", "does": "send"}, preview=broken))
    def ring(to: Annotated[str, Param("number")]) -> str:
        return "rung"

    person, defects = Someone(Reply(word="approve")), list[Defect]()
    runtime = Runtime([ring], person=person, on_defect=defects.append)

    assert (await runtime.call(Session(), "ring", {"to": "1"})).items == ("rung",)
    assert person.asked[0].preview == "what it would do cannot be shown: RuntimeError"
    assert "preview raised RuntimeError" in defects[0].problem


async def test_each_verdict_of_a_judge_is_a_step_of_the_trace() -> None:
    async def judge(question: JudgeQuestion) -> Verdict:
        return NO

    trace = MemoryTrace()
    reviewer = JudgeReviewer(name="judge", judge=judge, maker=Maker(family="other"))
    await of(reviewer, trace=trace).call(Session(), "send", {"to": "ann"})

    (verdict,) = [event.facts for event in trace if event.step == "review"]
    assert verdict == {"reviewer": "judge", "when": "before", "verdict": "reject", "reason": NO.reason}


@pytest.mark.parametrize(
    ("need", "person", "by"),
    [("person", None, "nobody_to_ask"), ("judge", None, "nobody_to_ask"), ("none", None, None)],
)
async def test_what_the_irreversible_needs_is_the_hosts_word(need: str, person: None, by: str | None) -> None:
    result = await of(review={"irreversible": need}).call(Session(), "pay", {"amount": 3})

    assert (result.denied.by if result.denied else None) == by
    assert (await of(review={"irreversible": need}).call(Session(), "send", {"to": "a"})).denied is None


async def test_an_irreversible_act_may_need_a_judges_yes() -> None:
    async def judge(question: JudgeQuestion) -> Verdict:
        return APPROVED

    reviewer = JudgeReviewer(name="judge", judge=judge, maker=Maker(family="other"))
    person = Someone(Reply(word="reject", reason="no money"))

    judged = await of(reviewer, review={"irreversible": "judge"}).call(Session(), "pay", {"amount": 3})
    refused = await of(reviewer, review={"irreversible": "person"}, person=person).call(Session(), "pay", {"amount": 3})

    assert judged.items == ("paid",)
    assert refused.denied is not None
    assert refused.denied.by == "person"
    assert person.asked[0].scopes == ("once",)


async def test_after_refusals_in_a_row_a_person_is_asked_and_reading_goes_on() -> None:
    reviewer, session, store = Looking(NO), Session(), MemoryStore()
    runtime = of(reviewer, store=store)

    refused = [await runtime.call(session, "send", {"to": f"ann{n}"}) for n in range(REFUSALS)]
    await runtime.call(session, "look")
    reviewer.says = APPROVED
    later = await Runtime([send, pay, look, mail], policy=EVERYTHING, store=store).call(session, "send", {"to": "bob"})

    assert [bool(each.notes) for each in refused] == [False] * (REFUSALS - 1) + [True]
    assert "until they approve a call; reading is not affected" in refused[-1].notes[0]
    assert later.denied is not None
    assert (later.denied.by, later.denied.rule) == ("breaker", "refusals-in-a-row")
    assert not later.denied.asking_differently_helps
    assert (await runtime.call(session, "look")).status is Status.SUCCESS
    assert done == []


async def test_a_persons_yes_closes_the_breaker_and_a_success_before_it_opens_ends_the_row() -> None:
    reviewer, session, person = Looking(NO), Session(), Someone(Reply(word="approve"))
    runtime = of(reviewer, person=person)

    async def refuse(times: int) -> None:
        reviewer.says = NO
        for n in range(times):
            await runtime.call(session, "send", {"to": f"ann{n}"})
        reviewer.says = APPROVED

    await refuse(REFUSALS - 1)
    await runtime.call(session, "send", {"to": "bob"})
    await refuse(REFUSALS - 1)
    await runtime.call(session, "send", {"to": "bob"})
    assert person.asked == []

    await refuse(REFUSALS)
    await runtime.call(session, "send", {"to": "bob"})
    await runtime.call(session, "send", {"to": "bob"})
    assert len(person.asked) == 1
    assert f"the last {REFUSALS} calls with effects were refused" in person.asked[0].reasons[0]


async def test_a_breaker_set_to_0_never_opens() -> None:
    runtime, session = of(Looking(NO), review={"refusals": 0}), Session()

    results = [await runtime.call(session, "send", {"to": "ann"}) for _ in range(REFUSALS + 2)]

    assert {each.denied.by for each in results if each.denied} == {"reviewer"}


async def test_a_judge_of_the_callers_own_family_is_refused_and_a_weaker_one_told_of() -> None:
    async def judge(question: JudgeQuestion) -> Verdict:
        return APPROVED

    def reviewed(caller: Maker | None) -> list[str]:
        said: list[Defect] = []
        reviewer = JudgeReviewer(name="second", judge=judge, maker=Maker(family="Vendor", tier=2))
        Runtime(review=Review(reviewers=(reviewer,), caller=caller), on_defect=said.append)
        return [each.problem for each in said]

    with pytest.raises(HiltError, match="the same blind spots"):
        reviewed(Maker(family="vendor", tier=2))
    assert "of tier 2, below the 3" in reviewed(Maker(family="another", tier=3))[0]
    assert "nobody says which family" in reviewed(None)[0]
    assert reviewed(Maker(family="another", tier=1)) == []


class Forgetful(MemoryStore):
    """A store that is held by another process whenever something small is to be remembered."""

    async def exchange(self, session_id: str, key: str, old: str | None, new: str | None) -> bool:
        raise StoreLocked("the file is locked", "wait")


async def test_a_count_that_cannot_be_kept_costs_no_call_its_answer() -> None:
    defects: list[Defect] = []
    runtime = of(Looking(NO), store=Forgetful(), on_defect=defects.append)

    result = await runtime.call(Session(), "send", {"to": "ann"})

    assert result.denied is not None
    assert result.denied.by == "reviewer"
    assert "refusals could not be counted" in defects[0].problem


async def test_a_call_that_failed_is_not_looked_at_afterwards() -> None:
    after = Looking(NO, when="after")

    @tool(**acting(effects={"reads": "none", "does": "send"}))
    def fail() -> str:
        raise EnvironmentFailure("no line", "try later")

    runtime = Runtime([fail], policy=EVERYTHING, review=Review(reviewers=(after,)))

    assert (await runtime.call(Session(), "fail")).failure is not None
    assert after.seen == []


async def test_a_tool_that_only_reads_is_not_looked_at_afterwards() -> None:
    after = Looking(NO, when="after")

    assert (await of(after).call(Session(), "look")).notes == ()
    assert after.seen == []


async def test_a_long_preview_is_cut_with_how_much_is_left() -> None:
    async def long() -> str:
        return "x" * (MOST_PREVIEW + 3)

    @tool(**acting(effects={"reads": "none", "does": "send"}, preview=long))
    def ring() -> str:
        return "rung"

    person = Someone(Reply(word="approve"))
    await Runtime([ring], person=person).call(Session(), "ring")

    assert person.asked[0].preview.endswith("x\n... 3 more characters")


async def test_a_preview_that_fails_in_words_says_them() -> None:
    async def refusing() -> str:
        raise EnvironmentFailure("the file is gone", "look again")

    @tool(**acting(effects={"reads": "none", "does": "send"}, preview=refusing))
    def ring() -> str:
        return "rung"

    person = Someone(Reply(word="approve"))
    await Runtime([ring], person=person).call(Session(), "ring")

    assert person.asked[0].preview == "what it would do cannot be shown: the file is gone"


async def test_a_reviewer_that_waits_too_long_is_in_doubt() -> None:
    async def never(question: JudgeQuestion) -> Verdict:
        await anyio.sleep_forever()
        raise AssertionError

    slow = JudgeReviewer(name="slow", judge=never, maker=Maker(family="other"))

    assert "did not answer within 0.01 s" in (await verdict_of(slow, View(tool="x", arguments={}), limit_s=0.01)).reason
