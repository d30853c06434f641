"""The door of an HTTP server: who comes in, and what is said to those who do not.

Every check that needs no protocol is made here, before the SDK sees a byte: path, method, Host, Origin,
token, content type, size. Then the frame is read as over stdio, so that the text of a call's
arguments stays as it was sent, and the session is found. Errors are JSON-RPC's, with HTTP's own status.
"""

import ipaddress
import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, cast

import anyio

from hilt.adapters.mcp_forms import SESSION_KEY
from hilt.adapters.mcp_frames import INVALID_REQUEST, JSONRPC, PARSE_ERROR, Frame, FrameFault, RequestId, read_frame
from hilt.adapters.mcp_http_tokens import Caller, Callers
from hilt.calls.session import Session
from hilt.declarations.schema import is_object

PATH = "/mcp"
METHODS = "POST, OPTIONS"
LONGEST_BODY = 16 * 1024 * 1024
"""Bytes of one request's body."""
MOST_THROWN_AWAY = 4 * LONGEST_BODY
"""Bytes of a body that are read at all; a sender of more is cut off."""
BODY_S = 30.0
"""Seconds a client may take to send a request's body."""
SESSION_HEADER = "hilt-session"
PROTOCOL_SESSION_HEADER = "mcp-session-id"
"""How clients of the handshake send back the handle that `initialize` was answered with; they do so by themselves."""
SENT_HEADERS = "authorization, content-type, hilt-session, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
"""Headers that a page of an allowed origin may send."""
_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::[0-9]+)?", re.ASCII).fullmatch
_AUTHORITY = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.]+(?:%[\w.%-]+)?)\]|(?P<name>[\w.-]+))(?::[0-9]*)?", re.ASCII
).fullmatch
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
HANDSHAKE = "initialize"
OPENING = frozenset({HANDSHAKE, "server/discover"})
"""Methods with which a client begins: their results name a new session, for clients that send it back."""
SHOWN = 80
"""Characters of what a client sent that an error quotes."""
KNOCK = "hilt.knock"
"""The key in a request's scope under which what the door found out is handed on."""

Scope = MutableMapping[str, Any]  # as ASGI gives it
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knock:
    """One request that was let in: whose it is, in which session, and the frame it brought."""

    caller: Caller
    session: Session
    frame: Frame
    named: bool
    """Whether the client named the session."""


class Shut(Exception):
    """A request that is not let in: HTTP's status, and why, for whoever wrote the client."""

    def __init__(
        self,
        status: int,
        problem: str,
        *,
        code: int = INVALID_REQUEST,
        id: RequestId | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(problem)
        self.status = status
        self.body = {"jsonrpc": JSONRPC, "id": id, "error": {"code": code, "message": problem}}
        self.headers = headers or {}


class Door:
    """An ASGI app that lets requests of known callers through to `inside`, with a `Knock` in their scope.

    `hosts` are names the server is known by, beside those of this machine itself and bare addresses;
    `origins` the web pages whose requests are taken.
    """

    def __init__(
        self, inside: App, callers: Callers, *, hosts: Iterable[str] = (), origins: Iterable[str] = ()
    ) -> None:
        self._inside = inside
        self._callers = callers
        self._hosts = HERE | {each.lower() for each in hosts}
        self._origins = frozenset(each.rstrip("/").lower() for each in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        allowed = _allowed(headers, self._origins)
        try:
            self._from_where(scope, headers)
            if scope["method"] == "OPTIONS" and allowed:
                await _answer(send, 204, b"", {**allowed, "allow": METHODS})
                return
            caller = self._caller(headers)
            _form(scope, headers)
            body = await _body(headers, receive)
            knock = _knock(caller, headers, body)
        except Shut as shut:
            await _answer(send, shut.status, json.dumps(shut.body).encode(), {**allowed, **shut.headers})
            return
        scope[KNOCK] = knock
        await self._inside(scope, _again(_handed_on(knock.frame, body), receive), _with(allowed, knock, send))

    def _from_where(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Refuse what a web page may have sent: from an origin not allowed, or to a name made to lead here."""
        host = _host(headers.get("host", ""))
        if host not in self._hosts and not _is_address(host):
            raise Shut(421, f"this server is not known as {host!r}; name it by an address, or as it was started")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            raise Shut(403, f"pages of {origin[:SHOWN]!r} may not call this server{_remedy(origin)}")
        if scope["path"].rstrip("/") != PATH:
            raise Shut(404, f"there is nothing at {scope['path']!r}; MCP is spoken at {PATH}")

    def _caller(self, headers: Mapping[str, str]) -> Caller:
        given = headers.get("authorization", "")
        caller = self._callers.of(given)
        if caller is None:
            why = "the token is not one of this server's" if given else "no token was sent"
            ask = {"www-authenticate": 'Bearer error="invalid_token"' if given else "Bearer"}
            raise Shut(401, f"{why}; send the header Authorization: Bearer TOKEN", headers=ask)
        return caller


def _form(scope: Scope, headers: Mapping[str, str]) -> None:
    if scope["method"] != "POST":
        raise Shut(405, f"{scope['method']} is not served: send each message with POST", headers={"allow": METHODS})
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Shut(415, f"a message is application/json, not {kind or 'of no type'}")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise Shut(415, "a message is sent as it is, without a content encoding")


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """The whole body. One that is too large is read on for a while and thrown away, so that its sender reads why."""
    length = headers.get("content-length", "")
    if length.isdecimal() and int(length) > MOST_THROWN_AWAY:
        raise _too_large()
    body, size = bytearray(), 0
    with anyio.move_on_after(BODY_S):
        while True:
            event = await receive()
            if event["type"] != "http.request":
                raise Shut(400, "the client left before its message was whole")
            piece: bytes = event.get("body", b"")
            size += len(piece)
            if size <= LONGEST_BODY:
                body += piece
            ended = not event.get("more_body", False)
            if size > MOST_THROWN_AWAY or (ended and size > LONGEST_BODY):
                raise _too_large()
            if ended:
                return bytes(body)
    raise Shut(408, f"the message was not whole after {BODY_S:.0f} seconds; send it again")


def _too_large() -> Shut:
    return Shut(413, f"a message has at most {LONGEST_BODY:,} bytes; send less at once")


def _knock(caller: Caller, headers: Mapping[str, str], body: bytes) -> Knock:
    try:
        if not body.strip():
            raise FrameFault(PARSE_ERROR, "the body is empty; one JSON-RPC message is expected", None)
        frame = read_frame(body)
    except FrameFault as fault:
        raise Shut(400, fault.problem, code=fault.code, id=fault.id) from None
    id = frame.message.get("id")
    known = id if isinstance(id, int | str) else None
    named = _named(headers, frame)
    if any(each != named[0] for each in named):
        raise Shut(400, "the message names two different sessions; name one", id=known)
    if named and not caller.issued(named[0]):
        # A client of the handshake that is told 404 begins anew, as its protocol says.
        begins_anew = SESSION_HEADER not in headers and PROTOCOL_SESSION_HEADER in headers
        said = f"the session {named[0][:SHOWN]!r} was not issued to {caller.principal}"
        raise Shut(
            404 if begins_anew else 403, f"{said}; leave it out, and the result names the session it ran in", id=known
        )
    opens = frame.message.get("method") in OPENING
    handle = named[0] if named else (caller.issue() if opens else caller.own)
    session = Session(id=handle, principal=caller.principal)
    return Knock(caller=caller, session=session, frame=frame, named=bool(named))


def _named(headers: Mapping[str, str], frame: Frame) -> list[str]:
    """The handles a request names, wherever it does."""
    params = frame.message.get("params")
    meta = params.get("_meta") if is_object(params) else None
    inside = meta.get(SESSION_KEY) if is_object(meta) else None
    given = (inside, headers.get(SESSION_HEADER), headers.get(PROTOCOL_SESSION_HEADER))
    # A handshake begins anew, whatever a client still sends from the one before.
    if frame.message.get("method") == HANDSHAKE:
        given = given[:2]
    return [each if isinstance(each, str) else "" for each in given if each is not None]


def _handed_on(frame: Frame, body: bytes) -> bytes:
    """What the SDK is to parse: without a call's arguments, whose text goes to the road as it is."""
    return body if frame.arguments is None else json.dumps(frame.message).encode()


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives the body as one event, then what really comes."""
    waiting: list[Event] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Event:
        return waiting.pop() if waiting else await receive()

    return again


def _with(allowed: Mapping[str, str], knock: Knock, send: Send) -> Send:
    """Sends, with the headers that a page needs, and on a handshake the handle of a session of the client's own."""
    added = dict(allowed)
    if knock.frame.message.get("method") == HANDSHAKE:
        added[PROTOCOL_SESSION_HEADER] = knock.session.id
    if not added:
        return send
    raw = [(name.encode(), value.encode("latin-1")) for name, value in added.items()]

    async def sent(event: Event) -> None:
        if event["type"] == "http.response.start":
            event["headers"] = [*event.get("headers", ()), *raw]
        await send(event)

    return sent


async def _answer(send: Send, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    given = {**headers, **({"content-type": "application/json"} if body else {}), "content-length": str(len(body))}
    # What was not read of the body must not be taken for the next request.
    given |= {"connection": "close"} if status in (408, 413) else {}
    raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lowercase name. Two of one name are joined, so that of those that decide neither is valid."""
    found: dict[str, str] = {}
    for raw, value in cast("Iterable[tuple[bytes, bytes]]", scope["headers"]):
        name, text = raw.decode("latin-1"), value.decode("latin-1").strip()
        found[name] = f"{found[name]}, {text}" if name in found else text
    return found


def _remedy(origin: str) -> str:
    """How a page may be let in; one that has no origin of its own could be anybody's."""
    return f"; start it with --allow-origin {origin}" if is_origin(origin) else ""


def is_origin(text: str) -> bool:
    """Whether a text names one web origin: a scheme and a host, and a port where there is one."""
    return _ORIGIN(text.rstrip("/")) is not None


def _allowed(headers: Mapping[str, str], origins: frozenset[str]) -> dict[str, str]:
    """What a page of an allowed origin is told, so that its browser hands it the answer."""
    origin = headers.get("origin", "")
    if not origin or origin.lower() not in origins:
        return {}
    return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": METHODS,
        "access-control-allow-headers": SENT_HEADERS,
        "access-control-expose-headers": PROTOCOL_SESSION_HEADER,
        "vary": "Origin",
    }


def _host(header: str) -> str:
    """The host a client asked for, without its port; what is no host and port is as it was sent, and nobody's name."""
    found = _AUTHORITY(header)
    return (found["v6"] or found["name"]).lower() if found else header.lower()


def _is_address(host: str) -> bool:
    """Whether a host is an address, which no name server can turn elsewhere."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
