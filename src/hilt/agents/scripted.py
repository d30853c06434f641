"""A model that follows a script: for tests, demonstrations, and a first try without a key.

It speaks OpenAI's chat form through the real adapter, so whatever reads a real model's turn reads
this one's. A line of the script is a turn, or a function that makes one of what has been said.

    model = ScriptedModel([
        ask("search_code", pattern="Timeout"),
        lambda said: say(f"I found: {said.result.splitlines()[0]}"),
    ])
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from hilt.adapters import openai_chat
from hilt.adapters.wire import Message, objects, words
from hilt.agents.model import Wire
from hilt.declarations.schema import is_object
from hilt.errors import ConfigError

_NEXT = "next: {"
"""How the runtime's words for a cut introduce the arguments that continue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call of a scripted turn; arguments are an object, or text to be sent as it is."""

    name: str
    arguments: Mapping[str, object] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One scripted turn: words, calls, and whether the output limit is to have cut it."""

    text: str = ""
    calls: tuple[Asked, ...] = ()
    cut: bool = False

    def and_ask(self, name: str, /, **arguments: object) -> "Line":
        """The same turn with one more call."""
        return replace(self, calls=(*self.calls, Asked(name=name, arguments=arguments)))


def say(text: str) -> Line:
    """A turn of words alone: the answer."""
    return Line(text=text)


def ask(name: str, /, **arguments: object) -> Line:
    """A turn that makes one call; `and_ask` adds further ones."""
    return Line().and_ask(name, **arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The conversation so far, as a model has it: texts, and nothing else of the calls behind them."""

    messages: tuple[Message, ...]

    @property
    def task(self) -> str:
        """The person's first words."""
        return words(self.messages[0].get("content")) if self.messages else ""

    @property
    def results(self) -> tuple[str, ...]:
        """The text of every result, in order."""
        return tuple(words(each.get("content")) for each in self.messages if each.get("role") == "tool")

    @property
    def result(self) -> str:
        """The text of the last result; "" before there is one."""
        return self.results[-1] if self.results else ""

    @property
    def last_tool(self) -> str:
        """The tool that the last result came from."""
        calls = [call for each in self.messages for call in objects(each.get("tool_calls"))]
        function = calls[-1].get("function") if calls else None
        return words(function.get("name")) if is_object(function) else ""

    def following(self) -> Line:
        """The call that continues the last result, read from its text as a model would: verbatim.

        Raises `ConfigError` when the last result names none.
        """
        place = self.result.rfind(_NEXT)
        if place < 0:
            raise ConfigError(
                "the script continues a result that names no continuation", "continue only a result that was cut"
            )
        arguments, _ = json.JSONDecoder().raw_decode(self.result, place + len(_NEXT) - 1)
        return Line(calls=(Asked(name=self.last_tool, arguments=arguments),))


ScriptLine = Line | Callable[[Said], Line]


@dataclass(slots=True, kw_only=True)
class Request:
    """What a turn was asked with, kept for whoever wants to see it."""

    messages: tuple[Message, ...]
    tools: tuple[Message, ...]


@dataclass(slots=True)
class ScriptedModel:
    """A `Model` that takes its turns from a script. `requests` holds what it was asked."""

    script: Sequence[ScriptLine]
    name: str = "scripted"
    requests: list[Request] = field(default_factory=list[Request])

    @property
    def wire(self) -> Wire:
        """OpenAI's chat form."""
        return openai_chat

    async def turn(self, messages: Sequence[Message], tools: Sequence[Message]) -> Message:
        """The next line as a chat completion. Raises `ConfigError` past the end of the script."""
        number = len(self.requests)
        if number >= len(self.script):
            raise ConfigError(
                f"the script has {len(self.script)} turns and a further one was asked for",
                "end the script with words and no call, or give it more turns",
            )
        self.requests.append(Request(messages=tuple(messages), tools=tuple(tools)))
        line = self.script[number]
        return completion(line if isinstance(line, Line) else line(Said(messages=tuple(messages))), number)


def completion(line: Line, number: int) -> Message:
    """A line as the chat completion that a server would send."""
    message: Message = {"role": "assistant", "content": line.text or None}
    if line.calls:
        message["tool_calls"] = [_call(each, f"call_{number}_{place}") for place, each in enumerate(line.calls)]
    reason = "length" if line.cut else "tool_calls" if line.calls else "stop"
    return {
        "id": f"scripted-{number}",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }


def _call(asked: Asked, id: str) -> Message:
    text = asked.arguments if isinstance(asked.arguments, str) else json.dumps(asked.arguments, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": asked.name, "arguments": text}}
