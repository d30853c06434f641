"""`get_page_metadata`: what a page is, from its first part, and nothing fetched twice."""

import anyio
import pytest

from hilt.calls.session import Session
from hilt.declarations.description import Environment
from hilt.results.envelope import ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.runtime.sightings import BY_OTHERS
from hilt.tools.fetch_page import fetch_page
from hilt.tools.get_page_metadata import HEADINGS, KIB, READ_BYTES, get_page_metadata
from hilt.workspace.network import AddressRules, Client, Web
from tests.fakes.web_site import reply, said, web_site
from tests.kit import runtime

PAGE = """<html lang=en><head><title>The Guide</title><meta name=description content="How to">
<link rel=canonical href="/guide"><meta name=date content=2026-11-30></head>
<main><h1>Guide</h1><p>words</p><h2>Install</h2><p>more words</p></main></html>"""


@pytest.fixture
def both() -> Runtime:
    web = Web(Client(AddressRules(allow_hosts=("127.0.0.1",))))
    return runtime(get_page_metadata, fetch_page, parts={Web: web})


async def look(at: Runtime, url: str, tool: str = "get_page_metadata", **arguments: object) -> ToolResult[object]:
    with anyio.fail_after(20):
        return (await at.answer_one(Session(), tool, {"url": url, **arguments})).result


async def test_a_page_is_told_by_its_facts_and_headings(both: Runtime) -> None:
    async with web_site({"/": reply(PAGE.encode(), content_type="text/html", last_modified="yesterday")}) as site:
        result = await look(both, site.url("/"))

    for part in ("The Guide", "text/html", f"{len(PAGE):,} bytes", "language en", "dated 2026-11-30"):
        assert part in result.summary
    assert result.items == (
        {"level": 1, "heading": "Guide", "characters": 40},
        {"level": 2, "heading": "Install", "characters": 24},
    )
    assert said(result) == (
        "description: How to",
        f"canonical address: {site.url('/guide')}",
        "last modified: yesterday",
        BY_OTHERS,
    )


async def test_headings_are_set_in_by_their_level(both: Runtime) -> None:
    async with web_site() as site:
        url = site.page("/", PAGE)
        with anyio.fail_after(20):
            answer = await both.answer_one(Session(), "get_page_metadata", {"url": url})

    assert "\nGuide (40)\n  Install (24)\n" in answer.text


async def test_a_page_that_was_looked_at_whole_is_not_fetched_again(both: Runtime) -> None:
    async with web_site() as site:
        url = site.page("/", PAGE)
        await look(both, url)
        await look(both, url, "fetch_page")
        await look(both, url)

    assert site.targets() == ["/"]


async def test_of_a_large_page_only_the_first_part_is_read_and_that_is_said(both: Runtime) -> None:
    body = PAGE.replace("words", "words " * READ_BYTES).encode()
    async with web_site({"/": reply(body, content_type="text/html")}) as site:
        result = await look(both, site.url("/"))

    assert f"{len(body):,} bytes by its server's word" in result.summary
    assert f"only its first {KIB} KiB were looked at: headings and sizes are of these" in result.notes
    assert len(result.items) == 1


async def test_a_large_page_of_no_stated_size_has_more_than_was_read(both: Runtime) -> None:
    async with web_site({"/": b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * (2 * READ_BYTES)}) as site:
        result = await look(both, site.url("/"))

    assert f"of no stated type, more than {READ_BYTES:,} bytes" in result.summary


async def test_what_holds_no_text_is_told_by_type_and_size(both: Runtime) -> None:
    async with web_site({"/": reply(b"%PDF-1.7\x00\x01", content_type="application/pdf")}) as site:
        result = await look(both, site.url("/"))

    assert "no title, application/pdf, 10 bytes" in result.summary
    assert said(result) == ("it holds no text that fetch_page could read",)


async def test_many_headings_come_in_pages(both: Runtime) -> None:
    html = "<main>" + "".join(f"<h2>H{number}</h2>" for number in range(HEADINGS + 5)) + "</main>"
    async with web_site() as site:
        url = site.page("/", html)
        first = await look(both, url)
        assert first.truncation is not None
        second = await look(both, **{"url": url, **first.truncation.next})
        past = await look(both, url, offset=1_000)

    assert len(first.items) == HEADINGS
    assert [item["heading"] for item in second.items] == [f"H{HEADINGS + number}" for number in range(5)]  # type: ignore[index]  # items of the declared form
    assert past.failure is not None
    assert past.failure.kind is FailureKind.INVALID_ARGUMENTS


def test_the_description_says_what_it_costs() -> None:
    assert f"{KIB} KiB at most" in get_page_metadata.declaration.description.render(Environment())
