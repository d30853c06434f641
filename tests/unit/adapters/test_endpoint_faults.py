from typing import Any

import pytest
from inline_snapshot import snapshot
from openai.types.chat import ChatCompletion

from hilt.adapters import anthropic, gemini, openai_chat, openai_responses
from hilt.adapters.endpoint_faults import check_required
from hilt.errors import EndpointError
from tests.unit.adapters.samples import offered, ticket_search, weather

OFFERS = offered(ticket_search, weather)
CHAT = {"tools": openai_chat.tools(OFFERS), "tool_choice": "required"}
RESPONSES = {"tools": openai_responses.tools(OFFERS), "tool_choice": {"type": "function", "name": "weather"}}
ANTHROPIC = {"tools": anthropic.tools(OFFERS), "tool_choice": {"type": "any"}}
GEMINI = {"config": {"tools": gemini.tools(OFFERS), "tool_config": {"function_calling_config": {"mode": "ANY"}}}}


def chat(reason: str = "stop", tokens: int | None = 900, **message: object) -> dict[str, Any]:
    usage = {"usage": {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": 1}} if tokens else {}
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": "hi", **message}}
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], **usage}


def test_a_server_that_never_shows_the_tools_to_its_model_is_named() -> None:
    with pytest.raises(EndpointError) as caught:
        check_required(CHAT, ChatCompletion.model_validate(chat(tokens=39)))

    assert caught.value.problem == snapshot(
        "tools-not-shown: 2 tools were sent and a call was required; none came (the endpoint counted 39 prompt tokens; "
        "the tools take about 199)"
    )
    assert caught.value.next_steps == snapshot(
        (
            "serve the model with a chat template that knows tools (llama.cpp: --jinja, then look for "
            "chat_template_caps.supports_tools in /props)",
            "or ask for a call by response_format with a JSON schema",
        )
    )


@pytest.mark.parametrize(
    ("request_made", "response", "fault"),
    [
        (CHAT, chat(), "no-call"),
        (CHAT, chat(tokens=None), "no-call"),
        (CHAT, chat("length"), "cut-before-call"),
        (RESPONSES, {"output": [], "incomplete_details": {"reason": "max_output_tokens"}}, "cut-before-call"),
        (RESPONSES, {"output": [{"type": "message", "content": [{"type": "output_text", "text": ""}]}]}, "no-call"),
        (ANTHROPIC, {"content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 9}}, "tools-not-shown"),
        (
            ANTHROPIC,
            {"content": [], "stop_reason": "max_tokens", "usage": {"input_tokens": 9, "cache_read_input_tokens": 900}},
            "cut-before-call",
        ),
        (GEMINI, {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "malformed-call"),
    ],
    ids=["text", "uncounted", "cut", "responses cut", "responses text", "anthropic", "anthropic cut", "gemini"],
)
def test_tools_sent_a_call_required_and_none_back_is_a_fault_with_a_name(
    request_made: dict[str, Any], response: dict[str, Any], fault: str
) -> None:
    with pytest.raises(EndpointError) as caught:
        check_required(request_made, response)

    assert caught.value.problem.startswith(f"{fault}: ")
    assert len(caught.value.next_steps) == 2


@pytest.mark.parametrize(
    ("request_made", "response"),
    [
        (CHAT, chat(tool_calls=[{"id": "x"}])),
        (CHAT, chat(refusal="no")),
        (CHAT, chat("content_filter")),
        ({"tools": CHAT["tools"]}, chat()),
        ({"tools": CHAT["tools"], "tool_choice": "auto"}, chat()),
        ({"tool_choice": "required"}, chat()),
        (RESPONSES, {"output": [{"type": "function_call"}]}),
        (RESPONSES, {"output": [{"type": "message", "content": [{"type": "refusal"}]}]}),
        (ANTHROPIC, {"content": [{"type": "tool_use"}]}),
        (ANTHROPIC, {"content": [], "stop_reason": "refusal"}),
        ({**ANTHROPIC, "tool_choice": {"type": "auto"}}, {"content": []}),
        (GEMINI, {"candidates": [{"content": {"parts": [{"functionCall": {"name": "weather"}}]}}]}),
        (GEMINI, {"candidates": [{"finishReason": "SAFETY"}]}),
        ({"config": {"tools": gemini.tools(OFFERS)}}, {"candidates": []}),
    ],
)
def test_a_call_a_refusal_and_an_answer_nobody_required_pass(
    request_made: dict[str, Any], response: dict[str, Any]
) -> None:
    check_required(request_made, response)
