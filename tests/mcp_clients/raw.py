"""A client of bare bytes: it sends what no SDK would, and sees every frame that comes."""

import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 8_000_000
PATIENCE_S = 5
START_S = 30
"""Starting a server means importing the SDK, on a machine where other tests run beside."""
LEGACY = "2025-06-18"
MODERN = "2026-07-28"


class RawClient:
    def __init__(self, process: Process) -> None:
        self.process = process
        self.seen: list[dict] = []
        self.started = False
        assert process.stdout is not None
        self._lines = BufferedByteReceiveStream(process.stdout)
        self._ids = iter(range(1, 1_000_000))

    async def send(self, message: object) -> None:
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        assert self.process.stdin is not None
        await self.process.stdin.send(text + b"\n")

    async def receive(self) -> dict:
        with anyio.fail_after(PATIENCE_S if self.started else START_S):
            line = await self._lines.receive_until(b"\n", LONGEST)
        message = json.loads(line)
        self.seen.append(message)
        self.started = True
        return message

    async def answer(self, id: object) -> dict:
        """The response under `id`; what comes before it is in `seen`."""
        while (message := await self.receive()).get("id") != id or "method" in message:
            pass
        return message

    async def request(self, method: str, params: dict | None = None, *, modern: bool = False, **capabilities) -> dict:
        id = await self.start(method, params, modern=modern, **capabilities)
        return await self.answer(id)

    async def start(self, method: str, params: dict | None = None, *, modern: bool = False, **capabilities) -> int:
        id = next(self._ids)
        given = dict(params or {})
        if modern:
            envelope = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            }
            given["_meta"] = {**given.get("_meta", {}), **envelope}
        await self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": given})
        return id

    async def notify(self, method: str, params: dict | None = None) -> None:
        await self.send({"jsonrpc": "2.0", "method": method, "params": params or {}})

    async def initialize(self, version: str = LEGACY, **capabilities) -> dict:
        params = {
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": {"name": "raw", "version": "1"},
        }
        answer = await self.request("initialize", params)
        await self.notify("notifications/initialized")
        return answer["result"]

    async def call(self, name: str, arguments: dict | None = None, meta: dict | None = None) -> dict:
        params = {"name": name, "arguments": arguments or {}, **({"_meta": meta} if meta else {})}
        return (await self.request("tools/call", params))["result"]

    async def start_call(self, name: str, arguments: dict | None = None) -> int:
        return await self.start("tools/call", {"name": name, "arguments": arguments or {}})

    async def hang_up(self) -> int:
        assert self.process.stdin is not None
        await self.process.stdin.aclose()
        with anyio.fail_after(PATIENCE_S):
            return await self.process.wait()


@asynccontextmanager
async def connected(folder: Path, *options: str, command: Sequence[str] = ()) -> AsyncGenerator[RawClient]:
    """A client of the misbehaving server, or of `command`. Whatever happens, the server is gone afterwards."""
    program = [sys.executable, "-m", "tests.mcp_clients.server", str(folder), *options]
    with (folder / "stderr").open("wb") as stderr:
        process = await anyio.open_process(
            list(command) or program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, cwd=ROOT
        )
    try:
        yield RawClient(process)
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
            with anyio.move_on_after(PATIENCE_S, shield=True):
                await process.wait()
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()


async def until(path: Path) -> str:
    """What a tool wrote into a file, once it is there."""
    await _seen(lambda: path.exists() and path.read_text() != "")
    return path.read_text()  # noqa: ASYNC240 - a line in a small file


async def gone(pid: int) -> bool:
    """Whether a process ends within our patience."""
    try:
        await _seen(lambda: not alive(pid))
    except TimeoutError:
        return False
    return True


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def _seen(happened: Callable[[], bool]) -> None:
    """Looks until it has happened: another process gives no event to wait for."""
    with anyio.fail_after(PATIENCE_S):
        while not happened():  # noqa: ASYNC110 - see above
            await anyio.sleep(0.01)
