import json

import pytest
from inline_snapshot import snapshot
from openai.types.chat import ChatCompletion

from hilt.adapters import openai, openai_chat
from hilt.errors import WireError
from hilt.results.parts import FilePart, Image
from tests.unit.adapters.samples import PNG, answer, offered, ticket_search, weather


def completion(*calls: tuple[str, str, str], reason: str | None = "tool_calls", id: str = "chatcmpl-1") -> dict:
    written = [{"id": i, "type": "function", "function": {"name": n, "arguments": a}} for i, n, a in calls]
    message = {"role": "assistant", "content": None, "tool_calls": written}
    choice = {"index": 0, "finish_reason": reason, "message": message, "logprobs": None}
    return {"id": id, "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_declarations_are_written_in_openai_form_strict_where_that_says_the_same() -> None:
    assert openai_chat.tools(offered(ticket_search, weather)) == snapshot(
        [
            {
                "type": "function",
                "function": {
                    "name": "ticket_search",
                    "description": "Finding tickets by state. Returns one item a ticket; no message bodies.",
                    "parameters": {
                        "properties": {
                            "state": {
                                "enum": ["open", "closed", None],
                                "type": ["string", "null"],
                                "description": "state to look for",
                            },
                            "offset": {"description": "tickets to skip", "examples": [50], "type": "integer"},
                        },
                        "type": "object",
                        "additionalProperties": False,
                    },
                },
            },
            {
                "type": "function",
                "function": {
                    "name": "weather",
                    "description": "The weather of a city. Returns one sentence; no forecast.",
                    "parameters": {
                        "properties": {
                            "city": {"description": "name of the city", "type": "string"},
                            "unit": {
                                "enum": ["C", "F", None],
                                "type": ["string", "null"],
                                "description": "unit; the city's own without",
                            },
                        },
                        "required": ["city", "unit"],
                        "type": "object",
                        "additionalProperties": False,
                    },
                    "strict": True,
                },
            },
        ]
    )


def test_examples_can_be_left_out_and_strict_turned_off() -> None:
    search, plain = openai_chat.tools(offered(ticket_search, weather), strict=False, examples=False)

    assert "examples" not in json.dumps(search)
    assert "strict" not in json.dumps(plain)
    assert plain["function"]["parameters"]["required"] == ["city"]  # type: ignore[index]


def test_the_same_offers_give_the_same_bytes_and_leave_the_declarations_alone() -> None:
    before = json.dumps(weather.declaration.parameters)
    first, second = (json.dumps(openai_chat.tools(offered(ticket_search, weather))) for _ in range(2))

    assert first == second
    assert json.dumps(weather.declaration.parameters) == before


def test_a_completion_is_read_into_calls_with_ids_order_and_text_as_received() -> None:
    text = '{ "city" : "Köln", "n": 1e3 }'
    turn = openai_chat.read(completion(("c1", "weather", text), ("c2", "ticket_search", "{}")))

    assert [(call.id, call.name, call.arguments, call.position, call.cut) for call in turn.calls] == [
        ("c1", "weather", text, 0, False),
        ("c2", "ticket_search", "{}", 1, False),
    ]


def test_the_object_the_dict_and_the_json_of_one_completion_are_the_same_turn() -> None:
    made = completion(("c1", "weather", '{"city":"Bonn"}'))
    whole = ChatCompletion.model_validate(made)

    assert openai_chat.read(whole) == openai_chat.read(made) == openai_chat.read(json.loads(whole.model_dump_json()))


def test_another_message_under_the_same_id_is_another_turn() -> None:
    turns = {openai_chat.read(completion(("c1", "weather", f'{{"city":"{city}"}}'))).id for city in ("Bonn", "Köln")}

    assert len(turns) == 2


def test_a_bare_message_has_no_turn_id() -> None:
    message = ChatCompletion.model_validate(completion(("c1", "weather", "{}"))).choices[0].message

    assert openai_chat.read(message).id == ""
    assert openai_chat.read(message).calls == openai_chat.read(completion(("c1", "weather", "{}"))).calls


@pytest.mark.parametrize("reason", ["length", "content_filter", None])
def test_a_turn_that_was_cut_marks_every_call(reason: str | None) -> None:
    turn = openai_chat.read(completion(("c1", "weather", "{}"), ("c2", "weather", '{"ci'), reason=reason))

    assert [call.cut for call in turn.calls] == [True, True]
    assert turn.calls[1].arguments == '{"ci'


def test_a_message_without_calls_is_a_turn_without_calls() -> None:
    assert openai_chat.read({"role": "assistant", "content": "hello"}).calls == ()


def test_tools_of_other_types_are_left_to_the_host() -> None:
    message = {"role": "assistant", "tool_calls": [{"id": "x", "type": "custom", "custom": {"name": "n", "input": ""}}]}

    mixed = {
        "role": "assistant",
        "tool_calls": [
            *message["tool_calls"],
            *completion(("", "weather", "{}"))["choices"][0]["message"]["tool_calls"],
        ],
    }

    assert openai_chat.read(message).calls == ()
    assert openai_chat.repaired(message) == message
    assert [call["id"] for call in openai_chat.repaired(mixed)["tool_calls"]] == ["x", "call_0"]  # type: ignore[union-attr]


def test_results_are_one_tool_message_a_call() -> None:
    assert openai_chat.results([answer("fine"), answer("no such city", id="c2", error=True)]) == snapshot(
        [
            {"role": "tool", "tool_call_id": "c1", "content": "fine"},
            {"role": "tool", "tool_call_id": "c2", "content": "no such city"},
        ]
    )


def test_images_between_results_do_not_break_contiguity_b119() -> None:
    picture = Image(content=PNG, media_type="image/png")
    paper = FilePart(content=b"%PDF-1.7", media_type="application/pdf", name="a.pdf")
    messages = openai_chat.results([answer("a photo", parts=(picture, paper)), answer("fine", id="c2", position=1)])

    assert [message["role"] for message in messages] == ["tool", "tool", "user"]
    assert messages == snapshot(
        [
            {"role": "tool", "tool_call_id": "c1", "content": "a photo"},
            {"role": "tool", "tool_call_id": "c2", "content": "fine"},
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "image from weather, result 1 of this turn:"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAAAAAAAAA=="}},
                    {"type": "text", "text": "file from weather, result 1 of this turn:"},
                    {
                        "type": "file",
                        "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0xLjc="},
                    },
                ],
            },
        ]
    )


def test_repeated_and_empty_ids_are_repaired_alike_in_the_message_and_its_results_b116() -> None:
    made = completion(("c1", "weather", '{"city":"A"}'), ("c1", "weather", '{"city":"B"}'), ("", "weather", "{}"))
    calls = openai_chat.read(made).calls
    results = openai_chat.results([answer(id=call.id) for call in calls])

    assert [call.id for call in calls] == ["c1", "c1", ""]
    ids = [call["id"] for call in openai_chat.repaired(made)["tool_calls"]]  # type: ignore[union-attr,index]
    assert ids == [message["tool_call_id"] for message in results] == ["c1", "c1_1", "call_2"]


def test_ids_that_correlate_are_left_as_they_are() -> None:
    made = completion(("c1", "weather", "{}"), ("c2", "weather", "{}"))

    assert openai_chat.repaired(made) == made["choices"][0]["message"]


@pytest.mark.parametrize(
    "response",
    [{"choices": []}, {"choices": [{"message": {"tool_calls": [{"id": "x"}]}}]}, "text"],
    ids=["no choice", "no function", "text"],
)
def test_what_is_no_response_of_this_form_is_the_hosts_mistake(response: object) -> None:
    with pytest.raises(WireError):
        openai_chat.read(response)


def test_the_short_name_is_the_same_form() -> None:
    assert openai.answer is openai_chat.answer
