"""Hilt's tools spare tokens: a slice of `benchmarks/economy`, whose whole day is run there beside the peers'."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.needs import need

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "economy.py"
SLICE = (
    "find_definition",
    "list_users",
    "search_none",
    "search_bad_regex",
    "wrong_path",
    "edit_one",
    "edit_several",
    "edit_stale",
    "create_file",
    "tasks",
)
"""Jobs that need neither peers nor programs."""

SLICE_TOKENS = 3_100
"""With paths of a temporary folder in them, whose length is not ours."""
LONGEST_S = 240


def test_req_G6_an_agents_jobs_are_done_right_within_their_tokens(tmp_path: Path) -> None:
    need("git", "the jobs' code base has a history")
    document = tmp_path / "day.json"
    options = ["--systems", "hilt", "--jobs", ",".join(SLICE), "--json", "--document", str(document)]

    done = subprocess.run(
        [sys.executable, str(BENCHMARK), *options], capture_output=True, text=True, check=False, timeout=LONGEST_S
    )

    assert done.returncode == 0, done.stderr[-2_000:]
    jobs = {each["job"]: each for each in json.loads(document.read_text(encoding="utf-8"))["systems"][0]["jobs"]}
    assert {name: each["faults"] for name, each in jobs.items()} == {name: [] for name in SLICE}
    assert sum(each["tokens"] for each in jobs.values()) <= SLICE_TOKENS
    assert _rows(done.stdout)["economy: jobs not right"] == 0


def _rows(lines: str) -> Mapping[str, float]:
    return {row["name"]: row["value"] for row in map(json.loads, lines.splitlines())}
