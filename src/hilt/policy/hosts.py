"""Hosts: those that the words of a command show, and patterns of them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote

_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/?#\s@]*@)?(\[[0-9a-f:.]+\]|[^/?#\s:@]+)", re.IGNORECASE)
_COPIED_TO = re.compile(r"^(?:[\w.+-]+@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+):", re.IGNORECASE)
_AT = re.compile(r"^[\w.+-]+@([\w.-]+)(?::.*)?$")
_BARE = re.compile(r"^([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:/.*)?$", re.IGNORECASE)
_PLAIN = re.compile(r"^[a-z0-9-]+(\.[a-z0-9-]+)*$")
_REACHES_OUT = frozenset(
    ("curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "ncat", "telnet", "ftp", "ping", "dig", "nslookup", "host")
)
"""Programs whose plain operands are hosts."""
WILD = "*."
ANY = "*"
"""The pattern of a word that forbids, for every host there is."""
_NAMED = re.compile(r"[\w-]+(\.[\w-]+)*")
_NUMBER = re.compile(r"0x[0-9a-f]+|\d+")
MOST_PARTS = 4
BYTE = 256


def hosts_shown(words: Sequence[str | None]) -> Iterator[str]:
    """The hosts that a command's words show: in addresses, as `user@host:path`, as operands of `curl` and its like."""
    reaches = bool(words) and (words[0] or "").rpartition("/")[2] in _REACHES_OUT
    for word in words[1:]:
        if word is None:
            continue
        found = _IN_ADDRESS.findall(word)
        if not found and (match := _COPIED_TO.match(word) or _AT.match(word)):
            found = [match[1]]
        if not found and reaches and not word.startswith("-") and (match := _BARE.match(word)):
            found = [match[1]]
        yield from (plain_host(each) for each in found)


@lru_cache(maxsize=1024)
def plain_host(host: str) -> str:
    """A host in one spelling: lower case, no dot at the end, as the network writes it; a number in four parts."""
    host = host.lower()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return host.rstrip(".")
    host = host.rstrip(".")
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return _of_parts(host)
    return str((address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address)


def _of_parts(host: str) -> str:
    """An address written as one to four numbers in any base, as programs still read it; any other host as it is."""
    parts = host.split(".")
    if len(parts) > MOST_PARTS or not all(_NUMBER.fullmatch(each) for each in parts):
        return host
    try:
        numbers = [int(each, 0 if each.startswith("0x") else 8 if each[0] == "0" else 10) for each in parts]
    except ValueError:  # eight is no octal digit, and some numbers are too long to be one
        return host
    *leading, last = numbers
    if any(each >= BYTE for each in leading) or last >= BYTE ** (MOST_PARTS + 1 - len(parts)):
        return host
    return str(IPv4Address(last + sum(each << (24 - 8 * place) for place, each in enumerate(leading))))


def is_host(host: str) -> bool:
    """Whether this is a plain name or number of a host, about which no two readers disagree."""
    return _PLAIN.match(host) is not None


def host_matches(host: str, pattern: str) -> bool:
    """Whether a host is the pattern's: the same one, or below it where the pattern begins with `*.`."""
    host, pattern = plain_host(host), plain_host(pattern)
    return host.endswith(pattern[1:]) and host != pattern[1:] if pattern.startswith(WILD) else host == pattern


def names_host(host: str, pattern: str) -> bool:
    """Whether a word that forbids speaks of a host, also where some programs first take percent signs out."""
    return pattern == ANY or host_matches(host, pattern) or ("%" in host and host_matches(unquote(host), pattern))


def is_host_pattern(pattern: str) -> bool:
    """Whether this is a host, hosts below one, or every host: nothing else ever fits one."""
    host = plain_host(pattern.removeprefix(WILD))
    return pattern == ANY or _NAMED.fullmatch(host) is not None or _is_address(host)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=512)
def spelled(pattern: str) -> re.Pattern[str]:
    """Finds a pattern's host anywhere in a text, for a word that forbids: too many are found rather than too few."""
    pattern = plain_host(pattern)
    below = r"(?:[\w-]+\.)+" if pattern.startswith(WILD) else ""
    name = re.escape(pattern.removeprefix(WILD))
    return re.compile(rf"(?<![\w.-]){below}{name}(?![\w-]|\.[\w])", re.IGNORECASE)


def host_is_wide(pattern: str) -> bool:
    """Whether a pattern stands for hosts of people who have nothing to do with each other."""
    rest = pattern.removeprefix(WILD)
    return "*" in rest or "?" in rest or not rest or (pattern.startswith(WILD) and "." not in rest.strip("."))
