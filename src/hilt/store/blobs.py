"""Files for content put aside: a private folder, random names, nothing left behind on failure.

Which session a blob belongs to is not known here; the stores keep that.
"""

import base64
import errno
import os
import secrets
import shutil
import time
from collections.abc import AsyncGenerator, AsyncIterable, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

from anyio import CancelScope, to_thread

from hilt.errors import StoreError, StoreFull
from hilt.results.secrets import LONGEST, LOOKBACK, SecretMasker, overwritten

PIECE_BYTES = 1 << 20
ID_BYTES = 5
NAME_BYTES = 24
ORPHAN_SECONDS = 86_400.0
UNMASKED = ".unmasked"
"""The end of the name of a file that holds its credentials still."""
COPY_ERRNOS = frozenset({errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP})
"""Why a second name for a file cannot be made, where a copy can."""
FULL_ERRNOS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A blob on disk: its file, how many bytes it has, how many credentials were replaced."""

    path: Path
    bytes: int
    masked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FileBlob:
    """A blob read from its file; see `BlobReader`."""

    path: Path
    size: int
    media_type: str

    async def read(self, offset: int, count: int) -> bytes:
        start = place(offset, self.size)
        return await to_thread.run_sync(_read, self.path, start, max(count, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmaskedBlob:
    """A blob whose file holds what came, credentials and all; see `BlobReader`. None is read out of it.

    What stands in the place of a credential is as long as it was, so offsets stay true.
    """

    path: Path
    size: int
    media_type: str

    async def read(self, offset: int, count: int) -> bytes:
        start = place(offset, self.size)
        return await to_thread.run_sync(self._read, start, max(count, 0))

    def _read(self, start: int, count: int) -> bytes:
        # A credential may begin before what is asked for, and end behind it.
        before = min(start, LONGEST + LOOKBACK)
        content = _read(self.path, start - before, before + count + LONGEST)
        return overwritten(content.decode("latin-1")).encode("latin-1")[before : before + count]


def file_blob(path: Path, size: int, media_type: str) -> FileBlob | UnmaskedBlob:
    """The reader of a blob's file; its name says whether it was masked before it was written."""
    kind = UnmaskedBlob if path.suffix == UNMASKED else FileBlob
    return kind(path=path, size=size, media_type=media_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBlob:
    """A blob small enough to stay in memory; see `BlobReader`."""

    content: bytes
    media_type: str

    @property
    def size(self) -> int:
        return len(self.content)

    async def read(self, offset: int, count: int) -> bytes:
        start = place(offset, len(self.content))
        return self.content[start : start + max(count, 0)]


class BlobFolder:
    """One folder of blobs, made with mode 0700 when the first is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    async def write(self, content: bytes | AsyncIterable[bytes], *, mask: bool) -> Written:
        """Write a new file. Raises `StoreFull` or `StoreError`, and then there is no file."""
        part = _Part(self.folder / secrets.token_urlsafe(NAME_BYTES), mask=mask)
        try:
            async with aclosing(pieces(content)) as source:
                async for piece in source:
                    await to_thread.run_sync(part.add, piece)
            return await to_thread.run_sync(part.finish)
        except BaseException:
            with CancelScope(shield=True):
                await to_thread.run_sync(part.discard)
            raise

    def adopt(self, file: Path) -> Written:
        """A second name in this folder for a finished file, or a copy of it. Raises as `write` does. Blocks."""
        path = self.folder / (secrets.token_urlsafe(NAME_BYTES) + UNMASKED)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                os.link(file, path)
            except OSError as fault:
                if fault.errno not in COPY_ERRNOS:
                    raise
                _copy(file, path)
            path.chmod(0o600)
            return Written(path=path, bytes=path.stat().st_size, masked=0)
        except OSError as fault:
            with suppress(OSError):
                path.unlink(missing_ok=True)
            raise disk_fault(fault, self.folder) from fault

    def remove(self, names: Iterable[str]) -> None:
        """Remove these files; those that are gone already do not matter. Blocks."""
        for name in names:
            with suppress(OSError):
                (self.folder / name).unlink(missing_ok=True)

    def sweep(self, named: frozenset[str]) -> None:
        """Remove what a killed process left: files nothing names, `ORPHAN_SECONDS` old. Blocks."""
        if not self.folder.is_dir():
            return
        old = time.time() - ORPHAN_SECONDS
        for file in self.folder.iterdir():
            with suppress(OSError):
                if file.name not in named and file.stat().st_mtime < old:
                    file.unlink()


def new_id() -> str:
    """Short enough for a model to repeat without a slip, too many to guess in a session's life."""
    return "artifact_" + base64.b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()


def place(offset: int, size: int) -> int:
    """Where reading starts: a negative offset counts from the end, and not beyond the start."""
    return max(size + offset, 0) if offset < 0 else offset


async def pieces(content: bytes | AsyncIterable[bytes]) -> AsyncGenerator[bytes]:
    """The content in parts of at most `PIECE_BYTES` when it is whole, as they come otherwise."""
    if isinstance(content, bytes):
        for start in range(0, max(len(content), 1), PIECE_BYTES):
            yield content[start : start + PIECE_BYTES]
        return
    async for piece in content:
        yield piece


def masked(content: bytes) -> tuple[bytes, int]:
    """Small content with its credentials replaced, and how many; other bytes stay as they are."""
    masker = SecretMasker()
    text = masker.feed(content.decode("latin-1")) + masker.finish()
    return text.encode("latin-1"), masker.count


def disk_fault(fault: OSError, where: Path) -> StoreError:
    """The store's error for an error of the file system."""
    if fault.errno in FULL_ERRNOS:
        return StoreFull(
            f"no room for an artifact in {where}: {fault.strerror}",
            "free disk space, or run `hilt log purge`",
        )
    return StoreError(
        f"an artifact in {where} cannot be written or read: {fault.strerror}",
        "check that the folder is yours, or set HILT_HOME to another",
    )


class _Part:
    """A file being written, used from one thread at a time.

    Patterns of credentials are ASCII, so bytes are masked as Latin-1: one byte, one character,
    and whatever is not a credential comes out as it went in.
    """

    def __init__(self, path: Path, *, mask: bool) -> None:
        self._path = path
        self._masker = SecretMasker() if mask else None
        self._file: int | None = None
        self._bytes = 0

    def add(self, piece: bytes) -> None:
        if self._masker is not None:
            piece = self._masker.feed(piece.decode("latin-1")).encode("latin-1")
        self._put(piece)

    def finish(self) -> Written:
        if self._masker is not None:
            self._put(self._masker.finish().encode("latin-1"))
        self._put(b"")
        self._close()
        count = self._masker.count if self._masker is not None else 0
        return Written(path=self._path, bytes=self._bytes, masked=count)

    def discard(self) -> None:
        with suppress(OSError):
            self._close()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _put(self, piece: bytes) -> None:
        try:
            if self._file is None:
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            left = memoryview(piece)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as fault:
            raise disk_fault(fault, self._path.parent) from fault
        self._bytes += len(piece)

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def _copy(file: Path, path: Path) -> None:
    private = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with file.open("rb") as source, os.fdopen(private, "wb") as target:
        shutil.copyfileobj(source, target, PIECE_BYTES)


def _read(path: Path, start: int, count: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(start)
            return file.read(count)
    except FileNotFoundError:
        raise StoreError(
            "the artifact's content is gone: it was older than the store keeps",
            "make the call again that produced it",
        ) from None
    except OSError as fault:
        raise disk_fault(fault, path.parent) from fault
