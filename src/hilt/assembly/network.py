"""The way to the web as the settings say: reading pages, and searching for them."""

import os
from urllib.parse import urlsplit

from hilt.assembly.config import Config
from hilt.errors import ConfigError
from hilt.store import MEMORY
from hilt.store.home import home
from hilt.workspace.network import AddressRules, Client, Web
from hilt.workspace.web_search import Brave, LocalIndex, Searxng, Tavily, WebSearch
from hilt.workspace.web_search.http import Key

INDEX = "pages.db"
"""The file in HILT_HOME that holds the pages read before."""


def web_parts(config: Config) -> dict[type, object]:
    """The parts through which tools read and search the web. Raises `ConfigError`; connects to nothing yet."""
    hosts, private = config.texts("web.allow_hosts") or (), config.value("web.allow_private") is True
    index = LocalIndex(None if config.text("store.where") == MEMORY else lambda: home() / INDEX)
    web = Web(
        Client(AddressRules(allow_hosts=hosts, allow_private=private), proxy=_proxy(config)),
        robots=config.text("web.robots") != "ignore",
        cross_hosts=config.text("web.redirects") == "any",
        library=index,
    )
    return {Web: web, WebSearch: _search(config, index)}


def _search(config: Config, index: LocalIndex) -> WebSearch:
    name, base = config.text("web.search.provider"), config.text("web.search.url")
    given = {"base": base} if base else {}
    # The person who named the server let it be asked, wherever it stands.
    client = Client(AddressRules(allow_hosts=(_place(base),) if base else ()), proxy=_proxy(config))
    match name:
        case "searxng" if base:
            return WebSearch(Searxng(client, base))
        case "searxng":
            raise ConfigError("web.search.url is not set, and searxng is a server of one's own", "set its address")
        case "brave":
            return WebSearch(Brave(client, _key(config, "BRAVE_API_KEY"), **given))
        case "tavily":
            return WebSearch(Tavily(client, _key(config, "TAVILY_API_KEY"), **given))
        case _:
            return WebSearch(index)


def _key(config: Config, usual: str) -> Key:
    variable = config.text("web.search.key_env") or usual
    return Key(value=os.environ.get(variable, ""), variable=variable)


def _place(base: str) -> str:
    parts = urlsplit(base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"web.search.url: {base!r} is no http address", "write it as https://search.example.org")
    return f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname


def _proxy(config: Config) -> str | None:
    proxy = config.text("web.proxy")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise ConfigError(f"web.proxy: {proxy!r} is no http proxy", "write it as http://proxy.example:3128")
    return proxy
