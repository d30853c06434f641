"""`Web`: the part through which tools read pages. Every hop is checked, and a page read on in is not fetched twice."""

from collections import deque
from dataclasses import dataclass, replace
from typing import NoReturn, Protocol

from hilt.results.failures import EnvironmentFailure, ToolFailure
from hilt.workspace.network.client import Bounds, Client, Reply
from hilt.workspace.network.nearby import nearby
from hilt.workspace.network.pages import CACHE_PAGES, FRESH_S, Page, PageCache
from hilt.workspace.network.robots import Robots
from hilt.workspace.network.statuses import GONE, failure_of_status
from hilt.workspace.network.urls import PORTS, WebUrl, joined, read_url, shown_url

PAGE_BYTES = 10 * 1024**2
"""The largest page that is read, unpacked."""

MOST_REDIRECTS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PAGES = frozenset({200, 201, 202, 203, 204, 205})
_ACCEPT = {"Accept": "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """The reply at the end of the redirects, and the steps there."""

    reply: Reply
    steps: tuple[str, ...]


class Library(Protocol):
    """Keeps what pages said, to be searched."""

    async def add(self, principal: str, url: str, title: str, text: str) -> None: ...


class Web:
    """Pages of the web, for many sessions at once. Keeps no cookie and no connection between calls.

    `robots` asks each site's robots.txt first; `cross_hosts` follows redirects to other sites; a page
    is taken as it was fetched for `fresh_s` seconds; `library` is told what was read.
    """

    def __init__(
        self,
        client: Client,
        *,
        robots: bool = True,
        cross_hosts: bool = False,
        fresh_s: float = FRESH_S,
        library: Library | None = None,
    ) -> None:
        self._fresh_s = fresh_s
        self._library = library
        self._client = client
        self._robots = Robots(self._robots_file) if robots else None
        self._cross_hosts = cross_hosts
        self._cache = PageCache()
        self._in_library: deque[tuple[str, str, str]] = deque(maxlen=CACHE_PAGES)

    async def page(self, principal: str, asked: str) -> Page:
        """The whole page at an address, from the cache while it is fresh or unchanged.

        Raises InvalidArguments for what is no address, Refused for one that may not be fetched, and
        the failure that HTTP or the network stands for.
        """
        url = read_url(asked)
        kept = self._cache.get((principal, url.text))
        if kept is not None and kept.age_s < self._fresh_s:
            return kept
        found = await self._follow(principal, url, Bounds(most=PAGE_BYTES), _revalidation(kept))
        if found.reply.status == 304 and kept is not None:
            page = Page(
                url=kept.url,
                media_type=kept.media_type,
                charset=kept.charset,
                headers=kept.headers,
                body=kept.body,
                steps=kept.steps,
            )
        else:
            page = _page(found)
        if not page.complete:
            _too_large(page)
        self._cache.put((principal, url.text), page)
        return page

    async def head(self, principal: str, asked: str, most: int) -> Page:
        """The first `most` bytes of a page, or all of it where that is less or it is known already."""
        url = read_url(asked)
        kept = self._cache.get((principal, url.text))
        if kept is not None and kept.age_s < self._fresh_s:
            return kept
        page = _page(await self._follow(principal, url, Bounds(most=most), {}))
        self._cache.put((principal, url.text), page)
        return page

    def kept(self, principal: str, asked: str, digest: str) -> Page | None:
        """The very page that was read before, however old, while it is kept."""
        page = self._cache.get((principal, read_url(asked).text))
        return page if page is not None and page.digest == digest else None

    async def remember(self, principal: str, page: Page, title: str, text: str) -> str:
        """Put what a page said into the library; what kept it out is said, and costs nobody the page."""
        entry = (principal, page.url.text, page.digest)
        if self._library is None or entry in self._in_library:
            return ""
        try:
            await self._library.add(principal, page.url.text, title, text)
            self._in_library.append(entry)
        except ToolFailure as failure:
            return f"search_web will not find it: {failure.problem}"
        return ""

    async def _follow(self, principal: str, url: WebUrl, bounds: Bounds, headers: dict[str, str]) -> _Found:
        steps: list[str] = []
        for _ in range(MOST_REDIRECTS + 1):
            if self._robots is not None:
                await self._robots.check(url)
            reply = await self._client.exchange(url, bounds, headers={**_ACCEPT, **headers})
            if reply.status not in _REDIRECTS:
                if reply.status in _PAGES or (reply.status == 304 and headers):
                    return _Found(reply=reply, steps=tuple(steps))
                near = nearby(url, self._cache.of(principal)) if reply.status in GONE else ()
                raise failure_of_status(reply, near)
            target = _target(reply)
            if not self._cross_hosts and not same_site(url, target):
                self._client.check(target)  # an address that is closed anyway is no next step
                raise _elsewhere(url, target)
            downgrade = " (no longer encrypted)" if (url.scheme, target.scheme) == ("https", "http") else ""
            steps.append(f"{shown_url(url.text)} redirected here{downgrade}")
            url = target
        raise _redirects(url)

    async def _robots_file(self, url: WebUrl, bounds: Bounds) -> Reply:
        """A robots.txt, which may stand at another site; each address is checked all the same."""
        reply = await self._client.exchange(url, bounds)
        for _ in range(MOST_REDIRECTS):
            if reply.status not in _REDIRECTS:
                return reply
            try:
                url = joined(url, reply.headers.get("location", ""))
            except ToolFailure:
                break
            reply = await self._client.exchange(url, bounds)
        return replace(reply, status=404)


def same_site(one: WebUrl, other: WebUrl) -> bool:
    """Whether a redirect stays where it was asked: the same host, with or without www, and port, or up to https."""
    ports = one.port == other.port or (one.port, other.port) in (tuple(PORTS.values()), tuple(PORTS.values())[::-1])
    return ports and one.host.removeprefix("www.") == other.host.removeprefix("www.")


def _target(reply: Reply) -> WebUrl:
    location = reply.headers.get("location", "")
    if not location:
        raise EnvironmentFailure(
            f"{shown_url(reply.url.text)} redirects (HTTP {reply.status}) without saying where", "fetch another source"
        )
    try:
        return joined(reply.url, location.replace(" ", "%20"))  # as browsers take it
    except ToolFailure as failure:
        raise EnvironmentFailure(
            f"{shown_url(reply.url.text)} redirects where nothing is fetched: {failure.problem}", "fetch another source"
        ) from None


def _page(found: _Found) -> Page:
    from email.message import Message  # lazy: most starts of a command fetch nothing

    reply = found.reply
    header = Message()
    header["content-type"] = reply.headers.get("content-type", "") or "application/octet-stream"
    return Page(
        url=reply.url,
        media_type=header.get_content_type() if reply.headers.get("content-type") else "",
        charset=(header.get_content_charset() or "")[:40],
        headers=reply.headers,
        body=reply.body,
        complete=reply.complete,
        steps=found.steps,
    )


def _revalidation(kept: Page | None) -> dict[str, str]:
    """The headers that let a server answer that nothing changed; only where nothing was redirected."""
    if kept is None or kept.steps:
        return {}
    pairs = (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))
    return {asks: kept.headers[says] for says, asks in pairs if says in kept.headers}


def _elsewhere(url: WebUrl, target: WebUrl) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"{shown_url(url.text)} redirects to another site, which was not asked for: {shown_url(target.text)}",
        f"call again with url {shown_url(target.text)}",
    )


def _redirects(url: WebUrl) -> ToolFailure:
    return EnvironmentFailure(
        f"more than {MOST_REDIRECTS} redirects, the last to {shown_url(url.text)}", "fetch another source"
    )


def _too_large(page: Page) -> NoReturn:
    said = page.headers.get("content-length", "")
    told = said.isascii() and said.isdecimal() and len(said) < 16 and "content-encoding" not in page.headers
    size = f"{int(said):,} bytes by its own word" if told else "more, unpacked"
    raise EnvironmentFailure(
        f"{shown_url(page.url.text)} is too large ({size}); at most {PAGE_BYTES:,} bytes are read",
        "fetch a smaller page of the site",
    )
