"""Resources and prompts of the servers behind Hilt, answered by a server of the SDK."""

import logging
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, TypeVar

from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    GetPromptRequestParams,
    GetPromptResult,
    PaginatedRequestParams,
    Prompt,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
)
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from hilt.adapters.mcp_forms import COMPLETE
from hilt.adapters.mcp_passing import Entry, Passing
from hilt.errors import HiltError
from hilt.results.failures import InvalidArguments, ToolFailure

PASSED_TTL_MS = 0
"""Milliseconds a client of 2026-07-28 may reuse what was passed through: none, for its server alone knows."""

AnswerT = TypeVar("AnswerT")
Request = ServerRequestContext[Any, Any]  # the SDK's own parameters, which nothing here reads
_log = logging.getLogger("hilt.mcp")
_CACHE: Entry = {"ttlMs": PASSED_TTL_MS, "cacheScope": "private"}


def pass_through(server: Server[Mapping[str, Any]], passing: Passing) -> None:
    """Let `server` offer resources and prompts, and answer for them."""

    async def resources(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {**COMPLETE, **_CACHE, "resources": _sound(await _said(passing.resources()), Resource)}

    async def templates(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {
            **COMPLETE,
            **_CACHE,
            "resourceTemplates": _sound(await _said(passing.resource_templates()), ResourceTemplate),
        }

    async def read(request: Request, params: ReadResourceRequestParams) -> HandlerResult:
        said = _held(await _said(passing.read_resource(str(params.uri))), ReadResourceResult, "a resource")
        return {**_CACHE, **said, **COMPLETE}

    async def prompts(request: Request, params: PaginatedRequestParams) -> HandlerResult:
        return {**COMPLETE, **_CACHE, "prompts": _sound(await _said(passing.prompts()), Prompt)}

    async def prompt(request: Request, params: GetPromptRequestParams) -> HandlerResult:
        said = await _said(passing.prompt(params.name, params.arguments or {}))
        return {**_held(said, GetPromptResult, "a prompt"), **COMPLETE}

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


def _sound(entries: Sequence[Entry], form: type[BaseModel]) -> list[Entry]:
    """Those that are what the protocol says: one that is not would cost a client the whole list, others' too."""
    sound = [each for each in entries if _is(each, form)]
    if len(sound) < len(entries):
        _log.warning(
            "%d of %d entries of servers behind are no %s", len(entries) - len(sound), len(entries), form.__name__
        )
    return sound


def _held(answer: Entry, form: type[BaseModel], what: str) -> Entry:
    if not _is(answer, form):
        raise MCPError(INTERNAL_ERROR, f"the server behind answered with something that is not {what}; report it")
    return answer


def _is(value: Entry, form: type[BaseModel]) -> bool:
    try:
        form.model_validate(value).model_dump_json()
    except (ValidationError, PydanticSerializationError, RecursionError):
        return False
    return True
