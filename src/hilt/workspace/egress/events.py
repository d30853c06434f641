"""What is told of each connection that a command asked for, and its form on the way between processes."""

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One connection that ended. Without `allowed`, `why` is what the command was told; else a fault, or empty.

    `sent` and `received` are bytes of content as the command sees it.
    """

    host: str
    port: int
    allowed: bool
    sent: int = 0
    received: int = 0
    seconds: float = 0.0
    why: str = ""


def written(event: Event) -> str:
    """One line."""
    return json.dumps(asdict(event)) + "\n"


def read(line: str) -> Event | None:
    """The event of one line; None for what is none."""
    try:
        return Event(**json.loads(line))
    except (ValueError, TypeError):
        return None
