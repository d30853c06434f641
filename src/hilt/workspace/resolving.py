"""What policy is told: the files of a workspace, its commands, and what isolation gives them."""

from collections.abc import Callable, Sequence

from hilt.calls.memos import Memos
from hilt.calls.resolver import CommandFact, PathFact, Property
from hilt.calls.session import Session
from hilt.workspace.workspace import Workspace


class Resolving:
    """A `Resolver` of one workspace whose commands run with these properties."""

    def __init__(self, workspace: Workspace, confinement: Callable[[], frozenset[Property]]) -> None:
        self._workspace = workspace
        self._confinement = confinement

    def path(self, asked: str) -> PathFact:
        """As `Workspace.path`."""
        return self._workspace.path(asked)

    def command(self, asked: str | Sequence[str], folder: str | None = None) -> CommandFact:
        """As `Workspace.command`."""
        return self._workspace.command(asked, folder)

    async def folder(self, session: Session, memos: Memos) -> str:
        """As `Workspace.folder`."""
        return await self._workspace.folder(session, memos)

    @property
    def confinement(self) -> frozenset[Property]:
        """What this machine gives to commands, as tried out before the first of them."""
        return self._confinement()
