"""What was put aside because it was too large: kept by tools, and read again by them."""

from collections.abc import AsyncIterable
from pathlib import Path
from typing import Protocol

from hilt.calls.session import Session
from hilt.results.envelope import Artifact


class ArtifactFile(Protocol):
    """One artifact, read in pieces."""

    @property
    def size(self) -> int:
        """Bytes in all."""
        ...

    async def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`; a negative offset counts from the end."""
        ...


class KeptBlob(Protocol):
    """What a store says of content it has put aside."""

    @property
    def id(self) -> str: ...

    @property
    def bytes(self) -> int: ...

    @property
    def media_type(self) -> str: ...


class ArtifactStore(Protocol):
    """The verbs of a store that artifacts need; see `hilt.store.protocol.Store`."""

    async def open_session(self, session_id: str, principal: str) -> None: ...

    async def blob(self, session_id: str, blob_id: str) -> ArtifactFile | None: ...

    async def spill(
        self, session_id: str, content: bytes | AsyncIterable[bytes], media_type: str, *, mask: bool
    ) -> KeptBlob: ...

    async def adopt(self, session_id: str, file: Path, media_type: str) -> KeptBlob: ...


class Artifacts:
    """The part through which tools put content aside, and `artifact_read` reads it.

    All verbs raise `StoreError` when the store does not answer, `StoreFull` where there is no room.
    """

    def __init__(self, store: ArtifactStore) -> None:
        self._store = store

    async def open(self, session: Session, artifact: str) -> ArtifactFile | None:
        """The artifact of this session, or None for any other's, or none."""
        return await self._store.blob(session.id, artifact)

    async def keep(self, session: Session, content: bytes | AsyncIterable[bytes], media_type: str) -> Artifact:
        """Put content aside; credentials in text are masked on the way."""
        await self._store.open_session(session.id, session.principal)
        return _artifact(await self._store.spill(session.id, content, media_type, mask=media_type.startswith("text/")))

    async def keep_file(self, session: Session, file: Path, media_type: str) -> Artifact:
        """Put a finished file aside without reading it, however large it is; it must not be written to afterwards.

        Credentials are masked when it is read, not on the disk.
        """
        await self._store.open_session(session.id, session.principal)
        return _artifact(await self._store.adopt(session.id, file, media_type))


def _artifact(kept: KeptBlob) -> Artifact:
    return Artifact(id=kept.id, bytes=kept.bytes, media_type=kept.media_type)
