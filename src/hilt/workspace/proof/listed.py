"""Names that one command prints and another takes for files: what on the disk makes them something else.

A name with a blank in it becomes two, of which one may be an option or lead anywhere.
"""

import os
from collections.abc import Iterator

from hilt.workspace.proof.places import MOST_ENTRIES, entries_below
from hilt.workspace.proof.repositories import tracked_in

PARTING = frozenset(" \t\n'\"\\*?[")
"""Characters at which a name is taken apart, or that change it, on its way through `xargs`, `$(...)` or `read`."""


def parted(path: str) -> str:
    """Why a printed name would not stay itself; empty where it would."""
    return f"{path!r} is a name that is taken apart at its blanks or quotes" if set(path) & PARTING else ""


def trouble_below(folder: str) -> str:
    """The same for any name below a folder."""
    for count, entry in enumerate(entries_below(folder)):
        if count >= MOST_ENTRIES:
            return f"the names below {folder} are more than {MOST_ENTRIES:,}, too many to be looked through"
        if why := parted(entry.name):
            return why
    return ""


def trouble_tracked(folder: str) -> str:
    """The same for any name that the repository of a folder tracks."""
    _, paths = tracked_in(folder)
    return next((why for path in paths if (why := parted(path))), "")


def links_tracked(folder: str) -> Iterator[str]:
    """What the repository of a folder tracks and is a link now, or lies in a folder that is one."""
    top, paths = tracked_in(folder)
    seen: set[str] = set()
    for path in paths:
        while path and path not in seen:
            seen.add(path)
            if os.path.islink(full := os.path.join(top, path)):
                yield full
            path = os.path.dirname(path)
