"""FastMCP's own servers, tools and in-process client on our road."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from fastmcp import Client, Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.server.middleware import Middleware
from fastmcp.tools import Tool, ToolResult
from fastmcp.utilities.types import Image
from mcp import MCPError
from mcp_types import InputRequiredResult, ToolAnnotations
from pydantic import BaseModel

from hilt import Effects, HiltError, Runtime, Session
from hilt.adapters import fastmcp
from hilt.adapters.openai_chat import offer
from hilt.calls.events import Event
from tests.kit import answered, runtime
from tests.unit.adapters.frameworks.tools import PNG


class Day(BaseModel):
    city: str
    sky: str


class RateLimited(Exception):
    status_code = 429


FAULTS = {
    "Atlantis": ToolError("429 Too Many Requests, retry after 3 seconds"),
    "Gone": ToolError("the archive was closed in 1950"),
    "Bug": KeyError("secret"),
    "Busy": RateLimited("slow down"),
}


def atlas(lifespan: Any = None) -> FastMCP[Any]:
    server: FastMCP[Any] = FastMCP("atlas", lifespan=lifespan)

    @server.tool(annotations=ToolAnnotations(read_only_hint=True))
    def look_up(city: str, days: int = 1) -> list[str]:
        """Look a place up.

        Args:
            city: where
        """
        if city in FAULTS:
            raise FAULTS[city]
        return [f"{city} {day}" for day in range(days)]

    @server.tool
    def sky(city: str) -> Day:
        return Day(city=city, sky="blue")

    @server.tool
    def draw() -> list[Any]:
        return ["a line", Image(data=PNG, format="png")]

    @server.tool
    async def refuse(context: Context) -> ToolResult:
        return ToolResult(content="not today", is_error=True)

    @server.tool
    async def whose(context: Context) -> str:
        await context.report_progress(1, 2, "half")
        return str(context.lifespan_context.get("owner"))

    return server


async def on_the_road(source: Any, **options: Any) -> Runtime:
    return runtime(*await fastmcp.from_fastmcp(source, **options))


async def test_a_servers_tools_are_tools_on_the_road() -> None:
    of = await on_the_road(atlas())
    made = of.catalog.by_name["look_up"]

    assert (made.declaration.server, made.declaration.effects) == ("atlas", Effects())
    assert "where" in str(made.declaration.parameters)
    assert (await answered(of, "look_up", '{"city": "Oslo", "days": 2}')).result.items == ("Oslo 0", "Oslo 1")
    assert [each["function"]["name"] for each in json.loads(json.dumps(offer(of, Session())))] == [
        *("look_up", "sky", "draw", "refuse", "whose")
    ]


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"city": "Oslo", "days": "2"}, "invalid_arguments", "days"),
        ({"city": "Oslo", "town": 1}, "invalid_arguments", "town"),
        ({"city": "Atlantis"}, "retryable", "429"),
        ({"city": "Busy"}, "retryable", "slow down"),
        ({"city": "Gone"}, "environment", "closed in 1950"),
        ({"city": "Bug"}, "environment", "KeyError"),
    ],
)
async def test_failures_have_our_classes_and_a_crash_tells_the_model_no_secret(
    arguments: dict[str, object], kind: str, words: str
) -> None:
    answer = await answered(await on_the_road(atlas()), "look_up", json.dumps(arguments))

    assert answer.result.failure is not None
    assert answer.result.failure.kind == kind
    assert words in answer.text
    assert "secret" not in answer.text


async def test_objects_pictures_and_errors_are_items_parts_and_failures() -> None:
    of = await on_the_road(atlas())
    drawn = (await answered(of, "draw")).result
    refused = (await answered(of, "refuse")).result.failure

    assert (await answered(of, "sky", '{"city": "Oslo"}')).result.items == ({"city": "Oslo", "sky": "blue"},)
    assert drawn.items == ("a line",)
    assert [part.content for part in drawn.parts] == [PNG]
    assert refused is not None
    assert refused.problem == "not today"


async def test_what_is_long_is_cut_with_a_way_on() -> None:
    server: FastMCP[Any] = FastMCP("books")

    @server.tool
    def book() -> str:
        return "\n".join(f"line {number} of a long book" for number in range(50_000))

    result = (await answered(await on_the_road(server), "book")).result

    assert result.truncated
    assert result.artifact is not None


async def test_the_servers_middleware_is_passed() -> None:
    server = atlas()
    seen: list[str] = []

    class Seen(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            seen.append(context.message.name)
            return await call_next(context)

    server.add_middleware(Seen())
    await answered(await on_the_road(server), "sky", '{"city": "Oslo"}')

    assert seen == ["sky"]


async def test_a_tool_alone_is_taken_too() -> None:
    def double(number: int) -> int:
        return 2 * number

    of = await on_the_road(Tool.from_function(double), server="sums")
    [made] = of.catalog

    assert made.declaration.server == "sums"
    assert (await answered(of, "double", '{"number": 4}')).result.items == (8,)


async def test_a_client_brings_the_servers_lifespan_and_its_progress() -> None:
    @asynccontextmanager
    async def owned(server: FastMCP[Any]) -> AsyncIterator[dict[str, str]]:
        yield {"owner": "Ada"}

    heard: list[Event] = []

    async with Client(atlas(owned)) as client:
        of = await on_the_road(client, server="town", effects={"whose": Effects(does=frozenset())})
        of.listen(heard.append)
        answer = await answered(of, "whose")
        failed = (await answered(of, "look_up", '{"city": "Atlantis"}')).result.failure

    assert answer.result.items == ("Ada",)
    assert of.catalog.by_name["whose"].declaration.kind == "perceive"
    assert failed is not None
    assert failed.kind == "retryable"
    assert [(each.facts["message"], each.facts["done"]) for each in heard if each.step == "progress"] == [("half", 1)]


async def test_policy_stands_before_a_server() -> None:
    of = Runtime(await fastmcp.from_fastmcp(atlas()), policy="unattended")

    assert (await of.call(Session(), "look_up", {"city": "Oslo"})).status == "denied"


async def test_effects_of_a_tool_that_is_not_there_are_refused() -> None:
    with pytest.raises(HiltError, match="lookup, and the tools are draw"):
        await on_the_road(atlas(), effects={"lookup": Effects()})


async def test_a_tool_that_went_away_is_told() -> None:
    server = atlas()
    of = await on_the_road(server)
    server.local_provider.remove_tool("sky")

    failed = (await answered(of, "sky", '{"city": "Oslo"}')).result.failure

    assert failed is not None
    assert "sky" in failed.problem


async def test_what_needs_more_than_a_call_says_so() -> None:
    server: FastMCP[Any] = FastMCP("guard")

    @server.tool
    async def ask() -> InputRequiredResult:
        return InputRequiredResult(request_state="x")

    @server.tool
    def late() -> str:
        raise MCPError(code=-32000, message="the upstream timed out")

    of = await on_the_road(server)
    asked = (await answered(of, "ask")).result.failure
    cut = (await answered(of, "late")).result.failure

    assert asked is not None
    assert "asks its client for input" in asked.problem
    assert cut is not None
    assert (cut.kind, cut.outcome) == ("retryable", "unknown")


async def test_a_middleware_that_refuses_is_heard_with_a_class() -> None:
    server = atlas()

    class Closed(Middleware):
        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            raise MCPError(code=-32000, message="permission denied for this desk")

    server.add_middleware(Closed())
    of = await on_the_road(server)
    failed = (await answered(of, "sky", '{"city": "Oslo"}')).result.failure
    async with Client(server) as client:
        by_client = await on_the_road(client, server="atlas")
        same = (await answered(by_client, "sky", '{"city": "Oslo"}')).result.failure

    assert failed is not None
    assert same is not None
    assert (failed.kind, same.kind) == ("environment", "environment")
    assert "permission denied" in failed.problem
    assert "permission denied" in same.problem
