"""What every benchmark shares: rounds taken in turns, the median of their ratios, and one row of the report.

A machine that others use is slow at times, and all measured in one moment are slow together. So
contenders run in turns, A B C A B C, and the figure is the median of each round's own ratio.
"""

import argparse
import json
import statistics
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

Unit = Literal["us", "ms", "MB", "tokens", "jobs", "files", "scripts", "errors", "% missed"]
Rounds = Mapping[str, list[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure: `value` is what the goal bounds, a ratio unless `unit` names one; `detail` says of what."""

    name: str
    goal: float | None
    value: float
    unit: Unit | None = None
    detail: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the goal is reached; None where there is none."""
        return None if self.goal is None else self.value <= self.goal


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How a benchmark was asked to run."""

    full: bool
    json: bool


def options(description: str | None) -> Options:
    """The options every benchmark takes."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--json", action="store_true", help="one JSON object a row")
    given = parser.parse_args()
    return Options(full=given.full, json=given.json)


def report(row: Row, asked: Options) -> None:
    """Print one row at once, so that a run that is stopped has said what it knew."""
    print(json.dumps(asdict(row)) if asked.json else line(row), flush=True)


def line(row: Row) -> str:
    """A row for people."""
    verdict = {True: "reached", False: "MISSED", None: ""}[row.reached]
    goal = "" if row.goal is None else f"goal <= {written(row.goal, row.unit)}"
    return f"{row.name:44} {written(row.value, row.unit):>9}  {goal:16} {verdict:8} {row.detail}".rstrip()


def written(value: float, unit: Unit | None) -> str:
    """`1.04x`, or `12.3 ms`."""
    return f"{value:.2f}x" if unit is None else f"{value:.1f} {unit}"


def in_turns(contenders: Mapping[str, Callable[[], float]], rounds: int) -> Rounds:
    """What each contender measured of itself in each round, all in turns."""
    measured: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, measure in contenders.items():
            measured[name].append(measure())
    return measured


async def in_turns_async(contenders: Mapping[str, Callable[[], Awaitable[float]]], rounds: int) -> Rounds:
    """The same for contenders that must be awaited."""
    measured: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, measure in contenders.items():
            measured[name].append(await measure())
    return measured


def ratio(measured: Rounds, ours: str, theirs: str) -> float:
    """The median of the rounds' own ratios."""
    return statistics.median(a / b for a, b in zip(measured[ours], measured[theirs], strict=True))


def medians(measured: Rounds, unit: Unit, *names: str) -> str:
    """The medians in words: `hilt 20.1 us, mcp 19.4 us`."""
    return ", ".join(f"{name} {statistics.median(measured[name]):.1f} {unit}" for name in names or measured)


def process_megabytes(field: Literal["VmRSS", "VmHWM"]) -> float:
    """Memory of this process: resident now, or at most until now."""
    for each in Path("/proc/self/status").read_text().splitlines():
        name, _, value = each.partition(":")
        if name == field:
            return int(value.split()[0]) / 1024
    raise LookupError(field)
