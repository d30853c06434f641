"""Which meaning tools are found by beside words: a static table, which ships with Hilt, or the extra `embed`."""

import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hilt.assembly.config import Config
from hilt.assembly.embedding import Embedding, need_extra
from hilt.catalog.nearness import Meaning
from hilt.catalog.wordpieces import Wordpieces

SETTING = "set.search"
LEXICAL, STATIC, EMBED = "lexical", "static", "embed"
TABLE = Path(__file__).with_name("wordpieces") / "table.bin"
WEIGHT = 1.5
"""What a cosine of 1 counts beside the best score by words; measured for this table, and for no other."""


def meaning_of(config: Config) -> Callable[[], Meaning | None]:
    """What gives the meaning that `set.search` asks for, for `Finding.search_by`. Raises `MissingExtra` at once.

    Nothing is loaded before a search asks for it.
    """
    name = config.text(SETTING) or STATIC
    if name == EMBED:
        need_extra()
    return lambda: meaning(name)


def meaning(name: str) -> Meaning | None:
    """The meaning of this name; None for `lexical`. Raises `MissingExtra`."""
    if name == LEXICAL:
        return None
    return embedding() if name == EMBED else static()


@cache
def embedding() -> Embedding:
    """The model of the extra, loaded once. Raises `MissingExtra`."""
    return Embedding(static().pieces)


@cache
def static() -> Wordpieces:
    """The table that ships with Hilt, read once, in thirty milliseconds."""
    return Wordpieces(zlib.decompress(TABLE.read_bytes()), weight=WEIGHT)
