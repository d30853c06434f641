"""A tool as a model sees it, and as policy, the bill and the judges read it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hilt.declarations.description import Description, Environment
from hilt.declarations.effects import UNDECLARED, Effects

Kind = Literal["perceive", "act", "collaborate", "communicate", "await"]
Schema = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collaboration:
    """What a collaborating tool declares: who holds control, who bears failure, who may end it."""

    control: str
    failure: str
    ends: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Communication:
    """What a communicating tool declares: how it is delivered, which key stops repeats, its quiet hours."""

    delivery: str
    repeat_key: str
    quiet_hours: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Awaiting:
    """What an awaiting tool declares: the message that wakes, how to cancel, what happens to missed wakes."""

    wakes_with: str
    cancel: str
    catch_up: Literal["catch_up", "skip", "latest"]


Terms = Collaboration | Communication | Awaiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What goes into the request, and what stands behind it.

    `parameters` is the input schema, `returns` the schema of one item (`{}` for none);
    `limit` is the most items of one answer and `continues` the parameter that goes on;
    `activity` words progress for the person; `examples` are whole calls' arguments;
    `original_name` is the name dispatch uses where the wire name had to differ; `server` is where a
    tool of somebody else comes from, empty for one of this program; `aliases` are other words a
    person would use for it, in any language: searched, never shown to a model.
    """

    name: str
    kind: Kind
    description: Description
    parameters: Schema
    returns: Schema
    effects: Effects = UNDECLARED
    limit: int | None = None
    continues: str | None = None
    noun: str = "item"
    idempotent: bool = False
    undo: str | None = None
    terms: Terms | None = None
    activity: str = ""
    examples: tuple[Mapping[str, object], ...] = ()
    original_name: str = ""
    server: str = ""
    aliases: tuple[str, ...] = ()
    annotations: Mapping[str, object] = field(default_factory=dict[str, object])

    def text(self, environment: Environment, *, compact: bool = False) -> str:
        """The description as this environment makes it."""
        return self.description.render(environment, compact=compact)
