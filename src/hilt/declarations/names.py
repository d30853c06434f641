"""Names of tools: what is allowed, and how any name becomes one that every provider takes."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from hashlib import blake2b

LONGEST_NAME = 64
NAME_PATTERN = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_NAME}}}")
_DIGEST_CHARACTERS = 8
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def allowed(name: str) -> bool:
    """Whether a name is one that every provider takes."""
    return NAME_PATTERN.fullmatch(name) is not None


def wire_name(name: str) -> str:
    """An allowed name for any name, the same every time and for no other name in practice.

    An allowed name stays itself. Otherwise each foreign character becomes `_`, and a digest of
    the original keeps two cleaned names apart.

    >>> wire_name("foo-list"), wire_name("foo.list") == wire_name("foo/list")
    ('foo-list', False)
    """
    if allowed(name):
        return name
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_CHARACTERS // 2).hexdigest()
    cleaned = _FOREIGN.sub("_", name)[: LONGEST_NAME - _DIGEST_CHARACTERS - 1].strip("_") or "tool"
    return f"{cleaned}_{digest}"


def nearest(asked: str, names: Sequence[str], *, most: int = 3) -> tuple[str, ...]:
    """The declared names most like the one asked for, best first; none when nothing is like it."""
    folded = {name.lower().replace("-", "_"): name for name in names}
    found = get_close_matches(asked.lower().replace("-", "_"), folded, n=most, cutoff=0.6)
    return tuple(folded[each] for each in found)
