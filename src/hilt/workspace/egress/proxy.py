"""The proxy itself: each connection judged by its host, looked up once, and carried to the address that was checked.

What is said inside a connection is not read: whoever shares a server with an allowed host can be
reached through it, as by any proxy that does not open TLS.
"""

import socket
import time
from collections.abc import Callable
from contextlib import suppress

import anyio
from anyio.abc import ByteStream, SocketListener

from hilt.workspace.egress.events import Event
from hilt.workspace.egress.hosts import Hosts
from hilt.workspace.egress.request import MOST_HEAD_BYTES, Asked, NotAsked, read_head

MOST_CONNECTIONS = 256
"""Connections of all commands together that are carried at once."""
HEAD_WITHIN_S = 10.0
CONNECT_WITHIN_S = 10.0
SILENT_FOR_S = 600.0
"""Seconds for a request to come, for a host to answer, and for which neither side need say anything."""
BLOCK_BYTES = 64 << 10
MOST_ADDRESSES = 4
"""Addresses of one host that are tried."""
_BREAKS = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError)
_ENDS = (anyio.EndOfStream, *_BREAKS)


class _Answered(Exception):
    """The connection ends with this answer."""

    def __init__(self, status: str, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


class Proxy:
    """Carries connections to the hosts that are allowed. `tell` is called once for each that ended."""

    def __init__(self, hosts: Hosts, tell: Callable[[Event], None]) -> None:
        self._hosts = hosts
        self._tell = tell
        self._open = 0

    async def serve(self, listener: SocketListener) -> None:
        """Take connections until cancelled."""
        await listener.serve(self._one)

    async def _one(self, client: ByteStream) -> None:
        self._open += 1
        try:
            async with client:
                await self._carry(client)
        finally:
            self._open -= 1

    async def _carry(self, client: ByteStream) -> None:
        began = time.monotonic()
        trip = _Trip()
        try:
            if self._open > MOST_CONNECTIONS:
                raise _Answered("503 Service Unavailable", f"{MOST_CONNECTIONS} connections are open; close one first.")
            head, early = await _head(client)
            trip.asked = asked = read_head(head)
            await self._to_host(client, trip, asked, early)
        except NotAsked as fault:
            trip.why = f"{fault}."
            await _answer(client, "400 Bad Request", trip.why)
        except _Answered as answer:
            trip.why = answer.text
            await _answer(client, answer.status, answer.text)
        except TimeoutError:
            trip.why = "nothing was asked in time"
        except _ENDS as fault:
            trip.why = type(fault).__name__
        if trip.asked or trip.why:
            self._tell(trip.event(time.monotonic() - began))

    async def _to_host(self, client: ByteStream, trip: "_Trip", asked: Asked, early: bytes) -> None:
        if why := self._hosts.refusal(asked.host, asked.port):
            raise _Answered("403 Forbidden", why)
        async with await self._connected(asked) as host:
            trip.allowed = True
            if asked.tunnel:
                await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            first = asked.head + early
            if first:
                await host.send(first)
                trip.sent += len(first)
            await trip.both_ways(client, host)

    async def _connected(self, asked: Asked) -> ByteStream:
        """A connection to an address that was checked: no name is looked up behind this."""
        addresses = await _addresses(asked)
        if why := self._hosts.address_refusal(asked.host, asked.port, addresses):
            raise _Answered("403 Forbidden", why)
        for address in addresses[:MOST_ADDRESSES]:
            try:
                with anyio.fail_after(CONNECT_WITHIN_S):
                    return await anyio.connect_tcp(address, asked.port)
            except (OSError, TimeoutError):
                continue
        raise _Answered("502 Bad Gateway", f"{asked.host} does not answer on port {asked.port}.")


class _Trip:
    """One connection under way: where it goes, and how many bytes went which way."""

    def __init__(self) -> None:
        self.asked: Asked | None = None
        self.allowed = False
        self.why = ""
        self.sent = 0
        self.received = 0
        self._until = anyio.CancelScope()

    def event(self, seconds: float) -> Event:
        """What is told of it."""
        host, port = (self.asked.host, self.asked.port) if self.asked else ("", 0)
        return Event(
            host=host,
            port=port,
            allowed=self.allowed,
            sent=self.sent,
            received=self.received,
            seconds=round(seconds, 3),
            why=self.why,
        )

    async def both_ways(self, client: ByteStream, host: ByteStream) -> None:
        """Carry bytes until the host has said its last, or nobody says anything. Each side's end is handed on."""
        with self._until:
            self._heard()
            async with anyio.create_task_group() as group:
                group.start_soon(self._up, client, host)
                await self._down(client, host)
                group.cancel_scope.cancel()

    def _heard(self) -> None:
        self._until.deadline = anyio.current_time() + SILENT_FOR_S

    async def _up(self, client: ByteStream, host: ByteStream) -> None:
        try:
            while True:
                self.sent += await self._block(client, host)
        except anyio.EndOfStream:
            await _say_end(host)
        except _BREAKS:
            await host.aclose()

    async def _down(self, client: ByteStream, host: ByteStream) -> None:
        try:
            while True:
                self.received += await self._block(host, client)
        except _ENDS:
            return

    async def _block(self, source: ByteStream, target: ByteStream) -> int:
        block = await source.receive(BLOCK_BYTES)
        self._heard()
        await target.send(block)
        return len(block)


async def _head(client: ByteStream) -> tuple[bytes, bytes]:
    """The head of a request, and what came behind it."""
    head = b""
    with anyio.fail_after(HEAD_WITHIN_S):
        while b"\r\n\r\n" not in head:
            if len(head) > MOST_HEAD_BYTES:
                raise NotAsked(f"the head is longer than {MOST_HEAD_BYTES:,} bytes")
            head += await client.receive(BLOCK_BYTES)
    head, _, early = head.partition(b"\r\n\r\n")
    return head, early


async def _addresses(asked: Asked) -> list[str]:
    try:
        found = await anyio.getaddrinfo(asked.host, asked.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise _Answered("502 Bad Gateway", f"the name {asked.host} has no address.")
    return list(dict.fromkeys(str(each[4][0]) for each in found))


async def _answer(client: ByteStream, status: str, text: str) -> None:
    """An answer of ours. What cannot be sent is let go: whoever asked has left."""
    body = f"hilt: {text}\n".encode()
    lines = (
        f"HTTP/1.1 {status}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    with anyio.move_on_after(HEAD_WITHIN_S), suppress(*_ENDS):
        await client.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


async def _say_end(stream: ByteStream) -> None:
    with suppress(*_ENDS):
        await stream.send_eof()
