"""May it? Facts in, a Decision out: pure, over every layer, the strictest word wins."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b

from hilt.calls.resolver import Property
from hilt.declarations.effects import ALL_DEEDS, Action, Deed, Effects
from hilt.policy.built_in import built_in_words
from hilt.policy.claims import QuotaClaim
from hilt.policy.decision import Decision, Kind, strictest
from hilt.policy.facts import Facts
from hilt.policy.matching import World, fits_tool, lifting, looks_elsewhere, speaks
from hilt.policy.presets import DEFAULT_PRESET, Preset, preset_word, undeclared_word
from hilt.policy.quotas import quota_claims
from hilt.policy.rules import Rule
from hilt.policy.shapes import shape_of
from hilt.policy.taint import Switches, Taint, taint_words

NOT_ISOLATED = "not isolated"
VERSION_BYTES = 8
FREE: Preset = "read-only"
"""The preset that no rule lifts."""
SILENT: Preset = "unattended"
"""The preset under which nobody is asked."""

Hook = Callable[[Facts], Decision | None]
"""A host's own function: its `ask` or `deny` counts, its `allow` lifts nothing."""


@dataclass(frozen=True, kw_only=True)
class _Chosen:
    """The rules that may speak about one tool."""

    allowing: tuple[Rule, ...] = ()
    forbidding: tuple[Rule, ...] = ()
    limits: tuple[Rule, ...] = ()

    @cached_property
    def static(self) -> bool:
        """Whether those that allow look at the tool alone."""
        return all(rule.static for rule in self.allowing)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """The layers that decide: built-in, rules, hooks of the host, the preset, what the session has seen.

    Every layer is heard and the strictest word wins. A rule's `allow` lifts the preset's word and
    nothing else, and not that of `read-only`. Under `unattended` an ask of any layer is a deny.
    `world` are the folders that patterns of paths are read against.
    """

    preset: Preset = DEFAULT_PRESET
    rules: tuple[Rule, ...] = ()
    switches: Switches = field(default_factory=Switches)
    hooks: tuple[Hook, ...] = ()
    world: World = field(default_factory=World)

    @cached_property
    def static(self) -> bool:
        """Whether a call without deeds and without facts gets the same word whatever its arguments."""
        return not self.hooks and all(rule.static for rule in self.rules)

    @cached_property
    def version(self) -> str:
        """A digest of everything that decides, to which a person's leave is bound."""
        hooks = [
            f"{getattr(hook, '__module__', '')}.{getattr(hook, '__qualname__', repr(hook))}" for hook in self.hooks
        ]
        whole = json.dumps(
            [self.preset, [repr(each) for each in self.rules], repr(self.switches), hooks, repr(self.world)]
        )
        return blake2b(whole.encode(), digest_size=VERSION_BYTES).hexdigest()

    def adding(self, *rules: Rule) -> "Policy":
        """This policy with further rules: of one session, of one task."""
        return replace(self, rules=(*self.rules, *rules))

    def decide(self, facts: Facts, taint: Taint | None = None) -> Decision:
        """The strictest word of all layers over all actions of one call; of equals the riskiest action's."""
        chosen = self._index.get(facts.tool) or self._choose(facts.tool, facts.namespace)
        acts = self._acts(facts, chosen)
        spoken = [*self._tightening(facts, chosen), *acts]
        last = strictest(spoken)
        if last.word != "deny" and taint is not None:
            settled = _kind(acts) is not None
            # Of two that ask, taint is heard: it shows the person which value is not theirs.
            spoken = [*taint_words(facts, taint, self.switches, settled=settled), *spoken]
            last = strictest(spoken)
        if last.word == "ask" and self.preset == SILENT:
            last = _denied(last)
        if last.word == "deny":
            return last
        claims = tuple(quota_claims(chosen.limits, facts, self.world)) if chosen.limits else ()
        if last.word == "ask":
            return _asked(last, spoken, shape_of(facts), claims)
        return _allowed(last, acts, facts) if not claims else replace(_allowed(last, acts, facts), claims=claims)

    def _acts(self, facts: Facts, chosen: _Chosen) -> Sequence[Decision]:
        """The word on each of its actions. Where it names nothing and rules look at the tool alone, it is known."""
        if facts.paths or facts.commands or not chosen.static:
            return [self._on(action, facts, chosen.allowing) for action in reversed(facts.actions)]
        key = (facts.tool, facts.deeds, facts.confinement)
        known = self._known.get(key)
        if known is None or known[0] is not facts.effects:
            acts = tuple(self._on(action, facts, chosen.allowing) for action in reversed(facts.actions))
            known = self._known[key] = (facts.effects, acts)
        return known[1]

    @cached_property
    def _known(self) -> dict[tuple[str, frozenset[Deed], frozenset[Property]], tuple[Effects, tuple[Decision, ...]]]:
        """Words on calls that name nothing, as far as they were asked for."""
        return {}

    @cached_property
    def _index(self) -> dict[str, _Chosen]:
        """The rules by the tool they speak about, as far as it was asked for."""
        return {}

    def _choose(self, tool: str, namespace: str) -> _Chosen:
        mine = [rule for rule in self.rules if fits_tool(rule, tool, namespace)]
        chosen = _Chosen(
            allowing=tuple(rule for rule in mine if rule.word == "allow"),
            forbidding=tuple(rule for rule in mine if rule.word in ("ask", "deny")),
            limits=tuple(rule for rule in mine if rule.most),
        )
        self._index[tool] = chosen
        return chosen

    def _tightening(self, facts: Facts, chosen: _Chosen) -> Iterator[Decision]:
        """The words of every layer that may only tighten."""
        if facts.paths or facts.commands:
            yield from built_in_words(facts, chosen.allowing, self.world)
        for rule in chosen.forbidding:
            if not (rule.arguments and looks_elsewhere(rule, facts)):
                yield from _spoken(rule, facts, self.world)
        for hook in self.hooks:
            yield from _of_hook(hook, facts)

    def _on(self, action: Action, facts: Facts, allowing: tuple[Rule, ...]) -> Decision:
        """The preset's word on one action, or the rule's that lifts it."""
        preset = preset_word(self.preset, action, facts)
        if preset.word == "allow":
            return preset
        if facts.effects.does == ALL_DEEDS:
            preset = undeclared_word(preset, self.preset, facts.tool)
        rule = lifting(allowing, action, facts, self.world) if allowing and self.preset != FREE else None
        if rule is None:
            return preset
        return Decision(
            word="allow",
            layer=rule.layer,
            rule=rule.label,
            reasons=(rule.reason or f"the {rule.layer}'s rule allows {action} by {facts.tool}",),
        )


def _spoken(rule: Rule, facts: Facts, world: World) -> Iterator[Decision]:
    """What a rule that asks or denies has to say."""
    word, speech = rule.speech, speaks(rule, facts, world)
    if word is None or speech == "no":
        return
    if speech == "yes":
        reason = rule.reason or f"the {rule.layer}'s rule says {word} to this call of {facts.tool}"
        yield Decision(word=word, layer=rule.layer, rule=rule.label, reasons=(reason,))
        return
    told = f"not all that this does is known, and the {rule.layer}'s rule {rule.label!r} says {word} to some of it"
    yield Decision(
        word="ask",
        layer=rule.layer,
        rule=rule.label,
        reasons=(told, *facts.unproved()),
        asks_once=bool(facts.drivers),
    )


def _of_hook(hook: Hook, facts: Facts) -> Iterator[Decision]:
    """What a host's hook has to say; one that fails denies."""
    name = getattr(hook, "__name__", type(hook).__name__)
    try:
        said = hook(facts)
    except Exception as fault:
        reason = f"the host's hook {name} failed: {type(fault).__name__}"
        said = Decision(word="deny", layer="hook", rule=name, reasons=(reason,))
    if said is not None and said.word != "allow":
        yield replace(said, layer="hook", rule=said.rule or name)


def _asked(last: Decision, spoken: list[Decision], shape: str, claims: tuple[QuotaClaim, ...]) -> Decision:
    """An ask with all that asks and every reason, so that leave for one doubt settles no other; a preset's last."""
    asking = [each for each in spoken if each.word == "ask"]
    doubts = dict.fromkeys(doubt for each in asking for doubt in each.doubts or (f"{each.layer}:{each.rule}",))
    rules = [each for each in asking if each.layer != "preset"] or [last]
    reasons = dict.fromkeys(reason for each in (last, *rules) for reason in each.reasons)
    return replace(last, shape=shape, claims=claims, doubts=tuple(doubts), reasons=tuple(reasons))


def _denied(asked: Decision) -> Decision:
    """An ask where nobody is asked."""
    reasons = (f"preset {SILENT}: nobody is asked, and this needs a person's leave", *asked.reasons)
    return replace(asked, word="deny", reasons=reasons, asks_once=False)


def _allowed(last: Decision, acts: Sequence[Decision], facts: Facts) -> Decision:
    """The yes, with the weakest reason among all actions, and what a person should know of it."""
    proof = {name: value for each in acts for name, value in each.proof.items()}
    if facts.paths:
        proof["paths"] = [fact.real for fact in facts.paths]
    return Decision(
        word="allow",
        layer=last.layer,
        rule=last.rule,
        reasons=last.reasons,
        kind=_kind(acts),
        proof=proof,
        notes=(NOT_ISOLATED,) if facts.opaque and not facts.confinement else (),
    )


def _kind(acts: Sequence[Decision]) -> Kind | None:
    """`proved` where every action is, `confined` where isolation bears some, None where a word bears any."""
    kinds = {each.kind for each in acts}
    if None in kinds:
        return None
    return "confined" if "confined" in kinds else "proved"
