"""Finding tools that are not in the request, and loading their definitions: what `find_tools` is made of.

A search says which tools there are, one line each; a definition is only ever given by name. What is kept back is never
found, and whoever names it hears why.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from hilt.calls.session import Session
from hilt.calls.tool import AnyTool
from hilt.catalog.bill import declared_text
from hilt.catalog.catalog import Catalog, Withheld
from hilt.catalog.nearness import Meaning
from hilt.catalog.ranking import Document, Found, Index
from hilt.catalog.residence import FIND, path_of, server_of
from hilt.declarations.declaration import Declaration
from hilt.declarations.description import Environment
from hilt.declarations.names import nearest
from hilt.declarations.schema import is_array
from hilt.results.counting import utf8_length

LOADED_BYTES = 24_000
"""Bytes of definitions that one call loads; the first is loaded whatever its size."""
LINE_CHARACTERS = 100
"""Characters that one line says of a tool: enough to choose by, as it was measured."""
LONGEST_TOLD = 100
"""Characters of a name that is not known which are told again."""
MOST_NEAR = 3
"""Paths that are named for one that is unknown."""
MOST_WITHHELD = 3
"""Tools kept back that one search explains."""


class Offering(Protocol):
    """What a session has of the catalog and how it gets more; a runtime is one."""

    def environment(self, session: Session) -> Environment:
        """What its descriptions depend on."""
        ...

    def offered_names(self, session: Session) -> Set[str]:
        """Names of the tools whose declaration it has."""
        ...

    async def load(self, session: Session, names: Sequence[str]) -> None:
        """Append tools to what it is offered."""
        ...

    def denied(self, tool: AnyTool) -> str:
        """Why policy denies every call of a tool; empty where a call might pass."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One tool that fits a need. `declared`: the session has its definition; `denied`: why no call of it can pass."""

    path: str
    use: str
    required: tuple[str, ...]
    declared: bool = False
    denied: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A page of tools, best first, of `total` that match; `unmatched` are words that no tool has.

    `elsewhere`: nothing of the named server matches, or there is no such server; `withheld` were named
    and are kept back.
    """

    lines: tuple[Line, ...]
    total: int
    unmatched: tuple[str, ...] = ()
    elsewhere: bool = False
    withheld: tuple[Withheld, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A whole definition, as it stands in a request. `before`: the session had it already."""

    path: str
    name: str
    description: str
    parameters: dict[str, object]
    before: bool

    @property
    def text(self) -> str:
        """The definition as compact JSON."""
        return declared_text(self.name, self.description, self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loading:
    """What came of names that were to be loaded; `rest` are those for which there was no room."""

    definitions: tuple[Definition, ...]
    faults: tuple[str, ...]
    rest: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The tools that one search looks at, and those whose definition the session has."""

    tools: tuple[AnyTool, ...]
    edition: int
    environment: Environment
    declared: frozenset[str]


class Finding:
    """The part behind `find_tools`: searches a catalog, and loads what a session names."""

    def __init__(self, catalog: Catalog, offering: Offering) -> None:
        self._catalog = catalog
        self._offering = offering
        self._meaning: Callable[[], Meaning | None] = lambda: None
        self._known: tuple[int, tuple[AnyTool, ...], Index] | None = None

    def search_by(self, meaning: Callable[[], Meaning | None]) -> None:
        """Rank by nearness in meaning too, from the next search on; it is asked for in a thread, when that comes."""
        self._meaning, self._known = meaning, None

    @property
    def servers(self) -> tuple[str, ...]:
        """Where the tools come from, each once."""
        return tuple(dict.fromkeys(server_of(each) for each in self._catalog if each.name != FIND))

    def view(self, session: Session) -> View:
        """What there is to find for a session, as it stands now."""
        return View(
            tools=tuple(each for each in self._catalog if each.name != FIND),
            edition=self._catalog.edition,
            environment=self._offering.environment(session),
            declared=frozenset(self._offering.offered_names(session)),
        )

    def find(self, view: View, query: str, server: str, *, offset: int, limit: int) -> Lines:
        """The tools for a need; those of the named server count more. Takes its time where many are new."""
        found, searched = self._search(view, query, server)
        page = [searched[place] for place in found.places[offset : offset + limit]]
        return Lines(
            lines=tuple(self._line(each, view) for each in page),
            total=len(found.places),
            unmatched=found.unmatched,
            elsewhere=found.elsewhere,
            withheld=tuple(self._named_withheld(query))[:MOST_WITHHELD],
        )

    async def load(self, session: Session, names: Sequence[str]) -> Loading:
        """Load the named tools as far as there is room; a name asked for again gives the same definition."""
        environment = self._offering.environment(session)
        definitions: list[Definition] = []
        faults: list[str] = []
        room = LOADED_BYTES
        wanted = list(dict.fromkeys(names))
        while wanted:
            tool = self._wanted(wanted[0])
            if isinstance(tool, str):
                faults.append(tool)
                wanted.pop(0)
                continue
            made = self._definition(tool, environment, self._offering.offered_names(session))
            if definitions and utf8_length(made.text) > room:
                break
            room -= utf8_length(made.text)
            definitions.append(made)
            wanted.pop(0)
        await self._offering.load(session, [each.name for each in definitions if not each.before])
        return Loading(definitions=tuple(definitions), faults=tuple(faults), rest=tuple(wanted))

    def _search(self, view: View, query: str, server: str) -> tuple[Found, tuple[AnyTool, ...]]:
        known = self._known
        if known is None or known[0] != view.edition:
            documents = [
                document(each.declaration, server=server_of(each), description=each.declaration.text(view.environment))
                for each in view.tools
            ]
            index = Index(documents, self._meaning())
            self._known = known = (view.edition, view.tools, index)
        return known[2].find(query, server=server), known[1]

    def _line(self, tool: AnyTool, view: View) -> Line:
        required = tool.declaration.parameters.get("required")
        return Line(
            path=path_of(tool),
            use=one_line(tool.declaration.text(view.environment)),
            required=tuple(str(each) for each in required) if is_array(required) else (),
            declared=tool.name in view.declared,
            denied=self._offering.denied(tool),
        )

    def _definition(self, tool: AnyTool, environment: Environment, declared: Set[str]) -> Definition:
        return Definition(
            path=path_of(tool),
            name=tool.name,
            description=tool.declaration.text(environment),
            parameters=dict(tool.declaration.parameters),
            before=tool.name in declared,
        )

    def _wanted(self, name: str) -> AnyTool | str:
        """The tool that a name means, by path, wire name or its own name; else why it cannot be loaded."""
        fitting = self._fitting(name)
        if len(fitting) == 1:
            denied = self._offering.denied(fitting[0])
            return (
                f"{path_of(fitting[0])} is not loaded, for no call of it can pass: {denied}" if denied else fitting[0]
            )
        if fitting:
            return f"{name} is the name of several: {', '.join(path_of(each) for each in fitting)}"
        kept_back = next((each for each in self._catalog.all_withheld if _means(each, name)), None)
        if kept_back is not None:
            return f"{name} is kept back ({kept_back.why}): {kept_back.reason}; {kept_back.step}"
        paths = [path_of(each) for each in self._catalog if each.name != FIND]
        near = nearest(name, paths)
        if not near:
            bare = nearest(name.rpartition("/")[2], [each.rpartition("/")[2] for each in paths])
            near = tuple(each for each in paths if each.rpartition("/")[2] in bare)[:MOST_NEAR]
        return f"there is no tool {short(name)!r}" + (f"; nearest: {', '.join(near)}" if near else "")

    def _fitting(self, name: str) -> Sequence[AnyTool]:
        """The one tool of this wire name or path, else all that their servers call so."""
        known = self._catalog.by_name.get(name)
        if known is not None:
            return [known]
        exact = [each for each in self._catalog if name in (path_of(each), f"{server_of(each)}/{each.name}")]
        return exact or [each for each in self._catalog if each.declaration.original_name == name]

    def _named_withheld(self, query: str) -> Iterator[Withheld]:
        pieces = [each.strip(_AROUND) for each in query.split()]
        # A word of prose names nothing: alone it may, among others only what is written as a name is.
        pieces = [each for each in pieces if len(pieces) == 1 or not each.isalpha()]
        return (each for each in self._catalog.all_withheld if any(_means(each, piece) for piece in pieces))


_AROUND = "\"'`.,;:()[]+?"


def _means(withheld: Withheld, name: str) -> bool:
    """Whether a name is that of a tool kept back: on the wire, its own, or behind its server's."""
    server, _, bare = name.rpartition("/")
    own = withheld.name.removeprefix(withheld.server).removesuffix(withheld.server).strip("_-") or withheld.name
    return bool(bare) and server in ("", withheld.server) and bare in (withheld.name, own)


def short(name: str) -> str:
    """A name as far as names go, for telling that there is none."""
    return name if len(name) <= LONGEST_TOLD else f"{name[:LONGEST_TOLD]}..."


def one_line(description: str) -> str:
    """The first sentence of a description, as far as a line goes."""
    text = " ".join(description.split())
    sentence = next((text[: place + 1] for place in _ends(text)), text)
    if len(sentence) <= LINE_CHARACTERS:
        return sentence.removesuffix(".")
    head = sentence[:LINE_CHARACTERS]
    return f"{(head.rpartition(' ')[0] or head).rstrip(' ,.;:')}…"


def _ends(text: str) -> Iterator[int]:
    """Where a sentence ends: a full stop before a blank and a capital, or one of writing without blanks."""
    for place, letter in enumerate(text):
        if letter == "。" or (
            letter in ".!?" and text[place + 1 : place + 2] == " " and text[place + 2 : place + 3].isupper()
        ):
            yield place


def document(declaration: Declaration, *, server: str, description: str) -> Document:
    """A declaration as it is searched; the description as rendered."""
    title = declaration.annotations.get("title")
    return Document(
        server=server,
        name=declaration.original_name or declaration.name,
        description=description,
        parameters=declaration.parameters,
        title=title if isinstance(title, str) else "",
        aliases=declaration.aliases,
    )
