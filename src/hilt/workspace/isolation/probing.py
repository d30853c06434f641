"""What a rung gives on this machine: tried, by a program that does every forbidden act within it.

That a program is installed, or a kernel knows a call, proves nothing: a container's filter, a
setting of the distribution or a bound on namespaces decides. What came of a try is remembered for
this boot, this user and this very way to isolate, and only where nobody else can write.
"""

import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import anyio

from hilt.errors import StoreError
from hilt.results.failures import ToolFailure
from hilt.store.home import home
from hilt.workspace.commands.environment import command_environment
from hilt.workspace.isolation.isolation import Bounds, Isolation
from hilt.workspace.isolation.probe_cache import mark, recall, remember
from hilt.workspace.isolation.probe_scene import Proof, Scene
from hilt.workspace.processes import Processes
from hilt.workspace.processes.command import Command
from hilt.workspace.processes.job import Job

WITHIN_S = 10.0
"""Seconds after which a probe that has not come to its end is ended, and proves nothing."""
LOOK_EVERY_S = 0.002
MOST_SAID = 64 << 10
"""Bytes of what a probe says that are read."""
LONGEST_TROUBLE = 300
"""Characters of what a rung said that are kept when it does not work."""
_INSIDE = Path(__file__).with_name("probe_inside.py")

Maker = Callable[[Bounds], Isolation | None]


def proof_of(make: Maker, *, cached: bool = True) -> Proof:
    """Try a rung out, on folders of our own. Blocks, for about a tenth of a second where it was not tried before.

    `make` gives the rung for bounds; None is a machine that has not what it needs. With `cached`,
    what an earlier try came to is taken instead; each try is remembered. Never raises for what a
    machine lacks.
    """
    try:
        with Scene(_folder()) as scene:
            made = make(Bounds(roots=(str(scene.root),)))
            if made is None:
                return Proof(works=False, trouble="what it needs is not on this machine")
            return _proof(made, scene, cached=cached)
    except (OSError, StoreError, ToolFailure) as fault:
        return Proof(works=False, trouble=str(fault)[:LONGEST_TROUBLE])


def _folder() -> Path:
    folder = home() / "cache"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _proof(made: Isolation, scene: Scene, *, cached: bool) -> Proof:
    name = mark(made, scene.root)
    known = recall(_folder(), name) if cached else None
    if known is not None:
        return known
    scene.listen()
    with ThreadPoolExecutor(1) as thread:  # whoever asks may have an event loop of its own
        proof = thread.submit(anyio.run, _tried, made, scene).result()
    remember(_folder(), name, proof)
    return proof


async def _tried(made: Isolation, scene: Scene) -> Proof:
    processes = Processes(isolation=made)
    words = (sys.executable, "-I", "-S", "-c", _INSIDE.read_text(encoding="utf-8"), *scene.words)
    environment = command_environment().given
    try:
        with anyio.fail_after(WITHIN_S):
            job = await processes.start(Command(argv=words, folder=str(scene.root), environment=environment))
            await _until_over(job)
            job.stop()
            await job.wait(None, whole=True)
        said = _said(job)
    except TimeoutError:
        return Proof(works=False, trouble=f"it did not end within {WITHIN_S:g} seconds")
    finally:
        await processes.close()
    proof = scene.proof(said)
    return proof if proof.works and "over" in said else Proof(works=False, trouble=_trouble(said))


async def _until_over(job: Job) -> None:
    """Wait until the program has tried everything, or has ended."""
    while "over" not in _said(job) and not await job.wait(LOOK_EVERY_S):
        pass


def _said(job: Job) -> dict[str, str]:
    """What came of each act; any other text stands under the empty name."""
    said: dict[str, str] = {}
    for line in os.pread(job.log, MOST_SAID, 0).decode("utf-8", "replace").splitlines():
        name, tab, outcome = line.partition("\t")
        if tab:
            said[name] = outcome
        else:
            said[""] = f"{said.get('', '')} {line}".strip()
    return said


def _trouble(said: Mapping[str, str]) -> str:
    return said.get("", "")[:LONGEST_TROUBLE] or "it ended before everything was tried"
