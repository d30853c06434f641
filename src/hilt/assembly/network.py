"""The way to the web as the settings say."""

from hilt.assembly.config import Config
from hilt.errors import ConfigError
from hilt.workspace.network import AddressRules, Client, Web


def web_of(config: Config) -> Web:
    """The part through which tools read pages. Raises `ConfigError`; connects to nothing yet."""
    rules = AddressRules(
        allow_hosts=config.texts("web.allow_hosts") or (), allow_private=config.value("web.allow_private") is True
    )
    return Web(
        Client(rules, proxy=_proxy(config)),
        robots=config.text("web.robots") != "ignore",
        cross_hosts=config.text("web.redirects") == "any",
    )


def _proxy(config: Config) -> str | None:
    proxy = config.text("web.proxy")
    if proxy and not proxy.startswith(("http://", "https://")):
        raise ConfigError(f"web.proxy: {proxy!r} is no http proxy", "write it as http://proxy.example:3128")
    return proxy
