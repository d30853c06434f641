import json
from typing import Any

import pytest
from inline_snapshot import snapshot

from hilt.adapters import openai_responses
from hilt.errors import WireError
from hilt.results.parts import Audio, FilePart, Image
from tests.unit.adapters.samples import PNG, answer, offered, ticket_search, weather


def item(id: str, arguments: str = "{}", **more: object) -> dict[str, Any]:
    return {"type": "function_call", "call_id": id, "name": "weather", "arguments": arguments, "id": f"fc_{id}", **more}


def response(*items: dict[str, Any], status: str = "completed", id: str = "resp_1") -> dict[str, Any]:
    return {"id": id, "object": "response", "status": status, "output": list(items)}


def test_declarations_say_strict_of_every_tool() -> None:
    assert openai_responses.tools(offered(ticket_search, weather)) == snapshot(
        [
            {
                "type": "function",
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
                "strict": False,
            },
            {
                "type": "function",
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
        ]
    )


def test_output_items_are_read_into_calls_in_order_with_call_ids() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    turn = openai_responses.read(response(reasoning, item("c1", '{"city": "Köln"}'), item("c2", status="completed")))

    assert [(call.id, call.arguments, call.cut) for call in turn.calls] == [
        ("c1", '{"city": "Köln"}', False),
        ("c2", "{}", False),
    ]
    assert turn.id.startswith("resp_1:")


def test_a_list_of_items_is_read_without_a_turn_id() -> None:
    turn = openai_responses.read([item("c1")])

    assert (turn.id, len(turn.calls)) == ("", 1)


@pytest.mark.parametrize(
    "made",
    [response(item("c1"), status="incomplete"), response(item("c1"), item("c2", '{"c', status="incomplete"))],
    ids=["response", "item"],
)
def test_an_incomplete_response_or_item_marks_every_call(made: dict[str, Any]) -> None:
    assert all(call.cut for call in openai_responses.read(made).calls)


def test_results_are_output_items_with_pictures_inside() -> None:
    parts = (Image(content=PNG, media_type="image/png"), Audio(content=b"RIFF", media_type="audio/wav"))
    paper = FilePart(content=b"%PDF-1.7", media_type="application/pdf", name="a.pdf")

    assert openai_responses.results([answer("a photo", parts=(*parts, paper)), answer("fine", id="c2")]) == snapshot(
        [
            {
                "type": "function_call_output",
                "call_id": "c1",
                "output": [
                    {
                        "type": "input_text",
                        "text": """\
a photo
[audio audio/wav, 4 bytes, not shown: only application/pdf, image/gif, image/jpeg, image/png, image/webp can be]\
""",
                    },
                    {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgoAAAAAAAAAAA=="},
                    {
                        "type": "input_file",
                        "filename": "a.pdf",
                        "file_data": "data:application/pdf;base64,JVBERi0xLjc=",
                    },
                ],
            },
            {"type": "function_call_output", "call_id": "c2", "output": "fine"},
        ]
    )


def test_repeated_and_empty_ids_are_repaired_alike_in_the_items_and_their_outputs_b116() -> None:
    made = response(item("c1", "{}"), item("c1", '{"city":"B"}'), item(""))
    ids = [each["call_id"] for each in openai_responses.repaired(made)]
    results = openai_responses.results([answer(id=call.id) for call in openai_responses.read(made).calls])

    assert ids == [each["call_id"] for each in results] == ["c1", "c1_1", "call_2"]


def test_items_go_back_without_nulls_and_the_servers_status() -> None:
    made = response(item("c1", status="completed", caller=None))

    assert openai_responses.repaired(made) == [item("c1")]


def test_a_response_without_output_is_the_hosts_mistake() -> None:
    with pytest.raises(WireError):
        openai_responses.read({"id": "resp_1"})


def test_the_same_offers_give_the_same_bytes() -> None:
    assert len({json.dumps(openai_responses.tools(offered(ticket_search, weather))) for _ in range(3)}) == 1
