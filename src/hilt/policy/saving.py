"""Which leave may be kept: no rule and no saved approval may allow more than was shown to whom gave it."""

import re
from collections.abc import Iterator

from hilt.calls.resolver import PathFact
from hilt.declarations.effects import RISKS, risk_of
from hilt.policy.commanding import tokens_of
from hilt.policy.facts import Facts, construct
from hilt.policy.hosts import host_is_wide
from hilt.policy.patterns import WILDCARDS, covers_path, value_expression
from hilt.policy.rules import Rule
from hilt.policy.shapes import AND
from hilt.policy.wide_programs import INTERPRETERS, NEED_MORE, RUN_OTHERS, RUN_SUBCOMMANDS, SHELLS

WHOLE = frozenset({"*", "**", "/", "/*", "/**", "**/*", ".", "./", "./**", "./*", ""})
"""Patterns that fit everything, and so are no condition."""
SOME_ROOT = "/some/root"
SOME_PATHS = tuple(tuple(PathFact(asked=each, real=each, inside=True, kind="file") for each in paths) for paths in (
    [f"{SOME_ROOT}/{each}" for each in ("a", ".b", "Z1", "docs/d.md", "_/0")],
    ["/etc/a", "/home/u/.b", "/Z1", "/var/0/_"],
))  # fmt: skip
"""Paths that have nothing in common, below a root and anywhere: what covers all of them is no condition."""
SOME_VALUES = ("a", "Z9", "-1", "x@example.org", "/etc/passwd", "two words", "{}", "true", "https://example.net/q?a=b")
"""Values that have nothing in common."""
_CLASS = re.compile(r"\[.[^\]]*\]")


def savable(what: Rule | str, facts: Facts | None = None) -> str | None:
    """None where a rule may be loaded, or leave for a shape be kept; else why not, for people.

    A text is a `Decision.shape`; `facts` are those of the call it was taken from.
    """
    if isinstance(what, Rule):
        return next(_of_rule(what), None)
    return next(_of_shape(what, facts), None)


def _of_shape(shape: str, facts: Facts | None) -> Iterator[str]:
    if facts is not None and facts.commands:
        yield from _of_commands(facts)
    elif facts is not None and "run" in facts.deeds and not facts.effects.roles:
        yield f"{facts.tool} runs whatever it is given, so leave for calls like this one would be leave for anything"
    if not shape:
        yield "nothing but this very call is known to be like it"
    kind, colon, rest = shape.partition(":")
    if colon and kind in ("driver", "host", "folder") and rest:
        return
    for prefix in shape.split(AND) if facts is None or facts.commands else ():
        yield from wide_command(prefix)


def _of_commands(facts: Facts) -> Iterator[str]:
    for command in facts.commands:
        for each in command.unproved:
            if not each.own:
                yield f"{construct(command.text, each)} is known only when it runs: more would be saved than seen"
        if not command.commands or any(None in each.words for each in command.commands):
            yield "not every word of the command is known before it runs"


def _of_rule(rule: Rule) -> Iterator[str]:
    """Why an `allow` is too wide; words that forbid may be as wide as they like."""
    if rule.word != "allow":
        return
    yield from (each for prefix in rule.commands for each in wide_command(prefix))
    yield from (
        f"the host {each} is anybody's; name one, or *.example.org" for each in rule.hosts if host_is_wide(each)
    )
    if "run" in rule.actions and not rule.commands:
        yield "it allows to run anything; name commands, such as git push"
    if not any(_narrows(rule)):
        yield "it allows every tool everything; name tools, paths, hosts, commands or arguments"
    elif not any(_tells(rule)) and RISKS.index(risk_of(rule.actions or ("read",), undoable=True)) >= RISKS.index(
        "high"
    ):
        yield f"it allows every tool to {' and '.join(rule.actions)}; name the tools"


def _narrows(rule: Rule) -> Iterator[bool]:
    yield from _tells(rule)
    yield bool(rule.actions)


def _tells(rule: Rule) -> Iterator[bool]:
    """Whether a rule says which calls it means; what a session has seen and a level of risk do not."""
    yield _names(rule.tools) or _names(rule.namespace)
    yield bool(rule.hosts) or bool(rule.commands)
    yield bool(rule.paths) and not any(_everywhere(each) for each in rule.paths)
    yield any(
        not all(value_expression(pattern).fullmatch(each) for each in SOME_VALUES)
        for pattern in rule.arguments.values()
    )


def _names(pattern: str) -> bool:
    """Whether a pattern of names says more than that there is a name: `*_*`, `[a-z]*` and `*e*` do not."""
    letters = sum(each.isalnum() for each in _CLASS.sub("", pattern))
    return letters > 1 or (letters == 1 and not pattern.startswith(tuple(WILDCARDS)))


def _everywhere(pattern: str) -> bool:
    """Whether a pattern covers all there is below a root, or anywhere."""
    return pattern in WHOLE or any(
        all(covers_path(each, (pattern,), (SOME_ROOT,)) for each in paths) for paths in SOME_PATHS
    )


def wide_command(prefix: str) -> Iterator[str]:
    """Why leave for a command that begins like this would be leave for others too."""
    words = tokens_of(prefix)
    program = _VERSION.sub("", (words or ("",))[0].rpartition("/")[2].lower())
    if not words:
        yield "a command is a program and the words that follow it, such as git push"
    elif any(mark in prefix for mark in WILDCARDS):
        yield f"{prefix!r}: a wildcard in a command may stand for any word; write the words"
    elif program in SHELLS or program in RUN_OTHERS:
        yield f"{prefix!r} runs whatever it is given; name the program behind it: rules look through harmless wrappers"
    elif program in INTERPRETERS and _without_script(words):
        yield f"{prefix!r} runs any code; name the script or module too, such as {program} manage.py"
    elif program in NEED_MORE and len(words) < 2:
        yield f"{prefix!r} does too many things; name what it shall do, such as {program} SUBCOMMAND"
    elif program in NEED_MORE and words[1].startswith("-"):
        yield f"{prefix!r}: an option before the subcommand may change what runs; begin with the subcommand"
    elif (program, words[1] if len(words) > 1 else "") in RUN_SUBCOMMANDS:
        yield from _wide_behind(prefix, words[2:])


def _wide_behind(prefix: str, words: tuple[str, ...]) -> Iterator[str]:
    """Why what a subcommand runs is too wide."""
    if not words or words[0].startswith("-"):
        yield f"{prefix!r} runs whatever it is given; name that too, with no option before it"
    else:
        yield from wide_command(" ".join(words))


_VERSION = re.compile(r"-?[\d.]+(\.exe)?$|\.exe$")
"""What names of programs end in: `python3.12`, `lua5.4`, `tclsh8.6`."""


def _without_script(words: tuple[str, ...]) -> bool:
    """Whether an interpreter is named alone, or with an option that takes code."""
    rest = words[1:]
    return not rest or (rest[0].startswith("-") and not (rest[0] == "-m" and len(rest) > 1))
