"""From the name of a host to its addresses: once for each connection, and what was checked is what is connected to."""

import ipaddress
import socket
from typing import Protocol

from anyio import getaddrinfo

from hilt.results.failures import EnvironmentFailure, Retryable
from hilt.workspace.network.urls import shown_url

_TEMPORARY = (socket.EAI_AGAIN,)


class NameResolver(Protocol):
    """Looks a host's addresses up."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of a name, the preferred first, at least one. Raises a ToolFailure for none."""
        ...


class SystemResolver:
    """As this machine resolves names."""

    async def resolve(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses that the system's resolver gives."""
        if literal := _literal(host):
            return (literal,)
        try:
            found = await getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            if error.errno in _TEMPORARY:
                raise Retryable(f"the name {shown_url(host)} could not be looked up now", "call again later") from None
            raise _unknown(host) from None
        except (UnicodeError, OSError):
            raise _unknown(host) from None
        return tuple(dict.fromkeys(str(each[4][0]) for each in found))


def _literal(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return ""


def _unknown(host: str) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"no host is named {shown_url(host)}: its name has no address",
        "check the spelling of the host",
        "fetch another source",
    )
