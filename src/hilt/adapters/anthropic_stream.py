"""Anthropic's stream put together with argument text as it was received, byte for byte.

The SDK's own accumulation completes half-received JSON, so that `{"content": "par` comes out as
an object. Here the text stays text: `anthropic.read` takes it, and `decode` says where it ends.
"""

from collections.abc import Iterable

from hilt.adapters.wire import Message, plain_object, words
from hilt.declarations.schema import is_object

_GROWING = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def collected(events: Iterable[object]) -> Message:
    """The message that these raw events (SDK objects or dicts) make; `stop_reason` is null when they broke off."""
    message: Message = {"role": "assistant", "stop_reason": None}
    blocks: dict[object, Message] = {}
    for event in events:
        each = plain_object(event, "Anthropic")
        begun, block, delta = each.get("message"), each.get("content_block"), each.get("delta")
        if each.get("type") == "message_start" and is_object(begun):
            message |= begun
        elif each.get("type") == "content_block_start" and is_object(block):
            blocks[each.get("index")] = _begun(block)
        elif each.get("type") == "content_block_delta" and is_object(delta):
            _grow(blocks.setdefault(each.get("index"), {}), delta)
        elif each.get("type") == "message_delta" and is_object(delta):
            message |= delta
    return {**message, "content": [_ended(block) for block in blocks.values()]}


def _begun(block: Message) -> Message:
    """A call's `input` begins as {} and is sent in pieces of text; one that is sent whole stays."""
    started = dict(block)
    if started.get("type") == "tool_use" and not started.get("input"):
        started["input"] = ""
    return started


def _grow(block: Message, delta: Message) -> None:
    key = _GROWING.get(words(delta.get("type")))
    if key is not None:
        block[key] = words(block.get(key)) + words(delta.get(key))
    elif delta.get("type") == "input_json_delta":
        block["input"] = words(block.get("input")) + words(delta.get("partial_json"))


def _ended(block: Message) -> Message:
    """A call for which no text came has no arguments."""
    return {**block, "input": "{}"} if block.get("type") == "tool_use" and block.get("input") == "" else block
