"""What a process that serves HTTP is told, and what it opens; needs no SDK, for it is sent from process to process."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from hilt.adapters.mcp_http_tokens import Token
from hilt.adapters.mcp_passing import Passing
from hilt.calls.session import Session
from hilt.runtime.runtime import Runtime

GRACE_S = 5
"""Seconds that running calls get when the server is told to end."""

Work = Callable[[], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What a worker serves: `beside` runs as long, `closing` follows, `know` is told each session that is served.

    A first list of tools waits a while for `settling`.
    """

    runtime: Runtime
    beside: Work
    closing: Work
    know: Callable[[Session], None]
    passing: Passing | None = None
    settling: Work | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a worker serves. It is sent to other processes, so `open` is a function of a module, or a partial of one.

    `open` is given whether this worker speaks for all, and so may print notes.
    """

    open: Callable[[bool], Opened]
    tokens: tuple[Token, ...]
    scope: str
    version: str
    structured: bool = False
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
