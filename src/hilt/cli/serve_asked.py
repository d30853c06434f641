"""What the command line of `hilt serve` says of HTTP; apart, so that serving over pipes loads nothing of it."""

from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
PORT = 8_765


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line says of HTTP."""

    host: str = HOST
    port: int = PORT
    workers: int = 1
    token_file: Path | None = None
    origins: tuple[str, ...] = ()
