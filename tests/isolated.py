"""What tests of isolation share: processes behind a rung, and what a script did there."""

import os
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import fail_after

from hilt.workspace.isolation import Bounds, Isolation
from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.isolation.ladder import bubblewrap, landlock
from hilt.workspace.processes import Command, Job, Processes
from tests.needs import missing

WAIT_S = 60
RUNGS: tuple[Rung, ...] = ("bubblewrap", "landlock")


def isolation(rung: Rung, bounds: Bounds) -> Isolation:
    """The rung, where this machine has it."""
    made = {"bubblewrap": bubblewrap, "landlock": landlock}[rung](bounds)
    if made is None:
        missing(f"{rung} is not here: commands are run behind it")
    assert made is not None
    return made


@asynccontextmanager
async def behind(rung: Rung, *roots: Path, **bounds: Sequence[str]) -> AsyncGenerator[Processes]:
    """Processes behind a rung, which end with the block."""
    made = isolation(rung, Bounds(roots=tuple(map(str, roots)), **bounds))  # type: ignore[arg-type]  # fields of Bounds
    processes = Processes(isolation=made)
    try:
        yield processes
    finally:
        await processes.close()


async def ran(processes: Processes, script: str, folder: Path, **options: object) -> tuple[int | None, str]:
    """The exit code and output of a script for bash."""
    job = await started(processes, script, folder, **options)
    with fail_after(WAIT_S):
        await job.wait(None, whole=True)
    output = os.pread(job.log, 1 << 16, 0).decode()
    status = job.ended.status if job.ended else None
    await job.remove()
    return status, output


async def started(processes: Processes, script: str, folder: Path, **options: object) -> Job:
    """A script for bash that has been started."""
    bash = shutil.which("bash") or "bash"
    job = await processes.start(Command(argv=(bash, "-c", script), folder=str(folder), **options))  # type: ignore[arg-type]  # fields of Command
    with fail_after(WAIT_S):
        assert await job.started() is None
    return job
