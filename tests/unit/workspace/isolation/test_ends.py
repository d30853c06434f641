"""Behind each rung everything a command started ends with it, whatever it did to get away."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from anyio import fail_after

from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.processes.tree import children
from tests.commands import none_left, until_running
from tests.isolated import RUNGS, WAIT_S, behind, ran, started

ROOT = Path(__file__).parents[4]
GETS_AWAY = {
    "a session of its own": "setsid sleep {mark} & exec sleep {mark}",
    "a double fork": "(setsid sh -c '(sleep {mark} &) ; exit' &) ; exec sleep {mark}",
    "ignores being asked": "trap '' TERM HUP; (sleep {mark}; sleep {mark}) & sleep {mark}; sleep {mark}",
    "stopped": "sleep {mark} & sleep 0.5; kill -STOP $!; exec sleep {mark}",
}


def mark_of(tmp_path: Path) -> str:
    """A length of sleep that no other test asks for, by which its processes are known."""
    return f"3{abs(hash(str(tmp_path))) % 10**8:08}"


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("how", GETS_AWAY)
@pytest.mark.parametrize("end", ["stop", "close"])
async def test_nothing_survives_the_end_of_a_command(rung: Rung, how: str, end: str, tmp_path: Path) -> None:
    mark = mark_of(tmp_path)
    async with behind(rung, tmp_path) as processes:
        with fail_after(WAIT_S):
            job = await started(processes, GETS_AWAY[how].format(mark=mark), tmp_path)
            await until_running(f"sleep\0{mark}", 2)
            if end == "stop":
                job.stop()
                await job.wait(None, whole=True)
            else:
                job.close()
            await none_left(f"sleep\0{mark}")


HOST = """
import anyio, sys
from pathlib import Path
from tests.isolated import behind, started

async def main(rung, root, script):
    async with behind(rung, Path(root)) as processes:
        await started(processes, script, Path(root))
        print("started", flush=True)
        await anyio.sleep_forever()

anyio.run(main, *sys.argv[1:])
"""


@pytest.mark.parametrize("rung", RUNGS)
async def test_nothing_survives_a_host_that_is_killed(rung: Rung, tmp_path: Path) -> None:
    mark = mark_of(tmp_path)
    with fail_after(WAIT_S):
        async with await anyio.open_process(
            [sys.executable, "-c", HOST, rung, str(tmp_path), GETS_AWAY["a double fork"].format(mark=mark)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=None,
        ) as host:
            assert host.stdout is not None
            await host.stdout.receive()
            await until_running(f"sleep\0{mark}", 2)
            host.kill()
            await none_left(f"sleep\0{mark}")


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_killed_monitor_leaves_nothing_running_and_no_protected_name(rung: Rung, tmp_path: Path) -> None:
    mark = mark_of(tmp_path)
    async with behind(rung, tmp_path) as processes:
        with fail_after(WAIT_S):
            job = await started(processes, f"echo x > .envrc; setsid sleep {mark} & exec sleep {mark}", tmp_path)
            await until_running(f"sleep\0{mark}", 2)
            (monitor,) = [pid for launcher in children(os.getpid()) for pid in children(launcher) if children(pid)]
            os.kill(monitor, signal.SIGKILL)
            await job.wait(None, whole=True)
            await none_left(f"sleep\0{mark}")
        assert job.ended is not None
        assert job.ended.stopped == "lost"
        assert not await anyio.Path(tmp_path / ".envrc").exists()


@pytest.mark.parametrize("rung", RUNGS)
async def test_what_a_command_leaves_running_goes_on_and_is_told_without_what_isolates_it(
    rung: Rung, tmp_path: Path
) -> None:
    mark = mark_of(tmp_path)
    async with behind(rung, tmp_path) as processes:
        with fail_after(WAIT_S):
            job = await started(processes, f"sleep {mark} & exit 3", tmp_path)
            assert await job.wait(None)
            assert (job.status, [each.command for each in job.left]) == (3, [f"sleep {mark}"])
            job.stop()
            await job.wait(None, whole=True)
            await none_left(f"sleep\0{mark}")


@pytest.mark.parametrize("rung", RUNGS)
async def test_how_a_command_ends_is_told_as_without_isolation(rung: Rung, tmp_path: Path) -> None:
    async with behind(rung, tmp_path) as processes:
        assert (await ran(processes, "exit 7", tmp_path))[0] == 7
        killed, _ = await ran(processes, "kill -9 $$", tmp_path)
        assert killed in (-signal.SIGKILL, 128 + signal.SIGKILL)
        job = await started(
            processes, "trap 'echo asked; exit 4' TERM; touch made; while :; do sleep 0.05; done", tmp_path
        )
        with fail_after(WAIT_S):
            while not await anyio.Path(tmp_path / "made").exists():
                await job.wait(0.02)
            job.stop()
            await job.wait(None, whole=True)
        assert job.ended is not None
        assert job.ended.status == 4
        assert os.pread(job.log, 100, 0).endswith(b"asked\n")
