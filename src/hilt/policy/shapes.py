"""The shape of a call: what a person's yes covers that is meant for calls like this one."""

from collections.abc import Mapping
from posixpath import dirname

from hilt.calls.resolver import SimpleCommand
from hilt.declarations.effects import Role
from hilt.policy.commanding import INCIDENTAL, PASSED_THROUGH
from hilt.policy.facts import EMPTY, Facts
from hilt.policy.hosts import is_host
from hilt.policy.patterns import argument_text, is_below

DECISIVE: tuple[Role, ...] = ("destination", "target", "credential")
"""Roles whose value decides whom a call concerns."""
WORDS_OF: Mapping[str, int] = {
    "npm": 3, "pnpm": 3, "yarn": 3, "bun": 3, "npx": 2, "git": 2, "docker": 2, "podman": 2, "kubectl": 2, "cargo": 2,
    "go": 2, "pip": 2, "pip3": 2, "uv": 2, "poetry": 2, "gh": 2, "apt": 2, "apt-get": 2, "brew": 2, "systemctl": 2,
    "terraform": 2, "helm": 2, "make": 2, "just": 2, "rustup": 2, "dotnet": 2, "mvn": 2, "gradle": 2, "deno": 2,
    "python": 3, "python3": 3, "node": 2, "ruby": 2, "perl": 2, "php": 2,
}  # fmt: skip
"""Words by which a person knows what such a program does; one for every other."""
LONGEST_VALUE = 80
"""Characters of a decisive value that still names a shape."""
AND = " and "


def shape_of(facts: Facts) -> str:
    """What calls like this one share, for people; empty where only the very same call is like it."""
    if facts.commands:
        return _of_commands(facts)
    if "run" in facts.deeds and not facts.effects.roles:
        return ""
    if facts.urls:
        return AND.join(f"host:{each}" for each in sorted(set(facts.hosts))) if all(map(is_host, facts.hosts)) else ""
    decisive = [
        f"{name}={argument_text(facts.arguments[name])}"
        for role in DECISIVE
        for name, its_role in facts.effects.roles.items()
        if its_role == role and facts.arguments.get(name) not in EMPTY
    ]
    if decisive:
        told = f"{facts.tool} {' '.join(decisive)}"
        return told if len(told) <= len(facts.tool) + LONGEST_VALUE and told.isprintable() else ""
    folders = sorted({each.real if each.kind == "folder" else dirname(each.real) for each in facts.paths})
    return AND.join(f"folder:{each}" for each in folders)


def _of_commands(facts: Facts) -> str:
    """The programs with their subcommands, or the driver; nothing where not all of the text is known."""
    if _elsewhere(facts):
        return ""
    drivers = facts.drivers
    if len(drivers) == 1:
        return f"driver:{drivers[0]}"
    if any(not each.own for command in facts.commands for each in command.unproved):
        return ""
    around = {wrapper for each in facts.programs for wrapper in each.wrappers}
    quiet = {*INCIDENTAL, *(around & PASSED_THROUGH)}
    told = [prefix_of(each) for each in facts.programs if not each.words or each.words[0] not in quiet]
    return AND.join(dict.fromkeys(told)) if told and all(told) else ""


def _elsewhere(facts: Facts) -> bool:
    """Whether a program starts in a folder that is not below the one where the first does: there it may be another."""
    folders = [each.folder for each in facts.programs]
    start = folders[0] if folders else None
    return start is not None and any(each is None or not is_below(each, start) for each in folders)


def prefix_of(command: SimpleCommand) -> str:
    """The words of a program that say what it does, such as `git push`; empty where they are not known."""
    first = command.words[0] if command.words else None
    if first is None or any(each.rpartition("/")[2] not in PASSED_THROUGH for each in command.wrappers):
        return ""
    words = command.words[: WORDS_OF.get(first, 1)]
    if len(words) == WORDS_OF.get(first, 1) == 3 and words[1] is not None and words[1] not in ("run", "-m", "exec"):
        words = words[:2]
    known = [word for word in words if word is not None and word.isprintable() and " " not in word]
    return " ".join(known) if len(known) == len(words) else ""
