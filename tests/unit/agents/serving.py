"""A real HTTP server on this machine that speaks a provider's form, answering from a list."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, object]


@dataclass
class Served:
    """Where the server is, and what it was asked: paths and bodies."""

    url: str = ""
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)


@contextmanager
def serving(answers: Sequence[Answer]) -> Iterator[Served]:
    """Serve these answers in turn; the last one again and again."""
    served = Served()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            served.requests.append((self.path, json.loads(self.rfile.read(length))))
            status, document = answers[min(len(served.requests), len(answers)) - 1]
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.send_header("x-should-retry", "false")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing on stderr."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    served.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
