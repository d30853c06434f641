"""Tools of a FastMCP server as ours. Start with `fastmcp.py`, which imports this when it is asked to."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.exceptions import AuthorizationError, DisabledError, NotFoundError, ToolError
from fastmcp.exceptions import ValidationError as BadArguments
from fastmcp.tools import Tool
from fastmcp.tools.base import InputRequiredToolResult
from mcp import MCPError
from pydantic import ValidationError

from hilt.adapters.framework_tools import (
    NEXT_AFTER_FAILURE,
    Judged,
    busy,
    check_judged,
    effects_of,
    failure,
    invalid,
    refused,
)
from hilt.adapters.mcp_foreign import read_result
from hilt.adapters.wire import Message, plain_object, words
from hilt.calls.artifacts import Artifacts
from hilt.calls.context import Context
from hilt.calls.returns import SchemaReturns
from hilt.calls.tool import AnyTool, schema_tool
from hilt.declarations.schema import is_array, is_object
from hilt.results.envelope import Artifact, ToolResult
from hilt.results.failures import EnvironmentFailure

Reach = Callable[[str, dict[str, object], Context], Awaitable[object]]
"""Calls a tool by its own name; returns its `CallToolResult`, or what becomes one."""

WRAPPED = "x-fastmcp-wrap-result"
"""Where FastMCP says that it put a value which is no object into one, as its `result`."""


async def tools_of(source: FastMCP[Any] | Tool | Client[Any], *, effects: Judged, server: str) -> list[AnyTool]:
    """See `fastmcp.from_fastmcp`."""
    if isinstance(source, Tool):
        alone: FastMCP[Any] = FastMCP(source.name)
        alone.add_tool(source)
        return await tools_of(alone, effects=effects, server=server or "fastmcp")
    if isinstance(source, FastMCP):
        given, reach = [each.to_mcp_tool() for each in await source.list_tools()], _in_process(source)
    else:
        given, reach = await source.list_tools(), _by_client(source)
    found = {words(each.get("name")): each for each in (plain_object(one, "MCP") for one in given)}
    check_judged(effects, found)
    return [_tool(each, reach, effects=effects, server=server or source.name) for each in found.values()]


def _in_process(server: FastMCP[Any]) -> Reach:
    async def reach(name: str, arguments: dict[str, object], context: Context) -> object:
        del context
        try:
            result = await server.call_tool(name, arguments)
        except Exception as error:
            raise _raised(error, name) from error
        if isinstance(result, InputRequiredToolResult):
            raise EnvironmentFailure(
                f"{name} asks its client for input, and none can be given here", NEXT_AFTER_FAILURE
            )
        return {
            "content": result.content,
            "structuredContent": result.structured_content,
            "isError": result.is_error,
        }

    return reach


def _by_client(client: Client[Any]) -> Reach:
    async def reach(name: str, arguments: dict[str, object], context: Context) -> object:
        async def told(progress: float, total: float | None, message: str | None) -> None:
            context.progress(message or "", done=progress, total=total)

        try:
            return await client.call_tool_mcp(name, arguments, progress_handler=told)
        except MCPError as error:
            raise failure(error) from error

    return reach


def _raised(error: Exception, name: str) -> Exception:
    """The failure that an exception of the server stands for; what its tool's own code raised comes out as it was."""
    cause = error.__cause__
    if isinstance(error, BadArguments):
        return invalid(cause) if isinstance(cause, ValidationError) else refused(error)
    if isinstance(error, NotFoundError | DisabledError | AuthorizationError):
        return failure(error)
    if not isinstance(error, ToolError):
        return failure(error) if isinstance(error, MCPError) or busy(error) else error
    if isinstance(cause, Exception) and str(error).startswith(f"Error calling tool {name!r}"):
        told = isinstance(cause, MCPError) or busy(cause)
        return failure(cause) if told else cause
    return failure(error)


def _tool(declaration: Message, reach: Reach, *, effects: Judged, server: str) -> AnyTool:
    name, promised, given = words(declaration.get("name")), declaration.get("outputSchema"), declaration["inputSchema"]
    judged, hints = effects_of(effects, name), declaration.get("annotations")
    wrapped = is_object(promised) and promised.get(WRAPPED) is True
    promise = SchemaReturns(promised, name) if is_object(promised) and not wrapped else None

    async def call(arguments: Mapping[str, object], context: Context) -> ToolResult[object]:
        async def keep(content: bytes, media_type: str) -> Artifact:
            return await context.part(Artifacts).keep(context.session, content, media_type)

        form = plain_object(await reach(name, dict(arguments), context), "MCP")
        value = form.pop("structuredContent", None) if wrapped else None
        result = await read_result(form, tool=name, promise=promise, keep=keep, claims="report")
        return _unwrapped(result, value)

    made = schema_tool(
        name,
        call,
        parameters=given if is_object(given) else {},
        description=words(declaration.get("description")),
        kind="perceive" if judged.read_only else "act",
        effects=judged,
        annotations=hints if is_object(hints) else None,
        server=server,
        asks_context=True,
    )
    return replace(made, declaration=replace(made.declaration, returns=promise.schema)) if promise else made


def _unwrapped(result: ToolResult[object], wrapped: object) -> ToolResult[object]:
    """With the value itself for its text: a list is its elements."""
    if result.is_error or not is_object(wrapped) or "result" not in wrapped:
        return result
    value = wrapped["result"]
    return replace(result, items=tuple(value) if is_array(value) else (value,))
