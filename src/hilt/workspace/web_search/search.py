"""`WebSearch`: the part through which a tool searches the web."""

import time
from collections import OrderedDict

from hilt.workspace.web_search.hits import Hits, SearchProvider

KEPT_S = 300.0
"""Seconds for which further pages of a search come from the same answer."""

KEPT_SEARCHES = 64


class WebSearch:
    """Searches through one provider; nobody is given what was found for another."""

    def __init__(self, provider: SearchProvider) -> None:
        self._provider = provider
        self._kept: OrderedDict[tuple[str, str], tuple[float, int, Hits]] = OrderedDict()

    async def search(self, principal: str, query: str, most: int) -> Hits:
        """The best pages for `query`, at most `most` of them, and whether others follow."""
        key = (principal, query)
        until, asked, found = self._kept.get(key, (0.0, 0, None))
        if found is None or until < time.monotonic() or (asked < most and found.more):
            found = await self._provider.search(principal, query, most)
            self._kept[key] = (time.monotonic() + KEPT_S, most, found)
            self._kept.move_to_end(key)
            if len(self._kept) > KEPT_SEARCHES:
                self._kept.popitem(last=False)
        more = found.more or len(found.hits) > most
        return Hits(hits=found.hits[:most], more=more, searched=found.searched)
