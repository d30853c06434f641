"""Resources and prompts of servers behind, and lists that change while nobody calls."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from hilt.adapters.mcp_passing import Entry, Passed
from hilt.adapters.mcp_server import ToolServer
from hilt.calls.session import Session
from hilt.errors import HiltError
from hilt.results.failures import InvalidArguments, Retryable
from hilt.runtime.runtime import Runtime
from tests.unit.adapters.samples import ticket_search

ERAS = ("legacy", "auto")
POEM = "file:///poem.txt"
WAIT_S = 5


class Library:
    """A gateway's half: one resource, one template and one prompt, until told otherwise."""

    def __init__(self) -> None:
        self.listeners: list[Callable[[Passed], None]] = []

    async def resources(self) -> Sequence[Entry]:
        return [{"uri": POEM, "name": "poem", "mimeType": "text/plain"}]

    async def resource_templates(self) -> Sequence[Entry]:
        return [{"uriTemplate": "file:///{name}", "name": "any"}]

    async def read_resource(self, uri: str) -> Entry:
        if uri == "file:///busy":
            raise Retryable("the server of file:///busy starts again", "read it again in a second")
        if uri == "file:///gone":
            raise HiltError("the server of file:///gone is not known", "ask for resources/list")
        if uri != POEM:
            raise InvalidArguments(f"no server has {uri}", "ask for resources/list")
        return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": "roses are red"}]}

    async def prompts(self) -> Sequence[Entry]:
        return [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Entry:
        said = {"type": "text", "text": f"{name} {arguments['who']}"}
        return {"messages": [{"role": "user", "content": said}]}

    def listen(self, listener: Callable[[Passed], None]) -> None:
        self.listeners.append(listener)

    def change(self, passed: Passed) -> None:
        for each in self.listeners:
            each(passed)


class Heard:
    """The names of what a client was told, as it comes."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._news = anyio.Event()

    async def hear(self, message: object) -> None:
        self.names.append(type(message).__name__)
        self._news.set()
        self._news = anyio.Event()

    async def until(self, count: int) -> None:
        with anyio.fail_after(WAIT_S):
            while len(self.names) < count:
                await self._news.wait()


@asynccontextmanager
async def served(
    runtime: Runtime, library: Library | None, mode: str, heard: Heard | None = None
) -> AsyncGenerator[Client]:
    server = ToolServer(runtime, Session(), version="0", passing=library)
    hear = (heard or Heard()).hear
    with anyio.fail_after(WAIT_S):
        async with anyio.create_task_group() as group:
            group.start_soon(server.keep_telling)
            async with Client(server.server, mode=mode, message_handler=hear) as client:
                yield client
            group.cancel_scope.cancel()


@pytest.mark.parametrize("mode", ERAS)
async def test_resources_and_prompts_of_the_servers_behind_reach_the_client_as_they_are(mode: str) -> None:
    async with served(Runtime([ticket_search]), Library(), mode) as client:
        listed = await client.list_resources()
        templates = await client.list_resource_templates()
        read = await client.read_resource(POEM)
        prompts = await client.list_prompts()
        prompt = await client.get_prompt("greet", {"who": "Ann"})

    (content,) = read.contents
    (message,) = prompt.messages
    assert [(each.name, str(each.uri)) for each in listed.resources] == [("poem", POEM)]
    assert [each.uri_template for each in templates.resource_templates] == ["file:///{name}"]
    assert isinstance(content, TextResourceContents)
    assert content.text == "roses are red"
    assert [each.name for each in prompts.prompts] == ["greet"]
    assert isinstance(message.content, TextContent)
    assert message.content.text == "greet Ann"


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    ("uri", "code", "says"),
    [
        ("file:///nowhere", -32602, "no server has file:///nowhere; ask for resources/list"),
        ("file:///gone", -32602, "not known"),
        ("file:///busy", -32603, "read it again in a second"),
    ],
)
async def test_what_a_server_behind_cannot_give_is_a_protocol_error_with_a_next_step(
    mode: str, uri: str, code: int, says: str
) -> None:
    async with served(Runtime([ticket_search]), Library(), mode) as client:
        with pytest.raises(MCPError) as caught:
            await client.read_resource(uri)

    assert caught.value.error.code == code
    assert says in caught.value.error.message


@pytest.mark.parametrize("mode", ERAS)
async def test_a_server_with_nothing_behind_it_offers_tools_alone(mode: str) -> None:
    async with served(Runtime([ticket_search]), None, mode) as client:
        capabilities = client.server_capabilities
        with pytest.raises(MCPError) as caught:
            await client.list_prompts()

    assert capabilities is not None
    assert (capabilities.resources, capabilities.prompts) == (None, None)
    assert caught.value.error.code == -32601


async def test_a_client_of_the_handshake_hears_at_once_of_tools_that_came_in_the_background() -> None:
    runtime, library, heard = Runtime([ticket_search]), Library(), Heard()
    async with served(runtime, library, "legacy", heard) as client:
        await client.list_tools()
        for number in range(100):
            runtime.catalog.add(ticket_search.renamed(f"more_{number}"))
        await heard.until(1)
        library.change("resources")
        await heard.until(2)
        library.change("prompts")
        await heard.until(3)

    assert heard.names == [
        "ToolListChangedNotification",
        "ResourceListChangedNotification",
        "PromptListChangedNotification",
    ]


async def test_a_client_that_listens_hears_at_once_of_what_came_in_the_background() -> None:
    runtime, library, heard = Runtime([ticket_search]), Library(), list[str]()
    async with served(runtime, library, "auto") as client:
        await client.list_tools()
        async with client.listen(
            tools_list_changed=True, resources_list_changed=True, prompts_list_changed=True
        ) as events:
            runtime.catalog.add(ticket_search.renamed("another"))
            library.change("resources")
            library.change("prompts")
            async for event in events:
                heard.append(type(event).__name__)
                if len(heard) == 3:
                    break

    assert sorted(heard) == ["PromptsListChanged", "ResourcesListChanged", "ToolsListChanged"]


async def test_a_tool_that_is_known_and_not_offered_is_no_news() -> None:
    runtime, heard = Runtime([ticket_search]), Heard()
    async with served(runtime, None, "legacy", heard) as client:
        await client.list_tools()
        runtime.catalog.replace(ticket_search)
        await anyio.wait_all_tasks_blocked()
        quiet = list(heard.names)
        runtime.catalog.remove(ticket_search.name)
        await heard.until(1)

    assert (quiet, heard.names) == ([], ["ToolListChangedNotification"])


class Odd(Library):
    """One of whose servers behind lists what is no resource, template or prompt."""

    async def resources(self) -> Sequence[Entry]:
        return [{"uri": 5}, {"name": ["x"]}, {"uri": "a:b", "name": "half \ud800"}, *await super().resources()]

    async def resource_templates(self) -> Sequence[Entry]:
        return [{"uriTemplate": 7}, {}, *await super().resource_templates()]

    async def prompts(self) -> Sequence[Entry]:
        return [{"name": 5}, {"name": "q", "arguments": [{"name": 7}]}, *await super().prompts()]

    async def read_resource(self, uri: str) -> Entry:
        return {"contents": "x"}

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Entry:
        return {"messages": [{"role": "system", "content": 7}]}


@pytest.mark.parametrize("mode", ERAS)
async def test_what_one_server_lists_amiss_costs_a_client_nothing_of_the_others(mode: str) -> None:
    async with served(Runtime([ticket_search]), Odd(), mode) as client:
        resources = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        prompts = (await client.list_prompts()).prompts
        with pytest.raises(MCPError, match="something that is not a resource"):
            await client.read_resource(POEM)
        with pytest.raises(MCPError, match="something that is not a prompt"):
            await client.get_prompt("greet", {})
    assert [each.name for each in (*resources, *templates, *prompts)] == ["poem", "any", "greet"]
