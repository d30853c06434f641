"""The table of a day: what each job cost with each system, whether it was right, and what the goals say."""

import json
import statistics
from collections.abc import Sequence
from typing import Any

from economy.runner import Day

NAMED = ("broad_search", "run_tests")
"""The two jobs told apart: with peers they cost three quarters of all."""

ALL_GOAL = 10_000
OTHERS_GOAL = 6_000
US = "hilt"


def table(days: Sequence[Day], jobs: Sequence[str]) -> str:
    """For people: a line a job, tokens of each system, `x` where wrong and `-` where there is no tool."""
    present = [day for day in days if not day.unavailable]
    lines = ["{:18}{}{:>11}".format("job", "".join(f"{day.system:>11}" for day in present), "par")]
    best = par(present, jobs)
    for job in jobs:
        cells = "".join(f"{_cell(day, job):>11}" for day in present)
        lines.append(f"{job:18}{cells}{_number(best[job]):>11}")
    for name, value in _figures(present[0] if present else None, jobs):
        lines.append(f"{name:18}{''.join(f'{_number(value(day)):>11}' for day in present)}")
    everything = sum(value or 0 for value in best.values())
    lines.append(f"par of the peers   all {_number(everything)}, without the two {_number(_without(best))}")
    lines += [f"{day.system}: not available: {day.unavailable}" for day in days if day.unavailable]
    return "\n".join(lines)


def _figures(first: Day | None, jobs: Sequence[str]):
    def costs(day: Day) -> list[int]:
        return [day.outcomes[job].tokens for job in jobs if job in day.outcomes and day.outcomes[job].calls]

    return (
        ("right", lambda day: sum(day.outcomes[job].right for job in jobs if job in day.outcomes)),
        ("sum", lambda day: sum(costs(day))),
        ("without the two", lambda day: without_named(day)),
        ("median", lambda day: int(statistics.median(costs(day) or [0]))),
        ("worst", lambda day: max(costs(day) or [0])),
        ("calls", calls),
        ("declared", lambda day: sum(day.declared.values())),
        ("  of it resident", lambda day: resident(day)),
        ("declared x calls", lambda day: sum(day.declared.values()) * calls(day)),
        ("  resident x calls", lambda day: resident(day) * calls(day)),
    )


def calls(day: Day) -> int:
    """Turns that carry the declarations: one a call."""
    return sum(len(outcome.calls) for outcome in day.outcomes.values())


def resident(day: Day) -> int:
    """Tokens declared in every request, where a system defers the rest; all where it does not."""
    return sum(cost for name, cost in day.declared.items() if not day.resident or name in day.resident)


def total(day: Day) -> int:
    return sum(outcome.tokens for outcome in day.outcomes.values())


def without_named(day: Day) -> int:
    return sum(outcome.tokens for outcome in day.outcomes.values() if outcome.job not in NAMED)


def par(days: Sequence[Day], jobs: Sequence[str]) -> dict[str, int | None]:
    """The cheapest right run of each job among the peers."""
    best: dict[str, int | None] = {}
    for job in jobs:
        found = [day.outcomes[job].tokens for day in days if day.system != US and _right(day, job)]
        best[job] = min(found, default=None)
    return best


def _without(best: dict[str, int | None]) -> int:
    return sum(value or 0 for job, value in best.items() if job not in NAMED)


def _right(day: Day, job: str) -> bool:
    return job in day.outcomes and day.outcomes[job].right


def _cell(day: Day, job: str) -> str:
    outcome = day.outcomes.get(job)
    if outcome is None or not outcome.calls:
        return "-"
    return f"{outcome.tokens:,}{'' if outcome.right else ' x'}"


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def faults(days: Sequence[Day]) -> str:
    """What was wrong, a line each."""
    return "\n".join(
        f"{day.system} {outcome.job}: {'; '.join(outcome.faults)}"
        for day in days
        for outcome in day.outcomes.values()
        if outcome.faults
    )


def document(days: Sequence[Day], seed: int) -> dict[str, Any]:
    """All of it, for programs: every call with its arguments, its answer and its tokens."""
    return {
        "schema_version": 1,
        "seed": seed,
        "counter": "o200k_base",
        "systems": [
            {
                "system": day.system,
                "unavailable": day.unavailable,
                "declared": day.declared,
                "jobs": [
                    {
                        "job": outcome.job,
                        "right": outcome.right,
                        "faults": outcome.faults,
                        "tokens": outcome.tokens,
                        "calls": [
                            {
                                "tool": call.tool,
                                "arguments": call.arguments,
                                "text": call.text,
                                "sent": call.sent,
                                "returned": call.returned,
                            }
                            for call in outcome.calls
                        ],
                    }
                    for outcome in day.outcomes.values()
                ],
            }
            for day in days
        ],
    }


def written(days: Sequence[Day], seed: int) -> str:
    return json.dumps(document(days, seed), ensure_ascii=False, indent=1)
