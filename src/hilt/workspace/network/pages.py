"""A fetched page, and the pages kept so that reading on does not ask again."""

import hashlib
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hilt.workspace.network.urls import WebUrl

FRESH_S = 900.0
"""Seconds a page is taken as it was fetched; afterwards the server is asked whether it changed."""

CACHE_BYTES = 64 * 1024**2
CACHE_PAGES = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What stands at an address. `url` is where it was found, after redirects.

    `body` holds its bytes unpacked, all of them where `complete`; `digest` names exactly these;
    `steps` says in words which redirects led there; `cached` whether nobody was asked for it now.
    """

    url: WebUrl
    media_type: str
    charset: str
    headers: Mapping[str, str]
    body: bytes
    complete: bool = True
    steps: tuple[str, ...] = ()
    cached: bool = False
    fetched: float = field(default_factory=time.monotonic)

    @property
    def digest(self) -> str:
        """A short name of the content."""
        return hashlib.sha256(self.body).hexdigest()[:16]

    @property
    def age_s(self) -> float:
        """Seconds since its server said that this is the page."""
        return time.monotonic() - self.fetched


Key = tuple[str, str]
"""For whom, and the address asked for: nobody is given what was fetched for another."""


class PageCache:
    """The pages fetched last, in memory, within `CACHE_BYTES` and `CACHE_PAGES`."""

    def __init__(self) -> None:
        self._pages: OrderedDict[Key, Page] = OrderedDict()
        self._bytes = 0

    def get(self, key: Key) -> Page | None:
        """The page kept under `key`."""
        page = self._pages.get(key)
        if page is None:
            return None
        self._pages.move_to_end(key)
        return replace(page, cached=True)

    def of(self, principal: str) -> tuple[Page, ...]:
        """The pages kept for somebody, the last used first."""
        return tuple(page for (owner, _), page in reversed(self._pages.items()) if owner == principal)

    def put(self, key: Key, page: Page) -> None:
        """Keep a whole page, and let go of those not used for longest."""
        if not page.complete or len(page.body) > CACHE_BYTES // 4:
            return
        self._drop(key)
        self._pages[key] = page
        self._bytes += len(page.body)
        while self._bytes > CACHE_BYTES or len(self._pages) > CACHE_PAGES:
            self._drop(next(iter(self._pages)))

    def _drop(self, key: Key) -> None:
        old = self._pages.pop(key, None)
        if old is not None:
            self._bytes -= len(old.body)
