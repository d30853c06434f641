"""The listing of skills that stands in every request: one line each, within a budget.

Descriptions are shortened first, all to one length; a name is left out only where names alone are
too many, and then it is counted.
"""

from collections.abc import Mapping, Sequence

from hilt.results.cutting import largest

LISTING_CHARACTERS = 8_000
"""The most the listing takes, whatever the window."""
SHARE_OF_WINDOW = 0.02
CHARACTERS_OF_A_TOKEN = 4
LEAST_DESCRIPTION = 20
"""Shorter than this a description says nothing, and is left out whole."""
ALL = "hilt skill list"


def listing_budget(window: int | None) -> int:
    """Characters for a model with a window of so many tokens; None where nobody knows."""
    if window is None:
        return LISTING_CHARACTERS
    return min(LISTING_CHARACTERS, int(window * SHARE_OF_WINDOW * CHARACTERS_OF_A_TOKEN))


def skill_lines(descriptions: Mapping[str, str], budget: int = LISTING_CHARACTERS) -> tuple[str, ...]:
    """A line for each skill, together at most `budget` characters, line feeds included.

    >>> skill_lines({"pdf": "Fill in forms", "rows": "Sort rows"})
    ('- pdf: Fill in forms', '- rows: Sort rows')
    """
    longest = max((len(each) for each in descriptions.values()), default=0)
    kept = largest(longest, lambda length: _size(_lines(descriptions, length)) <= budget)
    lines = _lines(descriptions, kept if kept >= min(LEAST_DESCRIPTION, longest) else 0)
    if _size(lines) <= budget:
        return tuple(lines)
    most = largest(len(lines), lambda count: _size([*lines[:count], _more(len(lines) - count)]) <= budget)
    return (*lines[:most], _more(len(lines) - most))


def _lines(descriptions: Mapping[str, str], length: int) -> list[str]:
    return [f"- {name}: {cut}" if (cut := _cut(text, length)) else f"- {name}" for name, text in descriptions.items()]


def _cut(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    if length < 1:
        return ""
    head = text[: length - 1]
    at_word = head.rpartition(" ")[0]
    return f"{(at_word if len(at_word) > len(head) // 2 else head).rstrip(' ,.;:')}…"


def _size(lines: Sequence[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _more(count: int) -> str:
    return f"- and {count:,} more: {ALL}"
