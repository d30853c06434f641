"""The policy in force, from the settings: rules are read, tried on their own examples, and refused where too wide."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from hilt.assembly.config import Config, rule_fields
from hilt.assembly.origin import Layer, Setting
from hilt.assembly.taint import switches_of
from hilt.calls.resolver import CommandFact, SimpleCommand, Unproved
from hilt.calls.tool import AnyTool
from hilt.declarations.effects import ALL_DEEDS, RISK_ORDER, Risk
from hilt.declarations.schema import is_array, is_object
from hilt.errors import ConfigError
from hilt.policy.examples import Prover, broken_examples
from hilt.policy.facts import namespace_of
from hilt.policy.matching import World, fits_tool
from hilt.policy.patterns import WILDCARDS
from hilt.policy.policy import Policy
from hilt.policy.presets import DEFAULT_PRESET, PRESETS, Preset
from hilt.policy.rules import Example, Label, Per, Rule, RuleLayer, RuleWord
from hilt.policy.saving import savable

_PRESETS: Mapping[str, Preset] = {each: each for each in PRESETS}
_LAYERS: Mapping[Layer, RuleLayer] = {"organisation": "organisation", "project": "project"}


def policy_of(
    config: Config,
    *,
    roots: Sequence[Path] = (),
    prove: Prover | None = None,
    tools: Iterable[AnyTool] = (),
) -> Policy:
    """The preset with every file's rules; those of an untrusted file only where they tighten. Raises `ConfigError`.

    `roots` are what relative paths start from; `prove` tells the facts of examples that are commands; `tools`
    are those a rule that allows must not open to anything.
    """
    preset = _PRESETS.get(config.text("policy.preset") or "", DEFAULT_PRESET)
    world = World(
        roots=tuple(os.path.realpath(each) for each in roots),
        readable=tuple(os.path.realpath(each) for each in config.paths("isolation.readable")),
    )
    offered = tuple(tools)
    rules = tuple(_sound(each, world, prove or _plainly, offered) for each in config.rules)
    return Policy(preset=preset, rules=rules, world=world, switches=switches_of(config))


def _sound(setting: Setting, world: World, prove: Prover, tools: Sequence[AnyTool]) -> Rule:
    """A rule that is whole, not too wide, and holds to its examples."""
    rule = _rule(setting)
    rule = replace(rule, name=rule.name or f"{rule.label} ({setting.origin.place})")
    why = next(_faults(rule, world, prove, tools), None)
    if why is not None:
        raise ConfigError(
            f"{setting.origin.place}: {setting.key} ({rule.label}): {why}", "correct that rule, or take it out"
        )
    return rule


def _faults(rule: Rule, world: World, prove: Prover, tools: Sequence[AnyTool]) -> Iterator[str]:
    for why in (rule.fault(), savable(rule), _opened(rule, tools)):
        if why:
            yield why
            return
    if rule.match or rule.not_match:
        yield from broken_examples(rule, prove, world)


def _opened(rule: Rule, tools: Sequence[AnyTool]) -> str:
    """Which tool an allow without commands would let run whatever a model writes."""
    if rule.word != "allow" or rule.commands or (rule.actions and "run" not in rule.actions):
        return ""
    for tool in tools:
        effects = tool.declaration.effects
        runs = "run" in effects.does and (effects.isolated or "command" in effects.roles.values())
        if runs and fits_tool(rule, tool.name, namespace_of(tool.name)):
            return f"it allows {tool.name} to run anything; name commands, such as git push"
    return ""


def _rule(setting: Setting) -> Rule:
    fields = rule_fields(setting)
    word = cast("RuleWord", fields["word"])  # the schema knows these words and the ones below
    tools, layer = str(fields.get("tools", "*")), _LAYERS.get(setting.origin.layer, "user")
    return Rule(
        word=word,
        layer=layer,
        tools=tools,
        namespace=str(fields.get("namespace", "")),
        actions=tuple(each for each in RISK_ORDER if each in _texts(fields, "actions")),
        risk=cast("Risk | None", fields.get("risk")),
        irreversible=fields.get("irreversible") is True,
        paths=tuple(_path(each) for each in _texts(fields, "paths")),
        hosts=_texts(fields, "hosts"),
        commands=_texts(fields, "commands"),
        arguments=_named(fields, "arguments"),
        after=cast("tuple[Label, ...]", _texts(fields, "after")),
        most=int(_number(fields, "most")),
        window_s=_number(fields, "window_s"),
        per=cast("Per", fields.get("per", "session")),
        name=str(fields.get("name", "")),
        reason=str(fields.get("reason", "")),
        match=tuple(_examples(fields, "match")),
        not_match=tuple(_examples(fields, "not_match")),
    )


def _texts(fields: Mapping[str, object], name: str) -> tuple[str, ...]:
    listed = fields.get(name)
    return tuple(str(each) for each in listed) if is_array(listed) else ()


def _named(fields: Mapping[str, object], name: str) -> dict[str, str]:
    table = fields.get(name)
    return {key: str(value) for key, value in table.items()} if is_object(table) else {}


def _number(fields: Mapping[str, object], name: str) -> float:
    value = fields.get(name)
    return value if isinstance(value, int | float) else 0


def _path(pattern: str) -> str:
    """A pattern with the home folder written out, and the folders it begins with as they really are."""
    pattern = os.path.expanduser(pattern)  # noqa: PTH111  # a pattern: Path would take its last slash away
    if not pattern.startswith("/"):
        return pattern
    steps = pattern.split("/")
    sure = next((place for place, step in enumerate(steps) if any(mark in step for mark in WILDCARDS)), len(steps))
    real = os.path.realpath("/".join(steps[:sure]) or "/")
    return "/".join([real.rstrip("/"), *steps[sure:]]) if steps[sure:] else real


def _examples(fields: Mapping[str, object], name: str) -> Iterator[Example]:
    listed = fields.get(name)
    for each in listed if is_array(listed) else ():
        if not is_object(each):
            yield Example(text=str(each))
            continue
        given = each.get("arguments")
        yield Example(
            tool=str(each.get("tool", "")),
            command=str(each.get("command", "")),
            path=str(each.get("path", "")),
            url=str(each.get("url", "")),
            arguments=dict(given) if is_object(given) else {},
            does=tuple(deed for deed in ALL_DEEDS if deed in _texts(each, "does")),
            after=cast("tuple[Label, ...]", _texts(each, "after")),
        )


def _plainly(text: str) -> CommandFact:
    """The facts of a command of an example where nothing reads commands: one program and its words."""
    doubt = Unproved(node=text, line=1, column=1, reason="nothing here reads commands", own=True)
    return CommandFact(text=text, commands=(SimpleCommand(words=tuple(text.split()), folder=None),), unproved=(doubt,))
