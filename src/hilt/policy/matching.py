"""Does a rule speak about a call? What permits must cover all of it, what forbids any of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from hilt.calls.resolver import PathFact, Property
from hilt.declarations.effects import RISKS, Action
from hilt.policy.commanding import Speech, forbids_command, permits_commands
from hilt.policy.facts import Facts
from hilt.policy.hosts import host_matches, is_host, names_host, spelled
from hilt.policy.patterns import (
    MOST_MATCHED,
    covers_path,
    forbids_path,
    is_below,
    lies_apart,
    may_hold,
    name_matches,
    value_expression,
    value_forbidden,
)
from hilt.policy.rules import Rule

FILES_HIDDEN: frozenset[Property] = frozenset({"fs_write_confined", "fs_read_confined"})
SYSTEM_FOLDERS = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc",
    "/opt",
    "/dev",
    "/proc",
    "/sys",
    "/run",
    "/tmp",
    "/var",
    "/nix",
)
"""Folders that a confined command may read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Folders that patterns of paths are read against: the workspace's roots, and what isolation lets commands read."""

    roots: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()


def fits_tool(rule: Rule, tool: str, namespace: str) -> bool:
    """Whether a rule may speak about this tool at all."""
    return name_matches(tool, rule.tools) and (not rule.namespace or name_matches(namespace, rule.namespace))


def lifting(rules: Sequence[Rule], action: Action, facts: Facts, world: World) -> Rule | None:
    """The rule whose `allow` covers this action of the call; several may cover the commands of one text together."""
    fitting = [rule for rule in rules if _holds(rule, action, facts, world)]
    whole = next((rule for rule in fitting if not rule.commands and _bears(rule, action, facts)), None)
    if whole is not None:
        return whole
    named = [rule for rule in fitting if rule.commands]
    if not named or not permits_commands(facts, (prefix for rule in named for prefix in rule.commands)):
        return None
    beyond = beyond_roots(facts)
    paths = [pattern for rule in named for pattern in rule.paths]
    if not all(_starts_inside(each.folder, world.roots) for each in facts.programs):
        return None
    return named[0] if all(covers_path(each, paths, world.roots) for each in beyond) else None


def _starts_inside(folder: str | None, roots: tuple[str, ...]) -> bool:
    """Whether a program starts in the workspace: elsewhere `npm test` runs what somebody else wrote there."""
    return folder is None or not roots or any(is_below(folder, each) for each in roots)


def _bears(rule: Rule, action: Action, facts: Facts) -> bool:
    """Whether a rule that names no command may give leave to run: the host's own may, one of a file may not."""
    runs_what_it_is_given = action == "run" and (facts.commands or facts.effects.isolated)
    return rule.layer in ("host", "session") or not runs_what_it_is_given


def beyond_roots(facts: Facts) -> tuple[PathFact, ...]:
    """What its commands provably touch outside the workspace."""
    return tuple(each for each in (*facts.read_by_commands, *facts.written_by_commands) if not each.inside)


def _holds(rule: Rule, action: Action, facts: Facts, world: World) -> bool:
    """Whether every condition of a permitting rule but its commands covers the call."""
    if (rule.actions and action not in rule.actions) or not _general(rule, facts):
        return False
    unknown = facts.opaque and not rule.commands
    if rule.paths and not _covered(rule, facts, world, unknown=unknown):
        return False
    if rule.hosts and (unknown or not _all_hosts(rule, facts)):
        return False
    return all(_fits(facts, name, pattern) is True for name, pattern in rule.arguments.items())


def _covered(rule: Rule, facts: Facts, world: World, *, unknown: bool) -> bool:
    """Whether a rule's paths cover all the call is known to touch; where commands start is nothing they touch."""
    touched = (*facts.read_by_commands, *facts.written_by_commands) if rule.commands else facts.touched
    return not unknown and bool(touched) and all(covers_path(each, rule.paths, world.roots) for each in touched)


def _all_hosts(rule: Rule, facts: Facts) -> bool:
    odd = any("\\" in each.asked or not each.asked.isprintable() or " " in each.asked for each in facts.urls)
    return (
        bool(facts.hosts)
        and not odd
        and all(is_host(host) and any(host_matches(host, each) for each in rule.hosts) for host in facts.hosts)
    )


def _general(rule: Rule, facts: Facts) -> bool:
    if rule.after and not facts.labels.issuperset(rule.after):
        return False
    if rule.risk and RISKS.index(facts.risk) < RISKS.index(rule.risk):
        return False
    return not rule.irreversible or facts.effects.irreversible


def _fits(facts: Facts, name: str, pattern: str) -> bool | None:
    """Whether an argument fits a pattern; None where it is too long to say."""
    text = facts.text_of(name)
    if text is None:
        return False
    return None if len(text) > MOST_MATCHED else value_expression(pattern).fullmatch(text) is not None


def looks_elsewhere(rule: Rule, facts: Facts) -> bool:
    """Whether a forbidding rule looks at an argument that does not fit, so that it has nothing to say."""
    for name, pattern in rule.arguments.items():
        value = facts.value_of(name)
        if value is None or value_forbidden(value, pattern) is False:
            return True
    return False


def speaks(rule: Rule, facts: Facts, world: World) -> Speech:
    """Whether a forbidding rule speaks of a call: `maybe` where it runs something of which not all is known."""
    if looks_elsewhere(rule, facts) or not _general(rule, facts):
        return "no"
    found: list[Speech] = []
    if rule.paths:
        found.append(_on_paths(rule, facts, world))
    elif rule.actions and not set(rule.actions) & set(facts.actions):
        return "no"
    if rule.hosts:
        found.append(_on_hosts(rule, facts))
    if rule.commands:
        found.append(forbids_command(facts, rule.commands))
    return "no" if "no" in found else "maybe" if "maybe" in found else "yes"


def _on_paths(rule: Rule, facts: Facts, world: World) -> Speech:
    held = False
    for fact in _concerned(rule, facts):
        if forbids_path(fact, rule.paths, world.roots):
            return "yes"
        starts_in = bool(facts.commands) and fact in facts.paths  # where commands start is nothing they read
        held = held or (fact.kind == "folder" and not starts_in and _may_hold(fact.real, rule, world))
    return "maybe" if held or (facts.opaque and not _hidden(rule, facts, world)) else "no"


def _may_hold(folder: str, rule: Rule, world: World) -> bool:
    return any(may_hold(folder, pattern, world.roots) for pattern in rule.paths)


def _concerned(rule: Rule, facts: Facts) -> Sequence[PathFact]:
    """The paths of a call that a rule on these actions looks at; what commands read and write counts as such."""
    actions = rule.actions
    if not actions:
        return facts.touched
    given = facts.paths if set(actions) & set(facts.actions) else ()
    read = facts.read_by_commands if "read" in actions or "run" in actions else ()
    return (*given, *read, *(facts.written_by_commands if {"write", "destroy", "run"} & set(actions) else ()))


def _hidden(rule: Rule, facts: Facts, world: World) -> bool:
    """Whether isolation keeps whatever runs away from all that a rule protects."""
    reached = (*world.roots, *world.readable, *SYSTEM_FOLDERS)
    return (
        facts.confinement >= FILES_HIDDEN
        and bool(world.roots)
        and all(lies_apart(each, reached) for each in rule.paths)
    )


def _on_hosts(rule: Rule, facts: Facts) -> Speech:
    if any(names_host(host, each) for host in facts.hosts for each in rule.hosts):
        return "yes"
    texts = [command.text for command in facts.commands if not command.proved]
    if any(spelled(each).search(text) for text in texts for each in rule.hosts):
        return "yes"
    return "maybe" if facts.opaque and "net_blocked" not in facts.confinement else "no"
