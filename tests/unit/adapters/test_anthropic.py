import json
from typing import Any

import pytest
from anthropic.types import Message
from inline_snapshot import snapshot

from hilt.adapters import anthropic
from hilt.adapters.anthropic_stream import collected
from hilt.errors import WireError
from hilt.results.parts import FilePart, Image
from tests.unit.adapters.samples import JPEG, PNG, answer, foreign, offered, ticket_search, weather


def use(id: str, arguments: object, name: str = "weather") -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": arguments}


def message(*blocks: dict[str, Any], reason: str | None = "tool_use", id: str = "msg_1") -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    named = {"id": id, "type": "message", "role": "assistant", "model": "m", "stop_reason": reason}
    return {**named, "stop_sequence": None, "usage": usage, "content": list(blocks)}


def test_declarations_are_written_with_whole_calls_as_examples() -> None:
    assert anthropic.tools(offered(ticket_search, weather)) == snapshot(
        [
            {
                "name": "ticket_search",
                "description": "Finding tickets by state. Returns one item a ticket; no message bodies.",
                "input_schema": {
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
                "input_examples": [{"state": "open"}],
            },
            {
                "name": "weather",
                "description": "The weather of a city. Returns one sentence; no forecast.",
                "input_schema": {
                    "properties": {
                        "city": {"description": "name of the city", "type": "string"},
                        "unit": {
                            "enum": ["C", "F", None],
                            "type": ["string", "null"],
                            "description": "unit; the city's own without",
                        },
                    },
                    "required": ["city"],
                    "type": "object",
                    "additionalProperties": False,
                },
            },
        ]
    )


def test_examples_are_switchable_and_strict_is_asked_for() -> None:
    search, plain = anthropic.tools(offered(ticket_search, weather), examples=False, strict=True)

    assert "input_examples" not in search
    assert "examples" not in json.dumps(search)
    assert (search["strict"], plain["strict"]) == (True, True)
    assert plain["input_schema"]["required"] == ["city"]  # type: ignore[index]


def test_strict_stays_within_what_anthropic_takes_in_one_request() -> None:
    many = [foreign(f"t{n}", {"properties": {}, "additionalProperties": False}) for n in range(30)]
    wide = {"properties": {f"p{n}": {"type": "string"} for n in range(20)}, "additionalProperties": False}
    two_wide = [foreign(name, wide) for name in ("a", "b")]

    assert sum("strict" in each for each in anthropic.tools(offered(*many), strict=True)) == 20
    assert ["strict" in each for each in anthropic.tools(offered(*two_wide), strict=True)] == [True, False]


def test_deferred_tools_wait_behind_anthropics_own_search_only_when_asked() -> None:
    offers = offered(ticket_search, weather, deferred=["weather"])
    search, first, second = anthropic.tools(offers, defer_loading=True)

    assert search == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert ("defer_loading" in first, second["defer_loading"]) == (False, True)
    assert "defer_loading" not in json.dumps(anthropic.tools(offers))
    assert len(anthropic.tools(offered(weather), defer_loading=True)) == 1


def test_a_message_is_read_into_calls_and_arguments_are_written_out_in_their_order() -> None:
    text = {"type": "text", "text": "let me look"}
    turn = anthropic.read(message(text, use("t1", {"z": "Köln", "a": [1, None]}), use("t2", {})))

    assert [(call.id, call.arguments, call.position) for call in turn.calls] == [
        ("t1", '{"z": "Köln", "a": [1, null]}', 0),
        ("t2", "{}", 1),
    ]


def test_the_object_the_dict_and_the_json_of_one_message_are_the_same_turn() -> None:
    made = message({"type": "text", "text": "hm"}, use("t1", {"city": None}))
    whole = Message.model_validate(made)
    cached = message({"type": "text", "text": "hm", "cache_control": {"type": "ephemeral"}}, use("t1", {"city": None}))

    assert anthropic.read(whole) == anthropic.read(made) == anthropic.read(json.loads(whole.model_dump_json()))
    assert anthropic.read(cached).id == anthropic.read(made).id


def test_a_transcripts_message_has_no_turn_id() -> None:
    whole = Message.model_validate(message(use("t1", {})))

    assert anthropic.read({"role": "assistant", "content": whole.content}).id == ""


@pytest.mark.parametrize("reason", ["max_tokens", "model_context_window_exceeded", "refusal", None])
def test_a_turn_that_was_cut_marks_every_call_however_whole_it_looks(reason: str | None) -> None:
    turn = anthropic.read(message(use("t1", {"city": "Bonn"}), use("t2", {"city": "K"}), reason=reason))

    assert [call.cut for call in turn.calls] == [True, True]


def test_results_are_one_user_message_with_a_block_a_call() -> None:
    parts = (Image(content=PNG, media_type="image/png"),)
    paper = FilePart(content=b"%PDF-1.7", media_type="application/pdf", name="a.pdf")
    answers = [
        answer("a photo", id="t1", parts=parts),
        answer("", id="t2", parts=(paper,)),
        answer("no such city", id="t3", error=True),
    ]

    assert anthropic.results(answers) == snapshot(
        [
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t1",
                        "content": [
                            {"type": "text", "text": "a photo"},
                            {
                                "type": "image",
                                "source": {
                                    "type": "base64",
                                    "media_type": "image/png",
                                    "data": "iVBORw0KGgoAAAAAAAAAAA==",
                                },
                            },
                        ],
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "t2",
                        "content": [
                            {
                                "type": "document",
                                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjc="},
                                "title": "a.pdf",
                            }
                        ],
                    },
                    {"type": "tool_result", "tool_use_id": "t3", "content": "no such city", "is_error": True},
                ],
            }
        ]
    )
    assert anthropic.results([]) == []


def test_a_mislabelled_an_unknown_and_an_oversized_picture_become_notes_and_no_base64_b106() -> None:
    parts = (
        Image(content=JPEG, media_type="image/png"),
        Image(content=b"<svg/>", media_type="image/svg+xml"),
        Image(content=PNG + bytes(4_000_000), media_type="image/png"),
        Image(content=b"", media_type="image/png"),
        Image(content=PNG, media_type="image/png"),
        Image(content=b"RIFF\0\0\0\0WEBPVP8 ", media_type="image/webp"),
    )
    (user,) = anthropic.results([answer("pictures", parts=parts)])
    text, *pictures = user["content"][0]["content"]  # type: ignore[index]

    assert text["text"] == snapshot("""\
pictures
[image image/png, 12 bytes, not shown: its bytes are image/jpeg]
[image image/svg+xml, 6 bytes, not shown: only application/pdf, image/gif, image/jpeg, image/png, image/webp can be]
[image image/png, 4,000,016 bytes, not shown: the limit is 3,750,000 bytes]
[image image/png, 0 bytes, not shown: it is empty]\
""")
    assert [each["source"]["media_type"] for each in pictures] == ["image/png", "image/webp"]


def test_repeated_and_empty_ids_are_repaired_alike_in_the_message_and_its_results_b116() -> None:
    made = message(use("t1", {"city": "A"}), use("t1", {"city": "B"}), use("", {}))
    repaired: Any = anthropic.repaired(made)
    (user,) = anthropic.results([answer(id=call.id) for call in anthropic.read(made).calls])
    blocks: Any = user["content"]

    assert [each["id"] for each in repaired["content"]] == ["t1", "t1_1", "call_2"]
    assert [each["tool_use_id"] for each in blocks] == ["t1", "t1_1", "call_2"]


def test_the_repaired_message_is_what_a_transcript_holds() -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    whole = Message.model_validate(message(thinking, use("t1", {"city": None})))

    assert anthropic.repaired(whole) == {"role": "assistant", "content": [thinking, use("t1", {"city": None})]}
    assert anthropic.repaired({"role": "assistant", "content": "hi"}) == {"role": "assistant", "content": "hi"}


def test_one_block_is_no_message() -> None:
    with pytest.raises(WireError):
        anthropic.read(use("t1", {}))


def streamed(*pieces: str, ended: bool) -> list[dict[str, Any]]:
    start = {"type": "content_block_start", "index": 0, "content_block": use("t1", {})}
    deltas = [
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
        for piece in pieces
    ]
    end = [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}] if ended else []
    return [{"type": "message_start", "message": message(reason=None)}, start, *deltas, *end]


def test_a_half_received_argument_text_arrives_as_received_and_is_cut_b118() -> None:
    (call,) = anthropic.read(collected(streamed('{"path":"a.txt",', '"content":"par', ended=False))).calls

    assert (call.arguments, call.cut) == ('{"path":"a.txt","content":"par', True)


def test_a_whole_stream_keeps_the_text_of_arguments_byte_for_byte() -> None:
    (call,) = anthropic.read(collected(streamed('{ "n" : 1e3,', ' "n": 2 }', ended=True))).calls

    assert (call.arguments, call.cut) == ('{ "n" : 1e3, "n": 2 }', False)


def test_a_streamed_call_without_arguments_has_the_empty_object() -> None:
    events = streamed(ended=True)
    text = [
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "done"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "citations_delta"}},
    ]
    whole: Any = collected([*events[:2], *text, *events[2:]])

    assert anthropic.read(whole).calls[0].arguments == "{}"
    assert whole["content"][1]["text"] == "done"
