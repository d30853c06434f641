"""What protects a person from a command here: each property, what gives it, and what nothing protects.

Every line was tried: `workspace/isolation/probing.py` does the forbidden acts. What is printed for a
property is what came of them, never what a mechanism is known for.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from hilt.assembly.config import Config
from hilt.assembly.isolation import isolation_of
from hilt.calls.resolver import Property
from hilt.errors import ConfigError
from hilt.workspace import Workspace
from hilt.workspace.commands.environment import command_environment, told_of
from hilt.workspace.isolation.isolation import Bounds, Isolation, Rung
from hilt.workspace.isolation.ladder import bare, bubblewrap, landlock
from hilt.workspace.isolation.probe_scene import Proof, Weakness
from hilt.workspace.isolation.probing import Maker, proof_of

PROPERTIES: tuple[Property, ...] = get_args(Property)
KEPT: Mapping[Property, str] = {
    "fs_write_confined": "files outside the workspace stay as they are",
    "fs_read_confined": "files outside it are not read, but the system's",
    "net_blocked": "the network is out of reach",
    "proc_hidden": "other processes are not seen and not ended",
    "kill_complete": "all that a command starts ends with it",
    "ro_holes": "git hooks and start-up files stay as they are",
}
"""What each property says to a person."""
OPEN: Mapping[Property, str] = {
    "fs_write_confined": "a command can change every file that you can",
    "fs_read_confined": "a command can read every file that you can: keys, mail, histories",
    "net_blocked": "a command can reach the network, and send what it reads",
    "proc_hidden": "a command can see your other processes, and end them",
    "kill_complete": "a command can leave processes behind",
    "ro_holes": "a command can change git hooks, shell and editor files in the workspace",
}
"""What it means to a person where one is not given."""
ALWAYS_OPEN = (
    "what lies in the workspace itself; project code that you run later yourself",
    "memory, processor and disk: a command is ended by time alone",
    "your own tools and MCP servers: they are not commands, and run with your rights",
)
_WEAK: Mapping[Weakness, str] = {"modes": "modes and times of your files outside; their content is"}
_MONITOR = "Hilt's monitor"
BY: Mapping[Rung, Mapping[Property, str]] = {
    "bubblewrap": {
        "fs_write_confined": "mount namespace",
        "fs_read_confined": "mount namespace",
        "net_blocked": "network namespace",
        "proc_hidden": "process namespace",
        "kill_complete": "process namespace",
        "ro_holes": "read-only mounts",
    },
    "landlock": {
        "fs_write_confined": "Landlock",
        "fs_read_confined": "Landlock",
        "net_blocked": "filter of system calls",
        "proc_hidden": "Landlock",
        "kill_complete": _MONITOR,
        "ro_holes": "put back at the end",
    },
    "rlimits": {"kill_complete": _MONITOR},
}
"""What gives a property on each rung."""
MAKERS: Mapping[Rung, Maker] = {
    "bubblewrap": bubblewrap,
    "landlock": landlock,
    "rlimits": lambda bounds: bare(bounds, ""),
}
"""The rungs, the best first."""
NOT_ISOLATED = "not isolated: a command runs with your own rights"


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """One property: whether it holds here, in words, and by what."""

    property: Property
    holds: bool
    says: str
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protections:
    """All of it: the rung that is used, each property, and what is open, in words.

    `notes` says what else a person may look for: why a better rung is not used, which variables
    commands do not get. `trouble` says why no command can be run at all.
    """

    rung: Rung
    says: str
    rows: tuple[Protection, ...] = ()
    open: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    trouble: str = ""
    steps: tuple[str, ...] = ()

    @property
    def isolates(self) -> bool:
        """Whether there is a wall at all."""
        return self.rung != "rlimits"

    @property
    def whole(self) -> bool:
        """Whether every property holds."""
        return all(row.holds for row in self.rows)


def protections(config: Config, world: Workspace, makers: Mapping[Rung, Maker] = MAKERS) -> Protections:
    """What holds on this machine with these settings. Tries it afresh, and blocks for some tenths of a second."""
    proofs = dict(_tried(makers))
    try:
        used = isolation_of(config, world).chosen
    except ConfigError as error:
        return Protections(rung="rlimits", says=error.problem, trouble=error.problem, steps=error.next_steps)
    proof = proofs[used.rung] if used.rung in proofs else proof_of(makers[used.rung], cached=False)
    return Protections(
        rung=used.rung,
        says=used.says if used.rung != "rlimits" else NOT_ISOLATED,
        rows=tuple(_row(used, each, proof) for each in PROPERTIES),
        open=(*_open(proof), *_allowed(used), *ALWAYS_OPEN),
        notes=(*_passed_over(used.rung, proofs, config), *_out_of_reach(used), *_left_out(used.bounds)),
        trouble=proof.trouble,
    )


def _tried(makers: Mapping[Rung, Maker]) -> Iterator[tuple[Rung, Proof]]:
    """The rungs from the best on, until one gives everything."""
    for name, make in makers.items():
        proof = proof_of(make, cached=False)
        yield name, proof
        if proof.proved >= set(PROPERTIES):
            return


def _row(used: Isolation, name: Property, proof: Proof) -> Protection:
    holds = proof.works and name in proof.proved
    by = BY[used.rung].get(name, "this machine") if holds else ""
    hosts = len(_reached(used)) if name == "net_blocked" else 0
    but = f" but for {hosts} host{'s' if hosts > 1 else ''}" if hosts else ""
    return Protection(property=name, holds=holds, says=f"{KEPT[name]}{but}", by=by)


def _reached(used: Isolation) -> tuple[str, ...]:
    """The hosts that are let through: only a network of its own has a way to the proxy."""
    return used.bounds.hosts if used.rung == "bubblewrap" else ()


def _open(proof: Proof) -> Iterator[str]:
    if not proof.works:
        return
    yield from (OPEN[each] for each in PROPERTIES if each not in proof.proved)
    if "fs_write_confined" in proof.proved:
        yield from (_WEAK[each] for each in proof.weaknesses)


def _allowed(used: Isolation) -> Iterator[str]:
    """What the person's own settings open."""
    bounds = used.bounds
    named: Mapping[str, tuple[str, Sequence[str]]] = {
        "isolation.hosts": ("what is sent to the servers of", _reached(used)),
        "isolation.readable": ("what can be read in", bounds.readable),
        "isolation.writable": ("what can be changed in", bounds.writable),
    }
    yield from (f"{what} {', '.join(places)} ({key})" for key, (what, places) in named.items() if places)


def _out_of_reach(used: Isolation) -> Iterator[str]:
    if used.rung == "landlock" and used.bounds.hosts:
        yield f"commands do not reach {', '.join(used.bounds.hosts)} (isolation.hosts): that takes bubblewrap"


def _left_out(bounds: Bounds) -> Iterator[str]:
    told = told_of(command_environment(tuple(bounds.environment)))
    yield from ([told] if told else [])


def _passed_over(used: Rung, proofs: Mapping[Rung, Proof], config: Config) -> Iterator[str]:
    """Why the rungs above the one in use are not used."""
    if config.text("isolation.mode") == "off":
        yield "isolation is turned off (isolation.mode)"
        return
    for name, proof in proofs.items():
        if name == used:
            return
        lacks = ", ".join(each for each in PROPERTIES if each not in proof.proved)
        yield f"{name} is not used: {proof.trouble or f'it does not give {lacks} here'}"
