"""`open_runtime`: everything a verb or a server needs, put together."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from hilt.assembly.shelf import shelf
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.policy.decision import DEFAULT_PRESET, Policy
from hilt.review.people import Person
from hilt.runtime.runtime import Runtime
from hilt.store import open_store
from hilt.store.protocol import Store
from hilt.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A runtime with what surrounds it. Use as `async with open_runtime(...) as assembled`."""

    runtime: Runtime
    session: Session
    workspace: Workspace
    notes: tuple[str, ...] = ()

    async def __aenter__(self) -> "Assembled":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Keep what is not yet kept, and let go of the store."""
        await self.runtime.close()


def open_runtime(
    workspace: Path | None = None,
    *,
    session: str | None = None,
    store: Store | None = None,
    person: Person | None = None,
    tools: Iterable[AnyTool] = (),
) -> Assembled:
    """A runtime on the shelf and `tools`, its state in the user's store unless `store` is given.

    `workspace` is the folder tools may touch, else the current one; `session` names a
    conversation to go on with, else a fresh one begins. Raises `HiltError`.
    """
    world = Workspace([workspace or Path.cwd()])
    loaded = shelf()
    runtime = Runtime(
        [*loaded.tools, *tools],
        policy=Policy(preset=DEFAULT_PRESET),
        store=store if store is not None else open_store(),
        parts={Workspace: world},
        resolver=world,
        person=person,
    )
    return Assembled(
        runtime=runtime,
        session=Session(id=session) if session else Session(),
        workspace=world,
        notes=tuple(f"{name} is not on the shelf: {why}" for name, why in loaded.missing),
    )
