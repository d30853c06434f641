import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio import fail_after

from hilt.workspace.isolation import Bounds
from hilt.workspace.isolation.ladder import bubblewrap
from hilt.workspace.processes import Command, Job, Processes
from tests.needs import need

WAIT_S = 60


@asynccontextmanager
async def confined(root: Path) -> AsyncGenerator[Processes]:
    need("bwrap", "isolation runs commands in it")
    isolation = bubblewrap(Bounds(roots=(str(root),)))
    processes = Processes(isolation=isolation)
    try:
        yield processes
    finally:
        await processes.close()


async def ran(processes: Processes, script: str, folder: Path) -> tuple[Job, str]:
    job = await processes.start(Command(argv=("/bin/bash", "-c", script), folder=str(folder)))
    with fail_after(WAIT_S):
        assert await job.started() is None
        await job.wait(None, whole=True)
    return job, os.pread(job.log, 1 << 16, 0).decode()


async def test_a_command_writes_in_the_workspace_and_nowhere_else(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    async with confined(root) as processes:
        script = f"echo in > here; echo out > {outside}/canary; echo out > /etc/canary; touch /usr/canary; cat here"
        job, output = await ran(processes, script, root)
    assert output.endswith("in\n")
    assert (root / "here").read_text() == "in\n"
    assert not list(outside.iterdir())
    assert not any(os.path.exists(f"{each}/canary") for each in ("/etc", "/usr"))
    assert job.ended is not None
    assert job.ended.status == 0
