"""What an HTTP status other than success means to the model that asked for the page."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from hilt.results.failures import EnvironmentFailure, Retryable, ToolFailure
from hilt.workspace.network.client import Reply
from hilt.workspace.network.urls import shown_url

LONGEST_WAIT_S = 3_600.0
"""The longest a server's own word on waiting is handed on."""

_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CLOSED = frozenset({401, 402, 403, 407, 451})
GONE = frozenset({404, 410})


def failure_of_status(reply: Reply, near: Sequence[str] = ()) -> ToolFailure:
    """The failure for a reply that is neither the page nor a redirect; `near` are addresses like the one asked for."""
    said = f"{shown_url(reply.url.text)} answered HTTP {reply.status}{_named(reply.status)}"
    if reply.status in _AGAIN:
        wait = retry_after(reply.headers.get("retry-after", ""))
        return Retryable(said, "call again later", "fetch another source", retry_after_s=wait)
    if reply.status in _CLOSED:
        return EnvironmentFailure(
            f"{said}: it is open only to those who are known there, and no login is ever sent",
            "fetch another source",
            "ask the person for its content",
        )
    if reply.status in GONE and near:
        return EnvironmentFailure(f"{said}; pages read before lead to {' and '.join(near)}", f"fetch {near[0]}")
    if reply.status in GONE:
        return EnvironmentFailure(said, f"fetch {shown_url(reply.url.origin)}/ and follow its links", "check the path")
    return EnvironmentFailure(said, "fetch another source", "check the address")


def retry_after(value: str) -> float | None:
    """Seconds to wait by a Retry-After header, in either of its forms; None where it says nothing usable."""
    text = value.strip()
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return min(float(text), LONGEST_WAIT_S)
    from email.utils import parsedate_to_datetime  # lazy: most starts of a command fetch nothing

    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    seconds = (when - datetime.fromtimestamp(time.time(), UTC)).total_seconds()
    return min(max(0.0, round(seconds, 1)), LONGEST_WAIT_S)


def _named(status: int) -> str:
    from http import HTTPStatus  # lazy, as above

    try:
        return f" ({HTTPStatus(status).phrase})"
    except ValueError:
        return ""
