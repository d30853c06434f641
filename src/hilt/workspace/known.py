"""A file as it was once seen, and whether it is still that."""

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock

from hilt.declarations.schema import is_object
from hilt.workspace.digests import BESIDE_BYTES
from hilt.workspace.handles import FileVersion

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


# By hand, for a validator of pydantic's takes longer to make than a short command's whole call.
def form(known: Known) -> Mapping[str, object]:
    """As a JSON value."""
    made: dict[str, object] = {"version": _numbers(known.version), "at": known.at}
    if known.digest:
        made["digest"] = known.digest
    if known.part:
        made["part"] = [known.part.offset, known.part.size, known.part.digest]
    if not known.whole:
        made["whole"] = False
    if known.told:
        made["told"] = _numbers(known.told)
    return made


def read(value: object) -> Known | None:
    """A JSON value read back; None for none, and for one that is no longer understood."""
    if not is_object(value):
        return None
    version, at, digest = _version(value.get("version")), value.get("at"), value.get("digest", "")
    if version is None or not isinstance(at, int) or not isinstance(digest, str):
        return None
    return Known(
        version=version,
        at=at,
        digest=digest,
        part=_part(value.get("part")),
        whole=value.get("whole") is not False,
        told=_version(value.get("told")),
    )


def _numbers(version: FileVersion) -> list[int]:
    return [version.device, version.inode, version.size, version.mtime_ns, version.ctime_ns]


def _version(value: object) -> FileVersion | None:
    match value:
        case [int(device), int(inode), int(size), int(mtime_ns), int(ctime_ns)]:
            return FileVersion(device=device, inode=inode, size=size, mtime_ns=mtime_ns, ctime_ns=ctime_ns)
        case _:
            return None


def _part(value: object) -> Part | None:
    match value:
        case [int(offset), int(size), str(digest)]:
            return Part(offset=offset, size=size, digest=digest)
        case _:
            return None


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
