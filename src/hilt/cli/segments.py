"""A JSON value as lines that people can read and that, put together, are its compact text again.

So each line can be priced, and the prices add up to what the whole costs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hilt.declarations.schema import is_array, is_object
from hilt.results.counting import Counter, utf8_length
from hilt.results.render import compact_json

LONGEST_LINE = 96
"""Characters up to which an object or a list stays on one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A piece of compact JSON, and how deep it stands."""

    text: str
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A segment and what it costs. Bytes are exact; tokens are what it adds to those before it."""

    segment: Segment
    bytes: int
    tokens: int


def segments(value: object, depth: int = 0, before: str = "", after: str = "") -> Iterator[Segment]:
    """The pieces of a value's compact JSON, in order; `before` and `after` cling to its ends."""
    whole = compact_json(value)
    if len(whole) <= LONGEST_LINE:
        yield Segment(text=f"{before}{whole}{after}", depth=depth)
    elif is_object(value):
        yield Segment(text=before + "{", depth=depth)
        last = len(value) - 1
        for place, (key, each) in enumerate(value.items()):
            yield from segments(each, depth + 1, f"{compact_json(key)}:", "," if place < last else "")
        yield Segment(text="}" + after, depth=depth)
    elif is_array(value):
        yield Segment(text=before + "[", depth=depth)
        last = len(value) - 1
        for place, each in enumerate(value):
            yield from segments(each, depth + 1, "", "," if place < last else "")
        yield Segment(text="]" + after, depth=depth)
    else:
        yield Segment(text=f"{before}{whole}{after}", depth=depth)


def priced(value: object, counter: Counter) -> list[Priced]:
    """Every line with its price; bytes and tokens each sum to those of the whole."""
    found: list[Priced] = []
    text, counted = "", 0
    for each in segments(value):
        text += each.text
        tokens = counter.count(text)
        found.append(Priced(segment=each, bytes=utf8_length(each.text), tokens=tokens - counted))
        counted = tokens
    return found
