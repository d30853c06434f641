"""Which tools a session can be offered, and what a name that is not among them may have meant."""

from collections.abc import Iterable, Iterator, Mapping, Set
from types import MappingProxyType

from hilt.calls.tool import AnyTool
from hilt.declarations.names import nearest
from hilt.errors import DeclarationError


class Catalog:
    """The tools of a runtime, by wire name, in the order they were added.

    A declaration order that does not change keeps the provider's prompt cache warm.
    """

    def __init__(self, tools: Iterable[AnyTool] = ()) -> None:
        self._tools: dict[str, AnyTool] = {}
        self._removed: set[str] = set()
        self._resident: frozenset[str] | None = None
        for each in tools:
            self.add(each)

    def add(self, tool: AnyTool) -> None:
        """Add one tool. Raises `DeclarationError` when its name is taken."""
        if tool.name in self._tools:
            raise DeclarationError(
                f"two tools are named {tool.name!r}", "give one of them another name: @tool(name=...) or tool.renamed()"
            )
        self._tools[tool.name] = tool
        self._removed.discard(tool.name)
        self._resident = None

    def remove(self, name: str) -> AnyTool | None:
        """Take one tool out; a later call of it is answered as no longer offered."""
        self._resident = None
        if name in self._tools:
            self._removed.add(name)
        return self._tools.pop(name, None)

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

    def offered(self, loaded: Set[str] = frozenset()) -> tuple[AnyTool, ...]:
        """What goes into the request: resident tools, and those this session has loaded."""
        return tuple(each for each in self if not each.handling.deferred or each.name in loaded)

    def names(self, loaded: Set[str] = frozenset()) -> frozenset[str]:
        """Names of what goes into the request."""
        if self._resident is None:
            self._resident = frozenset(each.name for each in self if not each.handling.deferred)
        return self._resident | (loaded & self._tools.keys()) if loaded else self._resident

    def deferred(self, loaded: Set[str] = frozenset()) -> tuple[AnyTool, ...]:
        """What is known but not in the request."""
        return tuple(each for each in self if each.handling.deferred and each.name not in loaded)

    def nearest(self, name: str) -> tuple[str, ...]:
        """Names like this one, best first."""
        return nearest(name, list(self._tools))

    @property
    def by_name(self) -> Mapping[str, AnyTool]:
        """Every tool by wire name."""
        return MappingProxyType(self._tools)

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools
