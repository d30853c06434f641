"""A runtime as an MCP server, for clients of the protocols 2025-06-18, 2025-11-25 and 2026-07-28.

Built on the SDK's low-level `Server`, which knows the protocols; what a model wrote is answered by
the road, and what a client program got wrong by a JSON-RPC error.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal

import anyio
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    ElicitResult,
    PaginatedRequestParams,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from hilt.adapters import mcp_forms as forms
from hilt.adapters.mcp_frames import Frame
from hilt.adapters.mcp_passed import pass_through
from hilt.adapters.mcp_passing import Passing
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

SLOW_S = 1.0
"""Seconds that one of many clients may take to read a word of progress; a slower one gets no more for that call."""

SETTLE_S = 5.0
"""Seconds that the first list of tools waits for servers behind that are met for the first time."""

_log = logging.getLogger("hilt.mcp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Whose conversation a request belongs to. `handle` is to be told with its result; "" where it is known.

    `arguments` is the text of a call's arguments as it was received, where the transport kept it.
    """

    session: Session
    handle: str = ""
    arguments: str | None = None


TalkOf = Callable[[Request], Talk]
Settling = Callable[[], Awaitable[None]]
Listed = Literal["tools", "resources", "prompts"]


class ToolServer:
    """One runtime, served: to one client at a time in one session, or to many, each in the session that `talk` tells.

    `structured` makes every tool promise the envelope and every answer carry it, for clients that
    are programs. `version` and `instructions` are told to the client, and what `passing` has beside
    tools is offered too. The first list waits a while for `settling`. `waits` hears of sessions in
    which a call waits for a person's word.
    """

    def __init__(
        self,
        runtime: Runtime,
        talk: Session | TalkOf,
        *,
        version: str,
        instructions: str | None = None,
        structured: bool = False,
        passing: Passing | None = None,
        settling: Settling | None = None,
        waits: Callable[[Session], None] | None = None,
    ) -> None:
        self._runtime = runtime
        self._waits = waits
        self._settling = settling
        self._alone = talk if isinstance(talk, Session) else None
        self._talk = partial(_talk_alone, talk) if isinstance(talk, Session) else talk
        self._structured = structured
        self._told_session = False
        self._listed: object = None
        self._client: ServerSession | None = None
        self._bus = InMemorySubscriptionBus()
        self._listening = ListenHandler(self._bus)
        self._pump = Pump(patience_s=None if self._alone else SLOW_S)
        self._edition = 0
        self._known: tuple[int, Set[str], object] = (-1, frozenset(), None)
        self._changed: set[Listed] = set()
        self._news = anyio.Event()
        runtime.listen(hear)
        runtime.catalog.listen(self._catalog_changed)
        self.server: Server[Mapping[str, Any]] = Server(
            NAME,
            version=version,
            instructions=instructions,
            on_subscriptions_listen=self._listening,
        )
        self.server.add_request_handler("tools/list", PaginatedRequestParams, self._list)
        self.server.add_request_handler("tools/call", CallToolRequestParams, self._call)
        # Each step of a call is an event of our own trace; the SDK's span around it would say it twice.
        self.server.middleware.clear()
        self._passes = passing is not None
        if passing is not None:
            pass_through(self.server, passing)
            passing.listen(self._note)
            self.server.middleware.append(self._meet)

    async def serve(self, incoming: Incoming, outgoing: Outgoing) -> None:
        """Serve one client until it has gone; calls that still run are cancelled then."""
        beside = NotificationOptions(tools_changed=True, resources_changed=self._passes, prompts_changed=self._passes)
        options = self.server.create_initialization_options(beside)
        async with anyio.create_task_group() as group:
            group.start_soon(self.keep_telling)
            await self.server.run(incoming, outgoing, options)
            group.cancel_scope.cancel()

    async def keep_telling(self) -> None:
        """Tell clients how far their calls are and which lists are others than before, until cancelled."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._pump.run)
            while True:
                await self._news.wait()
                self._news = anyio.Event()
                changed, self._changed = self._changed, set()
                for each in sorted(changed):
                    await self._tell(each)

    def stop_telling(self) -> None:
        """End the streams of clients that listen, each with its last word."""
        self._listening.close()

    async def tools_changed(self) -> None:
        """Tell the one client that the list of tools is another one, if it has asked for the list and it is."""
        if self._alone is None:
            await self._bus.publish(ToolsListChanged())
            return
        if self._listed is None or self._listed == (now := self._offered(self._alone)):
            return
        self._listed = now
        client = self._client
        if client is not None and client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await client.send_tool_list_changed()
        await self._bus.publish(ToolsListChanged())

    async def _tell(self, listed: Listed) -> None:
        if listed == "tools":
            await self.tools_changed()
            return
        resources = listed == "resources"
        client = self._client
        if client is not None and client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            await (client.send_resource_list_changed() if resources else client.send_prompt_list_changed())
        await self._bus.publish(ResourcesListChanged() if resources else PromptsListChanged())

    def _catalog_changed(self) -> None:
        self._edition += 1
        self._note("tools")

    def _note(self, listed: Listed) -> None:
        self._changed.add(listed)
        self._news.set()

    async def _meet(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """Know the client from its first word on: it may never ask for tools."""
        self._client = ctx.session
        return await call_next(ctx)

    def _offered(self, session: Session) -> object:
        """What the session is offered now, to be compared; worked out anew only where it may be another."""
        names = self._runtime.offered_names(session)
        edition, known, tools = self._known
        if edition != self._edition or known != names:
            tools = tuple(each for each in self._runtime.catalog if each.name in names)
            self._known = (self._edition, names, tools)
        return tools

    async def _list(self, request: Request, params: PaginatedRequestParams) -> HandlerResult:
        await self._settle()
        session = self._talk(request).session
        await self._runtime.ready(session)
        self._client = request.session
        self._listed = self._offered(session)
        listed = forms.tools(self._runtime.offer(session), structured=self._structured)
        return {**forms.COMPLETE, "tools": listed, "ttlMs": CATALOG_TTL_MS, "cacheScope": "private"}

    async def _settle(self) -> None:
        """Wait a while, before the first list, for tools that are about to come; those that come later are told."""
        if self._settling is None:
            return
        settling = self._settling
        with anyio.move_on_after(SETTLE_S), suppress(HiltError):  # a server that is missing is told elsewhere
            await settling()
        self._settling = None

    async def _call(self, request: Request, params: CallToolRequestParams) -> HandlerResult:
        self._client = request.session
        token = current_request.set(request)
        progress = Progress(request.session.report_progress, self._pump)
        try:
            talk = self._talk(request)
            if params.name not in self._runtime.catalog:  # it may be about to come
                await self._settle()
            before: object = None
            if self._alone is None:
                await self._runtime.ready(talk.session)  # another process may have changed it since
                self._look_out(talk.session)
                before = self._offered(talk.session)
            with heard(progress):
                answer = await self._answer(talk, request, params)
            await progress.flush()
            await self._tell_of_change(talk, before, request)
            if isinstance(answer, Question):
                return forms.input_required(answer)
            return forms.result(answer, structured=self._structured, session=self._to_tell(talk))
        except MCPError:
            raise
        except Exception as error:
            # The process's second border, beside the one in `execution`: what passes here would reach the
            # client as an error without words.
            _log.exception("the call of %s was not answered", params.name)
            return forms.failure(f"error: Hilt could not answer this call ({type(error).__name__}: {error})")
        finally:
            current_request.reset(token)

    def _look_out(self, session: Session) -> None:
        """Have somebody look for the word that calls of this session wait for."""
        if self._waits is not None and self._runtime.waits(session):
            self._waits(session)

    def _to_tell(self, talk: Talk) -> str:
        """The session's handle, where it goes with this result: of a conversation alone, with the first."""
        if self._alone is None:
            return talk.handle
        told, self._told_session = self._told_session, True
        return "" if told else talk.handle

    async def _tell_of_change(self, talk: Talk, before: object, request: Request) -> None:
        """Tell whoever called if the call changed what it is offered: beside the answer, where nothing else is open."""
        if self._alone is not None:
            await self.tools_changed()
        elif before != self._offered(talk.session):
            if request.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                await request.session.send_notification(ToolListChangedNotification(), request.request_id)
            await self._bus.publish(ToolsListChanged())

    async def _answer(self, talk: Talk, request: Request, params: CallToolRequestParams) -> Answer | Question:
        if params.request_state is not None:
            return await self._answer_asked(talk.session, params)
        call = ToolCall(name=params.name, arguments=_argument_text(talk, params), id=str(request.request_id))
        answer = await self._runtime.answer_one(talk.session, call)
        if answer.result.pending is None:
            return answer
        self._look_out(talk.session)
        if asks_between_requests(request):
            return await self._question(talk.session, answer.result.pending)
        return answer

    async def _question(self, session: Session, pending: Pending) -> Question:
        """The question that a pending call waits for, as it was kept."""
        kept = await self._runtime.store.pending(pending.handle)
        return read_asked(pending.handle, session.id, kept.document if kept is not None else "{}").question

    async def _answer_asked(self, session: Session, params: CallToolRequestParams) -> Answer | Question:
        """The call a person was asked about, with the word they gave: it is the kept one that runs."""
        handle = params.request_state or ""
        said = (params.input_responses or {}).get(forms.APPROVAL)
        if not isinstance(said, ElicitResult):
            raise MCPError(INVALID_PARAMS, f"inputResponses has no answer to {forms.APPROVAL!r}")
        kept = await self._runtime.store.pending(handle)
        if kept is None or kept.session != session.id or _document(kept).get("tool") != params.name:
            raise MCPError(INVALID_PARAMS, f"no call of {params.name} waits under this requestState")
        word = reply(said)
        if word.word == "absent":
            return _still_waiting(kept, params.name)
        try:
            return await self._runtime.decide_pending(
                session, handle, approve=word.word == "approve", scope=word.scope, reason=word.reason
            )
        except HiltError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from None


def _talk_alone(session: Session, request: Request) -> Talk:
    """The one conversation of a process."""
    frame = request.request
    return Talk(session=session, handle=session.id, arguments=frame.arguments if isinstance(frame, Frame) else None)


def _argument_text(talk: Talk, params: CallToolRequestParams) -> str:
    """The arguments' own text, where the transport kept it; else the parsed values written out again."""
    if talk.arguments is not None:
        return talk.arguments
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
