"""May it? Facts in, a Decision out: pure, over every layer, the strictest word wins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from hilt.calls.resolver import PathFact
from hilt.declarations.effects import Action, Deed, Effects

Word = Literal["allow", "ask", "deny"]
Preset = Literal["read-only", "workspace", "unattended"]
STRICTNESS: tuple[Word, ...] = ("allow", "ask", "deny")
PROVABLE: frozenset[Deed] = frozenset({"write"})
"""Deeds that facts about paths prove harmless; every other yes rests on the host's word alone."""
DEFAULT_PRESET: Preset = "workspace"

_TABLE: Mapping[Preset, Mapping[Action, Word]] = {
    "read-only": {"read": "allow", "fetch": "ask"},
    "workspace": {"read": "allow", "write": "allow"},
    "unattended": {"read": "allow", "write": "allow", "fetch": "allow", "run": "allow"},
}
_OTHERWISE: Mapping[Preset, Word] = {"read-only": "deny", "workspace": "ask", "unattended": "deny"}
PRESETS: tuple[Preset, ...] = tuple(_TABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What policy may know of one call: its tool, declared effects, and where its paths really are."""

    tool: str
    effects: Effects
    paths: tuple[PathFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the host: `word` for tools whose name matches `tools`, on any of `actions` (all when empty)."""

    word: Word
    tools: str = "*"
    actions: tuple[Action, ...] = ()
    name: str = ""

    def applies(self, facts: Facts, action: Action) -> bool:
        """Whether this rule speaks about one action of a call."""
        return fnmatchcase(facts.tool, self.tools) and (not self.actions or action in self.actions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Policy's answer. `kind` says why a yes is a yes; `layer` and `rule` name who spoke last."""

    word: Word
    layer: str
    rule: str
    reasons: tuple[str, ...] = ()
    kind: Literal["proved", "confined"] | None = None
    proof: Mapping[str, object] = field(default_factory=dict[str, object])
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The layers that decide: built-in, the preset, the host's rules.

    A host's `allow` replaces the preset's word for the tools it names, for the host owns both; `ask`
    and `deny` only tighten, so does every rule under `read-only`, and nothing lifts the built-in layer.
    """

    preset: Preset = DEFAULT_PRESET
    rules: tuple[Rule, ...] = ()

    def decide(self, facts: Facts) -> Decision:
        """The strictest word of all layers over all actions of one call; of equals the riskiest action's."""
        spoken = [self._on(action, facts) for action in reversed(facts.effects.actions)]
        outside = [fact for fact in facts.paths if not fact.inside]
        if outside:
            spoken.append(_outside(outside))
        strictest = max(spoken, key=lambda decision: STRICTNESS.index(decision.word))
        if strictest.word != "allow":
            return strictest
        harmless = facts.effects.does <= PROVABLE
        return Decision(
            word="allow",
            layer=strictest.layer,
            rule=strictest.rule,
            reasons=strictest.reasons,
            kind="proved" if harmless else None,
            proof={"paths": [fact.real for fact in facts.paths]} if facts.paths else {},
            notes=() if not facts.effects.does & {"run", "fetch"} else ("not isolated",),
        )

    def _on(self, action: Action, facts: Facts) -> Decision:
        mine = [rule for rule in self.rules if rule.applies(facts, action)]
        preset = self._preset(action, facts)
        if not mine:
            return preset
        rule = max(mine, key=lambda each: STRICTNESS.index(each.word))
        stricter = STRICTNESS.index(preset.word) > STRICTNESS.index(rule.word)
        if stricter and (self.preset == "read-only" or rule.word == "ask"):
            return preset
        return Decision(
            word=rule.word,
            layer="host",
            rule=rule.name or f"{rule.word} {rule.tools}",
            reasons=(f"the host's rule says {rule.word} to {action} by {facts.tool}",),
        )

    def _preset(self, action: Action, facts: Facts) -> Decision:
        word = _TABLE[self.preset].get(action, _OTHERWISE[self.preset])
        reason = f"preset {self.preset}: {action} is {word}"
        if action == "write" and word == "allow" and not facts.paths:
            word = _OTHERWISE[self.preset]
            reason = f"preset {self.preset}: a write that names no path inside the workspace is {word}"
        return Decision(word=word, layer="preset", rule=f"{self.preset}/{action}", reasons=(reason,))


def _outside(paths: list[PathFact]) -> Decision:
    reasons = tuple(fact.why or f"{fact.asked} is outside the workspace" for fact in paths)
    return Decision(word="deny", layer="built-in", rule="outside-roots", reasons=reasons)
