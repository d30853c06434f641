"""One job's conversation with one system: each call, what it said, and what both cost."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from hilt.assembly.counter import counter

Answering = Callable[[str, dict[str, Any]], Awaitable[str]]
"""Makes one call of a tool and gives the text a model would read."""

MOST_CALLS = 60


def tokens(text: str) -> int:
    """Tokens of o200k, as every system is counted."""
    return counter("o200k_base").count(text)


def declared(name: str, description: str, schema: object) -> int:
    """Tokens of one declaration, every system's in the same form."""
    tool = {"name": name, "description": description, "input_schema": schema}
    return tokens(json.dumps(tool, ensure_ascii=False, separators=(",", ":")))


@dataclass(frozen=True, kw_only=True)
class Call:
    tool: str
    arguments: dict[str, Any]
    text: str
    sent: int
    returned: int


class Cannot(Exception):
    """A system has no tool for a job; its script says which."""


@dataclass
class Talk:
    """Handed to a script: `await talk(tool, **arguments)` gives the text a model would read."""

    answering: Answering
    elsewhere: Callable[[], None]
    """Lets the other program of the job act, once, when the script has read what it needs."""

    calls: list[Call] = field(default_factory=list)

    async def __call__(self, tool: str, **arguments: Any) -> str:
        if len(self.calls) >= MOST_CALLS:
            raise Cannot(f"{MOST_CALLS} calls were not enough")
        text = await self.answering(tool, arguments)
        sent = tokens(json.dumps(arguments, ensure_ascii=False, separators=(",", ":")))
        self.calls.append(Call(tool=tool, arguments=arguments, text=text, sent=sent, returned=tokens(text)))
        return text

    @property
    def cost(self) -> int:
        return sum(call.sent + call.returned for call in self.calls)

    @property
    def text(self) -> str:
        return "\n".join(call.text for call in self.calls)
