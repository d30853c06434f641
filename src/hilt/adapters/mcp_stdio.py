"""Standard input and output as an MCP transport: nothing else in the process can write there.

The SDK's own transport hops to a thread for each line, mends broken UTF-8 in silence and lets the
last of two equal keys win; this one reads and writes on the event loop and refuses both.
"""

import asyncio
import os
import select
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType

import anyio
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse
from pydantic import ValidationError

from hilt.adapters.mcp_claim import Wire
from hilt.adapters.mcp_frames import INVALID_REQUEST, Frame, FrameFault, Lines, RequestId, read_frame

PIECE = 262_144
"""Bytes read, or written, at a time."""
LONGEST_FRAME = 64 * 1024 * 1024
"""Bytes of one frame; a longer one is refused and skipped up to its line feed."""
MOST_WAITING = 1_000
"""Frames read ahead of the server; beyond them the client has to wait."""
MOST_UNSENT = 1_048_576
"""Bytes written ahead of the client; beyond them whoever answers has to wait."""
ENDLESS = "subscriptions/listen"
"""The request that stays open as long as the client listens."""
GRACE_S = 1.0
"""Seconds that running calls get when the client says it sends no more but still listens."""


def open_streams(wire: Wire) -> tuple["Incoming", "Outgoing"]:
    """The two streams of one connection, as the SDK's server takes them."""
    unanswered = _Open()
    outgoing = Outgoing(wire, unanswered)
    return Incoming(wire, outgoing, unanswered), outgoing


@dataclass(slots=True)
class _Open:
    """Requests handed to the server and not answered yet."""

    ids: set[RequestId] = field(default_factory=set[RequestId])
    closing: asyncio.Event | None = None

    def close(self, id: RequestId | None) -> None:
        if id is not None:
            self.ids.discard(id)
        if self.closing is not None and not self.ids:
            self.closing.set()


class Outgoing:
    """Frames to the client, each written whole; the stream that the SDK's server sends to."""

    def __init__(self, wire: Wire, unanswered: _Open) -> None:
        self._descriptor = wire.write
        self._loop = asyncio.get_running_loop()
        self._unsent = bytearray()
        self._room = asyncio.Event()
        self._unanswered = unanswered
        self._broken = False
        self._blocking = os.get_blocking(wire.write)
        os.set_blocking(wire.write, wire.shared and self._blocking)

    async def send(self, item: SessionMessage, /) -> None:
        """Write one message. Raises `anyio.BrokenResourceError` when the client is gone."""
        message = item.message
        try:
            await self.write(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        finally:
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                self._unanswered.close(message.id)

    async def write(self, frame: bytes) -> None:
        """Write one frame, and wait while the client is too far behind."""
        if self._broken:
            raise anyio.BrokenResourceError
        idle = not self._unsent
        self._unsent += frame
        if idle:
            self._flush()
        while len(self._unsent) > MOST_UNSENT and not self._broken:
            self._room.clear()
            await self._room.wait()
        if self._broken:
            raise anyio.BrokenResourceError

    def _flush(self) -> None:
        while self._unsent:
            try:
                with memoryview(self._unsent) as view:
                    written = os.write(self._descriptor, view[:PIECE])
            except (BlockingIOError, InterruptedError):
                self._loop.add_writer(self._descriptor, self._flush)
                return
            except OSError:
                self._broken = True
                self._unsent.clear()
                break
            del self._unsent[:written]
            if len(self._unsent) <= MOST_UNSENT:
                self._room.set()
        self._room.set()
        _forget(self._loop.remove_writer, self._descriptor)

    @property
    def client_listens(self) -> bool:
        """Whether the other end of the pipe is still open."""
        if self._broken:
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return not poll.poll(0)

    async def aclose(self) -> None:
        """Write what is left, as far as the client takes it within the grace."""
        with anyio.move_on_after(GRACE_S, shield=True):
            while self._unsent and not self._broken:
                self._room.clear()
                await self._room.wait()
        self._broken = True
        _forget(self._loop.remove_writer, self._descriptor)
        os.set_blocking(self._descriptor, self._blocking)

    async def __aenter__(self) -> "Outgoing":
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


class Incoming:
    """Messages from the client; the stream that the SDK's server reads. Broken frames are answered here."""

    def __init__(self, wire: Wire, outgoing: Outgoing, unanswered: _Open) -> None:
        self._descriptor = wire.read
        self._loop = asyncio.get_running_loop()
        self._outgoing = outgoing
        self._unanswered = unanswered
        self._lines = Lines(LONGEST_FRAME)
        self._waiting: deque[bytes | FrameFault] = deque()
        self._arrived = asyncio.Event()
        self._ended = False
        self._pollable = True
        self._blocking = os.get_blocking(wire.read)
        os.set_blocking(wire.read, wire.shared and self._blocking)
        self._listen()

    async def receive(self) -> SessionMessage | Exception:
        """The next message. Raises `anyio.EndOfStream` when the client has gone."""
        while True:
            if not self._waiting:
                if self._ended:
                    await self._let_finish()
                    raise anyio.EndOfStream
                self._arrived.clear()
                await self._arrived.wait()
                continue
            line = self._waiting.popleft()
            if len(self._waiting) == MOST_WAITING - 1 and not self._ended:
                self._listen()
            try:
                if isinstance(line, FrameFault):
                    raise line
                return self._message(read_frame(line))
            except FrameFault as fault:
                try:
                    await self._outgoing.write(fault.answer())
                except anyio.BrokenResourceError:
                    self.end()

    def _message(self, frame: Frame) -> SessionMessage:
        try:
            message = _as_message(frame)
        except ValidationError:
            id = frame.message.get("id")
            raise FrameFault(
                INVALID_REQUEST, "the frame is none of JSON-RPC's messages", id if isinstance(id, int | str) else None
            ) from None
        if isinstance(message, JSONRPCRequest):
            if message.method != ENDLESS:
                self._unanswered.ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            id = (message.params or {}).get("requestId")
            self._unanswered.close(id if isinstance(id, int | str) else None)
        if frame.arguments is None:
            return SessionMessage(message)
        return SessionMessage(message, ServerMessageMetadata(request_context=frame))

    async def _let_finish(self) -> None:
        """A client that only closed its sending side gets the answers to what it asked; one that is gone, none."""
        if self._unanswered.ids and self._outgoing.client_listens:
            self._unanswered.closing = asyncio.Event()
            with anyio.move_on_after(GRACE_S):
                await self._unanswered.closing.wait()

    def end(self) -> None:
        """Read no more."""
        self._ended = True
        _forget(self._loop.remove_reader, self._descriptor)
        self._arrived.set()

    def hang_up(self) -> None:
        """Read no more, and give running calls no grace."""
        self._unanswered.ids.clear()
        self._waiting.clear()
        self.end()

    def _listen(self) -> None:
        """Hear of what arrives. A file can not be waited for, and need not be."""
        try:
            self._loop.add_reader(self._descriptor, self._on_readable)
        except PermissionError:
            self._pollable = False
            self._loop.call_soon(self._on_readable)

    def _on_readable(self) -> None:
        try:
            piece = os.read(self._descriptor, PIECE)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            piece = b""
        for line in self._lines.feed(piece) if piece else self._lines.rest():
            self._put(line)
        if not piece:
            self.end()
        elif len(self._waiting) >= MOST_WAITING:
            _forget(self._loop.remove_reader, self._descriptor)
        elif not self._pollable:
            self._loop.call_soon(self._on_readable)

    def _put(self, line: bytes | FrameFault) -> None:
        self._waiting.append(line)
        self._arrived.set()

    async def aclose(self) -> None:
        """Stop reading."""
        self.hang_up()
        os.set_blocking(self._descriptor, self._blocking)

    def __aiter__(self) -> "Incoming":
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> "Incoming":
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


def _as_message(frame: Frame) -> JSONRPCMessage:
    message = frame.message
    if "method" in message:
        return (JSONRPCRequest if "id" in message else JSONRPCNotification).model_validate(message)
    return (JSONRPCResponse if "result" in message else JSONRPCError).model_validate(message)


def _forget(remove: Callable[[int], object], descriptor: int) -> None:
    """Stop watching a descriptor, whether or not it was watched."""
    with suppress(OSError, ValueError, RuntimeError):
        remove(descriptor)
