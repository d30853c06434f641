"""What a tool may touch while it runs: its session, live parts, and the way to say how far it is."""

from collections.abc import Callable, Mapping, Set
from typing import TypeVar

from hilt.calls.resolver import PathFact
from hilt.calls.session import Session
from hilt.errors import MissingPart

PartT = TypeVar("PartT")
Parts = Mapping[type, object]


def _ignore(**facts: object) -> None:
    """Progress of a context that nobody listens to."""


class Context:
    """Handed to a tool that asks for it by annotation: `ctx: Context`.

    `offered` holds the names of the tools the model can call now, so that a next step never
    names another; `arguments` are the call's, decoded; `paths` holds, for each path argument as
    asked, the fact that policy allowed: what is opened must still be that.
    """

    __slots__ = ("_parts", "_report", "arguments", "call", "deeds", "notes", "offered", "paths", "session")

    def __init__(
        self,
        session: Session,
        parts: Parts,
        *,
        call: str = "",
        offered: Set[str] = frozenset(),
        report: Callable[..., None] = _ignore,
    ) -> None:
        self.session = session
        self.call = call
        self.offered = offered
        self.arguments: Mapping[str, object] = {}
        self.paths: Mapping[str, PathFact] = {}
        self.notes: list[str] = []
        self.deeds: list[str] = []
        self._parts = parts
        self._report = report

    def part(self, kind: type[PartT]) -> PartT:
        """The live part of this class, such as `Workspace`. Raises `MissingPart` when nobody provided one."""
        found = self._parts.get(kind)
        if not isinstance(found, kind):
            raise MissingPart(
                f"this runtime has no {kind.__name__}",
                f"give Runtime(parts={{{kind.__name__}: ...}}), or start it from hilt.toml",
            )
        return found

    def note(self, text: str) -> None:
        """Tell the model something beside the result."""
        self.notes.append(text)

    def did(self, deed: str) -> None:
        """State a side effect at once, so that a call cut later can say what had already happened."""
        self.deeds.append(deed)

    def progress(self, message: str, *, done: float | None = None, total: float | None = None) -> None:
        """Tell people how far the call is; `done` and `total` in one unit of the tool's choice."""
        self._report(message=message, done=done, total=total)
