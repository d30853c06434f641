"""`FileChange`: an existing file held against other changes, and its content replaced as a whole."""

import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread

from hilt.workspace.changes import wording
from hilt.workspace.changes.keeping import Keeper
from hilt.workspace.changes.staging import Kept, Staged, Staging, carry_over, stage
from hilt.workspace.descent import NamePlace
from hilt.workspace.digests import BESIDE_BYTES, Buffer, Hashing
from hilt.workspace.handles import FileHandle, FileVersion, version_of
from hilt.workspace.threads import to_its_end

CHANGED_BYTES = 1 << 30
"""The largest file whose content is changed: old and new are in memory together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What a change came to: the new content's digest and version, and what its reader must know."""

    digest: str
    version: FileVersion
    notes: tuple[str, ...] = ()


class FileChange:
    """One existing file, locked until the end of its `Workspace.change`.

    `linked` says that the path asked for is a link to it. `content` is read once, `replace` called
    at most once.
    """

    def __init__(self, file: FileHandle, place: NamePlace, *, linked: bool, staging: Staging, keeper: Keeper) -> None:
        self.file = file
        self.linked = linked
        self._place = place
        self._staging = staging
        self._keeper = keeper
        self._content = b""
        self._hashing: Hashing | None = None
        self._read_at: FileVersion | None = None

    def close(self) -> None:
        """Unlock. What a replaced file took up is given back as its last descriptor is closed, which takes its time."""
        os.close(self._place.folder)
        if self.version.size < BESIDE_BYTES:
            os.close(self.file.descriptor)
        else:
            Thread(target=os.close, args=(self.file.descriptor,), name="hilt-close").start()

    @property
    def version(self) -> FileVersion:
        """The state of the file whose `content` was read; before that, at opening."""
        return self._read_at or self.file.version

    async def content(self) -> bytes:
        """The whole file. Raises EnvironmentFailure over CHANGED_BYTES and where it cannot be read."""
        if self._read_at is None:
            await to_its_end(self._read)
        return self._content

    async def digest(self) -> str:
        """The digest of `content`; of a large file it is worked out while the content is looked at."""
        await self.content()
        hashing = self._hashing
        assert hashing is not None, "the content was read"
        try:
            return hashing.hexdigest() if hashing.ready else await to_its_end(lambda _: hashing.hexdigest())
        except OSError as error:
            raise wording.unreadable(self.file.path, error) from None

    async def replace(
        self, content: bytes | Sequence[Buffer], *, same: int = 0, check: Callable[[], None] | None = None
    ) -> Replaced:
        """Give the file new content: the old or the new is under the name at any time, whole.

        `same` says how many of its first bytes, in the first of its pieces, are as they were; `check`
        is called in the thread before the new content takes the name, and stops that by raising.
        Mode, owner and attributes are kept. What was written is not forced onto the disk (no
        `fsync`): after a power cut the old content may be there. Raises InvalidArguments where the
        file was changed since `content` was read, EnvironmentFailure where it cannot be written;
        the old content stays then.
        """
        await self.content()
        buffers = [content] if isinstance(content, bytes) else list(content)
        return await to_its_end(partial(self._replace, buffers, same, check))

    def _read(self, _given_up: Event) -> None:
        descriptor = self.file.descriptor
        try:
            before = version_of(os.fstat(descriptor))
            if before.size > CHANGED_BYTES:
                raise wording.too_large(self.file.path, before.size, CHANGED_BYTES)
            large = before.size >= BESIDE_BYTES
            hashing = Hashing.of_file(descriptor, before.size) if large else None
            self._content = _whole(descriptor, before.size)
        except OSError as error:
            raise wording.unreadable(self.file.path, error) from None
        self._hashing = hashing or Hashing([self._content])
        self._read_at = before

    def _replace(
        self, buffers: Sequence[Buffer], same: int, check: Callable[[], None] | None, _given_up: Event
    ) -> Replaced:
        hashing = Hashing(buffers, after=self._hashing, same=same)
        try:
            lost, version = self._put(buffers, hashing, check)
        except OSError as error:
            raise wording.unwritable(self.file.path, error) from None
        return Replaced(digest=hashing.hexdigest(), version=version, notes=tuple(self._notes(lost)))

    def _put(
        self, buffers: Sequence[Buffer], hashing: Hashing, check: Callable[[], None] | None
    ) -> tuple[list[Kept], FileVersion]:
        folders = self._staging.folders(self._place)
        try:
            for folder in folders:
                staged = stage(folder, buffers)
                try:
                    lost = carry_over(self.file.descriptor, staged.descriptor)
                    if check is not None:
                        check()
                    self._put_over(staged, hashing.hexdigest())
                    return lost, version_of(os.fstat(staged.descriptor))
                except OSError as error:
                    if error.errno != errno.EXDEV or folder == self._place.folder:
                        raise
                finally:
                    staged.close()
        finally:
            folders.close()
        raise AssertionError("the last folder is the file's own")

    def _put_over(self, staged: Staged, after: str) -> None:
        """The last look at the old file, its keeping, and the rename, as near to one another as can be."""
        assert self._hashing is not None, "the content was read"
        before = self._hashing.hexdigest()
        found = os.fstat(self.file.descriptor)
        if version_of(found) != self._read_at or not self._place.names(found):
            raise wording.changed_meanwhile(self.file.path)
        self._keeper.replacing(self.file.real, self.file.descriptor, [self._content], before=before, after=after)
        try:
            staged.put_over(self._place)
        except OSError:
            self._keeper.dropped()
            raise

    def _notes(self, lost: Sequence[Kept]) -> list[str]:
        notes: list[str] = []
        if self.linked:
            notes.append(wording.through_a_link(self.file.path, self.file.real))
        if self.file.links > 1:
            notes.append(wording.other_names(self.file.links))
        if lost:
            notes.append(wording.not_kept(lost))
        if self._keeper.note:
            notes.append(self._keeper.note)
        return notes


def _whole(descriptor: int, size: int) -> bytes:
    """A file read at once, and again behind it until nothing more comes; most often the first read is all."""
    parts: list[bytes] = []
    offset = 0
    while part := os.pread(descriptor, max(size - offset, 1), offset):
        parts.append(part)
        offset += len(part)
        if offset > CHANGED_BYTES:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts)
