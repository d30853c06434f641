"""May it? Facts in, a Decision out: pure, over every layer, the strictest word wins."""

import json
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

from hilt.declarations.effects import Action
from hilt.policy.built_in import built_in_words
from hilt.policy.decision import STRICTNESS, Decision, Kind, strictest
from hilt.policy.facts import Facts
from hilt.policy.presets import DEFAULT_PRESET, Preset, preset_word
from hilt.policy.rules import Rule
from hilt.policy.taint import Switches, Taint, taint_words

NOT_ISOLATED = "not isolated"
VERSION_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The layers that decide: built-in, the preset, the host's rules, what the session has seen.

    A host's `allow` replaces the preset's word for the tools it names, for the host owns both; `ask`
    and `deny` only tighten, so does every rule under `read-only`, and nothing lifts the built-in layer
    or the ask that taint makes.
    """

    preset: Preset = DEFAULT_PRESET
    rules: tuple[Rule, ...] = ()
    switches: Switches = field(default_factory=Switches)

    @cached_property
    def static(self) -> bool:
        """Whether a call without deeds and without facts gets the same word whatever its arguments."""
        return all(rule.static for rule in self.rules)

    @cached_property
    def version(self) -> str:
        """A digest of everything that decides, to which a person's leave is bound."""
        whole = json.dumps([self.preset, [repr(rule) for rule in self.rules], repr(self.switches)])
        return blake2b(whole.encode(), digest_size=VERSION_BYTES).hexdigest()

    def decide(self, facts: Facts, taint: Taint | None = None) -> Decision:
        """The strictest word of all layers over all actions of one call; of equals the riskiest action's."""
        spoken = [self._on(action, facts) for action in reversed(facts.actions)]
        last = strictest([*spoken, *built_in_words(facts)])
        if last.word == "deny":
            return last
        if taint is not None:
            last = strictest([last, *taint_words(facts, taint, self.switches, settled=_kind(spoken) is not None)])
        return last if last.word != "allow" else _allowed(last, spoken, facts)

    def _on(self, action: Action, facts: Facts) -> Decision:
        mine = [rule for rule in self.rules if rule.applies(facts, action)]
        preset = preset_word(self.preset, action, facts)
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
            kind=preset.kind if rule.word == "allow" else None,
            proof=preset.proof,
        )


def _allowed(last: Decision, spoken: list[Decision], facts: Facts) -> Decision:
    """The yes, with the weakest reason among all actions, and what a person should know of it."""
    kind = _kind(spoken)
    proof = {name: value for each in spoken for name, value in each.proof.items()}
    if facts.paths:
        proof["paths"] = [fact.real for fact in facts.paths]
    return Decision(
        word="allow",
        layer=last.layer,
        rule=last.rule,
        reasons=last.reasons,
        kind=kind,
        proof=proof,
        notes=(NOT_ISOLATED,) if "run" in facts.deeds and not facts.confinement else (),
    )


def _kind(spoken: list[Decision]) -> Kind | None:
    """`proved` where every action is, `confined` where isolation bears some, None where a word bears any."""
    kinds = {each.kind for each in spoken}
    if None in kinds:
        return None
    return "confined" if "confined" in kinds else "proved"
