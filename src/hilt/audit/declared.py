"""The legs of declared effects: one of their projections, as policy's action and MCP's hints are others."""

from collections.abc import Iterator

from hilt.audit.arguments import arguments
from hilt.audit.legs import LEGS, Audited, Leg, Showing
from hilt.declarations.declaration import Declaration
from hilt.declarations.effects import UNDECLARED, Effects

OUTWARD = frozenset({"send", "run", "spend"})
"""Deeds that make an argument, given with them, a way out."""
UNDECLARED_COUNTS = "it declares no effects, so it counts as everything"


def by_effects(declaration: Declaration, effects: Effects, *, server: str, label: str) -> Audited:
    """A tool that is taken at its word."""
    return Audited(
        server=server,
        name=declaration.name,
        label=label,
        showings=tuple(_showings(effects, speaks=bool(arguments(declaration.parameters)))),
        effects=effects,
        executor="run" in effects.does,
        secrets=bool(effects.secrets),
    )


def _showings(effects: Effects, *, speaks: bool) -> Iterator[Showing]:
    if effects == UNDECLARED:
        yield from (Showing(leg=leg, basis="undeclared", why=UNDECLARED_COUNTS) for leg in LEGS)
        return
    if "run" in effects.does:
        confined = "; what it starts is confined where this machine can" if effects.isolated else ""
        command = next((name for name, role in effects.roles.items() if role == "command"), None)
        for leg in LEGS:
            yield _declared(leg, f'an executor: it declares does "run"{confined}', command)
        return
    if effects.reads == "private":
        yield _declared("private", 'it declares reads "private"')
    if effects.brings == "third-party":
        yield _declared("third_party", 'it declares brings "third-party"')
    yield from _ways_out(effects, speaks=speaks)


def _ways_out(effects: Effects, *, speaks: bool) -> Iterator[Showing]:
    """`speaks`: an argument can carry text. One fixed page, fetched without any, takes nothing out."""
    for name, role in effects.roles.items():
        if role in ("url", "destination"):
            yield _declared("way_out", f'it declares the role "{role}" for "{name}"', name)
    for name, deed in effects.also.items():
        if deed in OUTWARD:
            yield _declared("way_out", f'it declares also "{deed}" where "{name}" is given', name)
    if "send" in effects.does:
        yield _declared("way_out", 'it declares does "send"')
    elif speaks and not effects.roles and effects.does & {"fetch", "spend"}:
        deed = "spend" if "spend" in effects.does else "fetch"
        yield _declared("way_out", f'it declares does "{deed}" and no role for any argument')


def _declared(leg: Leg, why: str, argument: str | None = None) -> Showing:
    return Showing(leg=leg, basis="declared", why=why, argument=argument)
