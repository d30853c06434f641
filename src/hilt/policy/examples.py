"""Rules that prove themselves: the calls named beside a rule are tried on it before it is used."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from posixpath import normpath
from urllib.parse import urlsplit

from hilt.calls.resolver import CommandFact, PathFact, UrlFact
from hilt.declarations.effects import ALL_DEEDS, Action, Deed, Effects
from hilt.policy.facts import Facts, namespace_of
from hilt.policy.hosts import plain_host
from hilt.policy.matching import World, fits_tool, lifting, speaks
from hilt.policy.rules import Example, Rule

Prover = Callable[[str], CommandFact]
"""What tells the facts of a command's text."""
SOME_ROOT = "/workspace"
"""Where relative paths of examples lie, where no root is known."""
SCHEME = "://"


def broken_examples(rule: Rule, prove: Prover, world: World) -> Iterator[str]:
    """Each example that a rule does not hold to, for people."""
    known = world
    if not world.roots:
        known, prove = World(roots=(SOME_ROOT,), readable=world.readable), partial(_somewhere, prove)
    for example in rule.match:
        if not _holds(rule, _read(example, rule), prove, known):
            yield f"it does not speak of {str(example)!r}, which stands in its match"
    for example in rule.not_match:
        if _holds(rule, _read(example, rule), prove, known):
            yield f"it speaks of {str(example)!r}, which stands in its not_match"


def _somewhere(prove: Prover, text: str) -> CommandFact:
    """The facts of a command that starts in no folder that counts."""
    fact = prove(text)
    return replace(fact, commands=tuple(replace(each, folder=None) for each in fact.commands))


def _read(example: Example, rule: Rule) -> Example:
    """An example whose text is put where the rule looks."""
    text = example.text
    if not text:
        return example
    if rule.commands:
        return Example(command=text)
    if rule.hosts:
        return Example(url=text if SCHEME in text else f"https{SCHEME}{text}/")
    return Example(path=text) if rule.paths else Example(tool=text)


def _holds(rule: Rule, example: Example, prove: Prover, world: World) -> bool:
    facts = _facts(rule, example, prove, world)
    if not fits_tool(rule, facts.tool, facts.namespace):
        return False
    if rule.word != "allow":
        return speaks(rule, facts, world) == "yes"
    return any(lifting((rule,), action, facts, world) for action in rule.actions or (_act(example),))


def _act(example: Example) -> Action:
    return "run" if example.command else "fetch" if example.url else "write"


def _facts(rule: Rule, example: Example, prove: Prover, world: World) -> Facts:
    """The call of an example, as if a tool did what the rule is about."""
    named: set[Deed] = {deed for deed in ALL_DEEDS if deed in rule.actions or deed == _act(example)}
    does = frozenset(example.does) or (ALL_DEEDS if rule.risk else frozenset(named))
    tool = example.tool or _some_tool(rule)
    return Facts(
        tool=tool,
        effects=Effects(does=does, irreversible=rule.irreversible),
        arguments=example.arguments,
        paths=(_path(example.path, world),) if example.path else (),
        commands=(prove(example.command),) if example.command else (),
        urls=(_address(example.url),) if example.url else (),
        labels=frozenset(example.after or rule.after),
    )


def _some_tool(rule: Rule) -> str:
    """A name the rule's pattern fits."""
    name = rule.tools.replace("*", "x").replace("?", "x")
    return name if not rule.namespace or namespace_of(name) == rule.namespace else f"{rule.namespace}_{name}"


def _path(asked: str, world: World) -> PathFact:
    real = asked if asked.startswith("/") else f"{world.roots[0].rstrip('/')}/{asked}"
    return PathFact(asked=real, real=normpath(real), inside=True, kind="file")


def _address(asked: str) -> UrlFact:
    parts = urlsplit(asked)
    return UrlFact(asked=asked, host=plain_host(parts.hostname or ""), scheme=parts.scheme)
