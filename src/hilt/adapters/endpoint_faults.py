"""What an endpoint did to a request with tools, where the model's answer alone cannot tell.

Some servers take `tools` and `tool_choice: required`, answer 200, and never show the tools to
their model. Such an answer is no answer; it is a fault of the endpoint, with a name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from hilt.adapters.wire import Message, objects, plain_object, words
from hilt.declarations.schema import is_array, is_object
from hilt.errors import EndpointError
from hilt.results.counting import QUARTER_BYTES
from hilt.results.render import compact_json

Fault = Literal["tools-not-shown", "cut-before-call", "malformed-call", "no-call"]

FEWEST_TOKENS_SHARE = 0.25
"""A prompt counted below this share of what its tools alone should take cannot have held them."""

_EXPLAINED: Mapping[Fault, tuple[str, ...]] = {
    "tools-not-shown": (
        "serve the model with a chat template that knows tools (llama.cpp: --jinja, then look for "
        "chat_template_caps.supports_tools in /props)",
        "or ask for a call by response_format with a JSON schema",
    ),
    "cut-before-call": (
        "raise the output limit",
        "or ask for a call by response_format with a JSON schema: this endpoint lets text come before the call",
    ),
    "malformed-call": ("ask again, at a lower temperature", "or offer fewer or simpler tools"),
    "no-call": ("ask again without tool_choice, and take the text as the answer", "or use another model"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What counts of a response, whichever form it has."""

    called: bool
    refused: bool
    reason: str
    prompt_tokens: int | None


def check_required(request: object, response: object) -> None:
    """Raise `EndpointError` when tools were sent, a call was required, and none came back.

    The message begins with the fault's name. A model's refusal is an answer and passes. Takes the
    request as its keyword arguments, and the response as the SDK's object or a dict.
    """
    asked = plain_object(request, "request")
    tools = _tools(asked)
    if not tools or not _required(asked):
        return
    answer = _read(plain_object(response, "response"))
    if answer.called or answer.refused:
        return
    fault = _fault(answer, tools)
    problem = f"{fault}: {len(tools)} tools were sent and a call was required; none came"
    raise EndpointError(problem + _counted(answer, tools), *_EXPLAINED[fault])


def _fault(answer: _Answer, tools: list[object]) -> Fault:
    if answer.prompt_tokens is not None and answer.prompt_tokens < FEWEST_TOKENS_SHARE * _tokens(tools):
        return "tools-not-shown"
    if answer.reason in ("length", "max_tokens", "MAX_TOKENS", "max_output_tokens"):
        return "cut-before-call"
    return "malformed-call" if answer.reason == "MALFORMED_FUNCTION_CALL" else "no-call"


def _tokens(tools: list[object]) -> int:
    return QUARTER_BYTES.count(compact_json(tools))


def _counted(answer: _Answer, tools: list[object]) -> str:
    if answer.prompt_tokens is None:
        return ""
    return f" (the endpoint counted {answer.prompt_tokens:,} prompt tokens; the tools take about {_tokens(tools):,})"


def _config(asked: Message) -> Message:
    config = asked.get("config")
    return config if is_object(config) else asked


def _tools(asked: Message) -> list[object]:
    tools = _config(asked).get("tools")
    return tools if is_array(tools) else []


def _required(asked: Message) -> bool:
    choice = asked.get("tool_choice")
    if is_object(choice):
        return choice.get("type") in ("function", "any", "tool") or choice.get("mode") == "required"
    if choice is not None:
        return choice == "required"
    config = _one_of(_config(asked), "tool_config", "toolConfig")
    calling = _one_of(config, "function_calling_config", "functionCallingConfig")
    return words(getattr(calling.get("mode"), "value", calling.get("mode"))).upper() == "ANY"


def _one_of(node: Message, *names: str) -> Message:
    return _first([node.get(name) for name in names])


def _first(value: object) -> Message:
    return next(objects(value), _NOTHING)


_NOTHING: Message = {}


def _read(response: Message) -> _Answer:
    if "choices" in response:
        return _chat(response)
    if "candidates" in response:
        return _gemini(response)
    if "output" in response:
        items = list(objects(response["output"]))
        refused = any(part.get("type") == "refusal" for item in items for part in objects(item.get("content")))
        return _Answer(
            called=any(words(item.get("type")).endswith("_call") for item in items),
            refused=refused,
            reason=words(_one_of(response, "incomplete_details").get("reason")),
            prompt_tokens=_count(response, "input_tokens"),
        )
    return _Answer(
        called=any(words(block.get("type")).endswith("tool_use") for block in objects(response.get("content"))),
        refused=response.get("stop_reason") == "refusal",
        reason=words(response.get("stop_reason")),
        prompt_tokens=_count(response, "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
    )


def _chat(response: Message) -> _Answer:
    choice = _first(response["choices"])
    message = _one_of(choice, "message")
    reason = words(choice.get("finish_reason"))
    return _Answer(
        called=bool(message.get("tool_calls")),
        refused=bool(message.get("refusal")) or reason == "content_filter",
        reason=reason,
        prompt_tokens=_count(response, "prompt_tokens"),
    )


def _gemini(response: Message) -> _Answer:
    candidate = _first(response["candidates"])
    parts = objects(_one_of(candidate, "content").get("parts"))
    reason = candidate.get("finishReason", candidate.get("finish_reason"))
    named = words(getattr(reason, "value", reason))
    return _Answer(
        called=any(part.get("functionCall") or part.get("function_call") for part in parts),
        refused=named in ("SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION"),
        reason=named,
        prompt_tokens=_count(response, "promptTokenCount", "prompt_token_count"),
    )


def _count(response: Message, *names: str) -> int | None:
    usage = _one_of(response, "usage", "usageMetadata", "usage_metadata")
    counts = [count for name in names if isinstance(count := usage.get(name), int)]
    return sum(counts) if counts else None
