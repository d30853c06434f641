"""What was there before each change of files, so that a person can have it back: `hilt undo`.

A folder on the machine whose files they are, private to its user. Each change is a record (JSON)
and, where something was there before, that thing itself: the old file under a second name or
moved here, which costs nothing, or a copy where it lies on another file system. A file that is
kept under a second name could still be written to by whoever has it open, so it is held to its
digest before it is put back.
"""

import errno
import json
import os
import secrets
import time
from base64 import b32encode
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from hilt.errors import HiltError
from hilt.workspace.changes.moving import put_elsewhere
from hilt.workspace.changes.staging import stage
from hilt.workspace.changes.trees import Extent, copy_tree, entries, extent, remove_tree
from hilt.workspace.descent import FOLDER, NamePlace
from hilt.workspace.digests import Buffer

SNAPSHOT_BYTES = 256 << 20
"""The most that is copied to be kept, where it cannot be kept under a second name."""

KEPT_BYTES = 2 << 30
"""The most that all snapshots hold together; the oldest go first."""

KEPT_S = 14 * 86_400.0
"""Seconds a snapshot is kept."""

_PURGE_EVERY, _PURGE_BYTES = 64, KEPT_BYTES // 8
"""How much is kept between two purges."""
_DIGITS = 20
_ID_BYTES = 5
_RECORD = ".json"
_CONTENT = ".old"
_PART = ".part"
_STAGING = "staging"
_SWEPT_AFTER_NS = 86_400 * 10**9
_ELSEWHERE = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOENT, errno.ENOSYS)

Deed = Literal["replaced", "created", "removed", "moved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """On whose behalf files are changed: the session and the tool. `undoes` is the change that is taken back."""

    session: str = ""
    tool: str = ""
    undoes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One change. `before` and `after` are digests of `path`'s content, empty where there was none.

    Those of whole trees begin with `tree:` and are of names, sizes and times. `path` is canonical;
    `to` is where it was moved; `folders` were made for it, the outermost first.
    """

    id: str
    at: int
    deed: Deed
    path: str
    to: str = ""
    before: str = ""
    after: str = ""
    folders: tuple[str, ...] = ()
    by: Author = field(default_factory=Author)

    @property
    def stem(self) -> str:
        """The name of its record and of what it keeps, without ending; later ones sort behind."""
        return f"{self.at:0{_DIGITS}d}-{self.id}"


class Snapshots:
    """The folder of changes. `folder` is asked for at the first change, and may raise OSError then."""

    def __init__(self, folder: Callable[[], Path]) -> None:
        self._asked = folder
        # By chance, for of many short processes none would ever have written enough.
        self._written, self._bytes = secrets.randbelow(_PURGE_EVERY), secrets.randbelow(_PURGE_BYTES)

    def folder(self) -> Path:
        """Where snapshots are kept, made when it is missing. Raises OSError."""
        path = self._asked()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path

    def staging(self) -> Path:
        """Where new content may be written before it has its name, beside the snapshots."""
        return self._asked() / _STAGING

    def record(self, snapshot: Snapshot, size: int = 0) -> None:
        """Write it down, right before the change is made that keeps so many bytes. Raises OSError."""
        self._written += 1
        self._bytes += size
        if self._written >= _PURGE_EVERY or self._bytes > _PURGE_BYTES:
            self._written = self._bytes = 0
            self.purge()
        part = self.folder() / f"{snapshot.stem}{_PART}"
        part.write_text(json.dumps(asdict(snapshot)), encoding="ascii")
        part.rename(part.with_suffix(_RECORD))

    def link(self, snapshot: Snapshot, descriptor: int, content: Sequence[Buffer]) -> None:
        """Keep an open file under a second name, else its content, which is at hand. Raises OSError."""
        with self._place(snapshot) as place:
            try:
                os.link(f"/proc/self/fd/{descriptor}", place.name, dst_dir_fd=place.folder, follow_symlinks=True)
            except OSError as error:
                if error.errno not in _ELSEWHERE:
                    raise
                _check_size(sum(map(len, content)), SNAPSHOT_BYTES, "are copied from another file system")
                staged = stage(place.folder, content)
                try:
                    staged.put_new(place)
                finally:
                    staged.close()

    def take(self, snapshot: Snapshot, source: NamePlace, size: int) -> None:
        """Move a file, link or folder of so many bytes here, else copy it here and remove it there. Raises OSError."""
        _check_size(size, KEPT_BYTES, "are kept")
        with self._place(snapshot) as place:
            try:
                os.rename(source.name, place.name, src_dir_fd=source.folder, dst_dir_fd=place.folder)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                _check_size(size, SNAPSHOT_BYTES, "are copied from another file system")
                copy_tree(source, place)
                remove_tree(source)

    def give_back(self, snapshot: Snapshot, target: NamePlace) -> None:
        """Move what is kept to a name that nothing has, else copy it. Raises OSError."""
        with self._place(snapshot) as place:
            put_elsewhere(place, target)

    def extent(self, snapshot: Snapshot) -> Extent | None:
        """The extent of what is kept; None where it is gone."""
        try:
            with self._place(snapshot) as place:
                return extent(place)
        except OSError:
            return None

    def drop(self, snapshot: Snapshot) -> None:
        """Forget a change that was not made."""
        with suppress(OSError, HiltError):
            self._remove(snapshot.stem)

    def content(self, snapshot: Snapshot) -> Path:
        """Where the thing itself is kept, if it is."""
        return self._asked() / f"{snapshot.stem}{_CONTENT}"

    def all(self) -> Iterator[Snapshot]:
        """Every change that is recorded, the latest first."""
        folder = self._asked()
        if not folder.is_dir():
            return
        for record in sorted(folder.glob(f"*{_RECORD}"), reverse=True):
            found = _read(record)
            if found is not None:
                yield found

    def purge(self, older_s: float = KEPT_S) -> int:
        """Remove what is older, and the oldest beyond KEPT_BYTES; how many changes that were. Raises OSError.

        What a killed process left, content or half a record, goes when it is a day old.
        """
        names = [name for name in os.listdir(self.folder()) if name[:_DIGITS].isdigit()]
        recorded = {name.removesuffix(_RECORD) for name in names if name.endswith(_RECORD)}
        now = time.time_ns()
        total = removed = 0
        for stem in sorted({name.partition(".")[0] for name in names}, reverse=True):
            age = now - int(stem[:_DIGITS])
            total += self._size(stem)
            if age > older_s * 1e9 or total > KEPT_BYTES or (stem not in recorded and age > _SWEPT_AFTER_NS):
                removed += stem in recorded
                with suppress(OSError):
                    self._remove(stem)
        return removed

    def _remove(self, stem: str) -> None:
        for ending in (_RECORD, _PART):
            (self.folder() / f"{stem}{ending}").unlink(missing_ok=True)
        with _opened(self.folder() / f"{stem}{_CONTENT}") as place:
            remove_tree(place)

    def _size(self, stem: str) -> int:
        try:
            with _opened(self.folder() / f"{stem}{_CONTENT}") as place:
                return sum(entry.bytes for entry in entries(place))
        except OSError:
            return 0

    @contextmanager
    def _place(self, snapshot: Snapshot) -> Generator[NamePlace]:
        with _opened(self.folder() / f"{snapshot.stem}{_CONTENT}") as place:
            yield place


def snapshot_of(deed: Deed, path: str, by: Author | None, *, to: str = "") -> Snapshot:
    """A change that is about to be made, named and timed."""
    name = b32encode(secrets.token_bytes(_ID_BYTES)).decode().lower()
    return Snapshot(id=name, at=time.time_ns(), deed=deed, path=path, to=to, by=by or Author())


@contextmanager
def _opened(path: Path) -> Generator[NamePlace]:
    folder = os.open(path.parent, FOLDER | os.O_CLOEXEC)
    try:
        yield NamePlace(folder=folder, name=path.name)
    finally:
        os.close(folder)


def _check_size(size: int, most: int, what: str) -> None:
    if size > most:
        raise OSError(errno.EFBIG, f"it has {size:,} bytes; at most {most:,} {what}")


def _read(record: Path) -> Snapshot | None:
    """A record, None for one that is broken or of another version of Hilt."""
    try:
        found: dict[str, Any] = json.loads(record.read_text(encoding="ascii"))  # held to the fields below
        by, folders = Author(**found.pop("by")), tuple(found.pop("folders"))
        return Snapshot(**found, by=by, folders=folders)
    except (OSError, ValueError, TypeError, KeyError):
        return None
