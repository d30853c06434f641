"""What a program asks of the proxy: the head of one request, read strictly: two meanings lead past checks."""

import ipaddress
import re
from dataclasses import dataclass

from hilt.workspace.egress.hosts import split_port

MOST_HEAD_BYTES = 32 << 10
"""Bytes of a head."""
_LINE = re.compile(rb"([A-Z]{1,20}) ([!-~]{1,8000}) HTTP/1\.[01]")
_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
_NUMERIC = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_NOT_SENT_ON = (b"host", b"connection", b"keep-alive", b"upgrade")
_OF_PROXIES = b"proxy-"


class NotAsked(Exception):
    """What came is no request that this proxy takes; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Where a program wants to go. `head` is what the host is sent first; empty for a tunnel."""

    host: str
    port: int
    head: bytes = b""

    @property
    def tunnel(self) -> bool:
        """Whether bytes are carried as they are."""
        return not self.head


def read_head(head: bytes) -> Asked:
    """The request of a head, up to its empty line. Raises NotAsked."""
    first, *rest = head.split(b"\r\n")
    found = _LINE.fullmatch(first)
    if found is None:
        raise NotAsked("this is no request of HTTP/1.1 for a proxy")
    method, target = found[1], found[2].decode("ascii")
    if method == b"CONNECT":
        host, port = split_port(target.lower())
        return Asked(host=_host(host), port=_port(port, target))
    scheme, mark, place = target.partition("://")
    if not mark or scheme.lower() != "http":
        raise NotAsked("only CONNECT and addresses that begin with http:// are taken")
    authority, slash, path = place.partition("/")
    if "@" in authority or "?" in authority or "#" in target:
        raise NotAsked("the address has two meanings")
    host, port = split_port(authority.lower())
    head = _sent_on(method, f"/{path}" if slash else "/", authority, rest)
    return Asked(host=_host(host), port=80 if port is None else _port(port, target), head=head)


def _sent_on(method: bytes, path: str, authority: str, lines: list[bytes]) -> bytes:
    """The head as the host gets it: for itself alone, one request, and nothing that was meant for a proxy."""
    kept = [b"%s %s HTTP/1.1" % (method, path.encode("ascii")), b"Host: %s" % authority.encode("ascii")]
    for line in lines:
        if not line:
            continue
        found = _HEADER.fullmatch(line)
        if found is None:
            raise NotAsked("a header cannot be read")
        name = found[1].lower()
        if name not in _NOT_SENT_ON and not name.startswith(_OF_PROXIES):
            kept.append(line)
    return b"\r\n".join([*kept, b"Connection: close", b"", b""])


def _host(text: str) -> str:
    """A name or an address in its one plain form."""
    name = text.removesuffix(".")
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        pass
    if not _HOST.fullmatch(name) or _NUMERIC.fullmatch(name.rpartition(".")[2]):
        raise NotAsked("it names no host that is read in one way only")
    return name


def _port(port: int | None, target: str) -> int:
    if not port or port > 65535:
        raise NotAsked(f"{target[:100]} has no port")
    return port
