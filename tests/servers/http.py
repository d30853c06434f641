"""An MCP server over HTTP that needs no SDK, in a thread of the test; it misbehaves in the way it is named."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

TOOLS = [{"name": "echo", "inputSchema": {"type": "object", "properties": {"to": {"x-mcp-header": "To"}}}}]
TOKEN = "token-of-the-test"
MEBIBYTE = 1 << 20
LONG_S = 20.0


class Served(ThreadingHTTPServer):
    """What it was asked, and the sessions it knows."""

    daemon_threads = True

    def __init__(self, way: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.way = way
        self.asked: list[tuple[str, dict[str, str], Any]] = []
        self.sessions: list[str] = []
        self.elsewhere = ""
        self.ended = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is no news."""

    def methods(self) -> list[str]:
        return [message["method"] if message else how for how, _, message in self.asked]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Served  # pyright: ignore[reportIncompatibleVariableOverride]  # no other starts it

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        self.server.asked.append(("GET", dict(self.headers.items()), None))
        if self.server.way != "tells":
            self.plain(405)
            return
        self.start_events()
        self.event({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        self.server.ended.wait(LONG_S)

    def do_DELETE(self) -> None:
        self.server.asked.append(("DELETE", dict(self.headers.items()), None))
        self.plain(200)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append(("POST", {name.lower(): value for name, value in self.headers.items()}, message))
        way = self.server.way
        if way.startswith("status "):
            self.plain(int(way.split()[1]))
        elif way == "token" and self.headers.get("authorization") != f"Bearer {TOKEN}":
            self.plain(401)
        elif way in ("elsewhere", "slash", "circle") and self.path != "/mcp/":
            there = {"elsewhere": self.server.elsewhere, "slash": "/mcp/", "circle": "/mcp"}[way]
            self.plain(307, {"location": there})
        else:
            self.answer(way, message)

    def answer(self, way: str, message: dict[str, Any]) -> None:
        method = message["method"]
        session = self.headers.get("mcp-session-id")
        if method == "initialize" and way != "modern":
            self.initialize(message)
        elif session and session not in self.server.sessions:
            self.plain(404)
        elif "id" not in message:
            self.plain(202)
        elif method == "tools/list":
            self.json(message, {"tools": TOOLS})
        elif way == "modern":
            self.modern(message)
        elif method == "tools/call":
            self.call(way, message)
        else:
            self.refuse(message, -32601, 200)

    def initialize(self, message: dict[str, Any]) -> None:
        self.server.sessions.append(f"s{len(self.server.sessions)}")
        protocol = message["params"]["protocolVersion"]
        self.json(
            message,
            {"protocolVersion": protocol, "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}},
            {"mcp-session-id": self.server.sessions[-1]},
        )

    def modern(self, message: dict[str, Any]) -> None:
        if message["method"] == "initialize":
            self.refuse(message, -32022, 400)
        elif message["method"] == "server/discover":
            self.json(message, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
        elif message["method"] == "subscriptions/listen":
            self.refuse(message, -32601, 404)
        else:
            self.call("good", message)

    def call(self, way: str, message: dict[str, Any]) -> None:  # noqa: C901, PLR0912  # one way a branch
        said = {"content": [{"type": "text", "text": json.dumps(message["params"]["arguments"])}]}
        number = len([each for each in self.server.methods() if each == "tools/call"])
        if way == "expires" and number == 1:
            self.server.sessions.clear()
            self.plain(404)
        elif way == "events":
            self.start_events()
            token = message["params"].get("_meta", {}).get("progressToken")
            params = {"progressToken": token, "progress": 1}
            self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})
            self.event({"jsonrpc": "2.0", "id": message["id"], "result": said})
            self.server.ended.wait(LONG_S)  # the stream stays open: the answer is enough
        elif way == "half":
            self.start_events()
            self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
            self.close_connection = True
        elif way == "broken":
            self.send(200, b'{"jsonrpc": "2.0", "id"', {"content-type": "application/json"})
        elif way == "html":
            self.send(200, b"<h1>Welcome</h1>", {"content-type": "text/html"})
        elif way == "large":
            self.send(200, b"x" * (50 * MEBIBYTE), {"content-type": "application/json"})
        elif way == "large-event":
            self.start_events()
            self.wfile.write(b"data: " + b"x" * (50 * MEBIBYTE) + b"\n\n")
        elif way == "invalid":
            self.refuse(message, -32602, 400)
        elif way == "noise":
            self.start_events()
            for _ in range(60):
                self.wfile.write(b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n' * 1_000)
            self.server.ended.wait(LONG_S)
        elif way == "no-message":
            self.start_events()
            self.wfile.write(b"event: other\ndata: 1\n\nid: 1\ndata:\n\ndata: [1]\n\n")
        elif way == "hangs":
            self.server.ended.wait(LONG_S)
        elif way.startswith("call "):
            self.plain(int(way.split()[1]), {"retry-after": "7"})
        elif way == "cut":
            self.connection.close()
            self.close_connection = True
        else:
            self.json(message, said)

    def refuse(self, message: dict[str, Any], code: int, status: int) -> None:
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": "not so"}}
        self.send(status, json.dumps(error).encode(), {"content-type": "application/json"})

    def json(self, message: dict[str, Any], result: object, headers: dict[str, str] | None = None) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()
        self.send(200, body, {"content-type": "application/json", **(headers or {})})

    def plain(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.send(status, b"", headers or {})

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        if self.server.way == "closes":
            headers = {**headers, "connection": "close"}
        for name, value in {"content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def start_events(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message: dict[str, Any]) -> None:
        self.wfile.write(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")
        self.wfile.flush()


@contextmanager
def served(way: str) -> Generator[Served]:
    """The server, answering on a port of its own until the context ends."""
    server = Served(way)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
