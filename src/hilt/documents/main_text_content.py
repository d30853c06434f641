"""The text of a page by its media type: HTML as its main text, Markdown by its headings, other text as it is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from hilt.documents.main_text import Facts, read_html
from hilt.documents.main_text_blocks import Block, Heading, headings, markdown_blocks, parted

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_MARKDOWN = frozenset(("text/markdown", "text/x-markdown"))
_TEXT = frozenset(
    (
        "application/json",
        "application/xml",
        "application/javascript",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
    )
)
EMPTY = "it has no text"
KEPT_PAGES = 4
KEPT_CHARACTERS = 1_000_000
"""Pages that are kept as they were read, and how long each may be."""

_LOOKED_AT = 1_000
"""Characters of an untyped page in which marks of HTML are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageContent:
    """A page in blocks, its headings, what it tells about itself, and what is to be said about how it was read."""

    facts: Facts
    blocks: tuple[Block, ...]
    outline: tuple[Heading, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self, note: str) -> "PageContent":
        """The same with one more note."""
        return replace(self, notes=(*self.notes, note))


def read_content(text: str, media_type: str, address: str) -> PageContent | None:
    """A page's text in blocks; None for a media type that holds no text. Raises as `read_html`."""
    return (_kept if len(text) <= KEPT_CHARACTERS else _read)(text, media_type, address)


def _read(text: str, media_type: str, address: str) -> PageContent | None:
    reader = _reader(text, media_type)
    if reader is None:
        return None
    content = reader(text, address)
    if not content.blocks and not content.notes:
        content = content.told(EMPTY)
    return replace(content, outline=headings(content.blocks))


_kept = lru_cache(maxsize=KEPT_PAGES)(_read)
"""What was read last: whoever reads a page on asks for the same text again."""


def _reader(text: str, media_type: str) -> Callable[[str, str], PageContent] | None:
    if media_type in _HTML or (not media_type and "<html" in text[:_LOOKED_AT].lower()):
        return _html
    if media_type in _MARKDOWN:
        return _markdown
    if (
        not media_type
        or media_type.startswith("text/")
        or media_type in _TEXT
        or media_type.endswith(("+json", "+xml"))
    ):
        return _plain
    return None


def _html(text: str, address: str) -> PageContent:
    main = read_html(text, address)
    notes = main.notes
    if main.facts.onward:
        notes = (*notes, f"the page sends its readers on to {main.facts.onward}, which was not followed")
    return PageContent(facts=main.facts, blocks=main.blocks, notes=notes)


def _markdown(text: str, address: str) -> PageContent:
    del address
    return PageContent(facts=Facts(), blocks=parted(tuple(markdown_blocks(text))))


def _plain(text: str, address: str) -> PageContent:
    del address
    return PageContent(facts=Facts(), blocks=parted((Block(text),)) if text.strip() else ())
