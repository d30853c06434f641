"""A file as it was once seen, and whether it is still that."""

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from hilt.workspace.digests import BESIDE_BYTES
from hilt.workspace.handles import FileVersion

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SETTLED_NS = 100_000_000
"""A state is believed where the last change lies so long before the look: a clock's tick may hide a later one."""

MOST_DIGESTS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some bytes of a file, by their digest."""

    offset: int
    size: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A file as it was at `at` (ns since the epoch).

    `digest` is of all of it; for a larger file there may be a `part`; for one that a search showed
    lines of there is neither. `whole` is false where the session saw no more than some lines of it: enough
    to edit them, not to write over all. `told` is the state of which the session heard that it is another.
    """

    version: FileVersion
    at: int
    digest: str = ""
    part: Part | None = None
    whole: bool = True
    told: FileVersion | None = None

    def surely(self, now: FileVersion) -> bool:
        """Whether the state alone says that the content is the same."""
        return self.version == now and settled(now, self.at)

    def known_without_reading(self, now: FileVersion) -> bool:
        """Whether a large file need not be read to know that it is the same; a small one always is."""
        return now.size >= BESIDE_BYTES and self.surely(now)


def settled(version: FileVersion, at: int) -> bool:
    """Whether a file had rested when it was looked at."""
    return at - max(version.ctime_ns, version.mtime_ns) > SETTLED_NS


def form(known: Known) -> Mapping[str, object]:
    """As a JSON value."""
    found: Mapping[str, object] = _adapter().dump_python(known, mode="json", exclude_defaults=True)
    return found


def read(value: object) -> Known | None:
    """A JSON value read back; None for none."""
    return None if value is None else _adapter().validate_python(value)


def name_of(real: str) -> str:
    """A path as text that every store takes: a byte that is not UTF-8 as `\\udcff`."""
    return real.encode("utf-8", "backslashreplace").decode()


class KnownDigests:
    """Digests by the state of the file, so that reading on in a large file works them out once."""

    def __init__(self) -> None:
        self._digests: OrderedDict[FileVersion, str] = OrderedDict()
        self._lock = Lock()

    def get(self, version: FileVersion) -> str | None:
        with self._lock:
            return self._digests.get(version)

    def put(self, version: FileVersion, digest: str) -> None:
        """Remember, unless the file changed just now and could do so again unseen."""
        if not settled(version, time.time_ns()):
            return
        with self._lock:
            self._digests[version] = digest
            while len(self._digests) > MOST_DIGESTS:
                self._digests.popitem(last=False)


@cache
def _adapter() -> "TypeAdapter[Known]":
    from pydantic import TypeAdapter  # lazy: keeps a shelf that is only listed light

    return TypeAdapter(Known)
