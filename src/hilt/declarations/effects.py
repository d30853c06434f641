"""What a tool does to the world: one noun, declared once, projected wherever it is judged.

What is not declared counts as the most dangerous value. The projections stand below the noun: policy's
actions, a level of risk, the legs of an audit, MCP's hints. Each is a pure function of it.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Literal, TypedDict, get_args

Reads = Literal["none", "public", "private"]
Brings = Literal["own", "third-party"]
Deed = Literal["fetch", "write", "run", "send", "spend", "destroy", "credential"]
Role = Literal["path", "command", "url", "destination", "target", "credential", "content"]
Origin = Literal["third-party", "identity", "service", "user"]
Action = Literal["read", "fetch", "write", "run", "send", "spend", "destroy", "credential"]
Risk = Literal["low", "medium", "high", "critical"]
Leg = Literal["private", "third_party", "way_out"]

ALL_DEEDS: frozenset[Deed] = frozenset(get_args(Deed))
READS: tuple[Reads, ...] = get_args(Reads)
BRINGS: tuple[Brings, ...] = get_args(Brings)
ROLES: frozenset[Role] = frozenset(get_args(Role))
ORIGINS: frozenset[Origin] = frozenset(get_args(Origin))
# From the least to the most that can go wrong; a tool's action is the last one it declares.
RISK_ORDER: tuple[Action, ...] = ("read", "fetch", "write", "run", "send", "destroy", "credential", "spend")

RISKS: tuple[Risk, ...] = get_args(Risk)
LEGS: tuple[Leg, ...] = get_args(Leg)
OUTWARD: frozenset[Deed] = frozenset({"fetch", "run", "send", "spend"})
"""Deeds by which something may leave this machine and its person."""
_RISK_OF: Mapping[Action, Risk] = {
    "read": "low",
    "fetch": "medium",
    "write": "medium",
    "run": "high",
    "send": "high",
    "destroy": "critical",
    "credential": "critical",
    "spend": "critical",
}
_LEADS_OUT: frozenset[Role] = frozenset({"url", "destination", "command"})


class EffectsForm(TypedDict, total=False):
    """How effects are written at `@tool(effects={...})`."""

    reads: Reads
    brings: Brings
    does: Deed | Set[Deed] | tuple[Deed, ...] | list[Deed]
    undoable: bool
    irreversible: bool
    roles: Mapping[str, Role]
    origins: Mapping[str, Origin]
    secrets: tuple[str, ...] | list[str]
    also: Mapping[str, Deed]
    verbs: tuple[str, ...] | list[str]
    nouns: tuple[str, ...] | list[str]
    isolated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Declared consequences of a call.

    `reads`: whose facts come in; `brings`: whether text written by third parties comes with
    them; `does`: what changes outside; `undoable`: whether Hilt can put it back; `irreversible`:
    whether a second time is worse than once; `roles`: what each argument means to policy.

    `origins` says who made which field of a result (`third-party` for every field not named):
    `service` is structure the service itself made, such as an id or a price, `user` what the
    session's own person made, `identity` who a third party says they are (sender, guest, payer). A
    field is a dotted path below an item, `*` for every key or element, a last `@` for the keys
    themselves: `messages.*.id`. `secrets` are fields that must not leave in the body of a message.
    `also` adds a deed where an argument is given: an event with `participants` is sent.
    `verbs` and `nouns` are words by which a person asks for this act. `isolated`: whatever it
    runs is started through Hilt's own `Processes`, and so confined where this machine can.
    """

    reads: Reads = "private"
    brings: Brings = "third-party"
    does: frozenset[Deed] = ALL_DEEDS
    undoable: bool = False
    irreversible: bool = False
    roles: Mapping[str, Role] = field(default_factory=dict[str, Role])
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin])
    secrets: tuple[str, ...] = ()
    also: Mapping[str, Deed] = field(default_factory=dict[str, Deed])
    verbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    isolated: bool = False

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action policy judges, least risky first; reading is always one of them."""
        return actions_of(self.does)

    @property
    def risk(self) -> Risk:
        """How much can go wrong at most."""
        return risk_of(self.actions, undoable=self.undoable, irreversible=self.irreversible)

    @property
    def legs(self) -> frozenset[Leg]:
        """The legs of a chain of harm it has: private data, text by third parties, a way out. One that runs has all."""
        return frozenset(leg for leg in LEGS if "run" in self.does or self._has(leg))

    @property
    def read_only(self) -> bool:
        """Whether nothing outside changes; fetching leaves a trace elsewhere but changes nothing."""
        return self.does <= {"fetch"}

    @property
    def destructive(self) -> bool:
        """Whether something may be lost for good."""
        return not self.read_only and (not self.undoable or "destroy" in self.does)

    @property
    def open_world(self) -> bool:
        """Whether the call reaches beyond this machine and its person."""
        return bool(self.does & OUTWARD) or self.brings == "third-party"

    def hints(self, *, perceives: bool, idempotent: bool) -> "Hints":
        """What MCP's annotations say of a tool that `perceives` and is `idempotent` by its declaration."""
        return Hints(
            read_only=self.read_only and perceives,
            destructive=self.destructive,
            idempotent=idempotent,
            open_world=self.open_world,
        )

    def _has(self, leg: Leg) -> bool:
        if leg == "private":
            return self.reads == "private" or "credential" in self.does
        if leg == "third_party":
            return self.brings == "third-party"
        also: Set[Deed] = set(self.also.values())
        return bool((self.does | also) & OUTWARD) or not _LEADS_OUT.isdisjoint(self.roles.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What MCP tells clients of a tool's effects."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


def actions_of(deeds: Set[Deed]) -> tuple[Action, ...]:
    """What policy judges in a call of these deeds, least risky first; reading is always one of them."""
    return tuple(action for action in RISK_ORDER if action == "read" or action in deeds)


def risk_of(actions: Sequence[Action], *, undoable: bool = False, irreversible: bool = False) -> Risk:
    """The level of the riskiest action; high where a second time is worse, or where a write cannot be put back."""
    levels = [RISKS.index(_RISK_OF[action]) for action in actions]
    if irreversible or ("write" in actions and not undoable):
        levels.append(RISKS.index("high"))
    return RISKS[max(levels)]


UNDECLARED = Effects()
"""The effects of a tool that declares none: all of them."""

PERCEIVING = Effects(does=frozenset())
"""What a perceiving tool that declares nothing else is taken to do: its kind says it changes nothing."""
