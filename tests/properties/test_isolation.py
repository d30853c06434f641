"""Hostile lines run for real behind each rung: outside the roots nothing appears, and nothing is left running."""

import json
import shutil
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from anyio import CapacityLimiter, create_task_group, move_on_after

from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.processes import Command, Processes
from tests.commands import running
from tests.isolated import RUNGS, behind

AT_ONCE = 4
LONGEST_S = 20
MOST_PROCESSES = 4_096


def work_folder(place: Path) -> Path:
    """The folder the lines count on: a repository, a file, a program, and names that tar takes for options."""
    place.mkdir()
    (place / "f0").write_text("text\n")
    (place / "cp.sh").write_text("#!/bin/sh\ntouch $C\ncat\n")
    (place / "cp.sh").chmod(0o755)
    (place / "wi").mkdir()
    for name in ("--checkpoint=1", "--checkpoint-action=exec=sh x.sh", "a"):
        (place / "wi" / name).touch()
    repository = place / "r"
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    (repository / "a").write_text("one\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True)
    (repository / "a").write_text("two\n")
    return place


def lines(shared: Path) -> list[dict[str, str]]:
    text = (shared / "cases" / "bypass.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


async def canaries(cases: list[dict[str, str]], place: Callable[[str], Path], rung: Rung | None) -> list[str]:
    """Those of the lines that made the file outside of their folder."""
    made: list[str] = []
    limit = CapacityLimiter(AT_ONCE)

    async def one(case: dict[str, str]) -> None:
        async with limit:
            folder = place(case["id"])
            canary = folder.parent / "outside" / "canary"
            script = f"export C={canary} W={folder} HOME={folder}\nulimit -u {MOST_PROCESSES}\n{case['script']}"
            async with behind(rung, folder) if rung else bare() as processes:
                job = await processes.start(Command(argv=("/bin/bash", "-c", script), folder=str(folder)))
                with move_on_after(LONGEST_S):
                    await job.wait(None, whole=True)
            if canary.exists():
                made.append(case["id"])

    async with create_task_group() as group:
        for each in cases:
            group.start_soon(one, each)
    return made


@asynccontextmanager
async def bare() -> AsyncGenerator[Processes]:
    processes = Processes()
    yield processes
    await processes.close()


@pytest.fixture
def place(tmp_path: Path) -> Callable[[str], Path]:
    """Gives each line a work folder of its own below one root, and a folder outside of it."""
    template = work_folder(tmp_path / "template")

    def make(name: str) -> Path:
        (tmp_path / "roots" / name / "outside").mkdir(parents=True)
        return Path(shutil.copytree(template, tmp_path / "roots" / name / "work"))

    return make


@pytest.mark.parametrize("rung", RUNGS)
async def test_no_line_that_hides_a_program_reaches_outside_the_workspace(
    rung: Rung,
    shared: Path,
    place: Callable[[str], Path],
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    cases = lines(shared)
    made = await canaries(cases, place, rung)
    assert made == []
    assert running(str(tmp_path)) == []
    record_property("report", f"{rung}: {len(cases)} hostile lines, canary outside the workspace: {len(made)}")


async def test_the_same_lines_do_reach_outside_where_nothing_isolates(
    shared: Path, place: Callable[[str], Path]
) -> None:
    cases = [case for case in lines(shared) if int(case["id"][1:]) % 3 == 1]
    made = await canaries(cases, place, None)
    assert len(made) >= len(cases) // 2
