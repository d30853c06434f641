"""The ladder: which rung this machine has for what is required, and none weaker without saying so."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Literal

from hilt.calls.resolver import Property
from hilt.errors import ConfigError
from hilt.workspace.isolation.bubblewrap import Bubblewrap, find_bubblewrap
from hilt.workspace.isolation.isolation import NOT_ISOLATED, Bounds, Isolation
from hilt.workspace.isolation.landlock import SCOPED_VERSION, make
from hilt.workspace.isolation.probing import proof_of
from hilt.workspace.processes.landlock import version

Maker = Callable[[Bounds], Isolation | None]
MOST_NAMED = 5
"""Hosts that are named to a model."""
Mode = Literal["auto", "require", "off"]
ALL: frozenset[Property] = frozenset(
    ("fs_write_confined", "fs_read_confined", "net_blocked", "proc_hidden", "kill_complete", "ro_holes")
)


def bubblewrap(bounds: Bounds, program: str | None = None) -> Isolation | None:
    """The first rung; None where there is no such program."""
    found = program or find_bubblewrap()
    if found is None:
        return None
    return Isolation(
        rung="bubblewrap",
        properties=ALL,
        says=f"isolated by bubblewrap: {_network(bounds)}, writes only in the workspace, protected names in it kept",
        bounds=bounds,
        wall=Bubblewrap(found, bounds),
    )


def _network(bounds: Bounds) -> str:
    if not bounds.hosts:
        return "network off"
    more = len(bounds.hosts) - MOST_NAMED
    return f"network only to {', '.join(bounds.hosts[:MOST_NAMED])}" + (f" and {more} more" if more > 0 else "")


def landlock(bounds: Bounds) -> Isolation | None:
    """The second rung; None where the kernel has not what it needs."""
    wall = make(bounds)
    if wall is None:
        return None
    return Isolation(
        rung="landlock",
        properties=ALL if version() >= SCOPED_VERSION else ALL - {"proc_hidden"},
        says="isolated by Landlock: network and sockets off, writes only in the workspace, "
        "changed protected names in it put back afterwards",
        bounds=bounds,
        wall=wall,
    )


def bare(bounds: Bounds, why: str) -> Isolation:
    """The last rung: nothing but that all a command started is ended with it."""
    return Isolation(
        rung="rlimits",
        properties=frozenset(("kill_complete",)),
        says=f"{NOT_ISOLATED}: {why}",
        bounds=bounds,
    )


RUNGS = (bubblewrap, landlock)
"""Those that isolate, the best first."""


def choose(
    bounds: Bounds, mode: Mode = "auto", required: Collection[Property] = ALL, *, rungs: Sequence[Maker] = RUNGS
) -> Isolation:
    """The first rung that was proved to give all that is required; its properties are what was proved.

    Without one, the last, which does not isolate and says so; with mode `require` that is a
    ConfigError instead, which names what is missing. Blocks where a rung was not tried before.
    """
    if mode == "off":
        return bare(bounds, "turned off in hilt.toml")
    lacks: list[str] = []
    for rung in rungs:
        proof = proof_of(rung)
        made = rung(bounds) if proof.works else None
        if made is not None and proof.proved >= set(required):
            return replace(made, properties=proof.proved & made.properties)
        missing = ", ".join(sorted(set(required) - proof.proved))
        lacks.append(f"{rung.__name__}: {f'lacks {missing}' if proof.works else proof.trouble}")
    if mode == "require":
        raise ConfigError(
            f"isolation is required, and this machine cannot give it: {'; '.join(lacks)}",
            "install bubblewrap",
            "set isolation.mode to auto, to run commands that are not isolated",
        )
    return bare(bounds, f"this machine cannot ({'; '.join(lacks)})")
