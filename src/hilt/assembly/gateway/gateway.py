"""The gateway: the servers of the settings, run beside a runtime, each alone and none able to harm another.

A server that was met before is offered at once and started when one of its tools is called; one never seen is
started with the gateway, beside the others.
"""

import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import TaskGroup

from hilt.adapters.upstream import Change, Limits, Upstream
from hilt.assembly.gateway.consent import consent_of
from hilt.assembly.gateway.member import Member, Surroundings
from hilt.assembly.gateway.passing import GatewayPassing
from hilt.assembly.gateway.reaching import DISABLED, effects_of, off, place_of
from hilt.assembly.gateway.settings import ServerSpec
from hilt.assembly.pinning import Pinning
from hilt.calls.session import Session
from hilt.catalog.naming import SEPARATOR, Style, wire_name_of
from hilt.errors import HiltError
from hilt.runtime.runtime import Runtime

FIRST_LIST_S = 8.0
"""Seconds that a client's first list of tools waits for servers never seen before: clients give up after ten."""
CLOSING_S = 5.0
"""Seconds that servers are given to end with the gateway."""

_log = logging.getLogger("hilt.gateway")
Specs = Sequence[ServerSpec]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """One server, for people: `state` is its connection's, or `off` where it is not to be started."""

    name: str
    state: str
    shown: str
    origin: str
    fault: str = ""
    last_lines: tuple[str, ...] = ()
    restarts: int = 0
    offered: int = 0
    withheld: int = 0
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Place:
    """One server as it is known here. `off` says why it is not started; then it has no member."""

    spec: ServerSpec
    member: Member | None = None
    off: str = ""
    scope: anyio.CancelScope | None = None


class Gateway:
    """Runs servers and keeps their tools in the catalog of `runtime`. Use as `async with`, or `run()` in a task group.

    `changed` is called when tools in the catalog are others than before; `session` hears what happens from the
    beginning. `beside` is run with the servers, until cancelled: what follows the settings.
    """

    def __init__(
        self,
        runtime: Runtime,
        specs: Iterable[ServerSpec],
        *,
        style: Style = "prefix",
        session: Session | None = None,
        changed: Callable[[], None] = lambda: None,
        notes: Sequence[str] = (),
    ) -> None:
        self._runtime = runtime
        self._session = session
        self._around = Surroundings(
            catalog=runtime.catalog, pins=Pinning(runtime.store), style=style, tell=self._tell, changed=self._changed
        )
        self._places: dict[str, _Place] = {each.name: self._placed(each) for each in specs}
        self._settle = changed
        self._eager = True
        self._group: TaskGroup | None = None
        self._begun = anyio.Event()
        self._owner: TaskGroup | None = None
        self.notes: list[str] = list(notes)
        self.beside: Callable[[], Coroutine[Any, Any, None]] | None = None
        self.passing = GatewayPassing(self.members, style)

    @property
    def members(self) -> Callable[[], tuple[Member, ...]]:
        """Gives the servers that may be started, in the order of the settings."""
        return lambda: tuple(each.member for each in self._places.values() if each.member is not None)

    def only_when_asked(self) -> None:
        """Start no server but those that a call or `ready` asks for: for a host of one call."""
        self._eager = False

    async def run(self) -> None:
        """Run the servers until cancelled."""
        if self._session is not None:
            self._runtime.running(self._session)  # a session that the runtime has met hears every note
        try:
            async with anyio.create_task_group() as group:
                self._group = group
                for place in self._places.values():
                    self._start(place)
                await self._offer(tuple(self._places.values()))
                self._begun.set()
                self._changed()
                if self.beside is not None and self._eager:
                    group.start_soon(self.beside)
                await anyio.sleep_forever()
        finally:
            self._group = None
            with anyio.move_on_after(CLOSING_S, shield=True):
                await self._close(self._places.values())

    async def ready(self, *names: str) -> None:
        """Wait until it is known what servers offer: those named, else all that are being met for the first time.

        Those named take their own time limits; for all together it is `FIRST_LIST_S`, and who comes later is heard of
        then. Raises `HiltError` where a required one cannot be used.
        """
        await self._begun.wait()
        if names:
            await self._settled([self._places[name] for name in names if name in self._places])
        else:
            with anyio.move_on_after(FIRST_LIST_S):
                await self._settled(list(self._places.values()) if self._eager else ())
        for place in self._places.values():
            why = place.off or (place.member.fault if place.member else "")
            if place.spec.required and why and place.off != DISABLED:
                raise HiltError(f"the required server {place.spec.name} cannot be used: {why}", "hilt doctor")

    async def _settled(self, places: Iterable[_Place]) -> None:
        for place in places:
            if place.member is not None and not place.member.settled.is_set():
                if not self._eager:
                    self._meet(place.member)
                await place.member.settled.wait()

    def server_of(self, name: str) -> str:
        """The server that a tool's name speaks of, `server/tool` or a wire name; "" for one of our own."""
        tool = self._runtime.catalog.get(name)
        if tool is not None:
            return tool.declaration.server
        held = self._runtime.catalog.withheld(name)
        if held is not None:
            return held.server
        asked = name.partition("/")[0]
        if asked in self._places:
            return asked
        parts = name.split(SEPARATOR)
        named = parts[0 if self._around.style == "prefix" else -1]
        return named if named in self._places else ""

    def wire_name(self, name: str) -> str:
        """The wire name for `server/tool`; any other name as it is."""
        server, slash, tool = name.partition("/")
        return wire_name_of(server, tool, self._around.style) if slash and server in self._places else name

    def states(self) -> tuple[ServerState, ...]:
        """Every server of the settings, none left out, in their order."""
        return tuple(_state(each) for each in self._places.values())

    async def take(self, specs: Specs) -> None:
        """Take over other settings: servers gone, new or changed; no other is touched."""
        wanted = {each.name: each for each in specs}
        gone = [
            each for name, each in self._places.items() if wanted.get(name) != each.spec or off(each.spec) != each.off
        ]
        for place in gone:
            del self._places[place.spec.name]
            await self._leave(place)
        new = [self._placed(spec) for name, spec in wanted.items() if name not in self._places]
        self._places |= {each.spec.name: each for each in new}
        self._places = {name: self._places[name] for name in wanted}
        for place in new:
            self._start(place)
        await self._offer(new)
        if gone or new:
            self.passing.changed()

    def _changed(self) -> None:
        """Tools came or went; those of the beginning count as one change."""
        if self._begun.is_set():
            self._settle()

    def tell(self, note: str) -> None:
        """Say something to people and to the model, in one line."""
        self.notes.append(note)
        self._tell(note)

    def _tell(self, note: str) -> None:
        _log.info(note)
        self._runtime.tell(note)

    def _placed(self, spec: ServerSpec) -> _Place:
        why = off(spec)
        if why:
            return _Place(spec=spec, off=why)
        upstream = Upstream(spec.name, place_of(spec), Limits(start_s=spec.startup_s))
        effects, note = effects_of(spec)
        member = Member(spec=spec, upstream=upstream, around=self._around, effects=effects)
        if note:
            member.notes.append(note)
        return _Place(spec=spec, member=member)

    def _start(self, place: _Place) -> None:
        member, group = place.member, self._group
        if member is None:
            if place.off != DISABLED:
                self._tell(f"the server {place.spec.name} is not started: {place.off}")
            return
        if group is None:
            return
        place.scope = anyio.CancelScope()
        member.upstream.listen(partial(self._heard, member))
        group.start_soon(self._keep, place, member)

    async def _keep(self, place: _Place, member: Member) -> None:
        """One server's connection for as long as it is among ours; a fault of it ends nothing else."""
        scope = place.scope or anyio.CancelScope()
        with scope:
            try:
                await member.upstream.run()
            except Exception as error:  # a connection's fault must not end the other servers' and the host
                _log.exception("the connection to %s broke", member.spec.name)
                member.failed(f"its connection broke: {type(error).__name__}")

    async def _offer(self, places: Sequence[_Place]) -> None:
        """Offer what is known at once, in the order of the settings, and start those that are not."""
        members = [each.member for each in places if each.member is not None]
        unseen = [each for each in members if not await self._known(each)]
        for member in unseen if self._eager else ():
            self._meet(member)

    async def _known(self, member: Member) -> bool:
        try:
            return await member.offer_known()
        except HiltError as error:  # a store that does not answer: the server is asked itself
            member.say(f"what was pinned of the server {member.spec.name} cannot be read: {error.problem}")
            return False

    def _meet(self, member: Member) -> None:
        if self._group is not None:
            self._group.start_soon(member.first)

    def _heard(self, member: Member, change: Change) -> None:
        """What a connection says of itself: to the model only what it can meet, a restart or a loss."""
        state = member.upstream.state
        if change.kind == "state":
            member.moved(change.line)
        elif change.kind == "tools":
            member.outdated()
        if change.kind in ("resources", "prompts") or (change.kind == "state" and state == "ready"):
            self.passing.changed()
        if self._group is not None and state == "ready" and change.kind in ("tools", "state"):
            self._group.start_soon(self._refresh, member)

    async def _refresh(self, member: Member) -> None:
        try:
            await member.refresh()
        except HiltError as error:
            member.failed(error.problem)
        except Exception as error:  # what one server lists must not end the others' connections and the host
            _log.exception("the list of %s could not be taken in", member.spec.name)
            member.failed(f"its list cannot be taken in ({type(error).__name__})")

    async def _leave(self, place: _Place) -> None:
        member = place.member
        if member is None:
            return
        member.leave()
        with suppress(HiltError):
            await member.upstream.close()
        if place.scope is not None:
            place.scope.cancel()

    async def _close(self, places: Iterable[_Place]) -> None:
        async with anyio.create_task_group() as group:
            for place in places:
                if place.member is not None:
                    group.start_soon(place.member.upstream.close)

    async def __aenter__(self) -> "Gateway":
        self._owner = await anyio.create_task_group().__aenter__()
        self._owner.start_soon(self.run)
        await self._begun.wait()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.cancel_scope.cancel()
            await owner.__aexit__(None, None, None)  # what the host raised is its own: a group would wrap it


def _state(place: _Place) -> ServerState:
    member, spec = place.member, place.spec
    if member is None:
        state = "off"
        return ServerState(
            name=spec.name, state=state, shown=consent_of(spec).says, origin=spec.origin, fault=place.off
        )
    upstream = member.upstream
    return ServerState(
        name=spec.name,
        state=upstream.state,
        shown=consent_of(spec).says,
        origin=spec.origin,
        fault=upstream.fault or member.fault,
        last_lines=upstream.last_lines,
        restarts=upstream.restarts,
        offered=len(member.offered),
        withheld=len(member.withheld),
        notes=tuple(member.notes),
    )
