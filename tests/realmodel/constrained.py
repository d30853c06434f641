"""A model that cannot call tools by itself, made to: its answer is constrained to a call by JSON Schema."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from hilt.adapters import openai_chat
from hilt.adapters.clients import Client
from hilt.adapters.wire import Message, objects, words
from hilt.agents.model import Wire
from hilt.agents.replies import text_of

MOST_TOKENS = 96


@dataclass
class ConstrainedModel:
    """Calls once, as the schema of the offered tools allows; then answers in words from the result."""

    client: Client
    name: str = "smollm2"

    @property
    def wire(self) -> Wire:
        return openai_chat

    async def turn(self, messages: Sequence[Message], tools: Sequence[Message]) -> Message:
        request: Message = {"model": self.name, "max_tokens": MOST_TOKENS, "temperature": 0}
        results = [words(each.get("content")) for each in messages if each.get("role") == "tool"]
        if results:
            asked = f"{words(messages[0].get('content'))}\nThe tools say:\n{results[-1]}\nAnswer in one sentence."
            return await self.client.send({**request, "messages": [{"role": "user", "content": asked}]})
        form = {"type": "json_schema", "json_schema": {"name": "call", "schema": {"anyOf": _calls(tools)}}}
        response = await self.client.send({**request, "messages": [messages[0]], "response_format": form})
        return _as_call(response)


def _calls(tools: Sequence[Message]) -> list[Message]:
    functions = [function for tool in tools for function in objects([tool.get("function")])]
    return [
        {
            "type": "object",
            "properties": {"name": {"const": each["name"]}, "arguments": each["parameters"]},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for each in functions
    ]


def _as_call(response: Message) -> Message:
    """The server's completion, with the object it wrote where a server that knows tools puts calls."""
    made = json.loads(text_of(response))
    function = {"name": made["name"], "arguments": json.dumps(made["arguments"])}
    message = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "", "type": "function", "function": function}],
    }
    return {**response, "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
