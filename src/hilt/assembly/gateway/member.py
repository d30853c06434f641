"""One server of the gateway: its connection, what of its tools is in the catalog, and calls of them."""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import anyio
import anyio.lowlevel

from hilt.adapters.upstream import Upstream
from hilt.assembly.effects_file import DeclaredEffects
from hilt.assembly.gateway.forming import Entry, Former
from hilt.assembly.gateway.settings import ServerSpec
from hilt.assembly.pinning import Checked, Pinning
from hilt.calls.context import Context
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Catalog, Withheld
from hilt.catalog.naming import Style
from hilt.errors import HiltError
from hilt.results.failures import EnvironmentFailure
from hilt.runtime.outcomes import withheld_refusal

_log = logging.getLogger("hilt.gateway")

AT_ONCE_S = 0.02
"""Seconds for which tools are formed before other work of the loop has its turn."""
MOST_NAMED = 5
"""Tools that a note names; of more, how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the servers of one gateway share. `changed` is called when tools in the catalog are others than before."""

    catalog: Catalog
    pins: Pinning
    style: Style
    tell: Callable[[str], None]
    changed: Callable[[], None]


@dataclass(slots=True)
class Member:
    """One server. `settled` is set once it is known what it offers, or that it does not answer."""

    spec: ServerSpec
    upstream: Upstream
    around: Surroundings
    effects: DeclaredEffects | None = None
    fault: str = ""
    notes: list[str] = field(default_factory=list[str])
    settled: anyio.Event = field(default_factory=anyio.Event)
    _seen: dict[str, Entry] = field(default_factory=dict[str, Entry])
    _held: dict[str, Withheld] = field(default_factory=dict[str, Withheld])
    _checked: int = -1
    _stale: bool = True
    _restarts: int = 0
    _alone: anyio.Lock = field(default_factory=anyio.Lock)

    @property
    def offered(self) -> tuple[str, ...]:
        """Wire names of its tools in the catalog."""
        return tuple(self._seen)

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        """Its tools that are known and not offered."""
        return tuple(self._held.values())

    @property
    def former(self) -> Former:
        """What makes its tools."""
        return Former(spec=self.spec, style=self.around.style, reach=self.call, known=self.effects)

    async def offer_known(self) -> bool:
        """Offer what was accepted of it before, without starting it; says whether there was anything."""
        last = await self.around.pins.last(self.spec.name)
        if last.accepted:
            await self._put(last)
            self.settled.set()
        return bool(last.accepted)

    async def refresh(self) -> None:
        """Ask it for its tools, compare them with what was accepted, and offer those. Raises `HiltError`."""
        async with self._alone:
            if self._checked == self.upstream.restarts and not self._stale:
                return
            self._stale = False
            restarts = self.upstream.restarts
            try:
                listed = await self.upstream.tools()
            except BaseException:
                self._stale = True
                raise
            checked = await self.around.pins.check(self.spec.name, listed, source=self.spec.shown)
            self._checked = restarts
            self.fault = ""
            await self._put(checked)
            self.settled.set()

    async def answered(self) -> None:
        """Offer what a person accepted since it was kept back, in whichever process."""
        if not any(each.why == "quarantined" for each in self._held.values()):
            return
        async with self._alone:
            with suppress(HiltError):  # a store that does not answer now is asked again
                last = await self.around.pins.last(self.spec.name)
                if any(self.former.name(str(each.get("name"))) in self._held for each in last.accepted):
                    await self._put(last)

    def moved(self, line: str) -> None:
        """Its connection is in another state: a restart and a loss are told, for a model meets them."""
        name, state = self.spec.name, self.upstream.state
        if state == "ready" and self.upstream.restarts > self._restarts:
            self._restarts = self.upstream.restarts
            self.around.tell(f"the server {name} was started again: what it kept in memory may be gone")
        elif state in ("waiting", "failed") and self._checked >= 0:
            self.around.tell(f"the server {name} is{line.removeprefix(name)}")

    def outdated(self) -> None:
        """Its list of tools is another one than was checked."""
        self._stale = True

    async def first(self) -> None:
        """Start it, for what it offers is not known; what goes wrong is its fault and nobody else's."""
        try:
            with anyio.fail_after(self.spec.startup_s):
                await self.refresh()
        except TimeoutError:
            self.failed(f"it did not list its tools within {self.spec.startup_s:g} s")
        except HiltError as error:
            self.failed(error.problem)
        except Exception as error:  # what one server lists must not end the others' connections and the host
            _log.exception("the list of %s could not be taken in", self.spec.name)
            self.failed(f"its list cannot be taken in ({type(error).__name__})")
        finally:
            self.settled.set()

    def failed(self, why: str) -> None:
        """It cannot be used now: said once, in one line."""
        if self.fault != why:
            self.fault = why
            self.say(f"the server {self.spec.name} cannot be used: {why}")

    def say(self, note: str) -> None:
        """Say something of it, to people and to the model, once."""
        if note not in self.notes:
            self.notes.append(note)
            self.around.tell(note)

    async def call(self, tool: str, arguments: dict[str, object], context: Context) -> Mapping[str, object]:
        """Call a tool by the name the server gave it, once what it declares now is what was accepted."""
        if self._stale or self._checked != self.upstream.restarts:
            await self._sure(tool)
        return await self.upstream.call(tool, arguments, progress=partial(_progress, context))

    async def _sure(self, tool: str) -> None:
        try:
            await self.refresh()
        except HiltError as error:
            self.failed(error.problem)
            raise EnvironmentFailure(
                f"the server {self.spec.name} cannot be reached: {error.problem}",
                "take another way, or call again later",
                "tell the person: hilt doctor shows the server",
            ) from None
        name = self.former.name(tool)
        if name in self._seen:
            return
        if held := self._held.get(name):
            raise withheld_refusal(held)
        raise EnvironmentFailure(f"{name} is not offered any more: its server no longer lists it", "take another way")

    async def _put(self, checked: Checked) -> None:
        """Bring the catalog from what it holds of this server to what was accepted."""
        former, before = self.former, dict(self._seen)
        held: dict[str, Withheld] = {
            former.name(each.tool): former.quarantined(each.tool, each.reason, each.step)
            for each in checked.quarantined
        }
        fresh: dict[str, AnyTool] = {}
        seen: dict[str, Entry] = {}
        begun = anyio.current_time()
        for entry in checked.accepted:
            if anyio.current_time() - begun > AT_ONCE_S:
                await anyio.lowlevel.checkpoint()
                begun = anyio.current_time()
            name = former.name(str(entry.get("name")))
            if name in held:
                continue
            if before.get(name) == entry:
                seen[name] = entry
                continue
            made = former.tool(entry)
            if isinstance(made, Withheld):
                held[name] = made
            else:
                fresh[name], seen[name] = made, entry
        self._apply(fresh, seen, held)
        for note in checked.notes:
            self.say(note)
        if checked.first:
            self.notes.append(checked.first)
        self._unusable(held)

    def _apply(self, fresh: Mapping[str, AnyTool], seen: dict[str, Entry], held: dict[str, Withheld]) -> None:
        catalog, gone = self.around.catalog, [name for name in self._seen if name not in seen]
        for name in self._held.keys() - held.keys():
            catalog.release(name)
        for each in held.values():
            catalog.withhold(each)
        for name in gone:
            catalog.remove(name)
        for tool in fresh.values():
            catalog.replace(tool)
        self._seen, self._held = seen, held
        if fresh or gone:
            self.around.changed()

    def _unusable(self, held: Mapping[str, Withheld]) -> None:
        bad = [each.name for each in held.values() if each.why == "unusable"]
        if bad:
            self.say(f"{self.spec.name}: no schema that can be used, and so not offered: {_named(bad)}")

    def leave(self) -> None:
        """Take everything of it out of the catalog."""
        self._apply({}, {}, {})


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def _progress(context: Context, done: float, total: float | None, message: str) -> None:
    context.progress(message, done=done, total=total)
