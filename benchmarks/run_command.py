"""`run_command` through the whole road against a bare subprocess; and 1 GB of output against `tee` and `tail`."""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from measuring import Options, Row, in_turns, in_turns_async, medians, options, process_megabytes, ratio, report

from hilt import Runtime, Session
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.tools.artifact_read import artifact_read
from hilt.tools.run_command import run_command
from hilt.workspace import Workspace
from hilt.workspace.processes import Processes

PROGRAM = "/bin/true"
BYTES = 1_000_000_000
WRITES = f"yes 'this is a line of the log, number something' | head -c {BYTES}"
SHOWN = 100_000


def main(asked: Options) -> None:
    rounds = 200 if asked.full else 60
    for name, arguments, bare in (
        ("argv", {"argv": [PROGRAM]}, [PROGRAM]),
        ("command", {"command": PROGRAM}, ["/bin/bash", "-c", PROGRAM]),
    ):
        measured = asyncio.run(small(arguments, bare, rounds))
        more = statistics.median(measured["hilt"]) - statistics.median(measured["subprocess"])
        row = Row(name=f"run_command, {name}: more than a subprocess", goal=5, value=more, unit="ms")
        report(row, asked)
        print(medians(measured, "ms"), file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        measured = in_turns({"hilt": lambda: large(place), "tee": lambda: tee(place)}, 5 if asked.full else 3)
        value = ratio(measured, "hilt", "tee")
        report(Row(name="run_command, 1 GB / tee | tail", goal=1.3, value=value, detail=medians(measured, "ms")), asked)
        report(Row(name="run_command, 1 GB, memory", goal=40, value=memory(place), unit="MB"), asked)


async def small(arguments: Mapping[str, object], bare: list[str], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of a command that does nothing; the launcher has been started."""
    processes = Processes()
    runtime, session = running(Path("/tmp"), processes), Session()

    async def ours() -> float:
        started = time.perf_counter()
        result = await runtime.call(session, "run_command", arguments)
        took = (time.perf_counter() - started) * 1e3
        if result.summary != "exit code 0":
            raise SystemExit(f"run_command: {result}"[:500])
        return took

    async def theirs() -> float:
        started = time.perf_counter()
        subprocess.run(bare, check=True, stdin=subprocess.DEVNULL, capture_output=True)  # noqa: ASYNC221  # what is compared
        return (time.perf_counter() - started) * 1e3

    contenders = {"hilt": ours, "subprocess": theirs}
    await in_turns_async(contenders, 3)
    measured = await in_turns_async(contenders, rounds)
    await processes.close()
    return {name: list(taken) for name, taken in measured.items()}


def running(folder: Path, processes: Processes) -> Runtime:
    world = Workspace([folder])
    parts = {Workspace: world, Processes: processes}
    allowed = Policy(preset="unattended", rules=(Rule(word="allow", tools="run_command"),))
    return Runtime([run_command, artifact_read], policy=allowed, parts=parts, resolver=world)


def large(folder: Path) -> float:
    return asyncio.run(gigabyte(folder))


async def gigabyte(folder: Path) -> float:
    """Milliseconds until 1 GB of output is kept, read and answered."""
    processes = Processes()
    runtime, session = running(folder, processes), Session()
    await runtime.call(session, "run_command", {"argv": [PROGRAM]})
    started = time.perf_counter()
    result = await runtime.call(session, "run_command", {"command": WRITES})
    took = (time.perf_counter() - started) * 1e3
    if result.artifact is None or result.artifact.bytes != BYTES:
        raise SystemExit(f"run_command: not {BYTES:,} bytes: {result}"[:500])
    await processes.close()
    await runtime.close()
    return took


def tee(folder: Path) -> float:
    started = time.perf_counter()
    line = f"{WRITES} | tee {folder}/log | tail -c {SHOWN}"
    subprocess.run(["/bin/bash", "-c", line], check=True, stdout=subprocess.DEVNULL)
    took = (time.perf_counter() - started) * 1e3
    (folder / "log").unlink()
    return took


def memory(folder: Path) -> float:
    """Megabytes a fresh process needs at most for this command, over what it holds once all is imported."""
    finished = subprocess.run(
        [sys.executable, __file__, "--memory", str(folder)], check=True, capture_output=True, text=True
    )
    return float(finished.stdout)


async def megabytes(folder: Path) -> float:
    processes = Processes()
    await running(folder, processes).call(Session(), "run_command", {"command": "seq 1 9999"})
    await processes.close()
    before = process_megabytes("VmRSS")
    await gigabyte(folder)
    return max(0.0, process_megabytes("VmHWM") - before)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        print(asyncio.run(megabytes(Path(sys.argv[2]))))
    else:
        main(options(__doc__))
