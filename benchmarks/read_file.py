"""`read_file` at 99 % of a 1 GB file through the whole road, exact total included, against `sed -n`; and its memory."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import trees
from measuring import Options, Row, in_turns, medians, options, process_megabytes, ratio, report

from hilt import Runtime, Session
from hilt.tools.read_file import read_file
from hilt.workspace import Workspace

LINES = 200
FIRST = trees.BIG_LINES * 99 // 100


def main(asked: Options) -> None:
    rounds = 11 if asked.full else 5
    name = "read_file at 99 % of 1 GB"
    with trees.big_file() as path:
        contenders = {"hilt": lambda: read(path), "sed": lambda: sed(path)}
        in_turns(contenders, 1)  # warm: the page cache, imports
        measured = in_turns(contenders, rounds)
        value = ratio(measured, "hilt", "sed")
        report(Row(name=f"{name} / sed -n", goal=1.1, value=value, detail=medians(measured, "ms")), asked)
        report(Row(name=f"{name}, memory", goal=8, value=memory(path), unit="MB"), asked)


def read(path: Path) -> float:
    """Milliseconds of one page; the file is touched before, so that nothing counted earlier holds."""
    path.touch()
    return asyncio.run(page(path))


async def page(path: Path) -> float:
    runtime = reader(path)
    started = time.perf_counter()
    result = await runtime.call(Session(), "read_file", {"path": str(path), "offset": FIRST, "limit": LINES})
    took = (time.perf_counter() - started) * 1e3
    if result.truncation is None or result.truncation.total != trees.BIG_LINES or len(result.items) != LINES:
        raise SystemExit(f"read_file: not {LINES} lines of {trees.BIG_LINES:,}: {result}"[:500])
    return took


def reader(path: Path) -> Runtime:
    world = Workspace([path.parent])
    return Runtime([read_file], parts={Workspace: world}, resolver=world)


def sed(path: Path) -> float:
    started = time.perf_counter()
    command = ["sed", "-n", f"{FIRST},{FIRST + LINES - 1}p", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - started) * 1e3


def memory(path: Path) -> float:
    """Megabytes a fresh process needs at most for this page, over what it holds once all is imported."""
    finished = subprocess.run(
        [sys.executable, __file__, "--memory", str(path)], check=True, capture_output=True, text=True
    )
    return float(finished.stdout)


def megabytes(path: Path) -> float:
    here = Path(__file__)
    asyncio.run(reader(here).call(Session(), "read_file", {"path": str(here)}))  # imports and threads
    before = process_megabytes("VmRSS")
    read(path)
    return max(0.0, process_megabytes("VmHWM") - before)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        print(megabytes(Path(sys.argv[2])))
    else:
        main(options(__doc__))
