"""Resources and prompts of the servers behind Hilt, of all of them as of one.

A prompt has its server's name before it, as tools have. A resource keeps its URI, which its server's texts may name;
where two servers have one URI, the first in the order of the settings keeps it, and the other's says its server.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from urllib.parse import quote, unquote

import anyio

from hilt.adapters.mcp_passing import Entry, Passed
from hilt.assembly.gateway.member import Member
from hilt.catalog.naming import Style, wire_name_of
from hilt.errors import HiltError
from hilt.results.failures import EnvironmentFailure, InvalidArguments, ToolFailure

SCHEME = "hilt-server://"
"""Begins the URI of a resource whose own URI another server has too."""
LIST_S = 10.0
"""Seconds that a server may take to list what it has; one that takes longer is left out of this list."""
_EXPRESSION = re.compile(r"\{[^{}]*\}")

Listing = Callable[[Member], Awaitable[Sequence[Entry]]]


class GatewayPassing:
    """What connected servers have beside tools. A server that waits to be asked for is not started to be asked this."""

    def __init__(self, members: Callable[[], Sequence[Member]], style: Style) -> None:
        self._members = members
        self._style: Style = style
        self._listeners: list[Callable[[Passed], None]] = []

    def listen(self, listener: Callable[[Passed], None]) -> None:
        """Hear that resources or prompts are others than before."""
        self._listeners.append(listener)

    def changed(self) -> None:
        """Tell whoever listens."""
        for each in self._listeners:
            each("resources")
            each("prompts")

    async def resources(self) -> Sequence[Entry]:
        """Every resource; of two with one URI the later says its server."""
        return _apart(await self._listed(_resources), "uri")

    async def resource_templates(self) -> Sequence[Entry]:
        """Every template, by the same rule."""
        return _apart(await self._listed(_templates), "uriTemplate")

    async def read_resource(self, uri: str) -> Entry:
        """What a resource holds. Raises `InvalidArguments` for a URI that no connected server has."""
        if uri.startswith(SCHEME):
            server, _, own = uri.removeprefix(SCHEME).partition("/")
            member = next((each for each in self._members() if quote(each.spec.name, safe="") == server), None)
            if member is not None:
                return await member.upstream.read_resource(unquote(own))
        listed = await self._listed(_resources)
        owner = next((member for member, entries in listed for each in entries if each.get("uri") == uri), None)
        owner = owner or await self._by_template(uri)
        if owner is None:
            raise InvalidArguments(f"no server has the resource {uri}", "read one that resources/list names")
        return await owner.upstream.read_resource(uri)

    async def prompts(self) -> Sequence[Entry]:
        """Every prompt, under a name that says its server."""
        listed = await self._listed(_prompts)
        return [
            {**each, "name": wire_name_of(member.spec.name, str(each.get("name")), self._style)}
            for member, entries in listed
            for each in entries
        ]

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Entry:
        """One prompt, filled in. Raises `InvalidArguments` for a name that no connected server has."""
        for member, entries in await self._listed(_prompts):
            for each in entries:
                own = str(each.get("name"))
                if wire_name_of(member.spec.name, own, self._style) == name:
                    return await member.upstream.prompt(own, arguments)
        raise InvalidArguments(f"no server has the prompt {name}", "get one that prompts/list names")

    async def _by_template(self, uri: str) -> Member | None:
        for member, entries in await self._listed(_templates):
            if any(fits_template(uri, str(each.get("uriTemplate"))) for each in entries):
                return member
        return None

    async def _listed(self, listing: Listing) -> list[tuple[Member, Sequence[Entry]]]:
        """What each connected server lists, all asked at once, in the order of the settings."""
        asked = [each for each in self._members() if each.upstream.state == "ready"]
        found: dict[str, Sequence[Entry]] = {}
        async with anyio.create_task_group() as group:
            for member in asked:
                group.start_soon(partial(_one, member, listing, found))
        return [(each, found.get(each.spec.name, ())) for each in asked]


async def _one(member: Member, listing: Listing, found: dict[str, Sequence[Entry]]) -> None:
    with anyio.move_on_after(LIST_S):
        try:
            found[member.spec.name] = await listing(member)
        except (HiltError, ToolFailure, EnvironmentFailure):  # it has none, or cannot say now: the others' are there
            return


async def _resources(member: Member) -> Sequence[Entry]:
    return await member.upstream.resources()


async def _templates(member: Member) -> Sequence[Entry]:
    return await member.upstream.resource_templates()


async def _prompts(member: Member) -> Sequence[Entry]:
    return await member.upstream.prompts()


def _apart(listed: Sequence[tuple[Member, Sequence[Entry]]], key: str) -> list[Entry]:
    """Every entry; one whose URI an earlier server has says its server in it."""
    owners: dict[str, str] = {}
    made: list[Entry] = []
    for member, entries in listed:
        server = member.spec.name
        for each in entries:
            own = str(each.get(key))
            first = owners.setdefault(own, server) == server
            made.append(each if first else {**each, key: f"{SCHEME}{quote(server, safe='')}/{_quoted(own)}"})
    return made


def _quoted(uri: str) -> str:
    """A URI as one part of another; what a template leaves open stays so."""
    return quote(uri, safe="{}")


def fits_template(uri: str, template: str) -> bool:
    """Whether a URI may be one of a template's: each expression stands for one character or more.

    Looked for piece by piece, for as one pattern a template of many expressions takes a time without end.
    """
    first, *others = _EXPRESSION.split(template)
    if not others:
        return uri == template
    *middle, last = others
    place, end = len(first), len(uri) - len(last)
    if not (uri.startswith(first) and uri.endswith(last)):
        return False
    for piece in middle:
        found = uri.find(piece, place + 1, end)
        if found < 0:
            return False
        place = found + len(piece)
    return place < end
