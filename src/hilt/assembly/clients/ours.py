"""Which entry of a client's file is Hilt's: another server may have its name."""

import re
from collections.abc import Iterator

from hilt.declarations.schema import is_array, is_object

PROGRAMS = ("hilt", "hilt.exe")


def is_ours(entry: object) -> bool:
    """Whether an entry starts `hilt serve`, in whatever way: another server may be called hilt too."""
    words = list(_leaves(entry))
    return "serve" in words and any(re.split(r"[\\/]", each)[-1].split("[")[0] in PROGRAMS for each in words)


def _leaves(entry: object) -> Iterator[str]:
    """The texts of an entry: in itself and its lists."""
    if isinstance(entry, str):
        yield entry
    for each in entry if is_array(entry) else entry.values() if is_object(entry) else ():
        yield from _leaves(each)
