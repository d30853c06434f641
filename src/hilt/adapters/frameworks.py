"""One session's door to the road, for frameworks that bring the calls of a turn one by one.

A framework starts every call of a model turn at once and knows nothing of which may overlap. `Door` keeps them
in the order one turn would have had, and hands the argument text on as it came.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from hilt.adapters.schemas import base_form
from hilt.calls.adapter import Offer, Road
from hilt.calls.answer import Answer
from hilt.calls.call import ToolCall, Turn
from hilt.calls.session import Session
from hilt.catalog.catalog import Catalog
from hilt.declarations.description import Environment
from hilt.declarations.schema import Schema
from hilt.results.form import to_json


class Host(Road, Protocol):
    """A runtime as these adapters need it; `hilt.Runtime` is one."""

    @property
    def catalog(self) -> Catalog:
        """The tools, by name."""
        ...

    def environment(self, session: Session) -> Environment:
        """What the session's descriptions depend on."""
        ...

    def offered_names(self, session: Session) -> frozenset[str]:
        """Names of the tools whose declaration the session has."""
        ...

    async def ready(self, session: Session) -> None:
        """Read what the session loaded before."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """One call that waits or runs, and whether it may run beside others."""

    beside: bool


_INSIDE: ContextVar[bool] = ContextVar("inside a call", default=False)


class Line:
    """Calls in the order they came: beside each other where all of them may, else one after the other."""

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._moved: anyio.Event | None = None

    @asynccontextmanager
    async def place(self, *, beside: bool) -> AsyncGenerator[None]:
        """Run the block when its turn has come. A call made from inside another waits for none: it would for ever."""
        if _INSIDE.get():
            yield
            return
        own = _Place(beside)
        self._places.append(own)
        try:
            while not self._may_run(own):
                self._moved = self._moved or anyio.Event()
                await self._moved.wait()
            token = _INSIDE.set(True)
            try:
                yield
            finally:
                _INSIDE.reset(token)
        finally:
            self._places.remove(own)
            moved, self._moved = self._moved, None
            if moved is not None:
                moved.set()

    def _may_run(self, own: _Place) -> bool:
        before = self._places[: self._places.index(own)]
        return not before or (own.beside and all(each.beside for each in before))


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """What a framework's tools hold: the runtime, the session they speak for, and the line of its calls."""

    host: Host
    session: Session
    line: Line = field(default_factory=Line)

    def offers(self, *, deferred: bool = False) -> Sequence[Offer]:
        """What this session offers now; with `deferred`, all: for a framework that shows or searches them itself."""
        return self.host.offer(self.session, deferred=deferred)

    def every_offer(self) -> Sequence[Offer]:
        """What is offered now, and behind it every tool the session could come to load, in the same form."""
        now = self.offers()
        there = {each.declaration.name for each in now}
        environment = self.host.environment(self.session)
        later = [each.declaration for each in self.host.catalog if each.name not in there]
        return [*now, *(Offer(declaration=each, description=each.text(environment), deferred=True) for each in later)]

    def parallel(self, name: str) -> bool:
        """Whether calls of this tool may overlap with others; an unknown one is refused and runs nothing."""
        tool = self.host.catalog.get(name)
        return tool is None or tool.handling.parallel

    async def answer(self, name: str, arguments: str, *, id: str = "", turn: str = "") -> Answer:
        """One call, answered. `turn` names it where the framework has a name that no other call shares."""
        made = ToolCall(name=name, arguments=arguments, id=id)
        async with self.line.place(beside=self.parallel(name)):
            [answer] = await self.host.answer(self.session, Turn(id=turn, calls=(made,)))
        return answer


def parameters_of(offer: Offer) -> Schema:
    """The parameters as every framework's providers take them, to be changed at will."""
    return dict(base_form(offer.declaration.parameters, examples=True))


def program_form(answer: Answer) -> dict[str, object]:
    """The answer for programs: the envelope as JSON, as shown, without the bytes of its parts."""
    form = to_json(answer.result, versioned=True)
    form.pop("parts", None)
    return form
