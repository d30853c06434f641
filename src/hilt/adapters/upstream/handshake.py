"""How a connection begins, in each protocol: the handshake first, for a server older than 2026 knows no other.

A server that refuses it is asked in the way of 2026, where nothing is kept between requests and each
carries who asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from hilt.adapters.upstream.faults import CannotConnect, RpcError
from hilt.adapters.upstream.peer import Peer
from hilt.adapters.wire import words
from hilt.declarations.schema import is_array, is_object

NEWEST_WITH_HANDSHAKE = "2025-11-25"
WITH_HANDSHAKE = (NEWEST_WITH_HANDSHAKE, "2025-06-18", "2025-03-26", "2024-11-05")
WITHOUT_HANDSHAKE = "2026-07-28"
_META = "io.modelcontextprotocol/"
LONGEST_NAME = 200
LONGEST_WORDS = 20_000
"""Characters of a server's instructions that are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hello:
    """What a server said of itself. `offers` are the kinds of things it has: tools, resources, prompts."""

    protocol: str
    name: str = ""
    instructions: str = ""
    offers: frozenset[str] = frozenset()


def _ourselves() -> Mapping[str, object]:
    """Who we say we are."""
    return {"name": "hilt", "version": version("hilt")}


async def shake(peer: Peer) -> Hello:
    """Agree on a protocol. Raises CannotConnect, or what `Peer.request` does."""
    try:
        answer = await peer.request(
            "initialize",
            {"protocolVersion": NEWEST_WITH_HANDSHAKE, "capabilities": {}, "clientInfo": _ourselves()},
        )
    except RpcError as refused:
        return await _discovered(peer, refused)
    protocol = words(answer.get("protocolVersion"))
    if protocol not in WITH_HANDSHAKE:
        raise CannotConnect(
            f"it speaks protocol {protocol or 'of no version'}; known are {', '.join(WITH_HANDSHAKE)}",
            "use another release of the server",
            final=True,
        )
    if peer.link is not None:
        link = peer.link
        peer.notify("notifications/initialized")
        await link.settle()
        link.agreed(protocol)
    return _hello(protocol, answer, answer.get("serverInfo"))


async def _discovered(peer: Peer, refused: RpcError) -> Hello:
    peer.meta = {
        f"{_META}protocolVersion": WITHOUT_HANDSHAKE,
        f"{_META}clientInfo": _ourselves(),
        f"{_META}clientCapabilities": {},
    }
    try:
        answer = await peer.request("server/discover", {})
    except RpcError:
        raise CannotConnect(
            f"it refused the handshake with error {refused.code}: {refused.message}", "see what it wrote"
        ) from None
    known = _list(answer.get("supportedVersions"))
    if WITHOUT_HANDSHAKE not in known:
        spoken = ", ".join(map(words, known)) or "none that is known"
        raise CannotConnect(f"it speaks protocols {spoken}", "use another release of the server", final=True)
    meta = answer.get("_meta")
    return _hello(WITHOUT_HANDSHAKE, answer, meta.get(f"{_META}serverInfo") if is_object(meta) else None)


def _hello(protocol: str, answer: Mapping[str, object], who: object) -> Hello:
    offers = answer.get("capabilities")
    return Hello(
        protocol=protocol,
        name=words(who.get("name"))[:LONGEST_NAME] if is_object(who) else "",
        instructions=words(answer.get("instructions"))[:LONGEST_WORDS],
        offers=frozenset(offers) if is_object(offers) else frozenset(),
    )


def _list(value: object) -> Sequence[object]:
    return value if is_array(value) else ()
