"""A runtime as an MCP server, for clients of the protocols 2025-06-18, 2025-11-25 and 2026-07-28.

Built on the SDK's low-level `Server`, which knows the protocols; what a model wrote is answered by
the road, and what a client program got wrong by a JSON-RPC error.
"""

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import anyio
from mcp.server.context import HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import INVALID_PARAMS, CallToolRequestParams, ElicitResult, PaginatedRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hilt.adapters import mcp_forms as forms
from hilt.adapters.mcp_frames import Frame
from hilt.adapters.mcp_people import Request, asks_between_requests, current_request, reply
from hilt.adapters.mcp_progress import Progress, Pump, hear, heard
from hilt.adapters.mcp_stdio import Incoming, Outgoing
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall
from hilt.calls.session import Session
from hilt.declarations.schema import is_object
from hilt.errors import HiltError
from hilt.results.envelope import Pending, Status, ToolResult
from hilt.results.render import compact_json, model_text
from hilt.review.asked import read_asked
from hilt.review.people import Question
from hilt.runtime.runtime import Runtime
from hilt.store.records import Pending as Kept

NAME = "hilt"
CATALOG_TTL_MS = 0
"""Milliseconds a client of 2026-07-28 may reuse the list of tools without asking: none, for it follows the session."""

_log = logging.getLogger("hilt.mcp")


class ToolServer:
    """One runtime and one session, served to one client at a time.

    `structured` makes every tool promise the envelope and every answer carry it, for clients that
    are programs. `version` and `instructions` are told to the client.
    """

    def __init__(
        self,
        runtime: Runtime,
        session: Session,
        *,
        version: str,
        instructions: str | None = None,
        structured: bool = False,
    ) -> None:
        self._runtime = runtime
        self._session = session
        self._structured = structured
        self._told_session = False
        self._listed: object = None
        self._client: ServerSession | None = None
        self._bus = InMemorySubscriptionBus()
        self._pump = Pump()
        runtime.listen(hear)
        self.server: Server[Mapping[str, Any]] = Server(
            NAME,
            version=version,
            instructions=instructions,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self.server.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        self.server.add_request_handler("tools/call", CallToolRequestParams, self._call)
        # Each step of a call is an event of our own trace; the SDK's span around it would say it twice.
        self.server.middleware.clear()

    async def serve(self, incoming: Incoming, outgoing: Outgoing) -> None:
        """Serve one client until it has gone; calls that still run are cancelled then."""
        options = self.server.create_initialization_options(NotificationOptions(tools_changed=True))
        async with anyio.create_task_group() as group:
            group.start_soon(self._pump.run)
            await self.server.run(incoming, outgoing, options)
            group.cancel_scope.cancel()

    async def tools_changed(self) -> None:
        """Tell the client that the list of tools is another one, if it has asked for the list and it is."""
        if self._listed is None or self._listed == (now := self._offered()):
            return
        self._listed = now
        client = self._client
        if client is not None and client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await client.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())

    def _offered(self) -> object:
        return tuple(self._runtime.catalog), self._runtime.environment(self._session).offered

    async def _list(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        self._client = request.session
        self._listed = self._offered()
        listed = forms.tools(self._runtime.offer(self._session), structured=self._structured)
        return {**forms.COMPLETE, "tools": listed, "ttlMs": CATALOG_TTL_MS, "cacheScope": "private"}

    async def _call(self, request: Request, params: CallToolRequestParams) -> HandlerResult:
        self._client = request.session
        token = current_request.set(request)
        progress = Progress(request.session.report_progress, self._pump)
        try:
            with heard(progress):
                answer = await self._answer(request, params)
            await progress.flush()
            await self.tools_changed()
            if isinstance(answer, Question):
                return forms.input_required(answer)
            return forms.result(answer, structured=self._structured, session=self._first_session())
        except MCPError:
            raise
        except Exception as error:
            # The process's second border, beside the one in `execution`: what passes here would reach the
            # client as an error without words.
            _log.exception("the call of %s was not answered", params.name)
            return forms.failure(f"error: Hilt could not answer this call ({type(error).__name__}: {error})")
        finally:
            current_request.reset(token)

    async def _answer(self, request: Request, params: CallToolRequestParams) -> Answer | Question:
        if params.request_state is not None:
            return await self._answer_asked(request, params)
        call = ToolCall(name=params.name, arguments=_argument_text(request, params), id=str(request.request_id))
        answer = await self._runtime.answer_one(self._session, call)
        if answer.result.pending is not None and asks_between_requests(request):
            return await self._question(answer.result.pending)
        return answer

    async def _question(self, pending: Pending) -> Question:
        """The question that a pending call waits for, as it was kept."""
        kept = await self._runtime.store.pending(pending.handle)
        return read_asked(pending.handle, self._session.id, kept.document if kept is not None else "{}").question

    async def _answer_asked(self, request: Request, params: CallToolRequestParams) -> Answer | Question:
        """The call a person was asked about, with the word they gave: it is the kept one that runs."""
        handle = params.request_state or ""
        said = (params.input_responses or {}).get(forms.APPROVAL)
        if not isinstance(said, ElicitResult):
            raise MCPError(INVALID_PARAMS, f"inputResponses has no answer to {forms.APPROVAL!r}")
        kept = await self._runtime.store.pending(handle)
        if kept is None or kept.session != self._session.id or _document(kept).get("tool") != params.name:
            raise MCPError(INVALID_PARAMS, f"no call of {params.name} waits under this requestState")
        word = reply(said)
        if word.word == "absent":
            return _still_waiting(kept, params.name)
        try:
            return await self._runtime.decide_pending(
                self._session, handle, approve=word.word == "approve", scope=word.scope, reason=word.reason
            )
        except HiltError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None

    def _first_session(self) -> str:
        """The session's handle, once: with the first result."""
        if self._told_session:
            return ""
        self._told_session = True
        return self._session.id


def _argument_text(request: Request, params: CallToolRequestParams) -> str:
    """The arguments' own text, where the transport kept it; else the parsed values written out again."""
    frame = request.request
    if isinstance(frame, Frame) and frame.arguments is not None:
        return frame.arguments
    return compact_json(params.arguments) if is_object(params.arguments) else "{}"


def _document(kept: Kept | None) -> dict[str, object]:
    document: object = json.loads(kept.document if kept is not None else "{}")
    return document if is_object(document) else {}


def _still_waiting(kept: Kept, name: str) -> Answer:
    """The answer to a call whose person closed the form: the question stays open."""
    expires = datetime.fromtimestamp(kept.expires, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    pending = Pending(handle=kept.handle, waiting_for=f"a person's leave for {name}", expires=expires)
    result: ToolResult[object] = ToolResult(status=Status.PENDING, summary="no word was given", pending=pending)
    return Answer(call=ToolCall(name=name), result=result, text=model_text(result, ""), produced=result)
