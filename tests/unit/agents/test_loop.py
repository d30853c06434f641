"""A run goes turn by turn on the road, ends with a reason, and its bill adds up."""

import json

import pytest

from hilt.adapters import openai_chat
from hilt.agents.loop import run_task
from hilt.agents.scripted import Line, ScriptedModel, ask, say
from hilt.agents.steps import (
    Answered,
    Checked,
    Chosen,
    Ended,
    Executed,
    Offered,
    Progressed,
    Step,
    Understood,
    road_step,
    to_json,
)
from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.calls.session import Session
from hilt.errors import ConfigError
from hilt.results.counting import Counter
from hilt.runtime.runtime import Runtime


@tool(kind="perceive", limit=3, continues="offset", noun="number", activity="counting from {offset}")
async def numbers(ctx: Context, offset: int = 0) -> list[int]:
    """Numbers up to 7.

    Args:
        offset: numbers to skip
    """
    ctx.progress("half way")
    return list(range(8))[offset:]


async def test_a_run_is_offered_chosen_checked_executed_answered_and_ended() -> None:
    runtime, session, seen = Runtime([numbers]), Session(), list[Step]()
    runtime.listen(lambda event: seen.append(step) if (step := road_step(event)) else None)

    run = await run_task(
        runtime, session, ScriptedModel([ask("numbers", offset=6), say("two")]), "how?", watch=seen.append
    )

    kinds = [Offered, Chosen, Understood, Checked, Executed, Progressed, Answered, Offered, Chosen, Ended]
    assert [type(step) for step in seen] == kinds
    assert run.answered
    assert run.text == "two"
    assert [step.activity for step in seen if isinstance(step, Understood)] == ["counting from 6"]
    assert json.loads(json.dumps([to_json(step) for step in seen]))[3]["word"] == "allow"


async def test_the_conversation_is_one_the_provider_takes() -> None:
    model = ScriptedModel([ask("numbers").and_ask("numbers", offset=7), say("done")])

    run = await run_task(Runtime([numbers]), Session(), model, "go")

    assert [message["role"] for message in run.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [message.get("tool_call_id") for message in run.messages[2:4]] == ["call_0_0", "call_0_1"]
    assert list(model.requests[1].messages) == list(run.messages[:4])
    assert list(model.requests[0].tools) == openai_chat.offer(Runtime([numbers]), Session())


async def test_a_cut_result_is_continued_by_the_words_the_model_reads() -> None:
    model = ScriptedModel([ask("numbers"), lambda said: said.following(), lambda said: say(said.result)])

    run = await run_task(Runtime([numbers]), Session(), model, "go")

    asked = [step.calls[0].arguments for step in run.steps if isinstance(step, Chosen) and step.calls]
    assert asked == ["{}", '{"offset": 3}']
    assert "3\n4\n5" in run.text


async def test_the_bill_adds_up_and_names_its_counter() -> None:
    counter = Counter(name="characters", count=len)
    run = await run_task(
        Runtime([numbers]), Session(), ScriptedModel([ask("numbers"), ask("numbers", offset=6), say("x")]), "go",
        counter=counter,
    )  # fmt: skip

    bill = run.bill.to_json()
    answered = [step for step in run.steps if isinstance(step, Answered)]
    assert bill["counter"] == "characters"
    assert run.bill.returned_tokens == sum(len(step.answer.text) for step in answered)
    assert run.bill.declared_tokens == 3 * run.bill.turns[0].declared_tokens
    assert bill["total_tokens"] == run.bill.declared_tokens + run.bill.returned_tokens
    assert run.bill.calls == len(answered) == 2


async def test_calls_of_a_turn_cut_by_the_output_limit_are_refused_and_the_run_goes_on() -> None:
    model = ScriptedModel([Line(cut=True).and_ask("numbers"), lambda said: say(said.result)])

    run = await run_task(Runtime([numbers]), Session(), model, "go")

    assert run.answered
    assert "cut by the output limit" in run.text


@pytest.mark.parametrize(
    ("line", "reason"), [(Line(text="so f", cut=True), "output_limit"), (Line(), "no_words")], ids=["cut", "silent"]
)
async def test_a_turn_without_an_answer_ends_the_run_with_the_reason(line: Line, reason: str) -> None:
    run = await run_task(Runtime([numbers]), Session(), ScriptedModel([line]), "go")

    assert run.reason == reason
    assert not run.answered
    assert run.text == line.text


async def test_a_run_that_reaches_its_most_turns_says_so() -> None:
    run = await run_task(Runtime([numbers]), Session(), ScriptedModel([ask("numbers")] * 5), "go", most_turns=2)

    assert run.reason == "most_turns"
    assert len(run.bill.turns) == 2
    assert isinstance(run.steps[-1], Ended)


async def test_no_turns_at_all_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one turn"):
        await run_task(Runtime(), Session(), ScriptedModel([]), "go", most_turns=0)


async def test_what_the_model_cannot_give_is_raised_and_not_swallowed() -> None:
    with pytest.raises(ConfigError, match="the script has 1 turns"):
        await run_task(Runtime([numbers]), Session(), ScriptedModel([ask("numbers")]), "go")


async def test_a_failed_call_is_an_answer_the_model_reads() -> None:
    model = ScriptedModel([ask("numbers", ofset=2), lambda said: say(said.result)])

    run = await run_task(Runtime([numbers]), Session(), model, "go")

    assert run.text.startswith("error (invalid_arguments)")
    assert "offset" in run.text
