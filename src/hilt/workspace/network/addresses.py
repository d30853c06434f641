"""Which addresses may be connected to: the public internet, and what the settings open beside it.

Everything else, such as this machine, the local network and the place where clouds hand out
credentials, is reachable from here and not from where a page was written.
"""

import ipaddress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from hilt.errors import ConfigError
from hilt.results.failures import Refused
from hilt.workspace.network.urls import shown_url

RULE = "public-addresses-only"
SETTING = "web.allow_hosts"

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# What ipaddress calls global although it leads elsewhere, or is no one's.
_CLOSED: tuple[Network, ...] = (
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4
    ipaddress.ip_network("64:ff9b:1::/48"),  # translation inside a network
    ipaddress.ip_network("2001::/32"),  # Teredo: carries another address
    ipaddress.ip_network("::/96"),  # IPv4 as it once stood in IPv6
    ipaddress.ip_network("fec0::/10"),  # local to a site, before fc00::/7
    ipaddress.ip_network("5f00::/16"),  # segment routing
)
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
_METADATA = (ipaddress.ip_network("169.254.0.0/16"), ipaddress.ip_network("fe80::/10"))


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressRules:
    """What may be reached beside the public internet.

    `allow_hosts` holds hosts (`intranet`, `localhost:8000`, `10.1.2.3`) and networks (`10.1.0.0/16`);
    `allow_private` opens every address but the link-local ones, where clouds keep credentials.
    """

    allow_hosts: tuple[str, ...] = ()
    allow_private: bool = False
    _networks: tuple[Network, ...] = field(init=False, repr=False)
    _hosts: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        networks = tuple(_network(each) for each in self.allow_hosts if "/" in each)
        hosts = frozenset(each.lower().removesuffix(".") for each in self.allow_hosts if "/" not in each)
        object.__setattr__(self, "_networks", networks)
        object.__setattr__(self, "_hosts", hosts)

    def check(self, host: str, port: int, addresses: tuple[str, ...]) -> None:
        """Raise Refused where one of the addresses that `host` stands for may not be connected to."""
        bracketed = f"[{host}]" if ":" in host else host
        if {host, bracketed, f"{bracketed}:{port}"} & self._hosts:
            return
        for text in addresses:
            address = ipaddress.ip_address(text.partition("%")[0])
            if (why := closed(address)) and not self._opened(address):
                raise _refused(host, port, text, why)

    def check_literal(self, host: str, port: int) -> None:
        """The same for what can be said without looking a name up, where a proxy does that."""
        if host == "localhost" or host.endswith(".localhost"):
            self.check(host, port, ("127.0.0.1",))
        elif ":" in host or host.rpartition(".")[2].isdecimal():
            self.check(host, port, (host,))

    def _opened(self, address: Address) -> bool:
        if any(address in network for network in self._networks):
            return True
        inner = carried(address)
        return self.allow_private and not any(each in network for each in (address, inner) for network in _METADATA)


def closed(address: Address) -> str:
    """Why an address is not public; empty for one that is."""
    inner = carried(address)
    if inner is not address:
        why = closed(inner)
        return f"{why}, inside an IPv6 address" if why else ""
    kinds = (
        (address.is_loopback, "this machine itself"),
        (address.is_unspecified, "no address at all"),
        (address.is_multicast, "a multicast address"),
        (address.is_link_local, "link-local, where clouds hand out credentials"),
        (any(address in network for network in _CLOSED), "an address for translation or transition"),
        (not address.is_global, "a private or reserved address"),
    )
    return next((why for holds, why in kinds if holds), "")


def carried(address: Address) -> Address:
    """The IPv4 address that an IPv6 one stands for, where it does; else itself."""
    if isinstance(address, IPv4Address):
        return address
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _refused(host: str, port: int, text: str, why: str) -> Refused:
    named = host if host == text else f"{shown_url(host)} is {text}, which"
    return Refused(
        f"{named} is {why}; only public addresses are fetched",
        "fetch a page of a public host",
        f'ask the person to add "{shown_url(host)}:{port}" to {SETTING} in their own hilt.toml',
        by="rule",
        rule=RULE,
    )


def _network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigError(f"{SETTING}: {text!r} is no network: {error}", "write it as 10.1.0.0/16") from None
