import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import fail_after

from hilt.results.failures import Retryable
from hilt.workspace.processes import Command, FoundJob, Job, Limits, Processes, supervisor
from hilt.workspace.processes.found import monitor_of
from hilt.workspace.processes.identity import Identity, identity, parent
from tests.commands import none_left, running, until_running

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 30
GETTERS = {"dumpable": 3, "death signal": 2, "subreaper": 37, "no new privileges": 39, "keep capabilities": 7}


def own_state() -> dict[str, Any]:
    """What is process-wide here, and what each thread blocks."""
    libc = ctypes.CDLL(None)
    told = ctypes.c_int()
    state: dict[str, Any] = {}
    for name, option in GETTERS.items():
        returned = libc.prctl(option, ctypes.byref(told) if option in (2, 37) else 0, 0, 0, 0)
        state[name] = told.value if option in (2, 37) else returned
    mask = os.umask(0)
    os.umask(mask)
    state["umask"] = mask
    state["handlers"] = {number: signal.getsignal(number) for number in signal.valid_signals()}
    state["wakeup"] = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(state["wakeup"])
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    state["limits"] = {name: resource.getrlimit(getattr(resource, name)) for name in names}
    state["folder"], state["environment"] = Path.cwd(), dict(os.environ)
    state["group"], state["session"] = os.getpgrp(), os.getsid(0)
    state["masks"] = {signal_lines(thread) for thread in Path("/proc/self/task").iterdir()}
    return state


def count_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def shell_among(pids: list[int]) -> int:
    return next(pid for pid in pids if Path(f"/proc/{pid}/comm").read_text() == "bash\n")


def signal_lines(thread: Path) -> tuple[str, ...]:
    lines = (thread / "status").read_text().splitlines()
    return tuple(line for line in lines if line.startswith(("SigBlk", "SigIgn", "SigCgt")))


async def finished(processes: Processes, *argv: str, **options: Any) -> tuple[Job, bytes]:
    job = await processes.start(Command(argv=argv, folder=options.pop("folder", "/"), **options))
    with fail_after(WAIT_S):
        await job.wait(None, whole=True)
    return job, os.pread(job.log, 1 << 20, 0)


async def test_a_hundred_commands_change_nothing_in_the_host() -> None:
    processes = Processes()
    await finished(processes, "true")
    before, threads = own_state(), threading.active_count()
    descriptors = count_descriptors()
    for number in range(100):
        job, output = await finished(processes, "bash", "-c", f"umask 0; ulimit -n 64; cd /; echo {number}")
        assert output == f"{number}\n".encode()
        await job.remove()
    assert count_descriptors() == descriptors
    await processes.close()
    assert own_state() == before
    assert threading.active_count() <= threads + 2  # anyio's own, which sleep


async def test_nothing_is_left_of_a_command_that_was_removed() -> None:
    processes = Processes()
    job, _ = await finished(processes, "true")
    place = job.place
    await job.remove()
    assert not list(place.iterdir())
    await processes.close()
    assert not place.parent.exists()


async def test_an_emptied_folder_serves_the_next_command_but_no_fork_and_not_where_something_is_left_in_it() -> None:
    processes = Processes()
    job, _ = await finished(processes, "true")
    first, root = job.place, job.place.parent
    await job.remove()
    assert processes.new_place() == first
    job, _ = await finished(processes, "mkdir", str(root / "kept"))
    (job.place / "made" / "inside").mkdir(parents=True)
    left = job.place
    await job.remove()
    assert not left.exists()
    jobs = [(await finished(processes, "true"))[0] for _ in range(supervisor.MOST_SPARE + 3)]
    for each in jobs:
        await each.remove()
    assert len(list(root.iterdir())) == supervisor.MOST_SPARE + 2
    child = os.fork()
    if child == 0:
        os._exit(0 if processes.new_place() not in {each.place for each in jobs} else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0  # noqa: ASYNC222  # it ends at once
    jobs[0].place.rmdir()
    assert {processes.new_place() for _ in range(supervisor.MOST_SPARE)}.isdisjoint({jobs[0].place, first})
    await processes.close()
    assert not root.exists()


async def test_a_daemon_that_left_its_session_and_parent_is_ended_with_the_job() -> None:
    processes = Processes()
    script = (
        "import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n  os.closerange(0,9)\n  time.sleep(64.75)"
    )
    job = await processes.start(Command(argv=(sys.executable, "-c", script), folder="/"))
    with fail_after(WAIT_S):
        assert await job.wait(None)
        assert job.status == 0
        assert [each.pid for each in job.left]
        job.stop()
        assert await job.wait(None, whole=True)
    assert not running("64.75")
    await processes.close()


async def test_what_ignores_being_asked_or_is_stopped_is_killed() -> None:
    processes = Processes()
    job = await processes.start(
        Command(argv=("bash", "-c", "trap '' TERM; kill -STOP $$; while :; do sleep 65.75; done"), folder="/")
    )
    with fail_after(WAIT_S):
        assert not await job.wait(0.3)
        job.stop()
        assert await job.wait(None, whole=True)
    assert job.ended is not None
    assert job.ended.status == -signal.SIGKILL
    assert job.ended.stopped == "asked"
    await processes.close()


COMETS = """
import os, time
end = time.time() + 20
for _ in range(3):
    if os.fork() == 0:
        while time.time() < end:
            if os.fork():
                os._exit(0)
        os._exit(0)
time.sleep(20)"""
CROWD = """
import os, time
for _ in range(400):
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
time.sleep(20)"""


@pytest.mark.parametrize("script", [COMETS, CROWD])
async def test_processes_that_are_many_or_never_the_same_are_all_ended(script: str) -> None:
    processes = Processes()
    mark = f"#{script is CROWD}.78.75"
    job = await processes.start(Command(argv=(sys.executable, "-S", "-c", f"{script}\n{mark}"), folder="/"))
    with fail_after(WAIT_S):
        await until_running(mark, 3)
        job.stop()
        assert await job.wait(None, whole=True)
        await none_left(mark)
    await processes.close()


@pytest.mark.parametrize("victim", ["monitor", "launcher"])
async def test_a_killed_watcher_leaves_nothing_running(victim: str) -> None:
    processes = Processes()
    job = await processes.start(Command(argv=("bash", "-c", "setsid sleep 66.75 & sleep 66.75"), folder="/"))
    with fail_after(WAIT_S):
        await job.started()
        while len(running("66.75")) < 3:
            await job.wait(0.02)
        monitor = parent(shell_among(running("66.75")))
        assert monitor is not None
        launcher = parent(monitor)
        assert launcher is not None
        os.kill(monitor if victim == "monitor" else launcher, signal.SIGKILL)
        if victim == "monitor":
            await job.wait(None, whole=True)
            assert job.ended is not None
            assert job.ended.stopped == "lost"
        else:
            job.stop()
            await job.wait(None, whole=True)
        await none_left("66.75")
        again, output = await finished(processes, "echo", "again")
        assert output == b"again\n"
        assert again.status == 0
    await processes.close()


@pytest.mark.parametrize("end", ["kill", "exit"])
async def test_a_host_that_is_gone_takes_its_commands_along(end: str) -> None:
    script = f"""
import anyio, os, signal
from hilt.workspace.processes import Command, Processes
async def main():
    processes = Processes()
    job = await processes.start(Command(argv=("bash", "-c", "setsid sleep 67.75 & sleep 67.75"), folder="/"))
    await job.started()
    await job.wait(0.3)
    print("up", flush=True)
    {"os.kill(os.getpid(), signal.SIGKILL)" if end == "kill" else "os._exit(0)"}
anyio.run(main)
"""
    with fail_after(WAIT_S):
        await anyio.run_process([sys.executable, "-c", script], check=False)
        await none_left("67.75")


def test_a_host_that_never_closes_leaves_no_folder_and_a_fork_of_it_removes_none(tmp_path: Path) -> None:
    script = """
import os, sys
from hilt.workspace.processes import Processes
processes = Processes()
place = processes.new_place()
if os.fork() == 0:
    sys.exit()
os.wait()
print(place.is_dir())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", script]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert said == "True\n"
    assert list(tmp_path.iterdir()) == []


def test_output_past_what_is_kept_is_counted_and_its_end_kept(tmp_path: Path) -> None:
    script = f"""
import os
from hilt.workspace.processes import command, drain
drain.KEPT_BYTES = 1000
reading, writing = os.pipe()
os.set_blocking(reading, False)
log = os.open({str(tmp_path / "log")!r}, os.O_RDWR | os.O_CREAT)
moved = drain.Drain(reading, log, plain=True)
for number in range(40):
    os.write(writing, b"%04d" % number * 1000)
    while moved.some():
        pass
os.close(writing)
moved.rest()
print(moved.total, moved.gap())
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    kept = (tmp_path / "log").read_bytes()
    assert said == f"160000 {{'at': 1000, 'bytes': {160_000 - 1_000 - 65_536}}}\n"
    assert kept.startswith(b"0000" * 250 + b"\n[93,464 bytes are not kept]\n")
    assert kept.endswith(b"0039" * 1000)


async def test_a_command_gets_the_descriptors_environment_and_limits_it_was_given(tmp_path: Path) -> None:
    processes = Processes()
    reading, writing = os.pipe()
    os.write(writing, b"typed")
    os.close(writing)
    given = os.open(tmp_path / "given", os.O_RDWR | os.O_CREAT)
    job, output = await finished(
        processes,
        "bash",
        "-c",
        "cat; echo; echo $A; ulimit -n; echo passed >&3; ls /proc/self/fd | wc -l",
        environment={"A": "b", "PATH": os.environ["PATH"]},
        stdin=reading,
        passes=(given,),
        limits=Limits(open_files=77, cpu_s=9),
    )
    assert output.decode().split() == ["typed", "b", "77", "5"]
    assert (tmp_path / "given").read_bytes() == b"passed\n"
    for each in (reading, given):
        os.close(each)
    assert job.status == 0
    await processes.close()


async def test_a_program_that_cannot_be_run_says_why(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    processes = Processes()
    for argv, number, limits in [
        (("no-such-program",), 2, Limits()),
        (("no-such-program",), 2, Limits(cpu_s=5)),
        ((str(tmp_path / "plain"),), 13, Limits()),
    ]:
        job = await processes.start(Command(argv=argv, folder="/", limits=limits))
        with fail_after(WAIT_S):
            assert await job.started() == number
        await job.remove()
    await processes.close()


async def test_fifty_commands_at_once_each_get_their_own_output() -> None:
    processes = Processes()
    outputs: dict[int, bytes] = {}

    async def one(number: int) -> None:
        job, outputs[number] = await finished(processes, "bash", "-c", f"echo {number}; exit {number}")
        assert job.status == number
        await job.remove()

    async with anyio.create_task_group() as group:
        for number in range(50):
            group.start_soon(one, number)
    assert outputs == {number: f"{number}\n".encode() for number in range(50)}
    await processes.close()


async def test_more_commands_than_may_run_are_refused_for_now() -> None:
    processes = Processes()
    for _ in range(supervisor.MOST_RUNNING):
        await processes.start(Command(argv=("sleep", "68.75"), folder="/"))
    with pytest.raises(Retryable):
        await processes.start(Command(argv=("true",), folder="/"))
    await processes.close()
    with fail_after(WAIT_S):
        await none_left("68.75")


async def test_a_kept_job_is_found_again_by_its_folder_read_and_stopped(tmp_path: Path) -> None:
    first = Processes(lambda: tmp_path, outlive=True)
    job = await first.start(Command(argv=("bash", "-c", "echo here; sleep 69.75"), folder="/"))
    with fail_after(WAIT_S):
        await job.started()
        await first.background(job)
        while not job.written:
            await job.wait(0.02)
        await first.close()
        assert running("69.75")
        second = Processes(lambda: tmp_path)
        found = second.job_at(job.place)
        assert isinstance(found, FoundJob)
        assert found.ended is None
        log = found.open_log()
        assert os.pread(log, 100, 0) == b"here\n"
        os.close(log)
        assert not await found.wait(0)
        monitor = monitor_of(job.place)
        assert monitor is not None
        os.kill(monitor.pid, signal.SIGSTOP)
        found.stop()
        assert await found.wait(None)
        assert found.status == -signal.SIGTERM
        assert not running("69.75")
        await second.close()


async def test_a_number_that_means_another_process_now_is_not_taken_for_the_monitor(tmp_path: Path) -> None:
    me = identity(os.getpid())
    assert me is not None
    assert me.alive
    for wrong in (
        Identity(pid=me.pid, start=me.start - 1, boot=me.boot),
        Identity(pid=me.pid, start=me.start, boot="another"),
    ):
        assert not wrong.alive
        (tmp_path / "status.json").write_text(json.dumps({"pid": wrong.pid, "start": wrong.start, "boot": wrong.boot}))
        found = FoundJob(tmp_path)
        found.stop()  # this process would not outlive it
        assert found.ended is not None
        assert found.ended.stopped == "lost"
