"""Which tools a session can be offered, and what a name that is not among them may have meant."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from hilt.calls.tool import AnyTool
from hilt.catalog.residence import FIND, promoted, server_of
from hilt.declarations.names import nearest
from hilt.errors import DeclarationError

Loaded = Mapping[str, object]
"""Names that a session has loaded, in the order they were; the values say nothing."""
NONE_LOADED: Loaded = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """A tool that is known and not offered: why, in words for a model or a person, and what a person can do."""

    name: str
    why: Literal["quarantined", "filtered", "shadowed", "collided", "unusable"]
    reason: str
    step: str
    server: str = ""


class Catalog:
    """The tools of a runtime, by wire name, in the order they were added.

    A declaration order that does not change keeps the provider's prompt cache warm. What is deferred and cannot be
    found, for there is no `find_tools`, is resident as far as the budget goes. `edition` counts the changes.
    """

    def __init__(self, tools: Iterable[AnyTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = {}
        self._withheld: dict[str, Withheld] = {}
        self._removed: set[str] = set()
        self._resident: frozenset[str] | None = None
        self._everything: frozenset[str] | None = None
        self._waiting: Mapping[str, tuple[str, ...]] | None = None
        self.edition = 0
        self._listeners: list[Callable[[], None]] = []
        for each in tools:
            self.add(each)

    def listen(self, listener: Callable[[], None]) -> None:
        """Hear, at once and in the event loop of whoever changes it, that the tools are others than before."""
        self._listeners.append(listener)

    def add(self, tool: AnyTool) -> None:
        """Add one tool. Raises `DeclarationError` when its name is taken."""
        if tool.name in self._tools:
            raise DeclarationError(
                f"two tools are named {tool.name!r}", "give one of them another name: @tool(name=...) or tool.renamed()"
            )
        self._tools[tool.name] = tool
        self._removed.discard(tool.name)
        self._withheld.pop(tool.name, None)
        self._changed()

    def replace(self, tool: AnyTool) -> None:
        """Put a tool in the place of the one of its name, so that the order stays; add it where there is none."""
        if tool.name not in self._tools:
            self.add(tool)
            return
        self._tools[tool.name] = tool
        self._changed()

    def remove(self, name: str) -> AnyTool | None:
        """Take one tool out; a later call of it is answered as no longer offered."""
        found = self._tools.pop(name, None)
        if found is not None:
            self._removed.add(name)
            self._changed()
        return found

    def withhold(self, withheld: Withheld) -> None:
        """Know a tool and not offer it; a call of it is refused with the reason."""
        self._withheld[withheld.name] = withheld
        if self._tools.pop(withheld.name, None) is not None:
            self._changed()

    def release(self, name: str) -> None:
        """Forget that a tool was withheld."""
        self._withheld.pop(name, None)

    def withheld(self, name: str) -> Withheld | None:
        """Why a tool of this name is not offered, where it is known and kept back."""
        return self._withheld.get(name)

    def was_removed(self, name: str) -> bool:
        """Whether a tool of this name was offered before and is not now."""
        return name in self._removed

    def get(self, name: str) -> AnyTool | None:
        """The tool of this wire name, or of this original name where only one has it."""
        found = self._tools.get(name)
        if found is not None:
            return found
        named = [each for each in self._tools.values() if each.declaration.original_name == name]
        return named[0] if len(named) == 1 else None

    def offered(self, loaded: Loaded = NONE_LOADED) -> tuple[AnyTool, ...]:
        """What goes into the request: resident tools, and behind them those this session loaded, in that order.

        What is loaded is appended, so that the bytes before it stay what a provider has cached.
        """
        tools, resident = self._tools, self.names()
        later = [tools[name] for name in loaded if name in tools and name not in resident]
        return (*(each for each in self if each.name in resident), *later)

    def names(self, loaded: Loaded = NONE_LOADED) -> frozenset[str]:
        """Names of what goes into the request."""
        if self._resident is None:
            found = promoted(self) if not self.searchable else frozenset[str]()
            self._resident = found | {each.name for each in self if not each.handling.deferred}
        return self._resident | (loaded.keys() & self._tools.keys()) if loaded else self._resident

    def deferred(self, loaded: Loaded = NONE_LOADED) -> tuple[AnyTool, ...]:
        """What is known but not in the request."""
        offered = self.names(loaded)
        return tuple(each for each in self if each.name not in offered)

    @property
    def everything(self) -> frozenset[str]:
        """Names of all tools, resident or waiting."""
        if self._everything is None:
            self._everything = frozenset(self._tools)
        return self._everything

    @property
    def searchable(self) -> bool:
        """Whether a model can find what is not in its request."""
        return FIND in self._tools

    @property
    def waiting(self) -> Mapping[str, tuple[str, ...]]:
        """Every tool that waits, loaded by some session or not: its own names by its server."""
        if self._waiting is None:
            found: dict[str, list[str]] = {}
            for each in self:
                if each.handling.deferred:
                    found.setdefault(server_of(each), []).append(each.declaration.original_name or each.name)
            self._waiting = {server: tuple(names) for server, names in found.items()}
        return self._waiting

    def nearest(self, name: str) -> tuple[str, ...]:
        """Names like this one, best first."""
        return nearest(name, list(self._tools))

    @property
    def by_name(self) -> Mapping[str, AnyTool]:
        """Every tool by wire name."""
        return MappingProxyType(self._tools)

    @property
    def all_withheld(self) -> tuple[Withheld, ...]:
        """Every tool that is known and kept back."""
        return tuple(self._withheld.values())

    def _changed(self) -> None:
        self._resident = self._everything = self._waiting = None
        self.edition += 1
        for listener in self._listeners:
            listener()

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools
