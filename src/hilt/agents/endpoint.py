"""A model behind HTTP: OpenAI, Anthropic, or any server that speaks the form of either.

    async with openai_endpoint("gpt-5", base_url="http://localhost:8080/v1") as model:
        run = await run_task(runtime, session, model, "...")

The key comes from the environment. Responses are read whole; nothing is streamed.
"""

from collections.abc import Mapping, Sequence
from types import TracebackType

from hilt.adapters import anthropic, openai_chat
from hilt.adapters.clients import Client, anthropic_client, openai_client
from hilt.adapters.endpoint_faults import FEWEST_TOKENS_SHARE, check_required
from hilt.adapters.wire import Message
from hilt.agents.bill import size
from hilt.agents.model import Wire
from hilt.agents.replies import counted
from hilt.errors import EndpointError
from hilt.results.counting import QUARTER_BYTES

MOST_OUTPUT_TOKENS = 8_192
"""The output limit sent to Anthropic, whose form demands one; `options` may name another."""
_NO_OPTIONS: Mapping[str, object] = {}


class Endpoint:
    """A `Model` on a server. `options` are further fields of each request, such as `temperature`.

    A server that takes tools and never shows them to its model is told by its own count of the
    prompt, and raised as `EndpointError`: its answers would be guesses. Use as an async context
    manager, or call `close`.
    """

    def __init__(self, name: str, wire: Wire, client: Client, options: Mapping[str, object]) -> None:
        self.name = name
        self.wire = wire
        self._client = client
        self._options = options

    async def turn(self, messages: Sequence[Message], tools: Sequence[Message]) -> Message:
        """The server's response. Raises `EndpointError`."""
        offered: Message = {"tools": list(tools)} if tools else {}
        request: Message = {"model": self.name, "messages": list(messages), **offered, **self._options}
        response = await self._client.send(request)
        check_required(request, response)
        self._check_shown(tools, response)
        return response

    def _check_shown(self, tools: Sequence[Message], response: Message) -> None:
        """Without a required call, only the count of the prompt can tell that the tools were dropped."""
        count = counted(response)
        if not tools or count is None or self.wire.read(response).calls:
            return
        _, least = size(tools, QUARTER_BYTES)
        if count[0] < FEWEST_TOKENS_SHARE * least:
            raise EndpointError(
                f"tools-not-shown: {len(tools)} tools were sent, about {least} tokens, and the endpoint counted "
                f"{count[0]} in the whole prompt: the model never saw them",
                "serve the model with a chat template that knows tools (llama.cpp: --jinja, and look at "
                "chat_template_caps.supports_tools in /props)",
            )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def __aenter__(self) -> "Endpoint":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def openai_endpoint(
    model: str, *, base_url: str | None = None, options: Mapping[str, object] = _NO_OPTIONS
) -> Endpoint:
    """A model behind OpenAI's chat completions. Raises `MissingExtra`, and `ConfigError` without a key."""
    return Endpoint(model, openai_chat, openai_client(base_url), options)


def anthropic_endpoint(
    model: str, *, base_url: str | None = None, options: Mapping[str, object] = _NO_OPTIONS
) -> Endpoint:
    """A model behind Anthropic's messages. Raises `MissingExtra`, and `ConfigError` without a key."""
    return Endpoint(model, anthropic, anthropic_client(base_url), {"max_tokens": MOST_OUTPUT_TOKENS, **options})
