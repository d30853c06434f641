"""`open_runtime`: everything a verb or a server needs, put together from the settings."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from hilt.assembly.changes import kept_changes
from hilt.assembly.config import Config, read_config
from hilt.assembly.counter import counter
from hilt.assembly.gateway.gateway import Gateway
from hilt.assembly.gateway.opening import open_gateway
from hilt.assembly.isolation import isolation_of
from hilt.assembly.jobs_folder import processes_of
from hilt.assembly.network import web_parts
from hilt.assembly.reviewers import person_of, review_of
from hilt.assembly.rules import policy_of
from hilt.assembly.settling import Settling
from hilt.assembly.shelf import shelf
from hilt.assembly.skills import find_skills, with_skills
from hilt.assembly.spans import make_heard
from hilt.assembly.storing import store_of
from hilt.assembly.targets import config_tools
from hilt.assembly.trace import StoreTrace
from hilt.assembly.trail import trail_of
from hilt.calls.context import Parts
from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.documents.skills import Skills
from hilt.results.cutting import Budget
from hilt.review.people import Person
from hilt.runtime.road import LEAVE_OF_HOST
from hilt.runtime.runtime import Runtime
from hilt.store.protocol import Store
from hilt.workspace import Workspace
from hilt.workspace.code import Interpreters
from hilt.workspace.processes import Processes
from hilt.workspace.resolving import Resolving


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A runtime with what surrounds it. Use as `async with open_runtime(...) as assembled`.

    `notes` says, for people, what is not as they may expect: a tool that is missing, a setting of
    an untrusted file that was left out. A host that runs for long starts `trace.keep_flushing` in
    its task group; leaving the block writes the rest.
    """

    runtime: Runtime
    session: Session
    workspace: Workspace
    processes: Processes
    config: Config
    trace: StoreTrace
    settling: Settling
    gateway: Gateway | None = None
    notes: tuple[str, ...] = ()

    async def __aenter__(self) -> "Assembled":
        if self.gateway is not None:
            await self.gateway.__aenter__()
        await self.settling.by_use(self.session.principal)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.gateway is not None:
            await self.gateway.__aexit__(kind, error, trace)
        await self.close()

    async def close(self) -> None:
        """End the commands that run, write what waits to be written, and let go of the store."""
        await self.trace.flush()
        await self.processes.close()
        await self.runtime.close()


def open_runtime(
    workspace: Path | None = None,
    *,
    config: Config | None = None,
    session: str | None = None,
    principal: str = "local",
    store: Store | None = None,
    person: Person | None = None,
    leave: str = LEAVE_OF_HOST,
    tools: Iterable[AnyTool] = (),
) -> Assembled:
    """A runtime as the settings say, on the shelf, the settings' own tools, and `tools`.

    `workspace` is the folder tools may touch, else the settings' roots, else the current folder;
    `config` is read for it unless given; `session` names a conversation to go on with, else a
    fresh one begins; state is in the user's store unless `store` is given. Raises `HiltError`.
    """
    settings = config or read_config(workspace)
    world = world_of(settings, workspace)
    skills = find_skills(settings, world.roots)
    loaded = with_skills(shelf(settings.texts("shelf")), skills, settings)
    kept = store if store is not None else store_of(settings)
    trail = trail_of(settings)
    trace = StoreTrace(kept, trail)
    talk = Session(id=session, principal=principal) if session else Session(principal=principal)
    trace.know(talk)
    isolation = isolation_of(settings, world)
    processes = processes_of(settings, isolation, named=session is not None)
    offered = [*loaded.tools, *config_tools(settings), *tools]
    runtime = Runtime(
        offered,
        policy=policy_of(settings, roots=world.roots, prove=world.command, tools=offered),
        store=kept,
        trace=trace,
        trail=trail,
        parts={Workspace: world, **_running(processes), Skills: skills, **web_parts(settings)},
        resolver=Resolving(world, lambda: isolation.properties),
        person=person_of(settings, person),
        review=review_of(settings, world),
        leave=leave,
        wait_s=settings.number("review.wait"),
        counter=counter(settings.text("results.counter") or "auto"),
        form="json" if settings.text("results.form") == "json" else "text",
        turn_budget=Budget(tokens=int(settings.number("results.turn_tokens"))),
    )
    make_heard(runtime, settings)
    notes = (*settings.notes, *loaded.notes)
    return _settled(runtime, talk, world, processes, config=settings, trace=trace, notes=notes)


def _settled(
    runtime: Runtime,
    session: Session,
    workspace: Workspace,
    processes: Processes,
    *,
    config: Config,
    trace: StoreTrace,
    notes: tuple[str, ...],
) -> Assembled:
    """All of it, with the servers of its settings, and what waits to be found marked."""
    settling = Settling(runtime, config)
    settling.settle()
    gateway = open_gateway(config, runtime, session, changed=settling.settle)
    return Assembled(
        runtime=runtime,
        session=session,
        workspace=workspace,
        processes=processes,
        config=config,
        trace=trace,
        settling=settling,
        gateway=gateway,
        notes=(*notes, *(gateway.notes if gateway else ())),
    )


def _running(processes: Processes) -> Parts:
    """The parts that run programs, all below one launcher."""
    return {Processes: processes, Interpreters: Interpreters(processes)}


def world_of(config: Config, workspace: Path | None) -> Workspace:
    """The files tools may touch, with the snapshots of this machine. Raises `ConfigError` for a root that is none."""
    return Workspace(list(config.paths("workspace.roots")) or [workspace or Path.cwd()], snapshots=kept_changes())
