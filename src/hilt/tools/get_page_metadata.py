"""`get_page_metadata`: what a page is, without its text: the cheap look before a page is read."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Annotated, cast

from anyio import to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.documents.main_text import Facts
from hilt.documents.main_text_blocks import Heading
from hilt.documents.main_text_content import PageContent, read_content
from hilt.results.envelope import Limit, ToolResult, Truncation
from hilt.results.failures import InvalidArguments
from hilt.workspace.network.charsets import page_text
from hilt.workspace.network.pages import Page
from hilt.workspace.network.urls import shown_url
from hilt.workspace.network.web import Web

HEADINGS = 100
"""Headings of one answer."""

READ_BYTES = 256 * 1024
"""The most that is read of a page to tell what it is."""

KIB = READ_BYTES // 1024


class PageHeading(TypedDict):
    """A heading of the page's main text, and the characters of its section."""

    level: int
    heading: str
    characters: int


def shown(items: Sequence[object]) -> str:
    """A heading a line, set in by its level."""
    return "\n".join(
        f"{'  ' * (item['level'] - 1)}{item['heading']} ({item['characters']:,})"
        for item in cast("Sequence[PageHeading]", items)  # the declared return holds them to it
    )


@tool(
    kind="perceive",
    limit=HEADINGS,
    continues="offset",
    noun="heading",
    effects={"reads": "public", "brings": "third-party", "does": "fetch", "roles": {"url": "url"}},
    activity="looking at {url}",
    render=shown,
    description=Description(
        use_for="what a web page is",
        not_for={"its text": "fetch_page"},
        returns="title, description, type, size and date, and headings with the characters under each; no text",
        cost=f"Cheap: reads {KIB} KiB at most",
    ),
)
async def get_page_metadata(
    ctx: Context,
    url: Annotated[str, Param("http(s) address")],
    offset: Annotated[int, Param("first heading", ge=1)] = 1,
) -> ToolResult[PageHeading]:
    page = await ctx.part(Web).head(ctx.session.principal, url, READ_BYTES)
    content = await to_thread.run_sync(partial(_content, page))
    found = content.outline if content else ()
    if offset > max(1, len(found)):
        raise InvalidArguments(
            f"offset {offset:,} is past the end: {shown_url(page.url.text)} has {len(found):,} headings",
            f"give an offset of at most {max(1, len(found)):,}",
        )
    end = min(len(found), offset - 1 + HEADINGS)
    return ToolResult(
        summary=_summary(page, content.facts if content else Facts()),
        items=tuple(map(_item, found[offset - 1 : end])),
        truncation=_cut(url, offset, end, len(found)),
        notes=tuple(_notes(page, content)) if offset == 1 else (),
    )


def _content(page: Page) -> PageContent | None:
    text = page_text(page)
    return read_content(text.text, page.media_type, page.url.text) if text else None


def _item(heading: Heading) -> PageHeading:
    return PageHeading(level=heading.level, heading=heading.title, characters=heading.size)


def _summary(page: Page, facts: Facts) -> str:
    parts = [
        f"{shown_url(page.url.text)}: {facts.title or 'no title'}",
        page.media_type or "of no stated type",
        _size(page),
        f"language {facts.language}" if facts.language else "",
        f"dated {facts.date}" if facts.date else "",
    ]
    return ", ".join(part for part in parts if part)


def _size(page: Page) -> str:
    """The page's bytes, unpacked; of a larger one what its server says, which counts it as it was sent."""
    if page.complete:
        return f"{len(page.body):,} bytes"
    said = page.headers.get("content-length", "")
    if said.isascii() and said.isdecimal() and len(said) < 16 and "content-encoding" not in page.headers:
        return f"{int(said):,} bytes by its server's word"
    return f"more than {len(page.body):,} bytes"


def _notes(page: Page, content: PageContent | None) -> Iterator[str]:
    yield from page.steps
    facts = content.facts if content else Facts()
    if facts.description:
        yield f"description: {facts.description}"
    if facts.canonical and facts.canonical != page.url.text:
        yield f"canonical address: {shown_url(facts.canonical)}"
    if "last-modified" in page.headers:
        yield f"last modified: {shown_url(page.headers['last-modified'])}"
    if content is None:
        yield "it holds no text that fetch_page could read"
    elif not page.complete:
        yield f"only its first {KIB} KiB were looked at: headings and sizes are of these"
    if content is not None:
        yield from content.notes


def _cut(url: str, offset: int, end: int, total: int) -> Truncation | None:
    if end >= total:
        return None
    return Truncation(
        shown=end - offset + 1,
        total=total,
        limit=Limit(name="headings", value=HEADINGS),
        next={"url": url, "offset": end + 1},
    )
