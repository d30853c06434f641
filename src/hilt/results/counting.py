"""How long a text is for a model: counters of tokens, each named wherever its figure is shown.

Bytes are exact and free; a quarter of them estimates tokens within about -10 % to +8 % on English,
code, JSON and Chinese (measured against o200k_base). An exact counter can be given instead.
"""

from collections.abc import Callable
from dataclasses import dataclass

BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A way to count tokens. `name` is shown beside every figure it gave."""

    name: str
    count: Callable[[str], int]


def utf8_length(text: str) -> int:
    """Bytes of `text` in UTF-8; lone surrogates count as they would be escaped."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "backslashreplace"))


def _quarter_bytes(text: str) -> int:
    return -(-utf8_length(text) // BYTES_PER_TOKEN)


QUARTER_BYTES = Counter(name="bytes/4", count=_quarter_bytes)
