"""One exchange with one server: bounded in time and size, without cookies, redirects or the environment's proxies."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass

from anyio import CapacityLimiter, fail_after

from hilt.results.failures import Aborted, Outcome
from hilt.workspace.network.addresses import AddressRules
from hilt.workspace.network.bodies import ACCEPTED, Unpacker, read_body
from hilt.workspace.network.extra import require_web
from hilt.workspace.network.resolving import NameResolver, SystemResolver
from hilt.workspace.network.urls import PORTS, WebUrl

USER_AGENT = "hilt/0.1 (fetches single pages for a person; reads robots.txt)"
CONNECT_S = 10.0
"""Seconds to reach a server, and the longest it may send nothing."""

TOTAL_S = 30.0
"""Seconds of one exchange in all, however busily the server sends."""

PER_HOST = 2
"""Exchanges with one host at a time."""

MOST_HOSTS = 512
"""Hosts whose limit is remembered; those behind it are in use no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a server answered. Header names are lower case; `complete` says whether the body is whole."""

    url: WebUrl
    status: int
    headers: Mapping[str, str]
    body: bytes
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """How long and how much: seconds in all and without a byte, and bytes of the unpacked body."""

    most: int
    total_s: float = TOTAL_S
    idle_s: float = CONNECT_S


class Client:
    """Speaks HTTP to the addresses that `rules` allow; with a proxy, to it alone.

    `resolver` and `tls` stand for the system's own where they are given.
    """

    def __init__(
        self,
        rules: AddressRules,
        *,
        resolver: NameResolver | None = None,
        tls: ssl.SSLContext | None = None,
        proxy: str | None = None,
    ) -> None:
        self._rules = rules
        self._resolver = resolver or SystemResolver()
        self._tls = tls
        self._proxy = proxy
        self._limits: dict[str, CapacityLimiter] = {}

    def check(self, url: WebUrl) -> None:
        """Raise Refused where an address may not be connected to, as far as can be said without asking anybody."""
        self._rules.check_literal(url.host, url.port)

    async def exchange(
        self,
        url: WebUrl,
        bounds: Bounds,
        *,
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
        content: bytes | None = None,
    ) -> Reply:
        """The server's answer, whatever its status. Raises ToolFailure and Refused."""
        require_web("fetching from the web")
        import httpcore2

        from hilt.workspace.network.faults import failure_of

        sent = {"User-Agent": USER_AGENT, "Accept-Encoding": ACCEPTED, "Accept": "*/*", **(headers or {})}
        try:
            async with self._limit(url.place):
                with fail_after(bounds.total_s):
                    return await self._ask(url, bounds, sent, method, content)
        except TimeoutError:
            raise Aborted(
                f"{url.place} was still sending after {bounds.total_s:g} s, the most one answer may take",
                "fetch another source",
                outcome=Outcome.NOT_STARTED if method == "GET" else Outcome.UNKNOWN,
            ) from None
        except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, ssl.SSLError) as error:
            raise failure_of(error, url.place, bounds.idle_s) from None

    async def _ask(
        self, url: WebUrl, bounds: Bounds, headers: Mapping[str, str], method: str, content: bytes | None
    ) -> Reply:
        import httpcore2

        wait = dict.fromkeys(("connect", "read", "write", "pool"), bounds.idle_s)
        port = None if url.port == PORTS[url.scheme] else url.port
        address = httpcore2.URL(
            scheme=url.scheme.encode(), host=url.host.encode(), port=port, target=url.target.encode()
        )
        async with (
            self._pool(url) as pool,
            pool.stream(
                method, address, headers={"Host": url.place, **headers}, content=content, extensions={"timeout": wait}
            ) as response,
        ):
            found = _headers(response.headers)
            unpacker = Unpacker(found.get("content-encoding", ""))
            body, complete = await read_body(response.aiter_stream(), unpacker, bounds.most)
            return Reply(url=url, status=response.status, headers=found, body=body, complete=complete)

    def _pool(self, url: WebUrl):
        import httpcore2

        from hilt.workspace.network.backend import CheckedBackend

        if self._tls is None and (url.scheme == "https" or self._proxy):
            self._tls = httpcore2.default_ssl_context()
        if self._proxy:
            self._rules.check_literal(url.host, url.port)
            return httpcore2.AsyncHTTPProxy(self._proxy, ssl_context=self._tls)
        return httpcore2.AsyncConnectionPool(
            ssl_context=self._tls, network_backend=CheckedBackend(self._rules, self._resolver), max_connections=1
        )

    def _limit(self, place: str) -> CapacityLimiter:
        if len(self._limits) > MOST_HOSTS:
            self._limits = {name: each for name, each in self._limits.items() if each.borrowed_tokens}
        return self._limits.setdefault(place, CapacityLimiter(PER_HOST))


def _headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; several of one name are one list, as HTTP has it."""
    found: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        text = _decoded(value)
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
