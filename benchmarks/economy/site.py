"""A site on the loopback: one long page of documentation with a menu, twelve sections and a footer."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HEADINGS = (
    "Overview",
    "Getting an account",
    "Authentication",
    "Requests and responses",
    "Pagination",
    "Rate limits",
    "Webhooks",
    "Errors",
    "Bulk export",
    "Sandbox",
    "Versioning",
    "Support",
)
WORDS = (
    "The service answers every request with a document that names its own version, so that a client which was "
    "written for an older one can tell at once what it may rely on and what it has to look up again. "
)
PARAGRAPHS = 4


class Site:
    """The page for one seed: which section is asked about, and what only that section says."""

    def __init__(self, draw: random.Random, fact: str) -> None:
        self.heading = draw.choice(HEADINGS[4:])
        self.limit = draw.randrange(1_100, 9_900)
        self.fact = fact
        self.url = ""

    def page(self) -> str:
        menu = "".join(f'<li><a href="/docs/{place}">{name}</a></li>' for place, name in enumerate(HEADINGS))
        body = "".join(self._section(name) for name in HEADINGS)
        return (
            "<!doctype html><html lang='en'><head><title>Harbour API</title><meta charset='utf-8'>"
            "<style>body{margin:0}nav{float:left}</style><script>window.started = Date.now()</script></head><body>"
            f"<nav><ul>{menu}</ul></nav><main><article><h1>Harbour API</h1>{body}</article></main>"
            "<footer><p>Made at the quay. <a href='/imprint'>Imprint</a></p></footer></body></html>"
        )

    def _section(self, name: str) -> str:
        prose = "".join(f"<p>{name}: {WORDS}{'It does so always. ' * turn}</p>\n" for turn in range(PARAGRAPHS))
        if name == self.heading:
            prose += (
                f"<p>The quota is {self.limit} calls an hour; beyond it the code is <code>{self.fact}</code>.</p>\n"
            )
        return f"<h2>{name}</h2>\n{prose}"


@contextmanager
def served(site: Site) -> Iterator[None]:
    """Serve the page on a free port while the block runs."""
    content = site.page().encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/docs"
            self.send_response(200 if found else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(content) if found else 0))
            self.end_headers()
            if found:
                self.wfile.write(content)

        def log_message(self, format: str, *values: object) -> None:
            """Requests are not told on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.url = f"http://127.0.0.1:{server.server_port}/docs"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
