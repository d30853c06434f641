"""Providers of web search over HTTP: a request made, an answer read, nothing else kept."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

from hilt.results.failures import EnvironmentFailure, ToolFailure
from hilt.workspace.network.client import Bounds, Client
from hilt.workspace.network.statuses import failure_of_status
from hilt.workspace.network.urls import read_url
from hilt.workspace.web_search.hits import Hit, Hits, hit

ANSWER_BYTES = 4 * 1024**2
"""The largest answer of a provider that is read."""

MOST_PAGES = 5
"""Requests of one search, for providers that answer in pages."""

BRAVE_PAGE = 20
TAVILY_MOST = 20

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A provider's key: what it is, empty where none is set, and where it is read from."""

    value: str
    variable: str

    def needed(self, provider: str) -> str:
        """The key. Raises EnvironmentFailure, naming the variable, where there is none."""
        if not self.value:
            raise EnvironmentFailure(
                f"web search by {provider} needs a key, and the environment variable {self.variable} is not set",
                f"ask the person to set {self.variable}, or another web.search.provider in their own hilt.toml",
            )
        return self.value


class Searxng:
    """A SearXNG server, by its JSON API, which the server's settings must allow."""

    def __init__(self, client: Client, base: str) -> None:
        self._client = client
        self._base = base.rstrip("/")

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The best pages, page after page of the server's."""
        del principal
        found: dict[str, Hit] = {}
        searched = "the web, by SearXNG"
        for number in range(1, MOST_PAGES + 1):
            asked = urlencode({"q": query, "format": "json", "pageno": number})
            try:
                answer = await _asked(self._client, f"{self._base}/search?{asked}", "SearXNG")
            except ToolFailure:
                if not found:
                    raise
                searched = f"{searched}, which did not answer beyond these"
                break
            some = {each.url: each for each in _hits(_rows(answer, "results"), "content")}
            new = some.keys() - found.keys()
            found |= {url: each for url, each in some.items() if url in new}
            if not new or len(found) > most:
                break
        hits = tuple(found.values())
        return Hits(hits=hits[:most], more=len(hits) > most, searched=searched)


class Brave:
    """Brave's web search."""

    def __init__(self, client: Client, key: Key, base: str = "https://api.search.brave.com") -> None:
        self._client = client
        self._key = key
        self._base = base.rstrip("/")

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The best pages, page after page of the provider's."""
        del principal
        headers = {"X-Subscription-Token": self._key.needed("Brave")}
        hits: list[Hit] = []
        more = True
        for number in range(MOST_PAGES):
            asked = urlencode({"q": query, "count": BRAVE_PAGE, "offset": number})
            answer = await _asked(self._client, f"{self._base}/res/v1/web/search?{asked}", "Brave", headers=headers)
            hits += _hits(_rows(_part(answer, "web"), "results"), "description")
            more = _part(answer, "query").get("more_results_available") is True
            if not more or len(hits) >= most:
                break
        return Hits(hits=tuple(hits[:most]), more=more or len(hits) > most, searched="the web, by Brave")


class Tavily:
    """Tavily's search, which gives no more than a first page."""

    def __init__(self, client: Client, key: Key, base: str = "https://api.tavily.com") -> None:
        self._client = client
        self._key = key
        self._base = base.rstrip("/")

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The best pages, at most as many as the provider ever gives."""
        del principal
        headers = {"Authorization": f"Bearer {self._key.needed('Tavily')}", "Content-Type": "application/json"}
        wanted = min(most + 1, TAVILY_MOST)
        content = json.dumps({"query": query, "max_results": wanted}).encode()
        answer = await _asked(self._client, f"{self._base}/search", "Tavily", headers=headers, content=content)
        hits = _hits(_rows(answer, "results"), "content")
        return Hits(
            hits=tuple(hits[:most]),
            more=len(hits) > most,
            searched=f"the web, by Tavily, which gives {TAVILY_MOST} pages at most",
        )


async def _asked(
    client: Client, url: str, provider: str, *, headers: Mapping[str, str] | None = None, content: bytes | None = None
) -> Json:
    """A provider's answer as JSON. Raises ToolFailure for any other."""
    reply = await client.exchange(
        read_url(url),
        Bounds(most=ANSWER_BYTES),
        headers={"Accept": "application/json", **(headers or {})},
        method="GET" if content is None else "POST",
        content=content,
    )
    if reply.status in (401, 403):
        raise EnvironmentFailure(
            f"{provider} refused the search (HTTP {reply.status}): its key or its settings do not allow it",
            "tell the person to check web.search in their own hilt.toml, and the key",
        )
    if reply.status != 200:
        raise failure_of_status(reply)
    try:
        answer = json.loads(reply.body)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise EnvironmentFailure(
            f"{provider} answered with something that is no result of a search",
            "tell the person to check web.search in their own hilt.toml",
        )
    return cast("Json", answer)  # JSON's objects have texts as keys


def _part(answer: Json, name: str) -> Json:
    found = answer.get(name)
    return cast("Json", found) if isinstance(found, dict) else {}  # JSON's objects have texts as keys


def _rows(answer: Json, name: str) -> Iterable[Json]:
    found = answer.get(name)
    rows = cast("list[object]", found) if isinstance(found, list) else []  # a JSON array
    return [cast("Json", each) for each in rows if isinstance(each, dict)]


def _hits(rows: Iterable[Json], snippet: str) -> list[Hit]:
    found = (hit(row.get("title"), row.get("url"), row.get(snippet)) for row in rows)
    return [each for each in found if each]
