"""`search_web`: pages by any provider, page after page, and an honest word where there is none."""

import json
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteStream

from hilt.calls.session import Session
from hilt.results.envelope import Status, ToolResult
from hilt.results.failures import FailureKind
from hilt.runtime.runtime import Runtime
from hilt.tools.fetch_page import fetch_page
from hilt.tools.get_page_metadata import get_page_metadata
from hilt.tools.search_web import MOST_PAGES, PAGES, search_web
from hilt.workspace.network import AddressRules, Client, Web
from hilt.workspace.web_search import Brave, LocalIndex, Searxng, Tavily, WebSearch
from hilt.workspace.web_search.hits import LONGEST_SNIPPET, Hit, Hits, SearchProvider
from hilt.workspace.web_search.http import BRAVE_PAGE, TAVILY_MOST, Key
from tests.fakes.web_site import reply, said, web_site
from tests.kit import runtime

KEY = Key(value="secret-key", variable="SOME_KEY")


def client() -> Client:
    return Client(AddressRules(allow_hosts=("127.0.0.1",)))


def searching(provider: SearchProvider) -> Runtime:
    return runtime(search_web, parts={WebSearch: WebSearch(provider)})


async def search(by: Runtime, query: str, session: Session | None = None, **arguments: object) -> ToolResult[object]:
    with anyio.fail_after(20):
        return (await by.answer_one(session or Session(), "search_web", {"query": query, **arguments})).result


def json_reply(value: object, status: int = 200) -> bytes:
    return reply(json.dumps(value).encode(), status, content_type="application/json")


def rows(first: int, count: int, words: str) -> list[dict[str, str]]:
    return [
        {"title": f"T{number}", "url": f"https://example.org/{number}", words: f"<b>about</b> {number} &amp; more"}
        for number in range(first, first + count)
    ]


async def test_nothing_read_before_is_a_success_that_says_what_was_searched_and_how_to_have_more() -> None:
    result = await search(searching(LocalIndex()), "anything")

    assert result.status is Status.SUCCESS
    assert result.items == ()
    assert "the 0 pages read from here before, and not the web" in result.summary
    assert "web.search.provider" in result.notes[0]


@pytest.mark.parametrize("stored", [False, True], ids=["memory", "file"])
async def test_a_page_that_was_read_is_found_by_its_words(tmp_path: Path, stored: bool) -> None:
    index = LocalIndex((lambda: tmp_path / "pages.db") if stored else None)
    web = Web(Client(AddressRules(allow_hosts=("127.0.0.1",))), library=index)
    both = runtime(search_web, fetch_page, parts={Web: web, WebSearch: WebSearch(index)})
    session = Session()
    async with web_site() as site:
        url = site.page("/w", "<title>Widgets</title><main><p>How to <a href=/x>install</a> a Widget.</p></main>")
        other = site.page("/o", "<title>Other</title><main><p>Nothing of that.</p></main>")
        for each in (url, other, url):
            await both.answer_one(session, "fetch_page", {"url": each})
        found = await search(both, "widget install", session)
        foreign = await search(both, "widget install", Session(principal="somebody else"))

    assert found.items == ({"title": "Widgets", "url": url, "snippet": "How to install a Widget."},)
    assert foreign.items == ()
    if stored:
        assert (tmp_path / "pages.db").stat().st_mode & 0o777 == 0o600
        assert len((await search(searching(LocalIndex(lambda: tmp_path / "pages.db")), "widget")).items) == 1


async def test_a_page_that_was_looked_at_first_is_found_once_it_is_read() -> None:
    index = LocalIndex(None)
    web = Web(client(), library=index)
    tools = runtime(search_web, fetch_page, get_page_metadata, parts={Web: web, WebSearch: WebSearch(index)})
    session = Session()
    async with web_site() as site:
        url = site.page("/w", "<title>Widgets</title><main><p>How to install a Widget.</p></main>")
        await tools.answer_one(session, "get_page_metadata", {"url": url})
        await tools.answer_one(session, "fetch_page", {"url": url})

        assert len((await search(tools, "widget", session)).items) == 1


async def test_words_are_found_in_scripts_without_spaces_and_without_accents() -> None:
    index = LocalIndex()
    await index.add("local", "https://example.org/zh", "\u5de5\u5177", "\u8fd9\u662f\u4e00\u4e2a\u5de5\u5177\u5c42")
    await index.add("local", "https://example.org/fr", "Caf\u00e9", "un caf\u00e9 au lait")

    for query, url in (("\u5de5\u5177\u5c42", "zh"), ("cafe", "fr"), ("caf\u00e9 nowhere", "fr")):
        result = await search(searching(index), query, Session(principal="local"))
        assert [item["url"] for item in result.items] == [f"https://example.org/{url}"]  # type: ignore[index]  # items of the declared form


@pytest.mark.parametrize("query", ['"', "AND", "a* OR (b", "NEAR(", "-", "\u2026", "title:x", "' ; DROP TABLE page"])
async def test_no_query_is_taken_for_the_language_of_the_index(query: str) -> None:
    index = LocalIndex()
    await index.add("local", "https://example.org/", "T", "text")

    assert (await search(searching(index), query, Session(principal="local"))).failure is None


async def test_a_page_read_again_replaces_what_it_said() -> None:
    index = LocalIndex()
    for text in ("old words", "new words"):
        await index.add("local", "https://example.org/", "T", text)

    me = Session(principal="local")
    assert (await search(searching(index), "old", me)).items == ()
    assert len((await search(searching(index), "words", me)).items) == 1


async def test_results_come_in_pages_that_fit_together() -> None:
    index = LocalIndex()
    for number in range(PAGES + 4):
        await index.add("local", f"https://example.org/{number}", f"Page {number}", "same words")
    me, by = Session(principal="local"), searching(index)
    first = await search(by, "words", me)
    assert first.truncation is not None
    assert (first.truncation.total, first.truncation.total_is) == (PAGES + 1, "at_least")
    second = await search(by, **first.truncation.next, session=me)  # type: ignore[arg-type]  # a call's arguments
    small = await search(by, "words", me, limit=3)
    past = await search(by, "words", me, offset=PAGES + 4)

    assert len(first.items) == PAGES
    assert second.truncation is None
    assert len({item["url"] for item in (*first.items, *second.items)}) == PAGES + 4  # type: ignore[index]  # items of the declared form
    assert small.truncation is not None
    assert small.truncation.next == {"query": "words", "limit": 3, "offset": 3}
    for beyond in (past, await search(by, "words", me, offset=MOST_PAGES)):
        assert beyond.failure is not None
        assert beyond.failure.kind is FailureKind.INVALID_ARGUMENTS


async def test_an_index_that_is_broken_is_said_and_costs_no_page(tmp_path: Path) -> None:
    broken = tmp_path / "pages.db"
    broken.write_bytes(b"this is no database, whatever its name says" * 100)
    index = LocalIndex(lambda: broken)
    web = Web(Client(AddressRules(allow_hosts=("127.0.0.1",))), library=index)
    both = runtime(search_web, fetch_page, parts={Web: web, WebSearch: WebSearch(index)})
    async with web_site() as site:
        page = (await both.answer_one(Session(), "fetch_page", {"url": site.page("/", "<p>text")})).result
    result = await search(both, "x")

    assert page.status is Status.SUCCESS
    assert any("search_web will not find it" in note for note in page.notes)
    assert result.failure is not None
    assert result.failure.kind is FailureKind.ENVIRONMENT


async def test_searxng_is_asked_page_after_page() -> None:
    async with web_site() as site:
        for number in range(1, 4):
            answer = {"results": [*rows(number * 8, 8, "content"), {"title": "no address"}, "no row"]}
            site.answers[f"/s/search?q=some+words&format=json&pageno={number}"] = json_reply(answer)
        by = searching(Searxng(client(), site.url("/s/")))
        first = await search(by, "some words")
        again = await search(by, "some words", limit=2)

    assert first.items[0] == {"title": "T8", "url": "https://example.org/8", "snippet": "about 8 & more"}
    assert len(first.items) == PAGES
    assert first.truncation is not None
    assert "the web, by SearXNG" in first.summary
    assert len(again.items) == 2
    assert len(site.asked) == 2


async def test_searxng_that_repeats_itself_has_an_end() -> None:
    async def same(stream: ByteStream) -> None:
        await stream.send(json_reply({"results": rows(0, 3, "content")}))

    async with web_site() as site:
        for number in range(1, 6):
            site.answers[f"/search?q=x&format=json&pageno={number}"] = same
        result = await search(searching(Searxng(client(), site.url(""))), "x")

    assert len(result.items) == 3
    assert result.truncation is None
    assert len(site.asked) == 2


async def test_brave_is_asked_with_its_key() -> None:
    async with web_site() as site:
        for number, more in ((0, True), (1, False)):
            answer = {
                "query": {"more_results_available": more},
                "web": {"results": rows(number * BRAVE_PAGE, BRAVE_PAGE, "description")},
            }
            site.answers[f"/res/v1/web/search?q=x&count={BRAVE_PAGE}&offset={number}"] = json_reply(answer)
        by = searching(Brave(client(), KEY, site.url("")))
        first = await search(by, "x", limit=BRAVE_PAGE)
        assert first.truncation is not None
        rest = await search(by, "x", offset=BRAVE_PAGE, limit=30)

    assert len(first.items) == len(rest.items) == BRAVE_PAGE
    assert rest.truncation is None
    assert {asked.headers["x-subscription-token"] for asked in site.asked} == {"secret-key"}
    assert first.items[0] == {"title": "T0", "url": "https://example.org/0", "snippet": "about 0 & more"}


async def test_tavily_is_asked_with_its_key_and_says_what_it_cannot() -> None:
    async with web_site({"/search": json_reply({"results": rows(0, PAGES + 1, "content")})}) as site:
        result = await search(searching(Tavily(client(), KEY, site.url(""))), "x y")

    asked = site.asked[0]
    assert (asked.method, json.loads(asked.body)) == ("POST", {"query": "x y", "max_results": PAGES + 1})
    assert asked.headers["authorization"] == "Bearer secret-key"
    assert len(result.items) == PAGES
    assert result.truncation is not None
    assert f"{TAVILY_MOST} pages at most" in result.summary


@pytest.mark.parametrize("provider", [Brave, Tavily])
async def test_without_a_key_the_variable_is_named_and_nothing_is_asked(provider: type[Brave | Tavily]) -> None:
    async with web_site() as site:
        by = searching(provider(client(), Key(value="", variable="SOME_KEY"), site.url("")))
        result = await search(by, "x")

    assert site.asked == []
    assert result.failure is not None
    assert result.failure.kind is FailureKind.ENVIRONMENT
    assert "SOME_KEY" in result.failure.problem


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (json_reply({}, 401), FailureKind.ENVIRONMENT),
        (json_reply({}, 403), FailureKind.ENVIRONMENT),
        (json_reply({}, 429), FailureKind.RETRYABLE),
        (json_reply({}, 404), FailureKind.ENVIRONMENT),
        (json_reply([]), FailureKind.ENVIRONMENT),
        (reply(b"<html>"), FailureKind.ENVIRONMENT),
        (reply(b"[" * 100_000), FailureKind.ENVIRONMENT),
    ],
)
async def test_a_provider_that_does_not_answer_the_search_is_a_failure(answer: bytes, kind: FailureKind) -> None:
    async with web_site({"/search?q=x&format=json&pageno=1": answer}) as site:
        result = await search(searching(Searxng(client(), site.url(""))), "x")

    assert result.failure is not None
    assert result.failure.kind is kind
    assert "secret" not in result.failure.problem


@pytest.mark.parametrize("answer", [{}, {"results": None}, {"results": {"a": 1}}, {"results": [{"url": 5}]}])
async def test_an_answer_in_another_form_finds_nothing(answer: object) -> None:
    async with web_site({"/search?q=x&format=json&pageno=1": json_reply(answer)}) as site:
        result = await search(searching(Searxng(client(), site.url(""))), "x")

    assert result.items == ()
    assert said(result) == ("fewer or other words may find more",)


async def test_long_words_of_a_provider_are_cut() -> None:
    row = {"title": None, "url": "https://example.org/", "content": "word " * 1_000}
    async with web_site({"/search?q=x&format=json&pageno=1": json_reply({"results": [row]})}) as site:
        result = await search(searching(Searxng(client(), site.url(""))), "x")

    item = result.items[0]
    assert item["title"] == "https://example.org/"  # type: ignore[index]  # items of the declared form
    assert len(str(item["snippet"])) <= LONGEST_SNIPPET + 3  # type: ignore[index]  # items of the declared form


class Counting:
    """A provider that finds the same and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def search(self, principal: str, query: str, most: int) -> Hits:
        self.asked += 1
        hit = Hit(title=principal, url=f"https://example.org/{query}", snippet="")
        return Hits(hits=(hit,), more=False, searched="nothing")


async def test_an_answer_is_remembered_for_whom_it_was_found_and_not_for_ever() -> None:
    provider = Counting()
    searches = WebSearch(provider)
    for _ in range(2):
        await searches.search("me", "x", 10)
        await searches.search("me", "x", 50)
    assert provider.asked == 1
    assert (await searches.search("another", "x", 10)).hits[0].title == "another"
    for number in range(100):
        await searches.search("me", str(number), 10)
    await searches.search("me", "x", 10)
    assert provider.asked == 103
