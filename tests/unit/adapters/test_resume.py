"""A broken transcript gets every result, beside its turn and in call order; nothing is run for it."""

from typing import Any

import pytest
from openai.types.chat import ChatCompletionMessage

from hilt import Runtime, Session
from hilt.adapters import anthropic, gemini, openai_chat, openai_responses
from hilt.calls.call import ToolCall, Turn
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from tests.fakes.provider_server import anthropic_pairing, chat_pairing, gemini_pairing, responses_pairing
from tests.unit.adapters.samples import weather

LOST = "error (aborted, outcome not_started): weather never started: its host stopped before\nnext: call it again"
USER = {"role": "user", "content": "the weather?"}


@pytest.fixture
def runtime() -> Runtime:
    return Runtime(tools=[weather])


def chat_turn(*ids: str) -> dict[str, Any]:
    calls = [{"id": id, "type": "function", "function": {"name": "weather", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(id: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": f"result of {id}"}


async def test_missing_results_are_placed_behind_their_turn_in_call_order(runtime: Runtime) -> None:
    broken = [USER, chat_turn("a", "b", "c"), chat_result("b"), {"role": "user", "content": "hello?"}]
    whole: Any = await openai_chat.resume(runtime, Session(), broken)

    assert [each.get("tool_call_id", each["role"]) for each in whole] == ["user", "assistant", "a", "b", "c", "user"]
    assert whole[2]["content"] == whole[4]["content"] == LOST
    assert [whole[n] is broken[m] for n, m in ((0, 0), (1, 1), (3, 2), (5, 3))] == [True] * 4
    assert chat_pairing({"messages": whole}) == []


async def test_results_in_the_wrong_place_and_order_are_moved(runtime: Runtime) -> None:
    broken = [chat_turn("a", "b"), USER, chat_result("b"), chat_turn("c"), chat_result("a"), chat_result("c")]
    whole: Any = await openai_chat.resume(runtime, Session(), broken)

    assert whole == [chat_turn("a", "b"), chat_result("a"), chat_result("b"), USER, chat_turn("c"), chat_result("c")]


async def test_a_whole_transcript_comes_back_as_the_same_objects(runtime: Runtime) -> None:
    message = ChatCompletionMessage.model_validate(chat_turn("a"))
    whole = [USER, message, chat_result("a"), {"role": "assistant", "content": "fine"}, USER]
    given: Any = await openai_chat.resume(runtime, Session(), whole)

    assert [each is given[place] for place, each in enumerate(whole)] == [True] * 5


async def test_a_turn_with_repeated_ids_is_written_anew_with_its_results(runtime: Runtime) -> None:
    broken = [chat_turn("a", "a", ""), chat_result("a"), chat_result("a")]
    whole: Any = await openai_chat.resume(runtime, Session(), broken)

    assert [each["id"] for each in whole[0]["tool_calls"]] == ["a", "a_1", "call_2"]
    assert [each["tool_call_id"] for each in whole[1:]] == ["a", "a_1", "call_2"]
    assert [each["content"] for each in whole[1:]] == ["result of a", "result of a", LOST]


async def test_a_result_that_the_ledger_kept_is_given_again(runtime: Runtime) -> None:
    session = Session()
    call = ToolCall(id="a", name="weather", arguments='{"city":"Bonn"}')
    (answer,) = await runtime.answer(session, Turn(id="t1", calls=(call,)))
    whole: Any = await openai_chat.resume(runtime, session, [USER, chat_turn("a")])

    assert whole[2] == {"role": "tool", "tool_call_id": "a", "content": answer.text}


async def test_what_the_ledger_kept_for_repaired_ids_is_found_under_them(runtime: Runtime) -> None:
    session, made = Session(), chat_turn("a", "a", "")
    for place, call in enumerate(made["tool_calls"]):
        call["function"] = {"name": "weather", "arguments": f'{{"city":"{place}"}}'}
    answered = await openai_chat.answer(runtime, session, made, turn="t1")
    whole: Any = await openai_chat.resume(runtime, session, [openai_chat.repaired(made)])

    assert [each["content"] for each in answered] == ["fine in 0, 20 C", "fine in 1, 20 C", "fine in 2, 20 C"]
    assert whole[1:] == answered


async def test_a_turn_without_results_runs_nothing_when_it_is_completed() -> None:
    ran: list[str] = []

    @tool(
        kind="act",
        effects={"does": "write"},
        idempotent=False,
        undo="none: it is a test",
        description=Description(use_for="leaving a trace", returns="nothing"),
    )
    async def weather() -> None:
        ran.append("ran")

    await openai_chat.resume(Runtime(tools=[weather]), Session(), [chat_turn("a")])

    assert ran == []


def use(*ids: str) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": id, "name": "weather", "input": {}} for id in ids]
    return {"role": "assistant", "content": [{"type": "text", "text": "hm"}, *blocks]}


def block(id: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": f"result of {id}"}


async def test_anthropic_results_stand_first_in_the_message_behind_their_turn(runtime: Runtime) -> None:
    text = {"type": "text", "text": "hello?"}
    broken = [USER, use("a", "b", "c"), {"role": "user", "content": [text, block("c"), block("a")]}]
    whole: Any = await anthropic.resume(runtime, Session(), broken)

    assert len(whole) == 3
    assert [each.get("tool_use_id", each["type"]) for each in whole[2]["content"]] == ["a", "b", "c", "text"]
    assert whole[2]["content"][1]["is_error"]
    assert anthropic_pairing({"messages": whole}) == []


async def test_anthropic_gets_a_message_of_results_where_there_is_none(runtime: Runtime) -> None:
    broken = [use("a"), USER, use("b", "c"), {"role": "user", "content": [block("b")]}, use("d")]
    broken.append({"role": "user", "content": [block("d")]})
    whole: Any = await anthropic.resume(runtime, Session(), broken)

    assert [each["role"] for each in whole] == ["assistant", "user", "user", "assistant", "user", "assistant", "user"]
    assert whole[2] is USER
    assert whole[6] is broken[5]
    assert anthropic_pairing({"messages": whole}) == []


async def test_anthropic_results_in_a_later_message_are_moved_and_the_message_keeps_the_rest(runtime: Runtime) -> None:
    late = {"role": "user", "content": [block("a"), {"type": "text", "text": "late"}]}
    whole: Any = await anthropic.resume(runtime, Session(), [use("a"), USER, late])

    assert whole[1]["content"] == [block("a")]
    assert whole[2:] == [USER, {"role": "user", "content": [{"type": "text", "text": "late"}]}]


async def test_anthropic_repeated_ids_are_written_anew_with_their_results(runtime: Runtime) -> None:
    broken = [use("a", "a"), {"role": "user", "content": [block("a"), block("a")]}]
    whole: Any = await anthropic.resume(runtime, Session(), broken)

    assert [each.get("id") for each in whole[0]["content"]] == [None, "a", "a_1"]
    assert [each["tool_use_id"] for each in whole[1]["content"]] == ["a", "a_1"]


def item(id: str) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "weather", "arguments": "{}"}


def output(id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": f"result of {id}"}


async def test_responses_items_of_one_turn_get_their_outputs_behind_them(runtime: Runtime) -> None:
    reasoning = {"type": "reasoning", "id": "r", "summary": []}
    broken = [USER, reasoning, item("a"), item("b"), USER, output("b"), item("c"), output("c")]
    whole: Any = await openai_responses.resume(runtime, Session(), broken)

    assert [each.get("call_id", each.get("type", "user")) for each in whole] == [
        *("user", "reasoning", "a", "b", "a", "b", "user", "c", "c")
    ]
    assert whole[4]["output"] == LOST
    assert whole[1] is reasoning
    assert responses_pairing({"input": whole}) == []


async def test_responses_repeated_ids_are_written_anew_with_their_outputs(runtime: Runtime) -> None:
    whole: Any = await openai_responses.resume(runtime, Session(), [item("a"), item("a"), output("a")])

    assert [each["call_id"] for each in whole] == ["a", "a_1", "a", "a_1"]


def part(name: str, id: str = "") -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": {}, **({"id": id} if id else {})}}


def given(name: str, id: str = "") -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"output": name}, **({"id": id} if id else {})}}


async def test_gemini_responses_correlate_by_order_of_names_or_by_id(runtime: Runtime) -> None:
    model = {"role": "model", "parts": [part("weather"), part("other"), part("weather", "x")]}
    broken = [model, {"role": "user", "parts": [given("weather", "x"), given("other"), {"text": "hello?"}]}]
    whole: Any = await gemini.resume(runtime, Session(), broken)

    assert whole[1]["parts"][1:] == [given("other"), given("weather", "x"), {"text": "hello?"}]
    assert whole[1]["parts"][0]["functionResponse"]["response"] == {"error": LOST}
    assert gemini_pairing({"contents": whole}) == []


async def test_gemini_gets_a_content_of_responses_where_there_is_none(runtime: Runtime) -> None:
    whole: Any = await gemini.resume(runtime, Session(), [{"role": "model", "parts": [part("weather", "x")]}])

    assert [each["role"] for each in whole] == ["model", "user"]
    assert whole[1]["parts"][0]["functionResponse"]["id"] == "x"
