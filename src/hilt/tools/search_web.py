"""`search_web`: pages about something, by whichever provider the settings name."""

from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.context import Context
from hilt.calls.declaring import tool
from hilt.declarations.description import Description
from hilt.declarations.parameters import Param
from hilt.results.envelope import Limit, ToolResult, Truncation
from hilt.results.failures import InvalidArguments
from hilt.workspace.web_search import WebSearch

PAGES = 10
"""Pages of one answer, unless asked otherwise."""

MOST_PAGES = 50
"""How far down a search can be read."""


class FoundPage(TypedDict):
    """A page that was found, with a few words of it."""

    title: str
    url: str
    snippet: str


def shown(items: Sequence[object]) -> str:
    """Title and address on a line, the words below."""
    pages = cast("Sequence[FoundPage]", items)  # the declared return holds them to it
    return "\n".join(
        f"{page['title']} {page['url']}" + (f"\n  {page['snippet']}" if page["snippet"] else "") for page in pages
    )


@tool(
    kind="perceive",
    limit=PAGES,
    continues="offset",
    noun="page",
    effects={"reads": "public", "brings": "third-party", "does": "fetch", "roles": {"query": "content"}},
    activity="searching the web for {query}",
    render=shown,
    description=Description(
        use_for="finding web pages",
        not_for={"files": "search_code", "a known address": "fetch_page"},
        returns="title, address and some words of each, best first, and what was searched",
        traps="No provider set: only pages read before",
    ),
)
async def search_web(
    ctx: Context,
    query: Annotated[str, Param("words", min_length=1)],
    limit: Annotated[int, Param("most pages", ge=1, le=MOST_PAGES)] = PAGES,
    offset: Annotated[int, Param("pages to skip", ge=0)] = 0,
) -> ToolResult[FoundPage]:
    if offset >= MOST_PAGES:
        raise InvalidArguments(
            f"offset {offset:,} is past the {MOST_PAGES} pages that a search reaches", "search with other words"
        )
    end = min(offset + limit, MOST_PAGES)
    found = await ctx.part(WebSearch).search(ctx.session.principal, query, end)
    total = len(found.hits)
    if offset and offset >= total:
        raise InvalidArguments(
            f"offset {offset:,} is past the end: {_pages(total)} found", f"give an offset below {max(1, total)}"
        )
    items = tuple(FoundPage(title=hit.title, url=hit.url, snippet=hit.snippet) for hit in found.hits[offset:end])
    more = found.more and end < MOST_PAGES
    return ToolResult(
        summary=f"{_pages(len(items))} about {query!r}; searched: {found.searched}",
        items=items,
        truncation=_cut(query, limit, offset, offset + len(items)) if more and items else None,
        notes=() if items else tuple(_nothing(found.searched)),
    )


def _pages(count: int) -> str:
    return f"{count or 'no'} {'page' if count == 1 else 'pages'}"


def _nothing(searched: str) -> list[str]:
    if "not the web" in searched:
        return ["the person can name a provider, searxng, brave or tavily, in their own hilt.toml: web.search.provider"]
    return ["fewer or other words may find more"]


def _cut(query: str, limit: int, offset: int, end: int) -> Truncation:
    given: Mapping[str, object] = {"query": query} | ({} if limit == PAGES else {"limit": limit})
    return Truncation(
        shown=end - offset,
        total=end + 1,
        total_is="at_least",
        limit=Limit(name="limit", value=limit),
        next={**given, "offset": end},
    )
