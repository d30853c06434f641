"""Where connections are opened: the one place a socket is made, and only to addresses that were checked.

The name is looked up here, checked here and connected to here, so that no second look-up can answer
differently. TLS goes on to see the name, for its certificate.
"""

from collections.abc import Iterable
from typing import cast

import httpcore2

from hilt.workspace.network.addresses import AddressRules
from hilt.workspace.network.resolving import NameResolver

MOST_ADDRESSES = 4
"""Addresses of one host that are tried."""


class CheckedBackend(httpcore2.AsyncNetworkBackend):
    """Opens TCP connections as `rules` allow. Raises Refused, and what the resolver raises."""

    def __init__(self, rules: AddressRules, resolver: NameResolver) -> None:
        self._rules = rules
        self._resolver = resolver
        # cast: to a type checker the name is also the library's stand-in for a missing anyio
        self._system = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  the interface is httpcore2's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        """A connection to the first address of `host` that answers."""
        name = host.strip("[]")
        addresses = await self._resolver.resolve(name, port)
        self._rules.check(name, port, addresses)
        tried = addresses[:MOST_ADDRESSES]
        for address in tried[:-1]:
            try:
                return await self._system.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout):
                continue
        return await self._system.connect_tcp(tried[-1], port, timeout, local_address, socket_options)
