"""Which hosts and ports may be reached: what a person wrote, and nothing that a name can be turned into."""

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from hilt.errors import ConfigError
from hilt.workspace.network.addresses import closed

SETTING = "isolation.hosts"
PORTS = (80, 443)
"""The ports of a host that is written without one."""
MOST_NAMED = 6
"""Hosts that one message lists."""
_NAME = re.compile(r"(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """One host as written: `name` is exact, or begins with `*.` for every name below; None is the usual ports."""

    name: str
    port: int | None

    def covers(self, host: str, port: int) -> bool:
        known = port in PORTS if self.port is None else port == self.port
        return known and (host == self.name or (self.name.startswith("*.") and host.endswith(self.name[1:])))


class Hosts:
    """The hosts of the settings: `example.org`, `*.example.org`, `localhost:8000`, `10.1.2.3`.

    Raises ConfigError for what is no such host. A `*.` takes in every name below, not the name itself.
    """

    def __init__(self, written: Sequence[str]) -> None:
        self._written = tuple(written)
        self._patterns = tuple(_pattern(each) for each in written)

    def refusal(self, host: str, port: int) -> str:
        """Why a host may not be reached, in a text that says what can be done; empty for one that may."""
        if any(each.covers(host, port) for each in self._patterns):
            return ""
        asked = _place(host, port)
        if any(each.covers(host, each.port or PORTS[0]) for each in self._patterns):
            return self._says(f"port {port} of {host} is not among the hosts that commands may reach", asked)
        return self._says(f"{asked} is not among the hosts that commands may reach", asked)

    def address_refusal(self, host: str, port: int, addresses: Sequence[str]) -> str:
        """Why none of the addresses of an allowed host may be connected to, for the first that may not.

        A name that leads into this machine or a private network was written by a person, but what it
        leads to was not: the address itself must be.
        """
        for text in addresses:
            address = ipaddress.ip_address(text.partition("%")[0])
            why = closed(address)
            if why and not self._named(host, address, port):
                return self._says(f"{host} is {text}, which is {why}", _place(str(address), port))
        return ""

    def _named(self, host: str, address: IPv4Address | IPv6Address, port: int) -> bool:
        """Whether the address itself was allowed; `localhost` is a name of no other place."""
        local = host == "localhost" and address.is_loopback
        return local or any(each.covers(str(address), port) for each in self._patterns)

    def _says(self, problem: str, add: str) -> str:
        more = len(self._written) - MOST_NAMED
        named = ", ".join(self._written[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        usual = " and ".join(map(str, PORTS))
        return (
            f"{problem}. Allowed: {named or 'none'} (ports {usual} where none is written). Use one of these, or ask"
            f' the person to add "{add}" to {SETTING} in their own hilt.toml.'
        )


def _pattern(written: str) -> _Pattern:
    name, port = split_port(written.strip().lower())
    name = name.removesuffix(".")
    if not (_is_address(name) or _NAME.fullmatch(name)) or name == "*" or (port is not None and not 0 < port < 65536):
        raise ConfigError(
            f"{SETTING}: {written!r} is no host", "write it as example.org, *.example.org or localhost:8000"
        )
    return _Pattern(name=str(ipaddress.ip_address(name)) if _is_address(name) else name, port=port)


def split_port(text: str) -> tuple[str, int | None]:
    """A host and its port, None where none is written; brackets around an IPv6 address are taken off."""
    if text.startswith("["):
        host, _, rest = text[1:].partition("]")
        return host, _number(rest.removeprefix(":")) if rest else None
    if text.count(":") != 1:
        return text, None
    host, _, port = text.partition(":")
    return host, _number(port)


def _number(text: str) -> int:
    """A port; 0, which none is, for what is no number."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 5 else 0


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _place(host: str, port: int) -> str:
    bracketed = f"[{host}]" if ":" in host else host
    return bracketed if port in PORTS else f"{bracketed}:{port}"
