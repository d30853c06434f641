"""What the road does beside the answer is said: in the trace, as an adjustment, within the budget of one call."""

from typing import Annotated

from hilt import Param, Runtime, Session, ToolCall, tool
from hilt.calls.events import MemoryTrace
from tests.kit import perceiving, turn


@tool(**perceiving())
async def weigh(grams: Annotated[float, Param("weight")]) -> str:
    return repr(grams)


@tool(**perceiving())
async def recite() -> str:
    return "\n".join(f"line {number}" for number in range(2_000))


async def test_req_A2_ids_that_name_two_calls_or_none_leave_a_line_in_the_trace() -> None:
    trace = MemoryTrace()
    runtime = Runtime([weigh], trace=trace)
    calls = [ToolCall(name="weigh", arguments=f'{{"grams": {n}.5}}', id=id) for n, id in enumerate(["a", "a", ""])]

    answers = await runtime.answer(Session(), turn(*calls))

    assert [each.result.summary for each in answers] == ["0.5", "1.5", "2.5"]
    assert [event.facts["id"] for event in trace if event.step == "repeated_id"] == ["a", "a", ""]


async def test_req_C1_a_number_that_no_double_names_is_told_with_what_arrived_instead() -> None:
    result = await Runtime([weigh]).call(Session(), "weigh", '{"grams": 0.1000000000000000055}')

    (told,) = result.adjustments
    assert (told.what, told.before, told.after) == ("grams", "0.1000000000000000055", 0.1)


async def test_req_D3_one_call_may_be_given_a_budget_and_its_notice_counts_inside() -> None:
    answer = await Runtime([recite]).answer_one(Session(), "recite", tokens=100)

    assert answer.result.truncated
    assert "shown, tokens 100" in answer.text
    assert len(answer.text.encode()) <= 100 * 4
