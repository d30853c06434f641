"""The same tool in Hilt and in its peers: a nested model, a bounded integer, a set of words, and words for each.

The peers' calls are their bare ones: no policy, no trace, no time limit. Hilt's is the whole road.
"""

import json
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")
os.environ.setdefault("FASTMCP_LOG_LEVEL", "ERROR")
os.environ.setdefault("FASTMCP_CHECK_FOR_UPDATES", "off")
logging.disable(logging.CRITICAL)

Call = Callable[[], Awaitable[object]]
Function = Callable[..., Any]


class Range(BaseModel):
    """Lines from and to."""

    start: int = Field(description="first line", ge=1)
    end: int = Field(description="last line", ge=1)


class Query(BaseModel):
    """What is looked for."""

    pattern: str = Field(description="regular expression to look for")
    globs: list[str] = Field(default=[], description="only paths matching these globs")
    range: Range | None = None


Mode = Literal["content", "files", "count"]
ARGUMENTS = {
    "query": {"pattern": "handlePaymentCallback", "globs": ["*.py"], "range": {"start": 1, "end": 200}},
    "limit": 10,
    "mode": "content",
}
ARGUMENT_TEXT = json.dumps(ARGUMENTS)
WORDS = """Search the code base and return matching lines.

Args:
    query: what to look for
    limit: at most this many matches
    mode: the shape of the result
"""


def functions(count: int, *, sync: bool = False) -> list[Function]:
    """Undecorated functions, each its own object with its own name."""
    made = [_sync_function() if sync else _async_function() for _ in range(count)]
    for place, function in enumerate(made):
        function.__name__ = function.__qualname__ = f"search_{place:03d}"
        function.__doc__ = WORDS
    return made


def with_own_types(made: list[Function]) -> list[Function]:
    """The same functions, no two of which share a type."""
    for place, function in enumerate(made):
        query = create_model(f"Query{place}", __base__=Query, place=(int, place))
        mode = Literal["content", "files", "count", f"mode_{place}"]  # type: ignore[valid-type]
        function.__annotations__ = {"query": query, "limit": int, "mode": mode, "return": str}
    return made


def _async_function() -> Function:
    async def search(query: Query, limit: int = 250, mode: Mode = "files") -> str:
        return query.pattern

    return search


def _sync_function() -> Function:
    def search(query: Query, limit: int = 250, mode: Mode = "files") -> str:
        return query.pattern

    return search


def hilt_tools(made: Sequence[Function]) -> list[Any]:
    """Registered with Hilt."""
    from hilt import tool

    return [tool(kind="perceive", limit=1, effects={"reads": "none"})(each) for each in made]


def hilt_call(made: Sequence[Function]) -> Call:
    """Hilt's whole road, with its time limit and a trace in memory."""
    from hilt import Runtime, Session

    runtime, session = Runtime(tools=hilt_tools(made)), Session()
    return lambda: runtime.call(session, "search_000", ARGUMENT_TEXT)


def mcp_server(made: Sequence[Function]) -> Any:
    """Registered with the MCP SDK's server."""
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("benchmark", log_level="CRITICAL")
    for each in made:
        server.add_tool(each)
    return server


def mcp_call(made: Sequence[Function]) -> Call:
    """The MCP SDK's bare call, which gets its arguments parsed."""
    server = mcp_server(made)
    return lambda: server.call_tool("search_000", ARGUMENTS)


def agents_tools(made: Sequence[Function]) -> list[Any]:
    """Registered with OpenAI's Agents SDK."""
    from agents import function_tool

    return [function_tool(each) for each in made]


def agents_call(made: Sequence[Function]) -> Call:
    """The Agents SDK's bare call."""
    from agents.tool_context import ToolContext

    first = agents_tools(made)[0]

    def call() -> Awaitable[object]:
        context: Any = ToolContext(context=None, tool_name="search_000", tool_call_id="c", tool_arguments=ARGUMENT_TEXT)
        return first.on_invoke_tool(context, ARGUMENT_TEXT)

    return call


def pydantic_ai_tools(made: Sequence[Function]) -> Any:
    """Registered with pydantic-ai."""
    from pydantic_ai import Tool
    from pydantic_ai.toolsets import FunctionToolset

    return FunctionToolset([Tool(each) for each in made])


def fastmcp_server(made: Sequence[Function]) -> Any:
    """Registered with FastMCP."""
    from fastmcp import FastMCP

    server = FastMCP("benchmark")
    for each in made:
        server.add_tool(each)
    return server


def langchain_tools(made: Sequence[Function]) -> list[Any]:
    """Registered with LangChain."""
    from langchain_core.tools import tool

    return [tool(parse_docstring=True)(each) for each in made]
