"""Does a rule speak about a call? What permits must cover all of it, what forbids any of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hilt.calls.resolver import PathFact, Property
from hilt.declarations.effects import RISKS, Action
from hilt.declarations.schema import is_object
from hilt.policy.commanding import Speech, forbids_command, permits_commands
from hilt.policy.facts import Facts
from hilt.policy.hosts import host_matches, is_host, spelled
from hilt.policy.patterns import (
    MOST_MATCHED,
    argument_text,
    covers_path,
    forbids_path,
    lies_apart,
    may_hold,
    name_matches,
    value_expression,
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
    return named[0] if all(covers_path(each, paths, world.roots) for each in beyond) else None


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
    return all(fits is True for fits in _arguments(rule, facts))


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
    if rule.risk and RISKS.index(facts.risk) < RISKS.index(rule.risk):
        return False
    if rule.irreversible and not facts.effects.irreversible:
        return False
    return facts.labels.issuperset(rule.after)


def _arguments(rule: Rule, facts: Facts) -> Iterator[bool | None]:
    """For each argument a rule looks at: whether it fits; None where it is too long to say."""
    for name, pattern in rule.arguments.items():
        value: object = facts.arguments
        for step in [name] if name in facts.arguments else name.split("."):
            value = value.get(step) if is_object(value) else None
        if value is None:
            yield False
            continue
        text = argument_text(value)
        yield None if len(text) > MOST_MATCHED else value_expression(pattern).fullmatch(text) is not None


def speaks(rule: Rule, facts: Facts, world: World) -> Speech:
    """Whether a forbidding rule speaks of a call: `maybe` where it runs something of which not all is known."""
    if not _general(rule, facts) or any(fits is False for fits in _arguments(rule, facts)):
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
    concerned = tuple(_concerned(rule, facts))
    if any(forbids_path(each, rule.paths, world.roots) for each in concerned):
        return "yes"
    folders = {
        each.real for each in concerned if each.kind == "folder" and not (facts.commands and each in facts.paths)
    }
    if any(may_hold(folder, pattern, world.roots) for folder in folders for pattern in rule.paths):
        return "maybe"
    return "maybe" if facts.opaque and not _hidden(rule, facts, world) else "no"


def _concerned(rule: Rule, facts: Facts) -> Iterator[PathFact]:
    """The paths of a call that a rule on these actions looks at; what commands read and write counts as such."""
    actions = rule.actions
    if not actions or set(actions) & set(facts.actions):
        yield from facts.paths
    if not actions or "read" in actions or "run" in actions:
        yield from facts.read_by_commands
    if not actions or {"write", "destroy", "run"} & set(actions):
        yield from facts.written_by_commands


def _hidden(rule: Rule, facts: Facts, world: World) -> bool:
    """Whether isolation keeps whatever runs away from all that a rule protects."""
    reached = (*world.roots, *world.readable, *SYSTEM_FOLDERS)
    return (
        facts.confinement >= FILES_HIDDEN
        and bool(world.roots)
        and all(lies_apart(each, reached) for each in rule.paths)
    )


def _on_hosts(rule: Rule, facts: Facts) -> Speech:
    if any(host_matches(host, each) for host in facts.hosts for each in rule.hosts):
        return "yes"
    texts = [command.text for command in facts.commands if not command.proved]
    if any(spelled(each).search(text) for text in texts for each in rule.hosts):
        return "yes"
    return "maybe" if facts.opaque and "net_blocked" not in facts.confinement else "no"
