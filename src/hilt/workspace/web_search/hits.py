"""What a search finds, whoever was asked."""

import re
from dataclasses import dataclass
from typing import Protocol

LONGEST_TITLE = 200
LONGEST_SNIPPET = 300
"""Characters of a title and of a snippet."""

_TAGS = re.compile(r"<[^<>]{0,200}>")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that was found."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """The best pages, in order; `more` where others follow; `searched` says in words what was looked through."""

    hits: tuple[Hit, ...]
    more: bool
    searched: str


class SearchProvider(Protocol):
    """Finds pages for a query."""

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The best `most` pages, or all it can give. Raises a ToolFailure where it cannot be asked."""
        ...


def hit(title: object, url: object, snippet: object) -> Hit | None:
    """A hit of a provider's fields; None without an address of the web. Marks of HTML in its words are taken out."""
    if not isinstance(url, str) or not url.startswith(("http://", "https://")):
        return None
    return Hit(title=_words(title, LONGEST_TITLE) or url, url=url, snippet=_words(snippet, LONGEST_SNIPPET))


def _words(text: object, most: int) -> str:
    if not isinstance(text, str):
        return ""
    import html  # lazy: its table of characters is of no use to most starts of a command

    line = _SPACES.sub(" ", html.unescape(_TAGS.sub("", text[: 10 * most]))).strip()
    return line if len(line) <= most else f"{line[:most].rstrip()}..."
