"""Clients of a server over HTTP: the official one of either era, and one that sends what no SDK would."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx2
import uvicorn
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from hilt.adapters.mcp_http_app import HttpServer
from hilt.adapters.mcp_http_door import PATH
from hilt.adapters.mcp_http_tokens import Callers, Token
from hilt.runtime.runtime import Runtime
from tests.mcp_clients.raw import LEGACY, MODERN, ROOT

ANN = Token(text="ann's-own-token-0123", principal="ann")
BOB = Token(text="bob's-own-token-4567", principal="bob")
PATIENCE_S = 10
START_S = 60
"""Starting a worker means importing the SDK and the store, on a machine where other tests run beside."""
ERAS = ("legacy", "auto")
SCOPE = "/folder"


class Poster:
    """Sends JSON-RPC by POST, and reads the answer whether it comes as JSON or as a stream of events."""

    def __init__(self, client: httpx2.AsyncClient, url: str, token: Token | None) -> None:
        self.client = client
        self.url = url
        self.headers = {"authorization": f"Bearer {token.text}"} if token else {}
        self.session = ""

    async def send(self, body: bytes, method: str = "POST", path: str = "", **headers: str) -> httpx2.Response:
        given = {"content-type": "application/json", "accept": "application/json, text/event-stream", **self.headers}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        if self.session:
            given["hilt-session"] = self.session
        sent = {name: value for name, value in given.items() if value}
        with anyio.fail_after(PATIENCE_S):
            return await self.client.request(method, path or self.url, content=body, headers=sent)

    async def ask(self, method: str, params: dict | None = None, *, id: int | str = 1, modern: bool = False, **headers):
        """The answer to one request: result or error."""
        params = dict(params or {})
        if modern:
            params["_meta"] = {**envelope(), **params.get("_meta", {})}
            headers |= {"mcp_protocol_version": MODERN, "mcp_method": method}
            headers |= {"mcp_name": params["name"]} if "name" in params else {}
        else:
            headers = {"mcp_protocol_version": LEGACY, **headers}
        message = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        return answer_in(await self.send(json.dumps(message).encode(), **headers))

    async def call(self, name: str, arguments: dict | None = None, **options) -> dict:
        said = await self.ask("tools/call", {"name": name, "arguments": arguments or {}}, **options)
        assert "result" in said, said
        return said["result"]

    async def cancel(self, id: int | str) -> httpx2.Response:
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}
        return await self.send(json.dumps(message).encode(), mcp_protocol_version=LEGACY)


def envelope(**capabilities: object) -> dict:
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }


def answer_in(response: httpx2.Response) -> dict:
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        return response.json()
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line.startswith("data: ")]
    messages = [json.loads(line) for line in lines if line.strip()]
    return next(each for each in messages if "id" in each)


def text_of(result: dict) -> str:
    return result["content"][0]["text"]


@asynccontextmanager
async def served(runtime: Runtime, *tokens: Token, **options) -> AsyncGenerator[str]:
    """The URL of a server in this process, as one worker is."""
    server = HttpServer(runtime, Callers(tokens or (ANN,), SCOPE), version="0", **options)
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    web = uvicorn.Server(uvicorn.Config(server.app, lifespan="off", ws="none", log_config=None, access_log=False))
    web.capture_signals = suppress  # type: ignore[method-assign]  # the test run's own signals stay its own
    async with server.open(), anyio.create_task_group() as group:
        group.start_soon(web.serve, [listener])
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}{PATH}"
        finally:
            server.hang_up()
            web.should_exit = web.force_exit = True


@asynccontextmanager
async def poster(url: str, token: Token | None = ANN, *, keeps: bool = True) -> AsyncGenerator[Poster]:
    """A client that `keeps` its connections, or opens one for each request, which any worker may take."""
    limits = httpx2.Limits() if keeps else httpx2.Limits(max_keepalive_connections=0)
    async with httpx2.AsyncClient(timeout=PATIENCE_S, limits=limits) as client:
        yield Poster(client, url, token)


@asynccontextmanager
async def official(url: str, mode: str, token: Token = ANN, **options) -> AsyncGenerator[Client]:
    """The SDK's own client. Connections are not kept, so that each request may meet another worker."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    headers = {"authorization": f"Bearer {token.text}"}
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S, limits=limits))
        yield await stack.enter_async_context(
            Client(streamable_http_client(url, http_client=http), mode=mode, **options)
        )


class Running:
    """A `hilt serve --http` that runs."""

    def __init__(self, process: subprocess.Popen, folder: Path) -> None:
        self.process = process
        self.folder = folder

    @property
    def said(self) -> str:
        return (self.folder / "stderr").read_text()

    def line(self, begins: str) -> str:
        return next(line.removeprefix(begins) for line in self.said.splitlines() if line.startswith(begins))

    @property
    def url(self) -> str:
        return self.line("serving MCP at ").partition(",")[0]

    @property
    def workers(self) -> list[int]:
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(each) for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]

    async def until(self, happened: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        """Looks until it has happened: another process gives no event to wait for."""
        with anyio.fail_after(patience_s):
            while not happened():  # noqa: ASYNC110 - see above
                await anyio.sleep(0.02)


@asynccontextmanager
async def started(
    folder: Path, *options: str, tools: str = "", token: Token | None = ANN, settings: Sequence[str] = ()
) -> AsyncGenerator[Running]:
    """A real server on a free port, which is gone afterwards whatever happens."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "hilt", "serve", "--http", "--port", "0", "--workspace", str(work), *options]
    chosen = [f"tools={json.dumps([tools])}"] if tools else []
    for each in (*chosen, *settings):
        command += ["-c", each]
    environment = {**os.environ, "HILT_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    environment |= {"HILT_TOKEN": token.text} if token else {}
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(  # noqa: ASYNC220 - it outlives the block that starts it, whatever is cancelled
            command, stdin=subprocess.DEVNULL, stdout=stderr, stderr=stderr, cwd=ROOT, env=environment
        )
    running = Running(process, folder)
    try:
        await running.until(lambda: "HILT_TOKEN is" in running.said or process.poll() is not None, START_S)
        assert process.poll() is None, running.said
        yield running
    finally:
        with suppress(ProcessLookupError):
            workers = running.workers if process.poll() is None else []
            process.send_signal(signal.SIGKILL)
            process.wait()
            for each in workers:
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
