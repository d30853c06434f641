"""The files that code wrote into its own folder: found without following a link, bounded, and copied where needed."""

import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from mimetypes import guess_type
from pathlib import Path

from anyio import to_thread
from typing_extensions import TypedDict  # pydantic reads TypedDicts from here before Python 3.12

from hilt.calls.artifacts import Artifacts
from hilt.calls.session import Session
from hilt.errors import StoreError
from hilt.workspace.names import visible

MOST_FILES = 20
"""Files of one call that are handed out."""
MOST_SEEN = 10_000
"""Entries that are looked at."""
DEEPEST = 8
MOST_NAMED = 5
HEAD_BYTES = 4_096
NAME_BYTES = 8
_NOT_OURS = frozenset({"__pycache__"})
Known = Mapping[str, tuple[int, int, int]]
"""Of each file its number, size and time of change: what tells a new one from one that was handed out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A file, and its name below the folder. One that has other names elsewhere is `shared` with them."""

    path: Path
    name: str
    shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What is new since `known`. `more` files are not among `files`; `others` are links, pipes and the like."""

    files: tuple[Written, ...]
    more: int
    others: tuple[str, ...]
    known: Known
    whole: bool
    there: bool


def look(folder: Path, known: Known) -> Found:
    """Look through the folder. Blocks."""
    search = _Search(folder)
    there = folder.is_dir() and not folder.is_symlink()
    if there:
        search.walk()
    new = sorted(name for name, mark in search.marks.items() if known.get(name) != mark)
    files = tuple(Written(path=folder / name, name=name, shared=name in search.shared) for name in new[:MOST_FILES])
    return Found(
        files=files,
        more=len(new) - len(files),
        others=tuple(sorted(search.others)),
        known=search.marks,
        whole=search.whole,
        there=there,
    )


class _Search:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.marks: dict[str, tuple[int, int, int]] = {}
        self.others: list[str] = []
        self.shared: set[str] = set()
        self.whole = True
        self._seen = 0

    def walk(self, below: str = "", depth: int = 0) -> None:
        try:
            with os.scandir(self._folder / below) as entries:
                for entry in entries:
                    self._seen += 1
                    if self._seen > MOST_SEEN:
                        self.whole = False
                        return
                    self._note(entry, f"{below}{entry.name}", depth)
        except OSError:
            self.whole = False

    def _note(self, entry: os.DirEntry[str], name: str, depth: int) -> None:
        fact = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(fact.st_mode):
            if depth == DEEPEST:
                self.whole = False
            elif entry.name not in _NOT_OURS:
                self.walk(f"{name}/", depth + 1)
        elif stat.S_ISREG(fact.st_mode):
            self.marks[name] = (fact.st_ino, fact.st_size, fact.st_mtime_ns)
            if fact.st_nlink > 1:
                self.shared.add(name)
        else:
            self.others.append(name)


class KeptFile(TypedDict):
    """A file the code wrote, kept as `artifact`."""

    name: str
    bytes: int
    media_type: str
    artifact: str


@dataclass(slots=True, kw_only=True)
class Kept:
    """What was handed out, the content of what was `wanted` of it, and what is not as one may expect."""

    files: list[KeptFile] = field(default_factory=list[KeptFile])
    contents: list[bytes] = field(default_factory=list[bytes])
    notes: list[str] = field(default_factory=list[str])
    known: Known = field(default_factory=dict[str, tuple[int, int, int]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A folder of code that may still run (`goes_on`), and what was handed out of it before."""

    folder: Path
    known: Known
    goes_on: bool


async def keep_written(
    source: Source, artifacts: Artifacts, session: Session, wanted: Callable[[bytes, int], bool]
) -> Kept:
    """Put aside what is new in a folder. `wanted` says, by first bytes and size, whose content is handed back too."""
    found = await to_thread.run_sync(look, source.folder, source.known)
    kept = Kept(notes=list(_told(found)), known=found.known)
    for each in found.files:
        name = visible(each.name)
        copy: Path | None = None
        try:
            if source.goes_on or each.shared:
                copy = await to_thread.run_sync(_copied, each, source.folder.parent)
            media_type = guess_type(each.name)[0] or "application/octet-stream"
            artifact = await artifacts.keep_file(session, copy or each.path, media_type)
            content = await to_thread.run_sync(_content, copy or each.path, wanted)
        except (OSError, StoreError):
            kept.notes.append(f"{name} could not be put aside: it is gone, or there is no room")
            continue
        finally:
            if copy is not None:
                with suppress(OSError):
                    copy.unlink()
        kept.files.append(KeptFile(name=name, bytes=artifact.bytes, media_type=media_type, artifact=artifact.id))
        kept.contents += [content] if content else []
    return kept


def _told(found: Found) -> Iterator[str]:
    if found.more:
        yield f"{found.more:,} more files are not handed out, the most is {MOST_FILES}: write one archive"
    if found.others:
        named = ", ".join(map(visible, found.others[:MOST_NAMED]))
        yield f"not handed out, for these are no plain files: {named}{' and more' if found.others[MOST_NAMED:] else ''}"
    if not found.there:
        yield "the scratch folder was removed or replaced: nothing that was in it is handed out"
    if not found.whole:
        yield f"only {MOST_SEEN:,} entries, {DEEPEST} folders deep and readable, were looked through for files"


def _copied(written: Written, folder: Path) -> Path:
    """A copy that nobody writes to any more. Raises OSError. Blocks."""
    target = folder / secrets.token_hex(NAME_BYTES)
    with open(_opened(written.path), "rb") as source, open(target, "xb") as copy:
        shutil.copyfileobj(source, copy)
    return target


def _content(path: Path, wanted: Callable[[bytes, int], bool]) -> bytes:
    """The whole of a file that is wanted, else nothing. Raises OSError. Blocks."""
    with open(_opened(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(size) if wanted(os.pread(file.fileno(), HEAD_BYTES, 0), size) else b""


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
