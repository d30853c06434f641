"""What a model's response says beside its calls: its words, whether it was cut, what the server counted.

Knows the two forms that the loop speaks: chat completions and Anthropic's messages.
"""

from hilt.adapters.wire import Message, objects, words
from hilt.declarations.schema import is_object

_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
"""Reasons to stop that mean the output limit, or the window, ended the turn and not the model."""


_CACHED_APART = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Parts of the prompt that Anthropic counts beside `input_tokens`, not in it."""


def text_of(response: Message) -> str:
    """The words of the turn, without thinking and calls. A refusal's words count."""
    content = _message(response).get("content")
    if isinstance(content, str):
        return content.strip()
    blocks = (block for block in objects(content) if block.get("type") == "text")
    return "".join(words(block.get("text")) for block in blocks).strip() or words(_message(response).get("refusal"))


def cut_by_limit(response: Message) -> bool:
    """Whether the turn was ended by its output limit."""
    choice = next(objects(response.get("choices")), response)
    return choice.get("finish_reason", choice.get("stop_reason")) in _CUT


def counted(response: Message) -> tuple[int, int] | None:
    """Tokens of prompt and answer, as the server counted them; None where it said nothing."""
    usage = response.get("usage")
    if not is_object(usage):
        return None
    prompt = usage.get("prompt_tokens", usage.get("input_tokens"))
    answer = usage.get("completion_tokens", usage.get("output_tokens"))
    if not isinstance(prompt, int) or not isinstance(answer, int):
        return None
    cached = (usage.get(name) for name in _CACHED_APART)
    return prompt + sum(each for each in cached if isinstance(each, int)), answer


def _message(response: Message) -> Message:
    choice = next(objects(response.get("choices")), None)
    message = response if choice is None else choice.get("message")
    return message if is_object(message) else {}
