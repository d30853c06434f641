"""Holds branch coverage to its floors: 90 % of all, 100 % of the rooms where a missed branch is a missed promise.

Reads the JSON report of coverage.py; prints each file under its floor with the lines and branches no test reached.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OVERALL_FLOOR = 90.0
COMPLETE_ROOMS = ("policy", "results", "runtime")

Report = dict[str, Any]


def shortfalls(report: Report) -> Iterator[str]:
    overall = report["totals"]["percent_covered"]
    if overall < OVERALL_FLOOR:
        yield f"src is covered to {overall:.1f} %; the floor is {OVERALL_FLOOR:.0f} %. Least covered:"
        yield from least_covered(report)
    for path, file in sorted(report["files"].items()):
        if room(path) in COMPLETE_ROOMS and file["summary"]["percent_covered"] < 100:
            yield f"{path} is covered to {file['summary']['percent_covered']:.1f} %; its room's floor is 100 %"
            yield from missing(file)


def least_covered(report: Report, shown: int = 10) -> Iterator[str]:
    def unreached(entry: tuple[str, Report]) -> int:
        summary = entry[1]["summary"]
        return summary["missing_lines"] + summary["missing_branches"]

    for path, file in sorted(report["files"].items(), key=unreached, reverse=True)[:shown]:
        if room(path) not in COMPLETE_ROOMS and file["summary"]["percent_covered"] < 100:
            yield f"  {path} ({file['summary']['percent_covered']:.1f} %)"
            yield from missing(file)


def missing(file: Report) -> Iterator[str]:
    if file["missing_lines"]:
        yield f"    lines never run: {ranges(file['missing_lines'])}"
    branches = [
        f"{start}->{'exit' if end < 0 else end}"
        for start, end in file["missing_branches"]
        if start not in file["missing_lines"]
    ]
    if branches:
        yield f"    branches never taken: {', '.join(branches)}"


def ranges(lines: list[int]) -> str:
    """`[1, 2, 3, 7]` as `1-3, 7`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def room(path: str) -> str:
    parts = Path(path).parts
    return parts[2] if parts[:2] == ("src", "hilt") and len(parts) > 3 else ""


def main(report_path: str) -> int:
    report = json.loads(Path(report_path).read_text(encoding="utf-8"))
    found = list(shortfalls(report))
    print("\n".join(found) if found else f"covered to {report['totals']['percent_covered']:.1f} %, every floor held")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
