"""Hosts: those that the words of a command show, and patterns of them."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

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


def plain_host(host: str) -> str:
    """A host in one spelling: lower case, no dot at the end, as the network writes it."""
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def is_host(host: str) -> bool:
    """Whether this is a plain name or number of a host, about which no two readers disagree."""
    return _PLAIN.match(host) is not None


def host_matches(host: str, pattern: str) -> bool:
    """Whether a host is the pattern's: the same one, or below it where the pattern begins with `*.`."""
    host, pattern = plain_host(host), plain_host(pattern)
    return host.endswith(pattern[1:]) and host != pattern[1:] if pattern.startswith(WILD) else host == pattern


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
