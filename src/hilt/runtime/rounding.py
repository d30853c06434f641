"""Numbers written with more digits than a double holds: what the function gets instead is told.

JSON sets no limit to digits, every parser here does. 0.1 is no such number: it is written with the
fewest digits that name its double.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

import jiter

from hilt.calls.arguments import Path, Values
from hilt.declarations.schema import is_array, is_object
from hilt.results.envelope import Adjustment
from hilt.runtime.violations import json_path

# A double names every number of 15 digits; only longer ones, or far exponents, can be rounded. Every call is looked
# through: digits made alike and one search for a run of them take a third of the time of a pattern.
_ALIKE = bytes.maketrans(b"123456789.", b"0000000000")
_LONG = b"0" * 16
_FAR = re.compile(r"[eE]-[0-9]{3}")


def rounded(text: str, parsed: Values) -> list[Adjustment]:
    """One adjustment for each number of the argument text that its double does not name."""
    if _LONG not in text.encode().translate(_ALIKE) and not ("-" in text and _FAR.search(text)):
        return []
    written = jiter.from_json(text.encode(), float_mode="decimal")
    return [
        Adjustment(what=json_path(path), before=str(exact), after=double, why="a double holds no more digits")
        for path, exact, double in _floats((), written, parsed)
        if exact != Decimal(repr(double))
    ]


def _floats(path: Path, written: object, parsed: object) -> Iterator[tuple[Path, Decimal, float]]:
    if isinstance(written, Decimal) and isinstance(parsed, float):
        yield path, written, parsed
    elif is_object(written) and is_object(parsed):
        for key, each in written.items():
            yield from _floats((*path, key), each, parsed[key])
    elif is_array(written) and is_array(parsed):
        for place, each in enumerate(written):
            yield from _floats((*path, place), each, parsed[place])
