"""Effects as written at `@tool(effects={...})`, read and checked."""

from collections.abc import Collection, Iterator, Mapping, Set

from hilt.declarations.declaration import Kind
from hilt.declarations.effects import (
    ALL_DEEDS,
    BRINGS,
    ORIGINS,
    PERCEIVING,
    READS,
    ROLES,
    UNDECLARED,
    Deed,
    Effects,
    EffectsForm,
    Role,
)
from hilt.errors import DeclarationError


def read_effects(
    given: Effects | EffectsForm | None, kind: Kind, roles: Mapping[str, Role], parameters: Set[str], tool: str
) -> Effects:
    """The effects of one tool; what is not said counts as the most dangerous. Raises `DeclarationError`.

    `roles` are those given at the parameters themselves.
    """
    least = PERCEIVING if kind == "perceive" else UNDECLARED
    if isinstance(given, Effects):
        return given
    if given is None:
        return Effects(reads=least.reads, brings=least.brings, does=least.does, roles=roles)
    does = given.get("does", () if {"reads", "brings"} & set(given) or kind == "perceive" else ALL_DEEDS)
    deeds: frozenset[Deed] = frozenset([does]) if isinstance(does, str) else frozenset(does)
    reads = given.get("reads", "none" if deeds and "reads" not in given and "does" in given else least.reads)
    made = Effects(
        reads=reads,
        brings=given.get("brings", "own" if reads == "none" else least.brings),
        does=deeds,
        undoable=given.get("undoable", False),
        irreversible=given.get("irreversible", False),
        roles={**roles, **given.get("roles", {})},
        origins=dict(given.get("origins", {})),
        secrets=tuple(given.get("secrets", ())),
        also=dict(given.get("also", {})),
        verbs=tuple(given.get("verbs", ())),
        nouns=tuple(given.get("nouns", ())),
        isolated=given.get("isolated", False),
    )
    _check(made, parameters, tool)
    return made


def _check(effects: Effects, parameters: Set[str], tool: str) -> None:
    for what, value, known, may_be in _values(effects, parameters):
        if value not in known:
            listed = ", ".join(known if isinstance(known, tuple) else sorted(known)) or "none"
            raise DeclarationError(f"{tool}: effects {what}={value!r}", f"{may_be} {listed}")


def _values(effects: Effects, parameters: Set[str]) -> Iterator[tuple[str, str, Collection[str], str]]:
    """Each value given, with where it stands, what it may be, and how to say so."""
    yield "reads", effects.reads, READS, "one of"
    yield "brings", effects.brings, BRINGS, "one of"
    yield from (("does", deed, ALL_DEEDS, "any of") for deed in effects.does)
    for what, named, known in (("roles", effects.roles, ROLES), ("also", effects.also, ALL_DEEDS)):
        for parameter, value in named.items():
            yield f"{what} of", parameter, parameters, "a parameter of the function:"
            yield f"{what} {parameter}", value, known, "one of"
    yield from ((f"origins {field}", origin, ORIGINS, "one of") for field, origin in effects.origins.items())
