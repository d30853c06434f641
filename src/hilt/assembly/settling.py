"""Which tools stand in every request of a runtime, by what a person set and by what was used."""

from collections import Counter
from collections.abc import Sequence
from typing import cast

from hilt.assembly.config import Config
from hilt.assembly.meaning import meaning_of
from hilt.assembly.trace import read
from hilt.calls.tool import AnyTool
from hilt.catalog.residence import NO_USES, Defer, Uses, Wishes, is_built_in, settled
from hilt.errors import StoreError
from hilt.runtime.runtime import Runtime
from hilt.store.protocol import Store

RECENT_SESSIONS = 20
"""Sessions of a person whose calls say what is used."""
EVENTS_OF_A_SESSION = 2_000
"""Events read of each of them."""


def wishes_of(config: Config) -> Wishes:
    """What a configuration says of tools that wait."""
    return Wishes(
        defer=cast("Defer", config.text("set.defer") or "auto"),  # the schema of the settings admits no other
        pins=config.texts("set.resident") or (),
        bytes=int(config.number("set.resident_bytes")),
    )


class Settling:
    """Marks which tools of a runtime wait, again whenever some came or changed.

    What a session was offered stays with it, whatever is marked later.
    """

    def __init__(self, runtime: Runtime, config: Config) -> None:
        self._runtime = runtime
        self._wishes = wishes_of(config)
        self._uses = NO_USES
        runtime.finding.search_by(meaning_of(config))

    def settle(self) -> None:
        """Mark every tool by what is known now."""
        tools = tuple(self._runtime.catalog)
        for before, after in zip(tools, settled(tools, self._wishes, self._uses), strict=True):
            if after is not before:
                self._runtime.catalog.replace(after)

    async def by_use(self, principal: str) -> None:
        """Mark them by what somebody used lately as well; where nothing has to wait that is not even read."""
        if any(each.handling.deferred and not is_built_in(each) for each in self._runtime.catalog):
            self._uses = await uses_of(self._runtime.store, principal)
            self.settle()


async def uses_of(store: Store, principal: str) -> Uses:
    """How often each tool was called for somebody lately; nothing where the store does not answer."""
    counted: Counter[str] = Counter()
    try:
        mine = [
            each.id for each in await store.sessions(RECENT_SESSIONS) if each.principal == principal and each.events
        ]
        for session in mine:
            events = await store.events(session, limit=EVENTS_OF_A_SESSION)
            counted.update(_called([each.text for each in events]))
    except StoreError:
        return NO_USES
    return counted


def _called(texts: Sequence[str]) -> list[str]:
    """The tools of the events that are a tool's start; the others are not even read."""
    begun = (read(text) for text in texts if '"step":"execute"' in text)
    return [str(each.get("tool", "")) for each in begun]


def settled_tools(tools: Sequence[AnyTool], config: Config) -> tuple[AnyTool, ...]:
    """Tools of a configuration as a runtime would have them, for lists."""
    return settled(tools, wishes_of(config))
