"""The policy in force, from the settings."""

from collections.abc import Mapping
from typing import get_args

from hilt.assembly.config import Config, rule_fields
from hilt.assembly.origin import Setting
from hilt.calls.resolver import PathFact
from hilt.declarations.effects import RISK_ORDER, Action, Deed, Effects
from hilt.declarations.schema import is_array
from hilt.policy.decision import DEFAULT_PRESET, PRESETS, STRICTNESS, Facts, Policy, Preset, Rule, Word

_PRESETS: Mapping[str, Preset] = {each: each for each in PRESETS}
_WORDS: Mapping[str, Word] = {each: each for each in STRICTNESS}
_DEEDS: Mapping[str, Deed] = {each: each for each in get_args(Deed)}


def policy_of(config: Config) -> Policy:
    """The preset with every file's rules; those of an untrusted file only where they tighten."""
    preset = _PRESETS.get(config.text("policy.preset") or "", DEFAULT_PRESET)
    found = (_rule(each, preset) for each in config.rules)
    return Policy(preset=preset, rules=tuple(each for each in found if each is not None))


def _rule(setting: Setting, preset: Preset) -> Rule | None:
    fields = rule_fields(setting)
    word, tools = _WORDS[str(fields["word"])], str(fields.get("tools", "*"))
    listed = fields.get("actions")
    actions: tuple[Action, ...] = tuple(each for each in RISK_ORDER if is_array(listed) and each in listed)
    if word == "ask" and not setting.origin.trusted:
        # A host's rule replaces the preset's word, so an untrusted `ask` may not speak where the preset denies.
        actions = tuple(each for each in actions or RISK_ORDER if not _denied(preset, each))
        if not actions:
            return None
    name = fields.get("name") or f"{word} {tools} ({setting.origin.place})"
    return Rule(word=word, tools=tools, actions=actions, name=str(name))


def _denied(preset: Preset, action: Action) -> bool:
    """Whether a preset alone may say no to an action, with a path inside the roots or without."""
    deed = _DEEDS.get(action)
    effects = Effects(does=frozenset({deed} if deed else ()))
    inside = PathFact(asked="/", real="/", inside=True, kind="file")
    cases = [Facts(tool="", effects=effects, paths=paths) for paths in ((), (inside,))]
    return any(Policy(preset=preset).decide(facts).word == "deny" for facts in cases)
