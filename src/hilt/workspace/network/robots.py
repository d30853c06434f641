"""What a site's robots.txt lets programs fetch, by RFC 9309: kept for a while, and asked before every page."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from hilt.results.failures import Refused, Retryable
from hilt.workspace.network.client import Bounds, Reply
from hilt.workspace.network.urls import WebUrl, shown_url

TOKEN = "hilt"
"""The name by which a robots.txt can speak to Hilt."""

RULE = "robots.txt"
SETTING = "web.robots"
ROBOTS_BYTES = 512 * 1024
"""The most that is read of a robots.txt, as RFC 9309 asks for at least 500 KiB."""

KEPT_S = 3_600.0
UNREACHABLE_S = 60.0
"""Seconds until a robots.txt that could not be read is asked for again."""

MOST_SITES = 256

_BOUNDS = Bounds(most=ROBOTS_BYTES)
Fetch = Callable[[WebUrl, Bounds], Awaitable[Reply]]


def _everything(url: str) -> bool:
    """A site without rules."""
    del url
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class _Word:
    """What is known of one site: which addresses it allows, or the status that kept that from being read."""

    until: float
    allows: Callable[[str], bool] = _everything
    unreachable: int = 0


class Robots:
    """The rules of the sites met so far. `fetch` follows redirects and keeps to the same bounds as for pages."""

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self._known: dict[str, _Word] = {}

    async def check(self, url: WebUrl) -> None:
        """Raise Refused where the site does not want `url` fetched, Retryable where it cannot be asked."""
        word = self._known.get(url.origin)
        if word is None or word.until < time.monotonic():
            word = await self._ask(url)
            if len(self._known) >= MOST_SITES:
                self._known.pop(next(iter(self._known)))
            self._known[url.origin] = word
        if word.unreachable:
            raise Retryable(
                f"{url.origin}/robots.txt answered HTTP {word.unreachable}; nothing is fetched before it can be read",
                "call again later",
                "fetch another source",
                retry_after_s=UNREACHABLE_S,
            )
        if not word.allows(url.text):
            raise Refused(
                f"the site's robots.txt asks programs not to fetch {shown_url(url.text)}",
                "fetch another source",
                f'ask the person: {SETTING} = "ignore" in their own hilt.toml fetches it all the same',
                by="rule",
                rule=RULE,
            )

    async def _ask(self, url: WebUrl) -> _Word:
        place = WebUrl(scheme=url.scheme, host=url.host, port=url.port, target="/robots.txt")
        reply = await self._fetch(place, _BOUNDS)
        now = time.monotonic()
        if reply.status >= 500 or reply.status == 429:
            return _Word(until=now + UNREACHABLE_S, unreachable=reply.status)
        if reply.status != 200:
            return _Word(until=now + KEPT_S)
        from protego import Protego

        rules = Protego.parse(reply.body.decode("utf-8", "replace"))
        return _Word(until=now + KEPT_S, allows=lambda address: rules.can_fetch(address, TOKEN))
