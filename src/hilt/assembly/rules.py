"""The policy in force, from the settings."""

from collections.abc import Mapping

from hilt.assembly.config import Config, rule_fields
from hilt.assembly.origin import Setting
from hilt.declarations.effects import RISK_ORDER, Action
from hilt.declarations.schema import is_array
from hilt.policy.decision import STRICTNESS, Word
from hilt.policy.policy import Policy
from hilt.policy.presets import DEFAULT_PRESET, PRESETS, Preset
from hilt.policy.rules import Rule

_PRESETS: Mapping[str, Preset] = {each: each for each in PRESETS}
_WORDS: Mapping[str, Word] = {each: each for each in STRICTNESS}


def policy_of(config: Config) -> Policy:
    """The preset with every file's rules; those of an untrusted file only where they tighten."""
    preset = _PRESETS.get(config.text("policy.preset") or "", DEFAULT_PRESET)
    return Policy(preset=preset, rules=tuple(_rule(each) for each in config.rules))


def _rule(setting: Setting) -> Rule:
    fields = rule_fields(setting)
    word, tools = _WORDS[str(fields["word"])], str(fields.get("tools", "*"))
    listed = fields.get("actions")
    actions: tuple[Action, ...] = tuple(each for each in RISK_ORDER if is_array(listed) and each in listed)
    name = fields.get("name") or f"{word} {tools} ({setting.origin.place})"
    return Rule(word=word, tools=tools, actions=actions, name=str(name))
