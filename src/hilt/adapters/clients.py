"""The official SDKs' clients: a request as JSON in, the server's own JSON out.

The SDK brings credentials, retries, time limits and its errors; its types are not used, so that a
field it does not know is still handed on. What goes wrong becomes one `EndpointError` that says
what to do.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hilt.adapters.wire import Message, plain_object
from hilt.errors import ConfigError, EndpointError, MissingExtra

KEYS: Mapping[str, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The variable each provider's key is read from."""
LOCAL_KEY = "none"
"""Sent where a server of one's own was named and no key is set; such servers ask for none."""
LONGEST_TOLD = 300


class Client(Protocol):
    """Sends one request at a time to one endpoint."""

    async def send(self, request: Message) -> Message:
        """The server's response. Raises `EndpointError`."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


def openai_client(base_url: str | None = None) -> Client:
    """A client of OpenAI, or of whatever speaks its chat completions at `base_url`. Raises `MissingExtra`."""
    try:
        import openai
    except ImportError as error:
        raise MissingExtra("the endpoint openai", "openai") from error
    sdk = openai.AsyncOpenAI(api_key=_key("openai", base_url), base_url=base_url)
    return _Sdk(
        sdk=sdk,
        path="/chat/completions",
        provider="openai",
        unreachable=openai.APIConnectionError,
        refused=openai.APIStatusError,
    )


def anthropic_client(base_url: str | None = None) -> Client:
    """A client of Anthropic, or of whatever speaks its messages at `base_url`. Raises `MissingExtra`."""
    try:
        import anthropic
    except ImportError as error:
        raise MissingExtra("the endpoint anthropic", "anthropic") from error
    sdk = anthropic.AsyncAnthropic(api_key=_key("anthropic", base_url), base_url=base_url)
    return _Sdk(
        sdk=sdk,
        path="/v1/messages",
        provider="anthropic",
        unreachable=anthropic.APIConnectionError,
        refused=anthropic.APIStatusError,
    )


def _key(provider: str, base_url: str | None) -> str:
    key = os.environ.get(KEYS[provider])
    if key:
        return key
    if base_url is None:
        raise ConfigError(
            f"the endpoint {provider} needs a key, and {KEYS[provider]} is not set",
            f"export {KEYS[provider]}=...",
            "or name a server of your own: --base-url http://localhost:8080/v1",
        )
    return LOCAL_KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sdk:
    """Both SDKs are made from one template: the same `post`, the same two errors."""

    sdk: Any  # either SDK's client, which share no type
    path: str
    provider: str
    unreachable: type[Exception]
    refused: type[Exception]

    async def send(self, request: Message) -> Message:
        try:
            response = await self.sdk.post(self.path, cast_to=object, body=request)
        except self.unreachable as error:
            raise EndpointError(
                f"the endpoint {self.sdk.base_url} cannot be reached: {error}",
                "check that the server runs there and the address is right: --base-url URL",
            ) from error
        except self.refused as error:
            raise self._told(error, request) from error
        return plain_object(response, self.provider)

    def _told(self, error: Exception, request: Message) -> EndpointError:
        status, url = getattr(error, "status_code", 0), self.sdk.base_url
        words = " ".join(str(error).split())[:LONGEST_TOLD]
        if status in (401, 403):
            return EndpointError(
                f"the endpoint {url} refused the key ({status}): {words}", f"look at {KEYS[self.provider]}"
            )
        if status == 404:
            return EndpointError(
                f"the endpoint {url} has nothing there, or no model {request.get('model')!r}: {words}",
                "name a model it serves: --model NAME",
                "OpenAI-compatible servers mostly live under /v1: --base-url http://HOST:PORT/v1",
            )
        if status == 429 or status >= 500:
            return EndpointError(f"the endpoint {url} is overloaded or broken ({status}): {words}", "try later")
        return EndpointError(f"the endpoint {url} refused the request ({status}): {words}", "mend the request")

    async def close(self) -> None:
        await self.sdk.close()
