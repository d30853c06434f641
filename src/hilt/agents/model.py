"""A model, as the loop sees one: a name, a wire form, and turns."""

from collections.abc import Sequence
from typing import Protocol

from hilt.adapters.wire import Message
from hilt.calls.adapter import Road
from hilt.calls.answer import Answer
from hilt.calls.call import Turn
from hilt.calls.session import Session


class Wire(Protocol):
    """A provider's form with one message a turn: the modules `openai_chat` and `anthropic` of `hilt.adapters`."""

    def offer(self, runtime: Road, session: Session) -> list[Message]:
        """The `tools` of a request."""
        ...

    def read(self, message: object) -> Turn:
        """The calls of a response, as received. Raises `WireError`."""
        ...

    def repaired(self, message: object) -> Message:
        """The response's message, to append to the conversation."""
        ...

    def results(self, answers: Sequence[Answer]) -> list[Message]:
        """The messages that answer the calls, to append behind it."""
        ...


class Model(Protocol):
    """Takes turns in a conversation. `wire` is the form it speaks."""

    @property
    def name(self) -> str:
        """What people and the bill call it."""
        ...

    @property
    def wire(self) -> Wire:
        """The adapter that writes its requests and reads its responses."""
        ...

    async def turn(self, messages: Sequence[Message], tools: Sequence[Message]) -> Message:
        """Its response to the conversation so far, whole, in the provider's form.

        Raises `EndpointError` when there is none.
        """
        ...
