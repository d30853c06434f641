"""The tools that run programs, behind each rung, as a model meets them."""

import os
import shutil
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from anyio import fail_after

from hilt import Session
from hilt.tools.command_input import command_input
from hilt.tools.command_output import command_output
from hilt.tools.command_stop import command_stop
from hilt.tools.run_code import run_code
from hilt.tools.run_command import run_command
from hilt.workspace import Workspace
from hilt.workspace.code import Interpreters
from hilt.workspace.isolation import Bounds
from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.processes import Command, FoundJob, Processes
from hilt.workspace.resolving import Resolving
from tests import kit
from tests.commands import Shell, item
from tests.isolated import RUNGS, WAIT_S, behind, isolation, ran

TOOLS = (run_command, run_code, command_output, command_stop, command_input)


@asynccontextmanager
async def shell_behind(rung: Rung, root: Path) -> AsyncGenerator[Shell]:
    walls = isolation(rung, Bounds(roots=(str(root),)))
    workspace, processes = Workspace([root]), Processes(isolation=walls)
    parts = {Workspace: workspace, Processes: processes, Interpreters: Interpreters(processes)}
    runtime = kit.runtime(*TOOLS, parts=parts, resolver=Resolving(workspace, lambda: walls.properties))
    try:
        yield Shell(root=workspace.roots[0], runtime=runtime, processes=processes, session=Session())
    finally:
        await processes.close()
        await runtime.close()


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_model_is_told_once_what_isolates_and_why_a_command_failed(rung: Rung, tmp_path: Path) -> None:
    async with shell_behind(rung, tmp_path) as sh:
        with fail_after(WAIT_S):
            first = await sh.run("echo one")
            second = await sh.run("echo two")
            outside = await sh.run("echo x > /usr/canary")
            named = await sh.run(f"{sys.executable} -c 'import socket; socket.getaddrinfo(\"a.example\", 1)'")
    said = "isolated by bubblewrap" if rung == "bubblewrap" else "isolated by Landlock"
    assert said in first.text
    assert said not in second.text
    assert "[isolation]" in outside.text
    assert "hosts they may reach" in named.text


@pytest.mark.parametrize("rung", RUNGS)
async def test_folders_terminals_codes_and_missing_programs_are_as_without_isolation(
    rung: Rung, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    async with shell_behind(rung, tmp_path) as sh:
        with fail_after(WAIT_S):
            moved = await sh.run("cd sub && false | true")
            here = await sh.run("pwd")
            withheld = await sh.run("echo $PYTEST_CURRENT_TEST")
            terminal = await sh.run("test -t 0 && test -t 1 && stty size && echo yes", tty=True)
            missing = await sh.call(argv=["no-such-program"])
            killed = await sh.run("kill -9 $$")
    assert "the next command starts in" in moved.text
    assert item(here)["output"] == str(tmp_path / "sub")
    assert item(terminal)["output"].endswith("yes")
    assert "PYTEST_CURRENT_TEST is set here but not given to commands" in withheld.text
    assert missing.result.failure is not None
    assert missing.result.failure.kind == "environment"
    assert item(killed)["exit_code"] == 137


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_job_of_the_background_is_read_typed_to_and_stopped(rung: Rung, tmp_path: Path) -> None:
    async with shell_behind(rung, tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("while read line; do echo got $line; done", tty=True, background=True)
            await sh.call("command_input", job="job_1", text="word\n")
            seen = ""
            while "got word" not in seen:
                seen += (await sh.call("command_output", job="job_1")).text
            stopped = await sh.call("command_stop", job="job_1")
    assert "ended" in stopped.text


@pytest.mark.parametrize("rung", RUNGS)
async def test_code_runs_keeps_its_variables_and_writes_its_files_alone(rung: Rung, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    async with shell_behind(rung, root) as sh:
        with fail_after(WAIT_S):
            await sh.call("run_code", code="x = 20", keep=True)
            kept = await sh.call("run_code", code="x + 1", keep=True)
            wrote = await sh.call("run_code", code="open('a.txt', 'w').write('text')")
            refused = await sh.call("run_code", code=f"open('{outside}/canary', 'w')")
    assert item(kept)["result"] == "21"
    assert item(wrote)["files"][0]["name"] == "a.txt"
    assert "error" in item(refused)
    assert os.listdir(outside) == []  # noqa: PTH208  # anyio has no listing that is shorter


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_kept_job_is_found_and_ended_by_the_next_host(rung: Rung, tmp_path: Path) -> None:
    root, jobs = tmp_path / "root", tmp_path / "jobs"
    root.mkdir()
    walls = isolation(rung, Bounds(roots=(str(root),)))
    first = Processes(lambda: jobs, outlive=True, isolation=walls)
    with fail_after(WAIT_S):
        job = await first.start(Command(argv=("/bin/sh", "-c", "echo here; exec sleep 300"), folder=str(root)))
        await job.started()
        await first.background(job)
        while job.written < len("here\n"):
            await job.wait(0.02)
        await first.close()
        found = Processes(lambda: jobs, isolation=walls).job_at(job.place)
        assert isinstance(found, FoundJob)
        assert found.ended is None
        found.stop()
        assert await found.wait(None)
    assert found.ended is not None
    assert found.ended.stopped


@pytest.mark.parametrize("rung", RUNGS)
async def test_ordinary_work_is_done_in_the_workspace(rung: Rung, tmp_path: Path) -> None:
    lines = {
        "git": "git init -q g && cd g && echo x > f && git add f && git -c user.name=n -c user.email=e@e commit -qm m",
        "bash": "cat <(echo a) && mktemp && echo x > ~/file && cat /etc/passwd > /dev/null",
        "make": "printf 'all:\\n\\techo made > m\\n' > Makefile && make -s && cat m",
        "gcc": "echo 'int main(){return 0;}' > c.c && gcc c.c -o c && ./c",
        "node": "node -e 'console.log(1)'",
        "sqlite3": "sqlite3 d.db 'create table t(a); insert into t values (1); select * from t'",
    }
    async with behind(rung, tmp_path) as processes:
        for program, line in lines.items():
            if shutil.which(program):
                status, output = await ran(processes, line, tmp_path)
                assert status == 0, (line, output)
        python = f"{sys.executable} -m venv --without-pip v && v/bin/python -c 'import json, sqlite3, ssl'"
        assert (await ran(processes, python, tmp_path))[0] == 0


async def test_commands_behind_bubblewrap_have_a_loopback_and_sockets_of_their_own(tmp_path: Path) -> None:
    script = (
        "import socket; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); "
        "u = socket.socket(socket.AF_UNIX); u.bind('sock'); "
        "import multiprocessing; print(multiprocessing.Pool(2).map(abs, [-1]))"
    )
    async with behind("bubblewrap", tmp_path) as processes:
        assert await ran(processes, f'{sys.executable} -c "{script}"', tmp_path) == (0, "[1]\n")
