"""Pins on the store: a server's listing checked against what was accepted of it, and a person's word on a change."""

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from anyio import to_thread

from hilt.catalog.pin_words import first_sight, notes_of, refused, step_for
from hilt.catalog.pins import Declared, Names, Pinned, Unusable, accepted, form_of, listed, revised
from hilt.catalog.suspicions import meetings, suspected
from hilt.store.protocol import Store

Declaration = Mapping[str, object]
PART_CHARACTERS = 200_000
"""Characters of declarations that are looked through at one go: less than a second."""
MOST_NOTES = 50
"""Notes on one server that a process tells; what is quarantined beyond is refused with its reason all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantined:
    """A tool that is listed and must not be offered: why, in our words, and what a person can do."""

    tool: str
    reason: str
    step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a listing came to.

    `accepted` holds what is pinned of each declaration and nothing else, in an order that stays; `notes`
    are for whoever works with the server; `first` says to people that it was met for the first time.
    """

    accepted: tuple[Declaration, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    notes: tuple[str, ...] = ()
    first: str = ""


class Pinning:
    """Pins are kept under a server's name in the settings, and belong to the user: no session or purge takes them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._told: dict[str, list[str]] = {}

    async def known(self, server: str) -> tuple[Declaration, ...]:
        """The accepted declarations as last seen: what can be offered before the server was started."""
        return (await self.last(server)).accepted

    async def last(self, server: str) -> Checked:
        """What the last listing came to, without notes: what can be offered, and what is kept back, before a start."""
        found = await self._one(server)
        return Checked(accepted=_offered(found), quarantined=tuple(_quarantined(found)))

    async def check(self, server: str, declarations: Sequence[Declaration], *, source: str = "") -> Checked:
        """Compare a whole listing, and keep what it says. `source` is the command or address it came from.

        The first declaration of a name is accepted unless something in it deceives. One that differs from
        what was accepted is quarantined until a person accepts it.
        """
        known = await self._one(server)
        looked, faults = await _looked_at(declarations, known)
        now = time.time()

        def revise(before: Pinned, others: Names) -> Pinned:
            listing = meetings(server, looked, before, others)
            return revised(before, listing, source=source and _digest(source), now=now)

        before, after = await self._store.revise_pins(server, revise)
        return Checked(
            accepted=_offered(after),
            quarantined=(*_quarantined(after), *(_unusable(server, each) for each in faults)),
            notes=self._untold(server, notes_of(before, after, faults)),
            first=first_sight(before, after),
        )

    async def all(self) -> list[Pinned]:
        """What is known of each server, by name."""
        return await self._store.pinned()

    async def accept(self, server: str, tools: Collection[str], *, by: str, digest: str = "") -> tuple[str, ...]:
        """Accept what was last seen of these tools, if it has this digest, and tell the trail; what was accepted."""
        now = time.time()
        before, after = await self._store.revise_pins(
            server, lambda before, _: accepted(before, tools, by=by, now=now, digest=digest)
        )
        done = [new for old, new in zip(before.pins, after.pins, strict=True) if old != new]
        entries = [
            {"event": "pin accepted", "tool": f"{server}/{pin.tool}", "digest": pin.seen, "by": by} for pin in done
        ]
        if entries:
            await self._store.append_trail("", [json.dumps(each) for each in entries])
        return tuple(pin.tool for pin in done)

    async def forget(self, server: str, *, by: str) -> int:
        """Forget all that is known of a server, so that its next listing is seen for the first time; how many pins."""
        before, _ = await self._store.revise_pins(server, lambda _, __: Pinned(server=server))
        if before.pins:
            entry = {"event": "pins forgotten", "server": server, "pins": len(before.pins), "by": by}
            await self._store.append_trail("", [json.dumps(entry)])
        return len(before.pins)

    def _untold(self, server: str, notes: Sequence[str]) -> tuple[str, ...]:
        """Notes that this process has not told: a server that changes all the time is not heard all the time."""
        told = self._told.setdefault(server, [])
        new = [each for each in notes if each not in told][: max(MOST_NOTES - len(told), 0)]
        told += new
        return tuple(new)

    async def _one(self, server: str) -> Pinned:
        found = await self._store.pinned(server)
        return found[0] if found else Pinned(server=server)


async def _looked_at(declarations: Sequence[Declaration], known: Pinned) -> tuple[list[Declared], list[Unusable]]:
    """Each declaration with what is found in it alone, what was seen before was looked at then; and the unusable.

    In a thread and by parts, for a thread cannot be ended: whoever waits may give up between two.
    """
    usable, faults = await to_thread.run_sync(listed, declarations)
    seen = {(pin.tool, pin.seen): pin for pin in known.pins}
    looked: list[Declared] = []
    for part in _parts(usable):
        looked += await to_thread.run_sync(
            lambda some: [suspected(each, seen.get((each.tool, each.digest))) for each in some], part
        )
    return looked, faults


def _parts(declarations: Sequence[Declared]) -> Iterator[list[Declared]]:
    """The declarations in parts of so many characters, or one that is longer."""
    part: list[Declared] = []
    length = 0
    for each in declarations:
        part.append(each)
        length += len(each.document)
        if length >= PART_CHARACTERS:
            yield part
            part, length = [], 0
    if part:
        yield part


def _offered(server: Pinned) -> tuple[Declaration, ...]:
    return tuple(form_of(pin.accepted_document) for pin in server.pins if pin.state in ("accepted", "warned"))


def _quarantined(server: Pinned) -> list[Quarantined]:
    return [
        Quarantined(tool=pin.tool, reason=refused(pin), step=step_for(server.server, pin.tool))
        for pin in server.pins
        if pin.state == "quarantined"
    ]


def _unusable(server: str, fault: Unusable) -> Quarantined:
    return Quarantined(tool=fault.tool, reason=fault.reason, step=f"report it to whoever makes the server {server!r}")


def _digest(source: str) -> str:
    return sha256(source.encode("utf-8", "backslashreplace")).hexdigest()
