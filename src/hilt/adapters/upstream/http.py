"""A server at a URL: each message is a request of its own, answered by one message or a stream of them.

What was given for the server (headers, bearer) goes to its own origin and nowhere else: a redirect
that leaves it is not followed.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

import anyio
import httpx2
from anyio.abc import TaskGroup, TaskStatus

from hilt.adapters.mcp_frames import FrameFault, read_frame
from hilt.adapters.upstream.faults import BrokenAnswer, CannotConnect, Expired, Lost, NotSent, RpcError, TooLarge
from hilt.adapters.upstream.frames import Flood, LastLines
from hilt.adapters.upstream.handshake import WITHOUT_HANDSHAKE
from hilt.adapters.upstream.peer import Message, Peer
from hilt.adapters.upstream.places import HttpPlace, Limits
from hilt.adapters.wire import words
from hilt.declarations.schema import is_object

CONNECT_S = 10.0
GOODBYE_S = 1.0
"""Seconds for telling a server that its session is over."""
LONGEST_RETRY_S = 3_600
MOST_REDIRECTS = 3
"""Within the server's own origin."""
EXPLAINED_BYTES = 65_536
"""Bytes of an answer that refuses a request which are read for why."""
SESSION, PROTOCOL = "mcp-session-id", "mcp-protocol-version"
_JSON, _EVENTS = "application/json", "text/event-stream"
_BUSY = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_UNKNOWN = (HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT)


@asynccontextmanager
async def connected(place: HttpPlace, peer: Peer, limits: Limits, lines: LastLines) -> AsyncGenerator["HttpLink"]:
    """A way to the server; nothing is sent yet. Raises CannotConnect."""
    headers = {**place.headers, **({"authorization": f"Bearer {place.bearer}"} if place.bearer else {})}
    timeout = httpx2.Timeout(None, connect=CONNECT_S)
    try:
        # No coding: what is unpacked would be bounded by nothing.
        client = httpx2.AsyncClient(
            headers={"accept-encoding": "identity", **headers}, timeout=timeout, follow_redirects=False
        )
        client.build_request("POST", place.url)
    except (httpx2.InvalidURL, ValueError, UnicodeError) as error:
        raise CannotConnect(
            f"{place.shown} is no address, or a header is none: {error}", "correct it", final=True
        ) from None
    logging.getLogger("httpx2").addFilter(_no_query)
    async with client:
        link = HttpLink(place, peer, client, limits, lines)
        try:
            yield link
        finally:
            with anyio.move_on_after(GOODBYE_S, shield=True):
                await link.goodbye()


class HttpLink:
    """Requests to one URL. `ended` is set when they are of no use any more; `failure` then says why."""

    def __init__(
        self, place: HttpPlace, peer: Peer, client: httpx2.AsyncClient, limits: Limits, lines: LastLines
    ) -> None:
        self.failure: Exception = Lost("it is being closed")
        self.ended = anyio.Event()
        self._place = place
        self._peer = peer
        self._client = client
        self._limits = limits
        self._lines = lines
        self._group: TaskGroup | None = None
        self._posts: dict[int, anyio.CancelScope] = {}
        self._notices = 0
        self._settled = anyio.Event()
        self._over = anyio.Event()
        self._headers: dict[str, str] = {}
        self._parameters: dict[str, Mapping[tuple[str, ...], str]] = {}
        self._flood = Flood()
        self._is_modern = False

    async def run(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        """Send what is to be sent until the server is of no use any more; then end what is under way."""
        async with anyio.create_task_group() as self._group:
            self._peer.link = self
            task_status.started()
            await self._over.wait()
            self._group.cancel_scope.cancel()
        self._group = None
        self.ended.set()
        self._peer.end(self.failure if isinstance(self.failure, Lost) else Lost(str(self.failure)))

    def send(self, message: Message, /, *, id: int | None) -> None:
        """Send a message, beside those under way. Raises NotSent."""
        if self._group is None or self._over.is_set():
            raise NotSent(str(self.failure))
        self._is_modern = bool(self._peer.meta)
        if id is None:
            self._notices += 1
        self._group.start_soon(self._post, message, id)

    async def settle(self) -> None:
        """Wait until all notices have arrived: what follows one may need it."""
        while self._notices and not self._over.is_set():
            self._settled = anyio.Event()
            await self._settled.wait()

    def abandon(self, id: int, /) -> None:
        """End a request nobody waits for: in the protocol of 2026 that tells the server too."""
        if not self._is_modern:
            self._peer.notify("notifications/cancelled", {"requestId": id, "reason": "the caller cancelled"})
        if scope := self._posts.get(id):
            scope.cancel()

    def agreed(self, protocol: str) -> None:
        """From now on every request says which protocol it is in; a session's own messages are listened to."""
        self._headers[PROTOCOL] = protocol
        if protocol != WITHOUT_HANDSHAKE and self._group is not None:
            self._group.start_soon(self._listen)

    def learn(self, tools: Sequence[Mapping[str, object]]) -> None:
        """Note which arguments of these tools are also to be given in headers."""
        if not self._is_modern:
            return
        from mcp.shared.inbound import x_mcp_header_map  # lazy: the SDK takes half a second to import

        for tool in tools:
            try:
                self._parameters[words(tool.get("name"))] = x_mcp_header_map(tool.get("inputSchema"))
            except (TypeError, ValueError, AttributeError, RecursionError):
                continue

    async def goodbye(self) -> None:
        """Tell the server that the session is over."""
        if SESSION in self._headers:
            with suppress(httpx2.HTTPError):
                await self._client.delete(self._place.url, headers=self._headers)

    async def _post(self, message: Message, id: int | None) -> None:
        scope = anyio.CancelScope()
        if id is not None:
            self._posts[id] = scope
        try:
            with scope:
                await self._exchange(message, id)
        except Exception as error:
            if (told := self._told(error)) is None:
                raise
            if id is not None:
                self._peer.fail(id, told)
        finally:
            if id is None:
                self._notices -= 1
                self._settled.set()
            else:
                self._posts.pop(id, None)

    def _told(self, error: Exception) -> Exception | None:
        """What the waiting request is told; the link ends where nothing more can come of it. None: a fault of ours."""
        match error:
            case Expired() | CannotConnect():
                self._end(error)
                return error
            case BrokenAnswer() | NotSent() | Lost() | RpcError():
                return error
            case httpx2.SSEError():
                return TooLarge(f"its answer is over {self._limits.frame_bytes:,} bytes, or no stream of events")
            case httpx2.ConnectError() | httpx2.ConnectTimeout() | httpx2.ProxyError() | httpx2.UnsupportedProtocol():
                why = f"no connection to {self._place.shown}: {error or type(error).__name__}"
                self._end(CannotConnect(why, f"see whether it runs: curl -i {self._place.shown}"))
                return NotSent(why)
            case httpx2.HTTPError() | httpx2.StreamError():
                return Lost(f"the connection broke: {error or type(error).__name__}")
            case _:
                return None

    def _end(self, failure: Exception) -> None:
        if not self._over.is_set():
            self.failure = failure
            self._peer.link = None
            self._over.set()
            self._settled.set()

    async def _exchange(self, message: Message, id: int | None) -> None:
        headers = {**self._headers, "accept": f"{_JSON}, {_EVENTS}", "content-type": _JSON, **self._routing(message)}
        content = json.dumps(message, separators=(",", ":")).encode()
        async with self._opened("POST", headers, content) as response:
            await self._judge(response)
            if message.get("method") == "initialize" and SESSION in response.headers:
                self._headers[SESSION] = response.headers[SESSION]
            if id is None:
                return
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == _EVENTS:
                await self._events(response, id)
            elif kind == _JSON:
                self._take(await self._whole(response), id)
            else:
                raise BrokenAnswer(f"it answered {response.status_code} with {kind or 'nothing'} in place of JSON")
        self._peer.fail(id, Lost("the stream with its answer ended before the answer came"))

    def _routing(self, message: Message) -> Mapping[str, str]:
        """Headers by which servers of 2026 route a request without reading it."""
        if not self._is_modern:
            return {}
        from mcp.shared.inbound import NAME_BEARING_METHODS, encode_header_value, mcp_param_headers  # lazy: as above

        method, params = words(message.get("method")), message.get("params")
        headers = {"mcp-method": method, PROTOCOL: WITHOUT_HANDSHAKE}
        if not is_object(params) or method not in NAME_BEARING_METHODS:
            return headers
        name, arguments = words(params.get(NAME_BEARING_METHODS[method])), params.get("arguments")
        headers["mcp-name"] = encode_header_value(name)
        if method == "tools/call" and is_object(arguments) and name in self._parameters:
            headers |= mcp_param_headers(self._parameters[name], arguments)
        return headers

    @asynccontextmanager
    async def _opened(
        self, method: str, headers: Mapping[str, str], content: bytes | None = None
    ) -> AsyncGenerator[httpx2.Response]:
        request = self._client.build_request(method, self._place.url, headers=headers, content=content)
        for _ in range(MOST_REDIRECTS):
            response = await self._client.send(request, stream=True)
            try:
                onward = self._onward(response)
                if onward is None:
                    yield response
                    return
            finally:
                await response.aclose()
            request = onward
        raise CannotConnect(f"{self._place.shown} redirects in circles", "correct its url", final=True)

    def _onward(self, response: httpx2.Response) -> httpx2.Request | None:
        """The request a redirect within the server's origin leads to. Raises CannotConnect for one that leaves it."""
        onward = response.next_request
        if onward is None:
            return None
        here, there = response.request.url, onward.url
        if (here.scheme, here.host, here.port, response.request.method) == (
            there.scheme,
            there.host,
            there.port,
            onward.method,
        ):
            return onward
        shown = there.copy_with(userinfo=b"", query=None, fragment=None)
        raise CannotConnect(
            f"{self._place.shown} redirects to {shown}, which is not followed",
            f"set its url to {shown}, if that is the server meant",
            final=True,
        )

    async def _judge(self, response: httpx2.Response) -> None:
        """Raises what an answer that refuses the request means."""
        status = response.status_code
        if status < HTTPStatus.BAD_REQUEST:
            return
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise self._unauthorized(response)
        if status == HTTPStatus.NOT_FOUND and SESSION in self._headers:
            raise Expired("the session is over")
        if status in _BUSY:
            raise NotSent(f"it answered {_status(status)}", busy=True, retry_s=_retry_s(response))
        if status in _UNKNOWN:
            raise Lost(f"it answered {_status(status)}")
        explained = await self._explained(response)
        if explained is not None:
            raise explained
        if status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.GONE):
            raise CannotConnect(
                f"{self._place.shown} answered {_status(status)}: no MCP server takes requests there",
                "correct its url",
                final=True,
            )
        raise BrokenAnswer(f"it answered {_status(status)}")

    def _unauthorized(self, response: httpx2.Response) -> CannotConnect:
        status, given = response.status_code, "authorization" in response.request.headers
        what = "those it was given are not taken" if given else "it was given none"
        return CannotConnect(
            f"{self._place.shown} answered {_status(status)}: it needs credentials, and {what}",
            "renew the token"
            if given
            else "set `bearer`, or the header the server asks for, to a token from a variable",
            final=True,
        )

    async def _explained(self, response: httpx2.Response) -> RpcError | None:
        """The JSON-RPC error in an answer that refuses, if there is one."""
        body = b""
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > EXPLAINED_BYTES:
                return None
        try:
            error = read_frame(body).message.get("error")
        except FrameFault:
            return None
        code = error.get("code") if is_object(error) else None
        if not is_object(error) or not isinstance(code, int):
            return None
        return RpcError(code, words(error.get("message")) or "no word of why")

    async def _whole(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > self._limits.frame_bytes:
                raise TooLarge(f"its answer is over {self._limits.frame_bytes:,} bytes")
        return bytes(body)

    async def _events(self, response: httpx2.Response, id: int | None) -> None:
        async for event in httpx2.EventSource(response, max_event_size=self._limits.frame_bytes):
            if event.event == "message" and event.data:
                self._take(event.data.encode("utf-8", "surrogatepass"), id)

    def _take(self, content: bytes, id: int | None) -> None:
        """One message. An answer on the way of a request is the answer to it, whatever id it has."""
        self._peer.received += len(content)
        try:
            message = read_frame(content).message
        except FrameFault as fault:
            self._lines.add(content, origin="no message: ")
            if id is not None:
                self._peer.fail(id, BrokenAnswer(f"its answer is no JSON-RPC message: {fault.problem}"))
            return
        self._peer.receive(message if id is None or "method" in message else {**message, "id": id})
        if self._flood.is_over(self._peer.unasked, asyncio.get_running_loop().time()):
            self._end(Lost(self._flood.words))

    async def _listen(self) -> None:
        """Hear what a server says of its own accord, if it does so; its absence is no fault."""
        failures = 0
        while failures < self._limits.tries:
            try:
                async with self._opened("GET", {**self._headers, "accept": _EVENTS}) as response:
                    if response.status_code != HTTPStatus.OK:
                        return
                    await self._events(response, None)
                failures = 1  # it ended the stream, as it may
            except httpx2.ConnectError as error:
                self._told(error)
                return
            except (httpx2.HTTPError, httpx2.StreamError):
                failures += 1
            except CannotConnect:
                return
            await anyio.sleep(self._limits.delay_s(failures))


def _no_query(record: logging.LogRecord) -> bool:
    """The HTTP library logs the address of each request whole: a query or a user in it may be a secret."""
    if isinstance(record.args, tuple):
        record.args = tuple(
            each.copy_with(userinfo=b"", query=None) if isinstance(each, httpx2.URL) else each for each in record.args
        )
    return True


def _retry_s(response: httpx2.Response) -> float | None:
    """The seconds a busy server names, as far as they are believable."""
    said = response.headers.get("retry-after", "")
    return float(said) if said.isdecimal() and int(said) <= LONGEST_RETRY_S else None


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
