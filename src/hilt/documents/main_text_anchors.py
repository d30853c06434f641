"""The names by which addresses lead to a heading: its own, those in it, and those of what begins with it."""

from collections.abc import Iterator
from typing import Any

Element = Any  # lxml's elements: the library has no types

MOST_ANCHORS = 12
"""Names of one heading that are kept."""

MOST_AROUND = 3
"""Elements around a heading that may carry its name."""


def anchors_of(heading: Element) -> tuple[str, ...]:
    """The names that stand at a heading, in it, right before it, and at the sections that begin with it."""
    found = [*_names(heading), *(name for each in heading.iterdescendants() for name in _names(each))]
    element = heading
    for _ in range(MOST_AROUND):
        before = element.getprevious()
        if before is not None and not "".join(before.itertext()).strip():
            found += _names(before)
            before = before.getprevious()
        around = element.getparent()
        if before is not None or around is None or around.tag in ("body", "main", "html"):
            break
        found += _names(around)
        element = around
    return tuple(dict.fromkeys(found))[:MOST_ANCHORS]


def _names(element: Element) -> Iterator[str]:
    for attribute in ("id", "name"):
        if element.get(attribute):
            yield str(element.get(attribute))
