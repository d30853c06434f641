import json
from typing import Any

import pytest
from google.genai import types
from inline_snapshot import snapshot

from hilt.adapters import gemini
from hilt.errors import WireError
from hilt.results.parts import FilePart, Image
from tests.unit.adapters.samples import PNG, answer, foreign, offered, ticket_search, weather


def call(arguments: object, name: str = "weather", **more: object) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": arguments, **more}}


def response(*parts: dict[str, Any], reason: str = "STOP") -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason, "index": 0}
    return {"candidates": [candidate], "responseId": "r1"}


def test_declarations_are_one_tool_in_the_keywords_gemini_reads() -> None:
    tools = gemini.tools(offered(ticket_search, weather))

    assert tools == snapshot(
        [
            {
                "functionDeclarations": [
                    {
                        "name": "ticket_search",
                        "description": "Finding tickets by state. Returns one item a ticket; no message bodies.",
                        "parametersJsonSchema": {
                            "properties": {
                                "state": {
                                    "anyOf": [{"type": "string", "enum": ["open", "closed"]}, {"type": "null"}],
                                    "description": "state to look for",
                                },
                                "offset": {
                                    "description": "tickets to skip (examples: [50])",
                                    "type": "integer",
                                },
                            },
                            "type": "object",
                            "additionalProperties": False,
                        },
                    },
                    {
                        "name": "weather",
                        "description": "The weather of a city. Returns one sentence; no forecast.",
                        "parametersJsonSchema": {
                            "properties": {
                                "city": {"description": "name of the city", "type": "string"},
                                "unit": {
                                    "anyOf": [{"type": "string", "enum": ["C", "F"]}, {"type": "null"}],
                                    "description": "unit; the city's own without",
                                },
                            },
                            "required": ["city"],
                            "type": "object",
                            "additionalProperties": False,
                        },
                    },
                ]
            }
        ]
    )
    assert [types.Tool.model_validate(each) for each in tools]
    assert gemini.tools([]) == []


def test_a_name_that_starts_with_a_digit_goes_out_escaped_and_comes_back_as_it_was_b101() -> None:
    (tool,) = gemini.tools(offered(foreign("3d_view", {})))
    declared: Any = tool["functionDeclarations"]
    (back,) = gemini.read(response(call({}, name=declared[0]["name"]))).calls

    assert (declared[0]["name"], back.name) == ("_.3d_view", "3d_view")
    assert gemini.results([answer(name="3d_view", id="")])[0]["parts"][0]["functionResponse"]["name"] == "_.3d_view"  # type: ignore[index]


def test_a_response_is_read_into_calls_in_order_with_and_without_ids() -> None:
    turn = gemini.read(response({"text": "hm"}, call({"z": "Köln", "a": None}), call(None, id="x")))

    assert [(each.id, each.arguments, each.cut) for each in turn.calls] == [
        ("", '{"z": "Köln", "a": null}', False),
        ("x", "{}", False),
    ]
    assert turn.id.startswith("r1:")


def test_the_object_and_both_dicts_of_one_response_are_the_same_turn() -> None:
    made = response({"text": "hm", "thoughtSignature": "c2ln"}, call({"city": None}))
    whole = types.GenerateContentResponse.model_validate(made)

    assert (
        gemini.read(whole)
        == gemini.read(made)
        == gemini.read(whole.model_dump())
        == gemini.read(json.loads(whole.model_dump_json()))
    )


def test_a_candidate_that_did_not_stop_by_itself_marks_every_call() -> None:
    assert gemini.read(response(call({}), reason="MAX_TOKENS")).calls[0].cut
    assert gemini.read(response(call({}, willContinue=True))).calls[0].cut


def test_a_content_alone_has_no_turn_id() -> None:
    assert gemini.read(response(call({}))["candidates"][0]["content"]).id == ""


def test_results_are_one_user_content_with_a_response_a_call() -> None:
    parts = (
        Image(content=PNG, media_type="image/png"),
        FilePart(content=b"%PDF-1.7", media_type="application/pdf", name="a.pdf"),
    )
    contents = gemini.results([answer("a photo", id="", parts=parts), answer("no such city", id="x", error=True)])

    assert contents == snapshot(
        [
            {
                "role": "user",
                "parts": [
                    {
                        "functionResponse": {
                            "name": "weather",
                            "response": {"output": "a photo"},
                            "parts": [
                                {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAAAAAAAAA=="}},
                                {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0xLjc="}},
                            ],
                        }
                    },
                    {"functionResponse": {"id": "x", "name": "weather", "response": {"error": "no such city"}}},
                ],
            }
        ]
    )
    assert [types.Content.model_validate(each) for each in contents]
    assert gemini.results([]) == []


def test_the_models_content_goes_back_whole_with_its_thought_signature() -> None:
    whole = types.GenerateContentResponse.model_validate(
        response({"text": "hm", "thoughtSignature": "c2ln"}, call({"city": None}))
    )
    back = gemini.repaired(whole)

    assert back == {"role": "model", "parts": [{"text": "hm", "thoughtSignature": "c2ln"}, call({"city": None})]}
    assert types.Content.model_validate(back) == whole.candidates[0].content  # type: ignore[index]


def test_a_blocked_prompt_has_no_candidate() -> None:
    with pytest.raises(WireError):
        gemini.read({"candidates": []})
