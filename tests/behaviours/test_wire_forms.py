"""The providers' own clients, against a provider that checks each request by the published types and pairing rules."""

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import anthropic as anthropic_sdk
import openai as openai_sdk
import pytest
from google import genai
from openai.types.chat import ChatCompletion

from hilt import Description, Image, Param, Runtime, Session, ToolResult, tool
from hilt.adapters import anthropic, gemini, openai_chat, openai_responses
from hilt.adapters.anthropic_stream import collected
from hilt.calls.tool import AnyTool, schema_tool
from hilt.declarations.effects import PERCEIVING
from tests.fakes.provider_server import Provider, serving

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
BONN = '{"city": "Bonn", "unit": null}'
ran: list[str] = []


@tool(
    kind="perceive",
    limit=1,
    effects={"reads": "public"},
    description=Description(use_for="the weather of a city", returns="one sentence; no forecast"),
)
async def weather(
    city: Annotated[str, Param("name of the city", example="Köln")],
    unit: Annotated[Literal["C", "F"] | None, Param("unit; the city's own without")] = None,
) -> str:
    ran.append(city)
    return f"fine in {city}, 20 {unit or 'C'}"


@tool(
    kind="perceive",
    limit=1,
    effects={"reads": "public"},
    description=Description(use_for="a photo of a city", returns="one picture; no words"),
)
async def photo(
    city: Annotated[str, Param("name of the city")],
    zoom: Annotated[int, Param("how near", ge=1, le=9)] = 1,
) -> ToolResult[None]:
    ran.append(f"photo of {city}")
    return ToolResult(summary=f"a photo of {city}", parts=(Image(content=PNG, media_type="image/png"),))


@pytest.fixture
def runtime() -> Runtime:
    ran.clear()
    return Runtime(tools=[weather, photo])


def chat_completion(*calls: tuple[str, str, str], text: str | None = None, id: str = "chatcmpl-1") -> dict[str, Any]:
    made = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    choice = {"index": 0, "finish_reason": "tool_calls" if made else "stop", "logprobs": None}
    choice["message"] = {**message, "tool_calls": made} if made else message
    return {"id": id, "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def openai_client(provider: Provider) -> openai_sdk.AsyncOpenAI:
    return openai_sdk.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0)


async def test_req_A1_req_A2_req_A4_openai_chat_takes_two_turns_with_pictures(runtime: Runtime) -> None:
    first = chat_completion(("a", "photo", '{"city":"Bonn"}'), ("b", "weather", BONN))
    session = Session()
    messages: list[dict[str, object]] = [{"role": "user", "content": "Bonn?"}]
    with serving(first, chat_completion(text="fine")) as provider:
        async with openai_client(provider) as client:
            for _ in range(2):
                request: Any = {"messages": messages, "tools": openai_chat.offer(runtime, session)}
                response = await client.chat.completions.create(model="m", **request)
                messages.append(openai_chat.repaired(response))
                messages += await openai_chat.answer(runtime, session, response)

    assert provider.refusals == []
    assert ran == ["photo of Bonn", "Bonn"]
    assert [each["role"] for each in provider.requests[1]["messages"]] == ["user", "assistant", "tool", "tool", "user"]
    assert provider.requests[0]["tools"] == provider.requests[1]["tools"]
    assert messages[-1]["content"] == "fine"


async def test_req_A1_req_A2_req_A4_openai_responses_takes_two_turns_with_pictures(runtime: Runtime) -> None:
    def response(*items: dict[str, Any], id: str) -> dict[str, Any]:
        fixed = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "status": "completed"}
        return {"id": id, "object": "response", "created_at": 1, "model": "m", "output": list(items), **fixed}

    named = {"type": "function_call", "status": "completed"}
    first = response(
        {**named, "id": "fc_1", "call_id": "a", "name": "photo", "arguments": '{"city":"Bonn"}'},
        {**named, "id": "fc_2", "call_id": "b", "name": "weather", "arguments": BONN},
        id="resp_1",
    )
    session, items = Session(), [{"role": "user", "content": "Bonn?"}]
    with serving(first, response(id="resp_2")) as provider:
        async with openai_client(provider) as client:
            for _ in range(2):
                request: Any = {"input": items, "tools": openai_responses.offer(runtime, session)}
                made = await client.responses.create(model="m", **request)
                items += openai_responses.repaired(made)
                items += await openai_responses.answer(runtime, session, made)

    assert provider.refusals == []
    assert [each.get("call_id") for each in provider.requests[1]["input"]] == [None, "a", "b", "a", "b"]
    assert [each["strict"] for each in provider.requests[0]["tools"]] == [True, False]


def anthropic_message(*blocks: dict[str, Any], reason: str = "tool_use", id: str = "msg_1") -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    named = {"id": id, "type": "message", "role": "assistant", "model": "m", "stop_reason": reason}
    return {**named, "stop_sequence": None, "usage": usage, "content": list(blocks)}


def use(id: str, name: str, **arguments: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


async def test_req_A1_req_A2_req_A4_anthropic_takes_two_turns_with_pictures_and_errors(runtime: Runtime) -> None:
    first = anthropic_message(
        use("a", "photo", city="Bonn"), use("b", "weather", city=1), use("c", "weather", city="B")
    )
    done = anthropic_message({"type": "text", "text": "fine"}, reason="end_turn", id="msg_2")
    session = Session()
    messages: list[dict[str, object]] = [{"role": "user", "content": "Bonn?"}]
    with serving(first, done) as provider:
        async with anthropic_sdk.AsyncAnthropic(base_url=provider.url, api_key="none", max_retries=0) as client:
            for _ in range(2):
                request: Any = {"messages": messages, "tools": anthropic.offer(runtime, session, strict=True)}
                response = await client.messages.create(model="m", max_tokens=99, **request)
                messages.append(anthropic.repaired(response))
                messages += await anthropic.answer(runtime, session, response)

    assert provider.refusals == []
    blocks = provider.requests[1]["messages"][2]["content"]
    assert [(each["tool_use_id"], each.get("is_error", False)) for each in blocks] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]
    assert [each["type"] for each in blocks[0]["content"]] == ["text", "image"]
    assert ran == ["photo of Bonn", "B"]


async def test_req_A1_req_A2_req_A4_gemini_takes_two_turns_with_pictures(runtime: Runtime) -> None:
    def response(*parts: dict[str, Any]) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}]}

    calls = [{"functionCall": {"name": "photo", "args": {"city": "Bonn"}}, "thoughtSignature": "c2ln"}]
    calls.append({"functionCall": {"name": "weather", "args": {"city": "Bonn", "unit": None}}})
    session, contents = Session(), [{"role": "user", "parts": [{"text": "Bonn?"}]}]
    with serving(response(*calls), response({"text": "fine"})) as provider:
        client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(base_url=provider.url))
        for _ in range(2):
            request: Any = {"contents": contents, "config": {"tools": gemini.offer(runtime, session)}}
            request["config"]["automatic_function_calling"] = {"disable": True}
            made = client.models.generate_content(model="m", **request)
            contents.append(gemini.repaired(made))
            contents += await gemini.answer(runtime, session, made)
        client.close()

    assert provider.refusals == []
    parts = provider.requests[1]["contents"][2]["parts"]
    assert [each["functionResponse"]["name"] for each in parts] == ["photo", "weather"]
    assert ran == ["photo of Bonn", "Bonn"]


async def test_req_A2_openai_a_stream_that_breaks_off_runs_nothing_and_the_model_reads_where(runtime: Runtime) -> None:
    def chunk(finish: str | None = None, **delta: object) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        named = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return {**named, "choices": [choice]}

    function = {"name": "weather", "arguments": ""}
    start = chunk(role="assistant", tool_calls=[{"index": 0, "id": "a", "type": "function", "function": function}])
    pieces = [chunk(tool_calls=[{"index": 0, "function": {"arguments": text}}]) for text in ('{"city":', '"Bo')]
    with serving([start, *pieces]) as provider:
        async with openai_client(provider) as client:
            asked: Any = [{"role": "user", "content": "Bonn?"}]
            async with client.chat.completions.stream(model="m", messages=asked) as stream:
                async for _ in stream:
                    pass
                response = stream.current_completion_snapshot

    (call,) = openai_chat.read(response).calls
    (message,) = await openai_chat.answer(runtime, Session(), response)

    assert (call.arguments, call.cut) == ('{"city":"Bo', True)
    assert ran == []
    assert "none of its calls ran" in str(message["content"])


def anthropic_events(*pieces: str, ended: bool) -> list[dict[str, Any]]:
    begun = {**anthropic_message(), "stop_reason": None}
    block = {"type": "content_block_start", "index": 0, "content_block": use("a", "weather")}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in pieces
    ]
    reason = {"stop_reason": "tool_use", "stop_sequence": None}
    end = [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    return [{"type": "message_start", "message": begun}, block, *deltas, *(end if ended else [])]


@pytest.mark.parametrize("ended", [True, False], ids=["whole", "broken off"])
async def test_req_A2_anthropic_a_half_received_stream_looks_whole_to_the_sdk_and_runs_nothing(
    runtime: Runtime, ended: bool
) -> None:
    pieces = ('{"city": ', '"Bonn"}' if ended else '"Bo')
    with serving(anthropic_events(*pieces, ended=ended)) as provider:
        async with anthropic_sdk.AsyncAnthropic(base_url=provider.url, api_key="none", max_retries=0) as client:
            raw: list[Any] = []
            request: Any = {"messages": [{"role": "user", "content": "Bonn?"}]}
            async with client.messages.stream(model="m", max_tokens=99, **request) as stream:
                raw.extend([event async for event in stream])
                response = stream.current_message_snapshot

    await anthropic.answer(runtime, Session(), response)
    received = anthropic.read(collected(raw)).calls[0].arguments

    assert ran == (["Bonn"] if ended else [])
    assert received == "".join(pieces)


async def test_req_A2_calls_with_one_id_run_once_each_and_an_identical_block_once_b116(runtime: Runtime) -> None:
    response = chat_completion(
        ("a", "weather", '{"city":"A"}'), ("a", "weather", '{"city":"B"}'), ("a", "weather", '{"city":"A"}')
    )
    results = await openai_chat.answer(runtime, Session(), response)
    again = await openai_chat.answer(runtime, Session(), {**response, "id": "chatcmpl-2"})

    assert ran == ["A", "B", "A", "B"]
    assert [each["content"] for each in results] == [f"fine in {city}, 20 C" for city in "ABA"]
    assert again == results
    assert len({each["tool_call_id"] for each in results}) == 3


HOSTILE = {
    "half": '{"city":"Bo',
    "two objects": '{"city":"A"}{"city":"B"}',
    "list": '["A"]',
    "key twice": '{"city":"A","city":"B"}',
    "nan": '{"city":"A","unit":NaN}',
    "empty": "",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
async def test_req_A2_text_that_is_not_one_json_object_is_refused_in_a_result_and_never_run_b118(
    runtime: Runtime, text: str
) -> None:
    (message,) = await openai_chat.answer(runtime, Session(), chat_completion(("a", "weather", text)))

    assert ran == []
    assert str(message["content"]).startswith("error (invalid_arguments")


async def test_req_A2_text_in_a_slot_for_text_is_never_turned_into_something_else_b91(runtime: Runtime) -> None:
    cities = ["[1271, 2106]", '{"k":1}', "null", "12345"]
    response = anthropic_message(*(use(f"c{n}", "weather", city=city) for n, city in enumerate(cities)))
    await anthropic.answer(runtime, Session(), response)

    assert ran == cities


async def test_req_A4_a_failed_call_does_not_stop_its_siblings_b115(runtime: Runtime) -> None:
    response = chat_completion(("a", "weather", "{}"), ("b", "nothing", "{}"), ("c", "weather", BONN))
    first, second, third = await openai_chat.answer(runtime, Session(), response)

    assert ran == ["Bonn"]
    assert str(first["content"]).startswith("error (invalid_arguments")
    assert str(second["content"]).startswith("error (invalid_arguments")
    assert third["content"] == "fine in Bonn, 20 C"


FOREIGN_NAMES = ("foo.list", "foo/list", "查询订单", "x" * 64 + "first", "x" * 64 + "second", "3d")


@pytest.mark.parametrize("form", [openai_chat, openai_responses, anthropic, gemini], ids=["chat", "r", "a", "g"])
async def test_req_B7_any_name_goes_out_as_one_every_provider_takes_and_comes_back_to_its_tool_b101(form: Any) -> None:
    def named(name: str) -> AnyTool:
        return schema_tool(name, lambda arguments: name, parameters={}, description="d", effects=PERCEIVING)

    runtime, session = Runtime(tools=[named(name) for name in FOREIGN_NAMES]), Session()
    sent = re.findall(r'"name": "([^"]+)"', json.dumps(form.offer(runtime, session), ensure_ascii=False))
    parts = [{"functionCall": {"name": name, "args": {}}} for name in sent]
    response = chat_completion(*((f"c{n}", name, "{}") for n, name in enumerate(sent)))
    turn = gemini.read({"role": "model", "parts": parts}) if form is gemini else openai_chat.read(response)

    assert [name for name in sent if not re.fullmatch(r"(_\.)?[a-zA-Z0-9_-]{1,64}", name)] == []
    assert len(set(sent)) == len(FOREIGN_NAMES)
    assert [answer.text for answer in await runtime.answer(session, turn)] == list(FOREIGN_NAMES)


async def test_req_F6_a_turn_presented_again_runs_nothing_twice_in_whatever_form_it_comes(runtime: Runtime) -> None:
    session, made = Session(), chat_completion(("a", "weather", BONN))
    whole = ChatCompletion.model_validate(made)
    first = await openai_chat.answer(runtime, session, whole)

    assert await openai_chat.answer(runtime, session, json.loads(whole.model_dump_json())) == first
    assert ran == ["Bonn"]
    await openai_chat.answer(runtime, session, whole, turn="another")
    assert ran == ["Bonn", "Bonn"]


async def test_req_A4_a_crash_between_calls_and_results_is_completed_from_the_ledger(runtime: Runtime) -> None:
    session = Session()
    response = anthropic_message(use("a", "weather", city="Bonn"), use("b", "weather", city="Köln"))
    answered = await anthropic.answer(runtime, session, response)
    broken = [{"role": "user", "content": "?"}, anthropic.repaired(response), {"role": "user", "content": "hello?"}]
    whole = await anthropic.resume(runtime, session, broken)

    assert whole == [*broken[:2], *answered, broken[2]]
    assert ran == ["Bonn", "Köln"]


def test_req_B5_examples_stand_in_the_providers_own_place_and_can_be_left_out(runtime: Runtime) -> None:
    session = Session()
    for offer in (openai_chat.offer, openai_responses.offer, anthropic.offer, gemini.offer):
        assert "Köln" in json.dumps(offer(runtime, session), ensure_ascii=False)
        assert "Köln" not in json.dumps(offer(runtime, session, examples=False), ensure_ascii=False)


def test_req_B8_the_strict_form_is_used_where_it_says_the_same_and_nowhere_else(runtime: Runtime) -> None:
    by_name = {
        each["function"]["name"]: each["function"] for each in map(as_any, openai_chat.offer(runtime, Session()))
    }

    assert by_name["weather"]["strict"] is True
    assert by_name["weather"]["parameters"]["required"] == ["city", "unit"]
    assert "strict" not in by_name["photo"]


def as_any(value: Mapping[str, object]) -> Any:
    return value


async def test_req_B8_a_strict_null_for_an_optional_argument_means_not_given(runtime: Runtime) -> None:
    strict, left_out = '{"city":"Bonn","unit":null}', '{"city":"Bonn"}'
    response = chat_completion(("a", "weather", strict), ("b", "weather", left_out))
    first, second = await openai_chat.answer(runtime, Session(), response)

    assert first["content"] == second["content"]


def test_req_A1_the_same_session_gives_the_same_bytes(runtime: Runtime) -> None:
    session = Session()
    for offer in (openai_chat.offer, openai_responses.offer, anthropic.offer, gemini.offer):
        assert len({json.dumps(offer(runtime, session)) for _ in range(3)}) == 1
