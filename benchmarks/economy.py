"""Token economy: an agent's day of 24 jobs, by Hilt and by its peers, counted with o200k.

    benchmarks/run economy                                  the figures, as rows
    benchmarks/.venv/bin/python benchmarks/economy.py       the whole table
    ... --systems hilt,pi --jobs run_tests --seed 3 --document FILE --say

`economy/README.md` says what a job is and what was frozen when.
"""

import argparse
import json
import statistics
import sys
from dataclasses import asdict
from pathlib import Path

import anyio
from economy import report
from economy.runner import Day, day, staged
from economy.systems import OPENERS
from economy.talk import Call
from measuring import Row

SEED = 20261130


async def main(asked: argparse.Namespace) -> None:
    systems = asked.systems.split(",") if asked.systems else list(OPENERS)
    only = asked.jobs.split(",") if asked.jobs else []
    with staged(asked.seed) as stage:
        days = [await day(stage, system, only) for system in systems]
        jobs = [job.name for job in stage.jobs if not only or job.name in only]
    told(asked, days, jobs)


def told(asked: argparse.Namespace, days: list[Day], jobs: list[str]) -> None:
    """Rows for the recorder, or the table for people; the document on request."""
    if asked.document:
        Path(asked.document).write_text(report.written(days, asked.seed))
    if asked.json:
        for row in rows(days, jobs):
            print(json.dumps(asdict(row)), flush=True)
    print(report.table(days, jobs), file=sys.stderr if asked.json else sys.stdout)
    print(report.faults(days), file=sys.stderr if asked.json else sys.stdout)
    if asked.say:
        for each in days:
            say(each)


def rows(days: list[Day], jobs: list[str]) -> list[Row]:
    """The figures that have a goal, and the peers' beside them."""
    found = {each.system: each for each in days if not each.unavailable}
    made = [
        Row(
            name=f"economy: {each.system} / par of the peers",
            goal=None,
            value=ratio(each, days, jobs),
            detail=words(each, jobs),
        )
        for each in found.values()
    ]
    if report.US in found:
        ours = found[report.US]
        wrong = sum(not outcome.right for outcome in ours.outcomes.values())
        made += [
            Row(name="economy: jobs not right", goal=0, value=wrong, unit="jobs"),
            Row(name="economy: all jobs", goal=report.ALL_GOAL, value=report.total(ours), unit="tokens"),
            Row(
                name="economy: without the two",
                goal=report.OTHERS_GOAL,
                value=report.without_named(ours),
                unit="tokens",
            ),
        ]
        made += [named(job, ours, list(found.values())) for job in report.NAMED if job in ours.outcomes]
    return made + [
        Row(
            name=f"economy: {each.system}", goal=None, value=0, unit="jobs", detail=f"not available: {each.unavailable}"
        )
        for each in days
        if each.unavailable
    ]


def named(job: str, ours: Day, all_days: list[Day]) -> Row:
    """One of the two jobs that are told apart, with what it cost the others."""
    others = ", ".join(
        f"{each.system} {each.outcomes[job].tokens:,}{'' if each.outcomes[job].right else ' (wrong)'}"
        for each in all_days
        if each is not ours and each.outcomes[job].calls
    )
    return Row(name=f"economy: {job}", goal=None, value=ours.outcomes[job].tokens, unit="tokens", detail=others)


def ratio(of: Day, days: list[Day], jobs: list[str]) -> float:
    """Tokens of the jobs a system did right, over par of the same jobs."""
    best = report.par([each for each in days if not each.unavailable], jobs)
    shared = [job for job in jobs if of.outcomes[job].right and best[job]]
    return sum(of.outcomes[job].tokens for job in shared) / (sum(best[job] or 0 for job in shared) or 1)


def words(of: Day, jobs: list[str]) -> str:
    right = sum(outcome.right for outcome in of.outcomes.values())
    costs = [outcome.tokens for outcome in of.outcomes.values() if outcome.calls]
    return (
        f"{right} of {len(jobs)} right; {report.total(of):,} tokens, {report.without_named(of):,} without the two, "
        f"median {statistics.median(costs):,.0f}, worst {max(costs):,}; "
        f"{sum(of.declared.values()):,} declared in {len(of.declared)} tools, {report.calls(of)} calls"
    )


def say(of: Day) -> None:
    """Every call with what it said, for whoever looks for what is not needed."""
    for outcome in of.outcomes.values():
        print(f"\n=== {of.system} {outcome.job}: {outcome.tokens:,} tokens {'; '.join(outcome.faults)}")
        for call in outcome.calls:
            print(f"> {call.tool} {json.dumps(call.arguments, ensure_ascii=False)}  [{call.sent}]")
            print(shortened(call))


LONGEST_SAID = 3_000


def shortened(call: Call) -> str:
    text = call.text
    if len(text) > LONGEST_SAID:
        half = LONGEST_SAID // 2
        text = f"{text[:half]}\n   ... {len(text) - LONGEST_SAID:,} characters ...\n{text[-half:]}"
    return f"{text}\n[{call.returned:,}]"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--systems", help=f"some of {','.join(OPENERS)}")
    parser.add_argument("--jobs", help="some jobs, by name")
    parser.add_argument("--document", help="write every call and answer to this file, as JSON")
    parser.add_argument("--say", action="store_true", help="print every call and answer")
    parser.add_argument("--json", action="store_true", help="one JSON object a row")
    parser.add_argument("--full", action="store_true", help="nothing more: a day is a day")
    anyio.run(main, parser.parse_args())
