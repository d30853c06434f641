"""A web site on this machine that answers exactly what a test says, byte for byte, and remembers what it was asked."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.buffered import BufferedByteReceiveStream

from hilt.results.envelope import ToolResult

Answer = bytes | Callable[[ByteStream], Awaitable[None]]


@dataclass
class Asked:
    """One request as it came."""

    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Site:
    """Answers by target; anything else is 404. `answers` may be changed while it runs."""

    port: int
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def url(self, target: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{target}"

    def targets(self) -> list[str]:
        """What was asked for, but for robots.txt."""
        return [each.target for each in self.asked if each.target != "/robots.txt"]

    def page(self, target: str, html: str) -> str:
        self.answers[target] = reply(html.encode(), content_type="text/html; charset=utf-8")
        return self.url(target)


def reply(body: bytes = b"", status: int = 200, **headers: str) -> bytes:
    """A whole HTTP answer; `content_type="..."` is the header Content-Type."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in {"content-length": str(len(body)), **named}.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


def said(result: ToolResult[object]) -> tuple[str, ...]:
    """What a tool says beside its result, without what policy says of every fetch."""
    return tuple(note for note in result.notes if note != "not isolated")


@asynccontextmanager
async def web_site(answers: Mapping[str, Answer] | None = None) -> AsyncGenerator[Site, None]:
    """A site that runs as long as the block."""
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=0)
    site = Site(port=listener.extra(SocketAttribute.local_port), answers=dict(answers or {}))
    async with listener, anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, lambda stream: _serve(site, stream))
        yield site
        tasks.cancel_scope.cancel()


async def _serve(site: Site, stream: ByteStream) -> None:
    async with stream:
        try:
            received = BufferedByteReceiveStream(stream)
            head = (await received.receive_until(b"\r\n\r\n", 100_000)).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await received.receive_exactly(int(headers.get("content-length", 0)))
            site.asked.append(Asked(method, target, headers, body))
            answer = site.answers.get(target, reply(b"nothing here", 404))
            if isinstance(answer, bytes):
                await stream.send(answer)
            else:
                await answer(stream)
        except (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead):
            return
