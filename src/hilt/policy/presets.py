"""The presets: a word for each action where no rule of the host speaks, on the facts of the call."""

from collections.abc import Mapping
from typing import Literal

from hilt.calls.resolver import Property
from hilt.declarations.effects import Action
from hilt.policy.decision import Decision, Word
from hilt.policy.facts import Facts

Preset = Literal["read-only", "workspace", "unattended"]
DEFAULT_PRESET: Preset = "workspace"
CONFINED: frozenset[Property] = frozenset({"fs_write_confined", "net_blocked", "ro_holes"})
"""What isolation must give before a command that may do anything is let run unasked."""

_TABLE: Mapping[Preset, Mapping[Action, Word]] = {
    "read-only": {"read": "allow", "fetch": "ask"},
    "workspace": {"read": "allow", "write": "allow"},
    "unattended": {"read": "allow", "write": "allow"},
}
_OTHERWISE: Mapping[Preset, Word] = {"read-only": "deny", "workspace": "ask", "unattended": "deny"}
PRESETS: tuple[Preset, ...] = tuple(_TABLE)


def preset_word(preset: Preset, action: Action, facts: Facts) -> Decision:
    """The preset's word on one action of a call."""
    if action == "run":
        return _on_run(preset, facts)
    word = _TABLE[preset].get(action, _OTHERWISE[preset])
    reason = f"preset {preset}: {action} is {word}"
    if action == "write" and word == "allow" and not facts.paths:
        word = _OTHERWISE[preset]
        reason = f"preset {preset}: a write that names no path inside the workspace is {word}"
    kind = "proved" if word == "allow" and action in ("read", "write") else None
    return Decision(word=word, layer="preset", rule=f"{preset}/{action}", reasons=(reason,), kind=kind)


def _on_run(preset: Preset, facts: Facts) -> Decision:
    """A command known to be harmless runs; any other only where isolation confines it."""
    rule = f"{preset}/run"
    commands = facts.commands
    if commands and all(each.proved for each in commands):
        beyond = [each for command in commands for each in (*command.reads, *command.writes) if not each.inside]
        writes = any(command.writes for command in commands)
        if not beyond and not (writes and preset == "read-only"):
            reason = "every part of the command is known to be harmless"
            return Decision(word="allow", layer="preset", rule=rule, reasons=(reason,), kind="proved")
        why = tuple(each.why or f"{each.asked} is outside the workspace" for each in beyond)
    else:
        why = tuple(f"{each.node} at column {each.column}: {each.reason}" for one in commands for each in one.unproved)
    if preset != "read-only" and facts.confinement >= CONFINED:
        return Decision(
            word="allow",
            layer="preset",
            rule=rule,
            reasons=("isolation confines whatever it does", *why),
            kind="confined",
            proof={"properties": sorted(facts.confinement)},
        )
    word = _OTHERWISE[preset]
    drivers = {command.driver for command in commands}
    return Decision(
        word=word,
        layer="preset",
        rule=rule,
        reasons=(f"preset {preset}: run is {word}", *why),
        shape=f"driver:{drivers.pop()}" if len(drivers) == 1 and "" not in drivers else "",
        asks_once=bool(commands) and all(command.driver for command in commands),
    )
