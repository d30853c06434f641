"""Lengths of time as settings write them: a number and s, m, h, d or w."""

import re
from datetime import timedelta

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def duration(text: str) -> timedelta | None:
    """`14d` as a length of time; None for any other text.

    >>> duration("36h"), duration("soon")
    (datetime.timedelta(days=1, seconds=43200), None)
    """
    found = re.fullmatch(r"(\d{1,9})([smhdw])", text)
    return timedelta(seconds=int(found[1]) * _SECONDS[found[2]]) if found else None
