import errno
import json
import os
import sys
from pathlib import Path

import pytest
from anyio import create_task_group, fail_after, run_process

from hilt.workspace.processes import Command, Limits
from hilt.workspace.processes.supervisor import MOST_RUNNING
from tests.commands import item, none_left, running, shell, until_running

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")]
WAIT_S = 20


async def test_both_streams_are_shown_in_their_order_with_the_exit_code(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("echo one; echo two >&2; echo three; exit 3")
    assert item(answer) == {"exit_code": 3, "output": "one\ntwo\nthree"}
    assert answer.result.summary == "exit code 3"
    assert answer.result.status == "success"


async def test_an_argument_list_reaches_the_program_as_it_is(tmp_path: Path) -> None:
    words = ["a b", "$HOME", "it's", "*", "\\1", "é\u00a0", ""]
    async with shell(tmp_path) as sh:
        answer = await sh.call(argv=["python3", "-c", "import sys, json; print(json.dumps(sys.argv[1:]))", *words])
    assert json.loads(item(answer)["output"]) == words


async def test_a_missing_program_is_answered_with_those_named_alike(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.call(argv=["pyhton3", "-V"])
    assert answer.result.failure is not None
    assert answer.result.failure.kind == "environment"
    assert "python3" in answer.result.failure.problem


async def test_past_its_time_a_command_goes_on_in_the_background(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("echo before; sleep 61.25", timeout_s=0.5)
            assert item(answer) == {"exit_code": None, "output": "before", "job": "job_1"}
            assert answer.result.status == "partial"
            assert running("61.25")
    with fail_after(WAIT_S):
        await none_left("61.25")


async def test_past_its_time_a_command_is_killed_whole_when_that_was_asked(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run(
                "echo before; (setsid sleep 62.25 & ) ; trap '' TERM; sleep 62.25", timeout_s=0.5, background=False
            )
            assert not running("62.25")
    failure = answer.result.failure
    assert failure is not None
    assert (failure.kind, failure.outcome) == ("aborted", "unknown")
    assert failure.problem == "killed past 0.5 s, with all it started"
    assert item(answer) == {"exit_code": None, "output": "before"}


async def test_a_command_whose_watcher_was_killed_is_told_with_what_it_wrote(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("echo before; sleep 0.2; kill -9 $PPID; sleep 63.25")
            await none_left("63.25")
            again = await sh.run("echo again")
    failure = answer.result.failure
    assert failure is not None
    assert (failure.kind, failure.outcome) == ("aborted", "unknown")
    assert item(answer) == {"exit_code": None, "output": "before"}
    assert item(again)["output"] == "again"


FOLDER = "folder=$(dirname $(tr '\\0' '\\n' </proc/$$/environ | sed -n 's/^BASH_ENV=//p'));"


async def test_a_command_that_puts_a_pipe_where_its_end_is_noted_holds_nobody_up(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run(f"{FOLDER} rm $folder/report; mkfifo $folder/report; trap - EXIT; cd / && echo done")
    assert item(answer) == {"exit_code": 0, "output": "done"}
    assert "which folder it ended in is not known" in answer.text


async def test_output_that_a_command_takes_back_is_missed(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            cleared = await sh.run(f"{FOLDER} echo one; sleep 0.2; : >$folder/log")
            linked = await sh.run(f"{FOLDER} seq 1 9000; sleep 0.2; ln -sf /etc/passwd $folder/log")
    assert "4 bytes of output are missing" in cleared.text
    assert "9000" in linked.text
    assert linked.result.artifact is None
    assert "could not be put aside" in linked.text


async def test_what_no_process_can_be_given_is_refused_and_costs_no_watcher(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            empty = await sh.call(argv=["", "x"])
            huge = await sh.call(argv=["echo", *["x" * 100_000] * 30])
            job = await sh.processes.start(Command(argv=("true",), folder="/", environment={"a=b": "c"}))
            bad = await job.started()
            limited = Command(argv=("true",), folder="/", environment={"a=b": "c"}, limits=Limits(cpu_s=5))
            also = await (await sh.processes.start(limited)).started()
    assert (bad, also) == (errno.EINVAL, errno.EINVAL)
    assert empty.result.failure is not None
    assert empty.result.failure.kind == "invalid_arguments"
    assert huge.result.failure is not None
    assert huge.result.failure.next_steps == ("give fewer or shorter arguments",)


async def test_without_a_place_to_remember_in_no_command_is_started_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    environment = {**os.environ, "HILT_HOME": str(tmp_path / "file")}
    call = [sys.executable, "-m", "hilt", "call", "run_command", '{"command": "touch ran"}', "--approve"]
    with fail_after(WAIT_S):
        done = await run_process([*call, "--workspace", str(tmp_path)], check=False, env=environment)
    said = done.stdout.decode()
    assert said.startswith("error (environment): nothing was run, for the state cannot be kept: the folder of state")
    assert not (tmp_path / "ran").exists()


async def test_a_command_that_finds_no_room_leaves_no_folder(tmp_path: Path) -> None:
    counts: list[int] = []
    said: list[str] = []
    async with shell(tmp_path) as sh:

        async def refused() -> None:
            await until_running("until [ -e go ]", MOST_RUNNING)
            jobs = sh.processes.new_place().parent
            counts.append(len(list(jobs.iterdir())))
            said.append((await sh.run("echo no")).text)
            counts.append(len(list(jobs.iterdir())))
            (tmp_path / "go").touch()

        with fail_after(WAIT_S):
            async with create_task_group() as group:
                for _ in range(MOST_RUNNING):
                    group.start_soon(sh.run, "until [ -e go ]; do sleep 0.02; done")
                group.start_soon(refused)
    assert said[0].startswith(f"error (retryable): {MOST_RUNNING} commands run already")
    assert counts[0] == counts[1]
