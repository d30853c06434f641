"""Searching the web through a provider: one that the settings name, or the pages read from here before.

Start with `web_search/search.py`: `WebSearch` asks its provider and remembers the answer for the
next page. `web_search/local.py` is the provider that needs nothing; `web_search/http.py` speaks to
those that do.
"""

from hilt.workspace.web_search.http import Brave, Searxng, Tavily
from hilt.workspace.web_search.local import LocalIndex
from hilt.workspace.web_search.search import WebSearch

__all__ = ["Brave", "LocalIndex", "Searxng", "Tavily", "WebSearch"]
