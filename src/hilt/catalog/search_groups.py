"""Words that mean about the same in the work of tools, and short forms: a need says one, a declaration another.

A line of the tables is one group. Each of its words stands for every other; behind `>` are words that only the ones
before it stand for, and not the other way round.
"""

from collections.abc import Mapping
from functools import cache

from hilt.catalog import search_groups_acts, search_groups_fields, search_groups_things
from hilt.catalog.search_words import stem

_TABLES = (search_groups_acts, search_groups_things, search_groups_fields)
MUTUAL, DIRECTED = 0.8, 0.6
"""What another word of a group counts, of what the word itself would; and one behind `>`."""

Alternatives = Mapping[str, float]


@cache
def alternatives() -> Mapping[str, Alternatives]:
    """For the stem of each word in a group, the stems it may stand for, and what they count."""
    found: dict[str, dict[str, float]] = {}
    for line in filter(None, "".join(each.GROUPS for each in _TABLES).splitlines()):
        left, _, right = line.partition(">")
        mutual, led = [stem(each) for each in left.split()], [stem(each) for each in right.split()]
        for one in mutual:
            known = found.setdefault(one, {})
            for other, weight in (*((each, DIRECTED) for each in led), *((each, MUTUAL) for each in mutual if not led)):
                if other != one:
                    known[other] = max(known.get(other, 0.0), weight)
    return found
