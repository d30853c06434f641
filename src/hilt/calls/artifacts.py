"""What was put aside because it was too large, as tools read it again."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from hilt.calls.session import Session


class ArtifactFile(Protocol):
    """One artifact, read in pieces."""

    @property
    def size(self) -> int:
        """Bytes in all."""
        ...

    async def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`; a negative offset counts from the end."""
        ...


class Artifacts:
    """The part through which `artifact_read` reaches what the runtime spilled."""

    def __init__(self, open_artifact: Callable[[str, str], Awaitable[ArtifactFile | None]]) -> None:
        self._open = open_artifact

    async def open(self, session: Session, artifact: str) -> ArtifactFile | None:
        """The artifact of this session, or None for any other's, or none."""
        return await self._open(session.id, artifact)
