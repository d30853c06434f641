"""What policy may know of one call: its tool, declared effects, and what its arguments really mean."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from hilt.calls.resolver import CommandFact, PathFact, Property, UrlFact
from hilt.declarations.effects import RISK_ORDER, Action, Deed, Effects

EMPTY: tuple[object, ...] = (None, "", [], {}, False)
"""Values of an argument that give nothing: an event without participants is sent to nobody."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of one call.

    `arguments` are the model's, decoded; `paths`, `commands` and `urls` what the resolver knows of
    those with such a role, also of elements of lists. `confinement` is what isolation gives to
    whatever this tool runs. `labels` is the session's state: `untrusted` and `private` once such
    content was seen.
    """

    tool: str
    effects: Effects
    arguments: Mapping[str, object] = field(default_factory=dict[str, object])
    paths: tuple[PathFact, ...] = ()
    commands: tuple[CommandFact, ...] = ()
    urls: tuple[UrlFact, ...] = ()
    confinement: frozenset[Property] = frozenset()
    labels: frozenset[str] = frozenset()

    @cached_property
    def deeds(self) -> frozenset[Deed]:
        """What this very call does: the tool's declared deeds, and those that arguments given add."""
        also = self.effects.also
        if not also:
            return self.effects.does
        return self.effects.does | {deed for name, deed in also.items() if self.arguments.get(name) not in EMPTY}

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """Every action policy judges in this call, least risky first; reading is always one of them."""
        return tuple(action for action in RISK_ORDER if action == "read" or action in self.deeds)
