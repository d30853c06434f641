"""What servers behind Hilt have beside tools: resources and prompts, passed to its client as they are.

A gateway implements `Passing`; `mcp_passed` answers a client with it. Needs no SDK. Tools do not pass
here: they go down the road like every other.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol

Entry = Mapping[str, object]
Passed = Literal["resources", "prompts"]


class Passing(Protocol):
    """What servers behind Hilt offer beside tools, in MCP's own JSON.

    The verbs raise `ToolFailure` or `HiltError`: `InvalidArguments` for a URI or name that nobody has.
    """

    async def resources(self) -> Sequence[Entry]:
        """The entries of `resources/list`, of every server."""
        ...

    async def resource_templates(self) -> Sequence[Entry]:
        """The entries of `resources/templates/list`, of every server."""
        ...

    async def read_resource(self, uri: str) -> Entry:
        """The result of `resources/read`."""
        ...

    async def prompts(self) -> Sequence[Entry]:
        """The entries of `prompts/list`, of every server."""
        ...

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Entry:
        """The result of `prompts/get`."""
        ...

    def listen(self, listener: Callable[[Passed], None]) -> None:
        """Hear, in the event loop, that resources or prompts are others than before."""
        ...
