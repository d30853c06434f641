"""What would make a set cheaper, in the order in which it helps: fewer tools in each request, then shorter texts.

A search hides a bad declaration and does not mend it; what one should say better is for judges of declarations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hilt.catalog.bill import Row
from hilt.catalog.residence import HILT, RESIDENT_BYTES

LONG_TOKENS = 500
"""A declaration from which on its text is worth shortening; of 978 real ones nine in ten are below."""
MOST_NAMED = 5
"""Tools that one piece of advice names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One thing to do: for which tools, the dearest first, how many tokens of every turn it is about, and in words."""

    do: Literal["defer", "shorten"]
    tools: tuple[str, ...]
    tokens: int
    text: str


def advice(rows: Sequence[Row], budget: int = RESIDENT_BYTES) -> tuple[Advice, ...]:
    """What to do about these tools, the first thing first; nothing where they are cheap."""
    dearest = sorted((each for each in rows if not each.deferred), key=lambda row: -row.tokens)
    others = [each for each in dearest if each.server != HILT]
    found: list[Advice] = []
    if sum(each.bytes for each in others) > budget:
        tokens = sum(each.tokens for each in others)
        words = f'let {len(others)} tools wait until they are found: set.defer = "auto", {tokens:,} tokens a turn'
        found.append(Advice(do="defer", tools=_names(others), tokens=tokens, text=words))
    long = [each for each in others if each.tokens >= LONG_TOKENS]
    if long:
        tokens, named = sum(each.tokens for each in long), _names(long)
        more = f" and {len(long) - MOST_NAMED} more" if len(long) > MOST_NAMED else ""
        words = f"shorten what is declared: {', '.join(named[:MOST_NAMED])}{more}, {tokens:,} tokens together"
        found.append(Advice(do="shorten", tools=named, tokens=tokens, text=words))
    return tuple(found)


def _names(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(each.name for each in rows)
