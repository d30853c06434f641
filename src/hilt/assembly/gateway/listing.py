"""The tools of servers listed and nothing more: from what was pinned of them, else by asking them now."""

from collections.abc import Iterable
from dataclasses import dataclass

import anyio

from hilt.adapters.upstream import Limits, Upstream
from hilt.assembly.gateway.forming import Entry, Former
from hilt.assembly.gateway.reaching import effects_of, off, place_of
from hilt.assembly.gateway.settings import ServerSpec
from hilt.assembly.pinning import Checked, Pinning
from hilt.calls.context import Context
from hilt.calls.tool import AnyTool
from hilt.catalog.catalog import Withheld
from hilt.catalog.naming import Style
from hilt.errors import ConfigError, HiltError


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerListing:
    """One server's tools; `declared` are those whose effects a person declared."""

    server: str
    tools: tuple[AnyTool, ...] = ()
    declared: frozenset[str] = frozenset()
    withheld: tuple[Withheld, ...] = ()
    notes: tuple[str, ...] = ()
    fault: HiltError | None = None


async def list_servers(specs: Iterable[ServerSpec], style: Style, pins: Pinning | None) -> tuple[ServerListing, ...]:
    """Every server's tools, in order; those that have to be asked are asked beside each other.

    Without `pins` each is asked, and nothing is remembered. A disabled one has none.
    """
    wanted = [each for each in specs if each.enabled]
    found: dict[str, ServerListing] = {}

    async def one(spec: ServerSpec) -> None:
        found[spec.name] = await _list(spec, style, pins)

    async with anyio.create_task_group() as group:
        for spec in wanted:
            group.start_soon(one, spec)
    return tuple(found[each.name] for each in wanted)


async def reached(specs: Iterable[ServerSpec]) -> tuple[tuple[ServerSpec, int | HiltError], ...]:
    """Every server asked now: how many tools it lists, or why it does not; nothing is remembered."""
    found: dict[str, int | HiltError] = {}

    async def one(spec: ServerSpec) -> None:
        why = off(spec)
        try:
            found[spec.name] = _not_started(spec, why) if why else len(await _asked(spec))
        except HiltError as error:
            found[spec.name] = error

    wanted = tuple(specs)
    async with anyio.create_task_group() as group:
        for spec in wanted:
            group.start_soon(one, spec)
    return tuple((each, found[each.name]) for each in wanted)


def _not_started(spec: ServerSpec, why: str) -> ConfigError:
    step = f"hilt trust {spec.origin}" if spec.needs_consent and not spec.fault else f"see {spec.name} in {spec.origin}"
    return ConfigError(f"the server {spec.name} is not started: {why}", step)


async def _list(spec: ServerSpec, style: Style, pins: Pinning | None) -> ServerListing:
    why = off(spec)
    if why:
        return ServerListing(server=spec.name, fault=_not_started(spec, why))
    try:
        checked = await _checked(spec, pins)
    except HiltError as error:
        return ServerListing(server=spec.name, fault=error)
    return _formed(spec, style, checked)


async def _checked(spec: ServerSpec, pins: Pinning | None) -> Checked:
    if pins is not None and (known := await pins.known(spec.name)):
        return Checked(accepted=known)
    entries = await _asked(spec)
    return Checked(accepted=entries) if pins is None else await pins.check(spec.name, entries, source=spec.shown)


async def _asked(spec: ServerSpec) -> tuple[Entry, ...]:
    """What it lists, once. Raises `ServerUnreachable`."""
    upstream = Upstream(spec.name, place_of(spec), Limits(start_s=spec.startup_s, list_s=spec.startup_s, tries=1))
    found: tuple[Entry, ...] = ()
    fault: HiltError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(upstream.run)
        try:
            found = await upstream.tools()
        except HiltError as error:  # raised when the group has ended, for a group wraps what passes through it
            fault = error
        await upstream.close()
    if fault is not None:
        raise fault
    return found


def _formed(spec: ServerSpec, style: Style, checked: Checked) -> ServerListing:
    known, note = effects_of(spec)
    former = Former(spec=spec, style=style, reach=_not_here, known=known, infers=False)
    made = [former.tool(each) for each in checked.accepted]
    tools = tuple(each for each in made if not isinstance(each, Withheld))
    held = [former.quarantined(each.tool, each.reason, each.step) for each in checked.quarantined]
    return ServerListing(
        server=spec.name,
        tools=tools,
        declared=frozenset(each.name for each in tools if known is not None and former.is_declared(each)),
        withheld=(*held, *(each for each in made if isinstance(each, Withheld))),
        notes=(*filter(None, (checked.first, note)), *checked.notes),
    )


async def _not_here(tool: str, arguments: dict[str, object], context: Context) -> object:
    del arguments, context
    raise ConfigError(f"{tool} is listed and cannot be called here", "call it with hilt call")
