"""A runtime as an HTTP app: the SDK's stateless transport behind our door, each request in its own session.

Nothing of a session is kept here between two requests, so any worker may answer any of them.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
from anyio.abc import TaskGroup
from mcp.server.context import CallNext, HandlerResult
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from hilt.adapters.mcp_forms import SESSION_KEY
from hilt.adapters.mcp_frames import CALL_METHOD
from hilt.adapters.mcp_http_cancels import Cancels
from hilt.adapters.mcp_http_door import KNOCK, LONGEST_BODY, OPENING, App, Door, Knock, Receive, Scope, Send
from hilt.adapters.mcp_http_tokens import Callers
from hilt.adapters.mcp_passing import Passing
from hilt.adapters.mcp_people import Request
from hilt.adapters.mcp_server import Settling, Talk, ToolServer
from hilt.calls.memos import Memos
from hilt.calls.session import Session
from hilt.declarations.schema import is_object
from hilt.runtime.runtime import Runtime

CANCELLED = -32800
"""The code of the error that answers a call which its client cancelled, or which ends with the server.

The handshake's wire ends a stream with an answer.
"""
CANCEL_METHOD = "notifications/cancelled"
MOST_WAITING = 1_000
"""Sessions for whose late words a worker looks at once; the longest known is let go first."""

Know = Callable[[Session], None]


class HttpServer:
    """One runtime, served over HTTP. Use `async with server.open(): ...` and hand `server.app` to a web server."""

    def __init__(
        self,
        runtime: Runtime,
        callers: Callers,
        *,
        version: str,
        structured: bool = False,
        passing: Passing | None = None,
        settling: Settling | None = None,
        hosts: tuple[str, ...] = (),
        origins: tuple[str, ...] = (),
        know: Know | None = None,
    ) -> None:
        self._runtime = runtime
        self._know = know
        self._cancels = Cancels(Memos(runtime.store))
        self._waits: dict[str, anyio.CancelScope] = {}
        self._group: TaskGroup | None = None
        self._server = ToolServer(
            runtime,
            self._talk,
            version=version,
            structured=structured,
            passing=passing,
            settling=settling,
            waits=self._waits_for,
        )
        self._server.server.middleware.append(self._attend)
        # The SDK would compare headers with arguments, which it is not given; nothing here is routed by them.
        self._server.server.get_tool_input_schema = _no_schema
        self._transport = StreamableHTTPSessionManager(
            self._server.server, stateless=True, max_request_body_size=LONGEST_BODY
        )
        self.app: App = Door(self._inside, callers, hosts=hosts, origins=origins)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[None]:
        """Ready for requests within; what still runs when it is left is cancelled."""
        async with self._transport.run(), anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._server.keep_telling)
            group.start_soon(self._cancels.keep_looking)
            try:
                yield
            finally:
                self._group = None
                group.cancel_scope.cancel()

    def hang_up(self) -> None:
        """End the streams that would stay open for ever."""
        self._server.stop_telling()

    def end_calls(self) -> None:
        """End what still runs, and tell its clients."""
        self._cancels.end_all()

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = _knock_in(scope).frame.message
        params = message.get("params")
        if message.get("method") != CANCEL_METHOD or "id" in message or not is_object(params):
            await self._transport.handle_request(scope, receive, send)
            return
        id, knock = params.get("requestId"), _knock_in(scope)
        # Clients that name no session share one, and number their requests alike: each ends its own by hanging up.
        if knock.named and isinstance(id, int | str):
            await self._cancels.cancel(knock.session, id)
        await send({"type": "http.response.start", "status": 202, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def _attend(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """Beside each request: a client that begins is told its session, and a call can be cancelled from elsewhere."""
        session = _knock(ctx).session
        if ctx.method in OPENING:
            return _opening(await call_next(ctx), session)
        if ctx.method != CALL_METHOD:
            return await call_next(ctx)
        with self._cancels.running(session, ctx.request_id):
            return await call_next(ctx)
        raise MCPError(CANCELLED, self._cancels.why)

    def _talk(self, request: Request) -> Talk:
        knock = _knock(request)
        if self._know is not None:
            self._know(knock.session)
        handle = "" if knock.named else knock.session.id
        return Talk(session=knock.session, handle=handle, arguments=knock.frame.arguments)

    def _waits_for(self, session: Session) -> None:
        """Look from now on for a person's late word on a call of this session."""
        if self._group is None or session.id in self._waits:
            return
        if len(self._waits) >= MOST_WAITING:
            self._waits.pop(next(iter(self._waits))).cancel()
        self._waits[session.id] = scope = anyio.CancelScope()
        self._group.start_soon(self._keep_answering, session, scope)

    async def _keep_answering(self, session: Session, scope: anyio.CancelScope) -> None:
        with scope:
            await self._runtime.keep_answering(session)


def _knock(request: Request) -> Knock:
    found: Any = request.request  # the SDK hands on Starlette's request, and types it as anything
    return _knock_in(found.scope)


def _knock_in(scope: Scope) -> Knock:
    return cast("Knock", scope[KNOCK])  # the door put it there


def _opening(result: HandlerResult, session: Session) -> HandlerResult:
    """The answer to a client that begins, with its session; and lists of tools that change are told beside answers."""
    if not isinstance(result, Mapping):
        return result
    form = cast("Mapping[str, Any]", result)
    meta, can = form.get("_meta"), form.get("capabilities")
    tools = {"tools": {"listChanged": True}}
    return {
        **form,
        "capabilities": {**(can if is_object(can) else {}), **tools},
        "_meta": {**(meta if is_object(meta) else {}), SESSION_KEY: session.id},
    }


def _no_schema(name: str) -> None:
    """No schema of any tool."""
