"""The presets: a word for each action where no rule of the host speaks, on the facts of the call."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from hilt.calls.resolver import Property
from hilt.declarations.effects import Action
from hilt.policy.decision import Decision, Word
from hilt.policy.facts import Facts

Preset = Literal["read-only", "workspace", "unattended"]
DEFAULT_PRESET: Preset = "workspace"
CONFINED: frozenset[Property] = frozenset({"fs_write_confined", "net_blocked", "ro_holes"})
"""What isolation must give before a command that may do anything is let run unasked."""
READ_CONFINED: frozenset[Property] = frozenset({"fs_read_confined"})
"""What it must give as well where a command is known to read outside the workspace."""
MOST_REASONS = 4
"""Doubts of one command that are told."""

_TABLE: Mapping[Preset, Mapping[Action, Word]] = {
    "read-only": {"read": "allow", "fetch": "ask"},
    "workspace": {"read": "allow", "write": "allow"},
    "unattended": {"read": "allow", "write": "allow"},
}
_OTHERWISE: Mapping[Preset, Word] = {"read-only": "deny", "workspace": "ask", "unattended": "deny"}
PRESETS: tuple[Preset, ...] = tuple(_TABLE)
UNDECLARED = "undeclared"
"""The rule that speaks where a tool's effects are not declared, of a preset and of taint."""
TO_DECLARE = "the person can say what it does in an effects file: hilt audit --draft"
SIMPLER = "run it as two calls, each a plain program with plain arguments"
OTHER_TOOL = "take another tool that says what it reads and writes"


def preset_word(preset: Preset, action: Action, facts: Facts) -> Decision:
    """The preset's word on one action of a call."""
    return _on_run(preset, facts) if action == "run" else _on_act(preset, action, bool(facts.paths))


def undeclared_word(said: Decision, preset: Preset, tool: str) -> Decision:
    """The preset's word on a tool of which nobody has said what it does: each of its actions is only possible."""
    reason = f"what {tool} does is not declared, so it counts as able to do everything"
    return Decision(
        word=said.word, layer="preset", rule=f"{preset}/{UNDECLARED}", reasons=(reason,), ways=(TO_DECLARE,)
    )


def preset_denies(preset: Preset, actions: Iterable[Action]) -> Action | None:
    """The action that a preset denies whatever the call names, if it is one of these; what runs depends on the call."""
    table, otherwise = _TABLE[preset], _OTHERWISE[preset]
    for each in actions:
        if each != "run" and table.get(each, otherwise) == "deny":
            return each
    return None


@cache
def _on_act(preset: Preset, action: Action, named: bool) -> Decision:  # noqa: FBT001  # a cache knows places, not names
    """The word on what is no running: the same for every call that names a path, and for every one that names none."""
    word = _TABLE[preset].get(action, _OTHERWISE[preset])
    reason = f"preset {preset}: {action} is {word}"
    if action == "write" and word == "allow" and not named:
        word = _OTHERWISE[preset]
        reason = f"preset {preset}: a write that names no path inside the workspace is {word}"
    kind = "proved" if word == "allow" and action in ("read", "write") else None
    return Decision(word=word, layer="preset", rule=f"{preset}/{action}", reasons=(reason,), kind=kind)


def _on_run(preset: Preset, facts: Facts) -> Decision:
    """A command known to be harmless runs; any other only where isolation confines it."""
    rule = f"{preset}/run"
    doubts = tuple(_doubts(preset, facts))
    if facts.proved and not doubts:
        reason = "every part of the command is known to be harmless"
        return Decision(word="allow", layer="preset", rule=rule, reasons=(reason,), kind="proved")
    reads_beyond = any(not each.inside for each in facts.read_by_commands)
    needed = CONFINED | READ_CONFINED if reads_beyond else CONFINED
    if preset != "read-only" and facts.confinement >= needed:
        return Decision(
            word="allow",
            layer="preset",
            rule=rule,
            reasons=("isolation confines whatever it does", *doubts),
            kind="confined",
            proof={"properties": sorted(facts.confinement)},
        )
    word = _OTHERWISE[preset]
    return Decision(
        word=word,
        layer="preset",
        rule=rule,
        reasons=(f"preset {preset}: run is {word}", *doubts),
        asks_once=bool(facts.drivers),
        ways=_ways(facts),
    )


def _doubts(preset: Preset, facts: Facts) -> Iterator[str]:
    """Why a command is not simply let run, in the order of its parts."""
    unproved = list(facts.unproved())
    yield from unproved[:MOST_REASONS]
    if len(unproved) > MOST_REASONS:
        yield f"and {len(unproved) - MOST_REASONS} more of its parts"
    yield from (f"it reads outside the workspace: {each.asked}" for each in facts.read_by_commands if not each.inside)
    for each in facts.written_by_commands:
        if not each.inside:
            yield f"it writes outside the workspace: {each.asked}"
        elif each.hole:
            yield f"it writes {each.asked}, which lies in {each.hole}"
        elif preset == "read-only":
            yield f"it writes {each.asked}"


def _ways(facts: Facts) -> tuple[str, ...]:
    """What a model can do about a command that is not let run."""
    if facts.commands and not facts.proved:
        return (SIMPLER, "ask the person for leave, or for a machine that can isolate commands: hilt doctor")
    if facts.commands:
        return ("keep to paths inside the workspace", "ask the person to start Hilt with that folder as a root")
    return (OTHER_TOOL, "ask the person for leave, or for a machine that can isolate what runs: hilt doctor")
