"""What a rung of isolation adds to the start of a command: the same program behind each, in turns, and bare."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from measuring import Options, Row, in_turns_async, medians, options, report

from hilt.workspace.isolation import Bounds
from hilt.workspace.isolation.ladder import bubblewrap, landlock
from hilt.workspace.processes import Command, Processes

PROGRAM = "/bin/true"
GOALS_MS = {"bubblewrap": 10, "landlock": 2}
"""The most that a rung may add."""


def main(asked: Options) -> None:
    rounds = 300 if asked.full else 60
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        subprocess.run(["git", "init", "-q", folder], check=True)
        measured = asyncio.run(starts(root, rounds))
    bare = statistics.median(measured["bare"])
    for rung, goal in GOALS_MS.items():
        if rung not in measured:
            print(f"{rung}: not on this machine", file=sys.stderr)
            continue
        found = statistics.median(measured[rung])
        detail = f"{found / bare:.2f} times a bare start"
        report(
            Row(name=f"isolation, {rung}: more than bare", goal=goal, value=found - bare, unit="ms", detail=detail),
            asked,
        )
    print(medians(measured, "ms"), file=sys.stderr)


async def starts(root: Path, rounds: int) -> dict[str, list[float]]:
    """Milliseconds from asking for a command that does nothing to its end, behind each rung."""
    bounds = Bounds(roots=(str(root),))
    made = {"bare": None, "bubblewrap": bubblewrap(bounds), "landlock": landlock(bounds)}
    all_of_them = {name: Processes(isolation=each) for name, each in made.items() if name == "bare" or each}
    contenders = {name: starting(processes, root) for name, processes in all_of_them.items()}
    await in_turns_async(contenders, 3)
    measured = await in_turns_async(contenders, rounds)
    for each in all_of_them.values():
        await each.close()
    return {name: list(taken) for name, taken in measured.items()}


def starting(processes: Processes, root: Path) -> Callable[[], Awaitable[float]]:
    async def one() -> float:
        started = time.perf_counter()
        job = await processes.start(Command(argv=(PROGRAM,), folder=str(root)))
        await job.wait(None, whole=True)
        took = (time.perf_counter() - started) * 1e3
        if job.ended is None or job.ended.status != 0:
            raise SystemExit(f"{PROGRAM}: {job.failed} {job.ended}")
        await job.remove()
        return took

    return one


if __name__ == "__main__":
    main(options(__doc__))
