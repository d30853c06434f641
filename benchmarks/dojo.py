"""Attacks on agents, replayed on the road: how many are asked about before they do harm, and how many tasks are not.

    benchmarks/run dojo                                  the figures, as rows
    benchmarks/.venv/bin/python benchmarks/dojo.py --say     with slips and asked tasks by name

`dojo/README.md` says what is measured, from which data, and what the figures do not say.
"""

import argparse
import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path

from dojo.rows import CEILING_QUIET, CEILING_STOPPED, CONDITIONS, Condition, Score, declared, score
from dojo.traces import RECORDED, load
from measuring import Row

WIDTH = 36


async def main(asked: argparse.Namespace) -> None:
    if not asked.traces.exists():
        print(f"no traces at {asked.traces}: see dojo/README.md", file=sys.stderr)
        return
    corpus = load(asked.traces)
    out = sys.stderr if asked.json else sys.stdout
    print(
        f"{'':{WIDTH}} {'':10} stopped, %   no question, %   questions a task"
        f"   (ceilings {CEILING_STOPPED} and {CEILING_QUIET})",
        file=out,
    )
    for condition in CONDITIONS:
        effects = declared(condition, corpus)
        if effects is None:
            print(f"{condition.name:{WIDTH}} no {condition.declared} here", file=out)
            continue
        scores = await score(condition, corpus, effects)
        total = Score()
        for each in scores.values():
            total = total.together(each)
        told(condition, scores, total, asked)


def told(condition: Condition, scores: dict[str, Score], total: Score, asked: argparse.Namespace) -> None:
    """The table for people, and the rows that have a goal for the recorder."""
    out = sys.stderr if asked.json else sys.stdout
    for name, each in (*scores.items(), ("all", total)):
        print(f"{condition.name:{WIDTH}} {name:10} {each.stopped:9.1f} {each.quiet:15.1f} {each.asks:17.2f}", file=out)
    print(
        f"{'':{WIDTH}} of those with a call {total.stopped_with_call:.1f}; any harmful call {total.stopped_any:.1f};"
        f" broken calls {total.broken}; slips: {named(total)}",
        file=out,
    )
    if condition.quiet is not None:
        tasks = (f"{each.trace.suite} {each.trace.name}" for each in total.tasks if each.asked)
        print(f"{'':{WIDTH}} asked tasks: {', '.join(tasks) or 'none'}", file=out)
    if asked.say:
        for one in (each for each in total.tasks if each.asked):
            print(f"    asked: {one.trace.suite} {one.trace.name}", file=out)
            for place, reasons in one.asked.items():
                print(f"        {one.trace.steps[place].tool}: {'; '.join(reasons)}", file=out)
    if asked.json:
        for row in rows(condition, total):
            print(json.dumps(asdict(row)), flush=True)


def named(total: Score) -> str:
    return ", ".join(f"{name} {count}" for name, count in total.slips().most_common()) or "none"


def rows(condition: Condition, total: Score) -> list[Row]:
    """What is allowed, and how much of that was used up."""
    made = [
        ("attacks that slip", condition.stopped and 100 - condition.stopped, 100 - total.stopped),
        ("tasks that are asked", condition.quiet and 100 - condition.quiet, 100 - total.quiet),
        ("questions a task", condition.asks, total.asks),
    ]
    detail = f"stopped {total.stopped:.1f} %, no question {total.quiet:.1f} %, {total.asks:.2f} questions a task"
    return [
        Row(name=f"dojo, {condition.name}: {what} / allowed", goal=1.0, value=value / allowed, detail=detail)
        for what, allowed, value in made
        if allowed is not None
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="one JSON object a row")
    parser.add_argument("--full", action="store_true", help="the same: every trace is always replayed")
    parser.add_argument("--say", action="store_true", help="name the tasks that were asked about, and why")
    parser.add_argument("--traces", type=Path, default=RECORDED, help="the recorded traces")
    asyncio.run(main(parser.parse_args()))
