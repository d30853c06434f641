"""Names of upstream tools on the wire: which server, which tool, in as many characters as clients leave.

A name depends on its server and its tool alone, so it stays when servers come and go. Two pairs never share
one: a name that could be read as another's, or that had to be changed, carries a digest of the pair.
"""

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Literal

from hilt.declarations.names import LONGEST_NAME

Style = Literal["prefix", "suffix"]
"""Whether the server stands before its tools' names or behind them."""
STYLES: tuple[Style, ...] = ("prefix", "suffix")
Pair = tuple[str, str]
"""A server's name and the name that it gave a tool."""

CLIENTS_PREFIX = len("mcp__hilt__")
"""Characters that a client puts before the name of each tool of ours."""
LONGEST = LONGEST_NAME - CLIENTS_PREFIX
SEPARATOR = "__"
LONGEST_SERVER = 16
"""Characters of a server's name that are kept where the whole is too long."""
_DIGEST_BYTES = 5
_DIGEST_CHARACTERS = 2 * _DIGEST_BYTES
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")
_LIKE_A_DIGEST = re.compile(rf"_[0-9a-f]{{{_DIGEST_CHARACTERS}}}$")


def wire_name_of(server: str, tool: str, style: Style = "prefix") -> str:
    """The name of one server's tool: at most `LONGEST` ASCII characters, the same every time.

    >>> wire_name_of("git", "git_status"), wire_name_of("git", "git_status", "suffix")
    ('git__git_status', 'git_status__git')
    """
    whole = _joined(server, tool, style)
    if _plain(server, tool) and len(whole) <= LONGEST and not _LIKE_A_DIGEST.search(whole):
        return whole
    room = LONGEST - _DIGEST_CHARACTERS - 1
    short = _cleaned(server, "server")[:LONGEST_SERVER].rstrip("_")
    left = room - len(short) - len(SEPARATOR)
    named = _joined(short, _cleaned(tool, "tool")[:left].rstrip("_") or "tool", style)
    return f"{named}_{_digest(server, tool)}"


def wire_names(pairs: Iterable[Pair], style: Style = "prefix") -> Mapping[Pair, str]:
    """The name of every pair. Where two digests are equal the first pair in the order of the alphabet has the name."""
    named: dict[str, Pair] = {}
    for pair in sorted(set(pairs)):
        named.setdefault(wire_name_of(*pair, style), pair)
    return {pair: name for name, pair in named.items()}


def _joined(server: str, tool: str, style: Style) -> str:
    return f"{server}{SEPARATOR}{tool}" if style == "prefix" else f"{tool}{SEPARATOR}{server}"


def _plain(server: str, tool: str) -> bool:
    """Whether the joined name can be taken apart in one way: a server's name then ends where the separator stands."""
    if not (_PLAIN.fullmatch(server) and _PLAIN.fullmatch(tool)):
        return False
    return SEPARATOR not in server and server[0] != "_" and server[-1] != "_"


def _cleaned(name: str, otherwise: str) -> str:
    return re.sub("_{2,}", "_", _FOREIGN.sub("_", name)).strip("_") or otherwise


def _digest(server: str, tool: str) -> str:
    whole = f"{len(server)} {server}{tool}".encode("utf-8", "surrogatepass")
    return blake2b(whole, digest_size=_DIGEST_BYTES).hexdigest()
