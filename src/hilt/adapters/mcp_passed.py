"""Resources and prompts of the servers behind Hilt, answered by a server of the SDK."""

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptRequestParams,
    PaginatedRequestParams,
    ReadResourceRequestParams,
)

from hilt.adapters.mcp_forms import COMPLETE
from hilt.adapters.mcp_passing import Entry, Passing
from hilt.errors import HiltError
from hilt.results.failures import InvalidArguments, ToolFailure

PASSED_TTL_MS = 0
"""Milliseconds a client of 2026-07-28 may reuse what was passed through: none, for its server alone knows."""

AnswerT = TypeVar("AnswerT")
Request = ServerRequestContext[Any, Any]  # the SDK's own parameters, which nothing here reads
_CACHE: Entry = {"ttlMs": PASSED_TTL_MS, "cacheScope": "private"}


def pass_through(server: Server[Mapping[str, Any]], passing: Passing) -> None:
    """Let `server` offer resources and prompts, and answer for them."""

    async def resources(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {**COMPLETE, **_CACHE, "resources": list(await _said(passing.resources()))}

    async def templates(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {**COMPLETE, **_CACHE, "resourceTemplates": list(await _said(passing.resource_templates()))}

    async def read(request: Request, params: ReadResourceRequestParams) -> HandlerResult:
        return {**_CACHE, **await _said(passing.read_resource(str(params.uri))), **COMPLETE}

    async def prompts(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {**COMPLETE, **_CACHE, "prompts": list(await _said(passing.prompts()))}

    async def prompt(request: Request, params: GetPromptRequestParams) -> HandlerResult:
        return {**await _said(passing.prompt(params.name, params.arguments or {})), **COMPLETE}

    server.add_request_handler("resources/list", PaginatedRequestParams, resources)
    server.add_request_handler("resources/templates/list", PaginatedRequestParams, templates)
    server.add_request_handler("resources/read", ReadResourceRequestParams, read)
    server.add_request_handler("prompts/list", PaginatedRequestParams, prompts)
    server.add_request_handler("prompts/get", GetPromptRequestParams, prompt)


async def _said(answer: Awaitable[AnswerT]) -> AnswerT:
    """What a server behind said; what failed there, as a JSON-RPC error with the next step in it."""
    try:
        return await answer
    except ToolFailure as failure:
        code = INVALID_PARAMS if isinstance(failure, InvalidArguments) else INTERNAL_ERROR
        raise MCPError(code, f"{failure.problem}; {'; or '.join(failure.next_steps)}") from None
    except HiltError as error:
        raise MCPError(INVALID_PARAMS, str(error)) from None
