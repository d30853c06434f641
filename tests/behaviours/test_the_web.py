"""Promises about the tools that reach the web, driven from outside; every site is on this machine."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.command import Hilt, in_process

PAGE = (
    "<html lang=en><title>Guide</title><nav><a href=/>Home</a></nav><main><h1>Guide</h1>"
    "<p>See <a href=more.html>more</a>.</p><h2>Install</h2><pre><code class=language-sh>pip install x</code></pre>"
    f"<h2>Long</h2>{'<p>many words of it</p>' * 3_000}</main>"
)


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: object) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)  # type: ignore[arg-type]  # pytest's own path


@pytest.fixture
def site() -> Iterator[str]:
    """The address of a site with one page; everything else, robots.txt too, is not there."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/guide.html"
            self.send_response(200 if found else 404)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE.encode() if found else b"no")

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join(5)


def call(hilt: Hilt, tool: str, *options: str, **arguments: object) -> dict[str, object]:
    given = ("--approve", "--session", "s", "--json", *options)
    return hilt("call", tool, json.dumps(arguments), *given).json


def text_of(envelope: dict[str, object]) -> str:
    items = envelope["items"]
    assert isinstance(items, list)
    return "".join(item["text"] for item in items)


def test_req_H2_a_page_is_read_as_markdown_by_section_and_on_to_its_end(hilt: Hilt, site: str) -> None:
    local = ("-c", "web.allow_private=true")
    url = f"{site}/guide.html"
    first = call(hilt, "fetch_page", *local, url=url)
    section = call(hilt, "fetch_page", *local, url=url, section="Install")

    assert text_of(first).startswith(
        f"# Guide\n\nSee [more]({site}/more.html).\n\n## Install\n\n```sh\npip install x\n```"
    )
    assert "Home" not in text_of(first)
    assert text_of(section).strip() == "## Install\n\n```sh\npip install x\n```"

    whole, answer = text_of(first), first
    while "truncation" in answer:
        truncation = answer["truncation"]
        assert isinstance(truncation, dict)
        answer = call(hilt, "fetch_page", *local, **truncation["next"])
        whole += text_of(answer)
    assert whole.count("many words of it") == 3_000


def test_req_H2_a_page_is_looked_at_cheaply_and_found_again_by_its_words(hilt: Hilt, site: str) -> None:
    local = ("-c", "web.allow_private=true")
    url = f"{site}/guide.html"
    looked = call(hilt, "get_page_metadata", *local, url=url)
    call(hilt, "fetch_page", *local, url=url)
    found = call(hilt, "search_web", query="pip install")

    assert "Guide, text/html" in str(looked["summary"])
    assert [item["heading"] for item in looked["items"]] == ["Guide", "Install", "Long"]  # type: ignore[attr-defined]  # a JSON array
    assert [item["url"] for item in found["items"]] == [url]  # type: ignore[attr-defined]  # a JSON array


def test_req_D6_a_search_that_finds_nothing_says_what_was_searched_and_what_was_not(hilt: Hilt) -> None:
    found = call(hilt, "search_web", query="anything")

    assert found["status"] == "success"
    assert "the 0 pages read from here before, and not the web" in str(found["summary"])


def test_req_H2_no_page_leads_inside(hilt: Hilt, site: str) -> None:
    for url in (f"{site}/guide.html", "http://169.254.169.254/latest/meta-data/", "http://[::ffff:127.0.0.1]/"):
        refused = call(hilt, "fetch_page", url=url)
        assert refused["status"] == "denied"
        assert refused["denied"]["rule"] == "public-addresses-only"  # type: ignore[index]  # a JSON object
