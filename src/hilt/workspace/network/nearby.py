"""Addresses like one that is not there: those that pages read before link to on the same site."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from urllib.parse import urljoin

from hilt.workspace.network.pages import Page
from hilt.workspace.network.urls import WebUrl

MOST_NEAR = 2
LIKE = 0.8
"""How alike two addresses must be, from 0 to 1."""

MOST_PAGES = 20
LOOKED_AT = 256 * 1024
MOST_LINKS = 1_000
"""Pages, bytes of each, and links among which is looked."""

_HREF = re.compile(rb"""\bhref\s*=\s*["']?([^"'\s>]{1,500})""", re.IGNORECASE)


def nearby(url: WebUrl, pages: Iterable[Page]) -> tuple[str, ...]:
    """The addresses most like `url` among those of `pages` and their links; none of another site."""
    known: dict[str, None] = {}
    for page in [page for page in pages if page.url.origin == url.origin][:MOST_PAGES]:
        known[page.url.text] = None
        for match in _HREF.finditer(page.body[:LOOKED_AT]):
            target = _joined(page.url.text, match[1].decode("utf-8", "replace"))
            if target.startswith(f"{url.origin}/") and len(known) < MOST_LINKS:
                known[target] = None
    known.pop(url.text, None)
    return tuple(get_close_matches(url.text, known, MOST_NEAR, LIKE))


def _joined(base: str, reference: str) -> str:
    try:
        return urljoin(base, reference).partition("#")[0]
    except ValueError:
        return ""
