"""Which values of a call decide, and which values of a result were made by whom."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from hilt.declarations.effects import Origin, Role
from hilt.declarations.schema import is_array, is_object
from hilt.policy.facts import Facts
from hilt.policy.taint_text import leaf_text, mark, pieces, secret_mark

DECISIVE: frozenset[Role] = frozenset({"destination", "target", "credential", "url", "path", "command"})
KEYS = "@"
"""The last step of an origin's path that means the keys of a mapping instead of its values."""
MOST_LEAVES = 20_000
"""Leaves of one result that are looked at."""
DEEPEST = 30

_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
_NAME = re.compile(r"[A-Za-z_$][A-Za-z_$-]*\d?")
_WHEN = re.compile(rf"{_TIME}|\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_TIME})?")


class Given(NamedTuple):
    """One leaf of the arguments: its parameter, what it means, and its text."""

    parameter: str
    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Marks of the values in a result, by who made them; `secrets` of those that must not leave."""

    trusted: tuple[str, ...] = ()
    identities: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


def given(facts: Facts) -> Iterator[Given]:
    """Every leaf of the arguments. One without a role decides where the call goes, unless nothing leaves by it.

    A date or a time of day is nowhere to go.
    """
    effects = facts.effects
    otherwise: Role = "content" if effects.undoable and facts.deeds <= {"write"} else "destination"
    inside = {fact.asked for fact in facts.paths if fact.inside}
    for parameter, value in facts.arguments.items():
        role = effects.roles.get(parameter, otherwise)
        for text in texts(value):
            if role == "path" and text in inside:
                continue
            when = parameter not in effects.roles and _WHEN.fullmatch(text) is not None
            yield Given(parameter, "content" if when else role, text)


def texts(value: object, depth: int = 0) -> Iterator[str]:
    """The text of every leaf of a value; keys of mappings too, where they are more than a name that a tool has."""
    if is_object(value):
        yield from (key for key in value if key and not _NAME.fullmatch(key))
        children: Iterator[object] = iter(value.values())
    elif is_array(value):
        children = iter(value)
    else:
        if text := leaf_text(value):
            yield text
        return
    if depth < DEEPEST:
        for child in children:
            yield from texts(child, depth + 1)


def made(items: tuple[object, ...], origins: Mapping[str, Origin], secrets: tuple[str, ...]) -> Made:
    """The values in a result whose maker is declared. What is not declared was made by third parties."""
    trusted: list[str] = []
    identities: list[str] = []
    for path, origin in origins.items():
        if origin == "identity":
            identities.extend(mark(text) for text in at(items, path))
        elif origin != "third-party":
            trusted.extend(mark(piece) for text in at(items, path) for piece in pieces(text))
    hidden = (secret_mark(text) for path in secrets for text in at(items, path))
    return Made(trusted=tuple(trusted), identities=tuple(identities), secrets=tuple(hidden))


def at(items: tuple[object, ...], path: str) -> Iterator[str]:
    """The leaves at a dotted path below each item; `*` is every key or element, a last `@` the keys themselves.

    A list on the way is gone through whether the path says so or not; where a path ends in a mapping
    nothing is meant. An item that is a leaf, or a list of them, is meant by the empty path and by `*`.
    """
    steps = path.split(".") if path else []
    left = MOST_LEAVES
    for item in items:
        for text in _below(item, steps):
            if left == 0:
                return
            left -= 1
            yield text


def _below(value: object, steps: list[str]) -> Iterator[str]:
    if not steps:
        yield from _ends(value)
        return
    step, rest = steps[0], steps[1:]
    if is_array(value):
        for each in value:
            yield from _below(each, rest if step == "*" else steps)
    elif is_object(value):
        if step == KEYS:
            yield from (str(key) for key in value)
        for each in _under(value, step):
            yield from _below(each, rest)
    elif step == "*" and not rest:
        yield from _ends(value)


def _under(value: Mapping[str, object], step: str) -> Iterable[object]:
    if step == "*":
        return value.values()
    return (value[step],) if step in value else ()


def _ends(value: object) -> Iterator[str]:
    """The leaf where a path ends, or those of a list there."""
    if is_array(value):
        for each in value:
            yield from _ends(each)
    elif text := leaf_text(value):
        yield text
