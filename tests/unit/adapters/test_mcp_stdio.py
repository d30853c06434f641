"""The transport on pipes of its own: whole frames, back pressure both ways, and ends that end."""

import json
import os
from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from hilt.adapters.mcp_claim import Wire
from hilt.adapters.mcp_frames import Frame
from hilt.adapters.mcp_stdio import GRACE_S, MOST_UNSENT, MOST_WAITING, Incoming, Outgoing, open_streams


@dataclass
class Client:
    """The other ends of the pipes."""

    write: int
    read: int
    incoming: Incoming
    outgoing: Outgoing

    def send(self, *messages: object) -> None:
        for message in messages:
            os.write(self.write, json.dumps(message).encode() + b"\n")

    def receive(self) -> list[dict]:
        os.set_blocking(self.read, False)
        taken = b""
        while True:
            try:
                piece = os.read(self.read, 65_536)
            except BlockingIOError:
                break
            taken += piece
            if not piece:
                break
        return [json.loads(line) for line in taken.splitlines()]

    def close_writing(self) -> None:
        os.close(self.write)
        self.write = -1

    def close_reading(self) -> None:
        os.close(self.read)
        self.read = -1


@pytest.fixture
async def client() -> AsyncGenerator[Client]:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    incoming, outgoing = open_streams(Wire(read=ours_in, write=ours_out))
    client = Client(write=theirs_out, read=theirs_in, incoming=incoming, outgoing=outgoing)
    yield client
    await incoming.aclose()
    client.close_reading() if client.read >= 0 else None
    await outgoing.aclose()
    for descriptor in (ours_in, ours_out, client.write):
        if descriptor >= 0:
            os.close(descriptor)


def request(id: int, method: str = "ping", **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def answer(id: int, **result: object) -> SessionMessage:
    return SessionMessage(JSONRPCResponse(jsonrpc="2.0", id=id, result=result))


async def received(incoming: Incoming) -> SessionMessage:
    with anyio.fail_after(5):
        message = await incoming.receive()
    assert isinstance(message, SessionMessage)
    return message


async def ended(incoming: Incoming) -> None:
    with anyio.fail_after(5), pytest.raises(anyio.EndOfStream):
        await incoming.receive()


async def test_each_kind_of_message_is_read_and_a_call_brings_its_arguments_text(client: Client) -> None:
    client.send(
        request(1, "tools/call", name="t", arguments={"a": 1}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "what?"}},
    )
    first, second, third, fourth = [await received(client.incoming) for _ in range(4)]

    assert isinstance(first.message, JSONRPCRequest)
    assert isinstance(first.metadata, ServerMessageMetadata)
    assert isinstance(first.metadata.request_context, Frame)
    assert first.metadata.request_context.arguments == '{"a": 1}'
    assert isinstance(second.message, JSONRPCNotification)
    assert isinstance(third.message, JSONRPCResponse)
    assert fourth.message.model_dump()["id"] is None


async def test_a_broken_frame_is_answered_and_never_handed_on(client: Client) -> None:
    os.write(client.write, b"nonsense\n")
    client.send({"jsonrpc": "2.0", "id": 3, "error": {"message": "no code"}}, request(4))
    message = await received(client.incoming)

    assert message.message.model_dump()["id"] == 4
    assert [(each["id"], each["error"]["code"]) for each in client.receive()] == [(None, -32700), (3, -32600)]


async def test_frames_are_written_whole_and_in_order_while_the_client_is_slow(client: Client) -> None:
    text = "x" * 10_000
    done: list[int] = []
    lines = Lines(client.read)

    async def send(number: int) -> None:
        await client.outgoing.send(answer(number, text=text))
        done.append(number)

    got: list[dict] = []
    waiting = 0
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            for number in range(300):
                group.start_soon(send, number)
            await anyio.wait_all_tasks_blocked()
            waiting = 300 - len(done)
            while len(got) < 300:
                got += await anyio.to_thread.run_sync(lines.read)

    assert waiting > 100, f"{MOST_UNSENT} bytes are the most that wait unsent"
    assert sorted(each["id"] for each in got) == list(range(300))
    assert {each["result"]["text"] for each in got} == {text}


@dataclass
class Lines:
    """Whole lines out of what a pipe gives, piece by piece."""

    descriptor: int
    rest: bytes = b""

    def read(self) -> list[dict]:
        *lines, self.rest = (self.rest + os.read(self.descriptor, 65_536)).split(b"\n")
        return [json.loads(line) for line in lines]


async def test_reading_stops_when_nobody_takes_the_frames_and_goes_on_when_somebody_does(client: Client) -> None:
    total = MOST_WAITING * 3
    os.set_blocking(client.write, True)
    lines = b"".join(json.dumps(request(number)).encode() + b"\n" for number in range(total))
    ids: list[object] = []
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.to_thread.run_sync, write_all, client.write, lines)
            await anyio.wait_all_tasks_blocked()
            ids += [(await received(client.incoming)).message.model_dump()["id"] for _ in range(total)]

    assert ids == list(range(total))


def write_all(descriptor: int, lines: bytes) -> None:
    while lines:
        lines = lines[os.write(descriptor, lines) :]


async def test_a_client_that_is_gone_ends_both_streams_at_once(client: Client) -> None:
    client.send(request(1))
    await received(client.incoming)
    client.close_reading()
    client.close_writing()
    with anyio.fail_after(GRACE_S / 2):
        await ended(client.incoming)

    with pytest.raises(anyio.BrokenResourceError):
        await client.outgoing.send(answer(1))
    with pytest.raises(anyio.BrokenResourceError):
        await client.outgoing.send(answer(2))


async def test_a_client_that_stopped_sending_is_waited_for_until_its_answers_are_out(client: Client) -> None:
    client.send(request(1), request(2))
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
    for _ in range(3):
        await received(client.incoming)
    client.close_writing()
    order: list[str] = []

    async def end() -> None:
        await ended(client.incoming)
        order.append("ended")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            group.start_soon(end)
            await anyio.wait_all_tasks_blocked()
            order.append("answered")
            await client.outgoing.send(answer(1))

    assert order == ["answered", "ended"]


async def test_what_never_ends_is_not_waited_for(client: Client) -> None:
    client.send(request(1, "subscriptions/listen", notifications={}))
    await received(client.incoming)
    client.close_writing()

    with anyio.fail_after(GRACE_S / 2):
        await ended(client.incoming)


async def test_hanging_up_drops_what_waits(client: Client) -> None:
    client.send(request(1), request(2))
    await received(client.incoming)
    client.incoming.hang_up()

    await ended(client.incoming)


async def test_the_last_line_needs_no_line_feed(client: Client) -> None:
    os.write(client.write, json.dumps(request(1)).encode())
    client.close_writing()

    assert (await received(client.incoming)).message.model_dump()["id"] == 1


@pytest.fixture
def files(tmp_path: Path) -> Iterator[tuple[int, int, Path]]:
    asked, said = tmp_path / "asked", tmp_path / "said"
    asked.write_text("".join(json.dumps(request(number)) + "\n" for number in range(5_000)))
    with asked.open("rb") as reading, said.open("wb") as writing:
        yield reading.fileno(), writing.fileno(), said


async def test_files_serve_as_well_as_pipes(files: tuple[int, int, Path]) -> None:
    reading, writing, said = files
    incoming, outgoing = open_streams(Wire(read=reading, write=writing))
    with anyio.fail_after(20):
        async with outgoing:
            async for message in incoming:
                assert isinstance(message, SessionMessage)
                await outgoing.send(answer(message.message.model_dump()["id"]))
    await incoming.aclose()

    assert [json.loads(line)["id"] for line in said.read_text().splitlines()] == list(range(5_000))
