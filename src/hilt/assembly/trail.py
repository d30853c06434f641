"""The audit trail for people: what the settings say of it, its entries to list, and whether its chain holds."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass

from hilt.assembly.config import Config
from hilt.declarations.schema import is_object
from hilt.runtime.trail import Trail
from hilt.store import MEMORY
from hilt.store.chain import Check, Head
from hilt.store.protocol import Store
from hilt.store.records import TrailEntry

PAGE = 1_000
NOTHING: Mapping[str, object] = {}


def trail_of(config: Config) -> Trail | None:
    """What a runtime of these settings writes; None where it writes none, or state ends with the process."""
    if config.value("trail.write") is False or config.text("store.where") == MEMORY:
        return None
    return Trail(arguments=config.value("trail.arguments") is True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One entry, read."""

    entry: TrailEntry
    facts: Mapping[str, object]

    def fact(self, name: str) -> str:
        """A fact in words, "" for none."""
        value = self.facts.get(name)
        return "" if value is None else str(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a walk along the whole chain found. `known`: whether the head asked for is in it, None where none was."""

    count: int
    first: int
    head: Head
    broken_at: int = 0
    why: str = ""
    known: bool | None = None

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the trail."""
        return not self.why and self.known is not False


async def verify(store: Store, head: str = "") -> Verified:
    """Walk the chain from its first entry; `head` is a hash noted elsewhere, which must be in it."""
    check, first, known = Check(), 0, False
    async for entry in entries(store):
        first = first or entry.number
        known = known or entry.hash == head
        check.add(entry)
    check.finish()
    return Verified(
        count=check.count,
        first=first,
        head=check.head,
        broken_at=check.broken_at,
        why=check.broken,
        known=known if head else None,
    )


async def told(store: Store, wanted: Callable[[Told], bool], most: int) -> list[Told]:
    """The latest entries that are wanted, latest first."""
    found: list[Told] = []
    async for entry in entries(store):
        each = read(entry)
        if wanted(each):
            found.append(each)
            del found[:-most]
    return found[::-1]


async def entries(store: Store) -> AsyncIterator[TrailEntry]:
    """Every entry, in order."""
    since = 0
    while page := await store.trail(since, PAGE):
        for entry in page:
            yield entry
        since = page[-1].number


def read(entry: TrailEntry) -> Told:
    """An entry; one whose text was spoilt has no facts."""
    try:
        document: object = json.loads(entry.text)
    except ValueError:
        document = None
    return Told(entry=entry, facts=document if is_object(document) else NOTHING)
