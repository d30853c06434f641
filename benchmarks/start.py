"""How soon a program starts: `import hilt`, the first tool declared, `hilt --version`, and what they hold in memory.

Whole processes are bounded in milliseconds, to which a busy machine only adds: their figure is the best of the rounds.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from measuring import Options, Row, in_turns, medians, options, ratio, report

FIRST_TOOL = """
from hilt import tool
@tool(kind="perceive", limit=1, effects={"reads": "none"})
async def search(pattern: str, limit: int = 250) -> str:
    '''Search the code base.

    Args:
        pattern: what to look for
        limit: at most this many
    '''
    return pattern
"""
PYDANTIC_ALONE = """
from pydantic import TypeAdapter
from typing_extensions import TypedDict
reader = TypeAdapter(TypedDict("Arguments", {"pattern": str, "limit": int}))
reader.json_schema()
TypeAdapter(list[str]).json_schema()
"""
PROGRAMS = {
    "bare python": "pass",
    "import hilt": "import hilt",
    "first tool": FIRST_TOOL,
    "pydantic": "import pydantic; pydantic.BaseModel",
    "pydantic alone": PYDANTIC_ALONE,
}
RESIDENT = "\nprint(open('/proc/self/status').read().split('VmRSS:')[1].split()[0])"


def main(asked: Options) -> None:
    rounds = 41 if asked.full else 15
    commands = {name: [sys.executable, "-c", program] for name, program in PROGRAMS.items()}
    commands["hilt --version"] = [str(Path(sys.executable).with_name("hilt")), "--version"]
    contenders = {name: started(command) for name, command in commands.items()}
    in_turns(contenders, 2)  # warm
    measured = in_turns(contenders, rounds)
    bare = measured["bare python"]
    over = {
        name: statistics.median(a - b for a, b in zip(taken, bare, strict=True)) for name, taken in measured.items()
    }
    detail, value = medians(measured, "ms", "import hilt", "bare python"), over["import hilt"]
    report(Row(name="import hilt, over bare python", goal=30, value=value, unit="ms", detail=detail), asked)
    for name, goal in (("first tool", 200), ("hilt --version", 80)):
        compared = f"{ratio(measured, name, 'pydantic'):.2f}x of `import pydantic; pydantic.BaseModel`"
        detail = f"best of {rounds}; {compared}"
        if name == "first tool":
            detail += f", {ratio(measured, name, 'pydantic alone'):.2f}x of pydantic reading the same types alone"
        value = min(measured[name])
        report(Row(name=f"{name}, whole process", goal=goal, value=value, unit="ms", detail=detail), asked)
    memory(asked)


def started(command: Sequence[str]) -> Callable[[], float]:
    def milliseconds() -> float:
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - begun) * 1e3

    return milliseconds


def memory(asked: Options) -> None:
    bare = resident(PROGRAMS["bare python"])
    over = {name: resident(PROGRAMS[name]) - bare for name in PROGRAMS}
    detail = f"first tool {over['first tool']:.1f} MB, pydantic {over['pydantic']:.1f} MB"
    value = over["import hilt"]
    report(Row(name="import hilt, memory over bare python", goal=15, value=value, unit="MB", detail=detail), asked)


def resident(program: str) -> float:
    """Megabytes of a fresh process behind the program; the median of three."""
    command = [sys.executable, "-c", program + RESIDENT]
    return statistics.median(
        int(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1]) / 1024
        for _ in range(3)
    )


if __name__ == "__main__":
    main(options(__doc__))
