import json
import os
import shutil
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from anyio import create_task_group, fail_after, run_process

from hilt.tools.command_stop import LAST_LINES
from hilt.workspace.commands.capture import SHOWN_BYTES
from hilt.workspace.commands.session_jobs import MOST_REMEMBERED
from hilt.workspace.processes.command import KEPT_BYTES
from tests.commands import item, none_left, running, shell, until_running

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 60


async def test_output_of_a_job_is_shown_once_as_it_comes_and_its_end_is_told(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("echo one; until [ -e go ]; do sleep 0.02; done; echo two; grep x /dev/null", background=True)
            seen = ""
            while "one" not in seen:
                seen += item(await sh.call("command_output", job="job_1", offset=0))["output"]
            await sh.call("command_output", job="job_1")
            quiet = await sh.call("command_output", job="job_1")
            (tmp_path / "go").touch()
            last = await sh.call("command_output", job="job_1", wait_s=30)
            again = await sh.call("command_output", job="job_1", offset=4)
    assert item(quiet) == {"exit_code": None, "output": ""}
    assert quiet.result.summary == "job_1: running, no new output"
    assert item(last) == {"exit_code": 1, "output": "two"}
    assert last.result.summary == "job_1: exit code 1 (grep: nothing found)"
    assert item(again)["output"] == "two"


async def test_following_next_reads_every_line_of_a_long_output_once(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("until [ -e go ]; do sleep 0.02; done; seq 1 6000; exit 3", background=True)
            (tmp_path / "go").touch()
            page = await sh.call("command_output", job="job_1", wait_s=30)
            assert page.result.truncation is not None
            lines = item(page)["output"].split("\n[...")[0].splitlines()
            while page.result.truncation is not None:
                page = await sh.call("command_output", **page.result.truncation.next)
                assert len(item(page)["output"]) <= SHOWN_BYTES
                lines += item(page)["output"].splitlines()
            past = await sh.call("command_output", job="job_1", offset=10**9)
    assert lines == [str(number) for number in range(1, 6_001)]
    assert past.result.failure is not None
    assert past.result.failure.kind == "invalid_arguments"


async def test_a_stopped_job_shows_its_end_and_stopping_it_again_says_so(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("seq 1 100; sleep 73.25", timeout_s=0.5)
            stopped = await sh.call("command_stop", job="job_1")
            assert not running("73.25")
            again = await sh.call("command_stop", job="job_1")
            told = await sh.call("command_output", job="job_1")
            unknown = await sh.call("command_stop", job="job_7")
    assert stopped.result.items == ("\n".join(str(number) for number in range(101 - LAST_LINES, 101)),)
    assert again.result.summary == "job_1 had ended already"
    assert told.result.summary.startswith("job_1: stopped")
    assert "there is job_1" in unknown.text


async def test_a_program_with_a_terminal_is_typed_to(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run('stty -echo; read -p "name? " name; echo "hello $name"; tty', tty=True, timeout_s=0.5)
            asked = await sh.call("command_output", job="job_1", offset=0)
            typed = await sh.call("command_input", job="job_1", text="Ada\n")
            said = await sh.call("command_output", job="job_1", wait_s=30)
            late = await sh.call("command_input", job="job_1", text="x")
            await sh.run("sleep 74.25", background=True)
            deaf = await sh.call("command_input", job="job_2", text="x")
            long = await sh.call("command_input", job="job_2", text="x" * 5_000)
    assert item(asked)["output"] == "name? "
    assert typed.result.summary == "typed 4 bytes into job_1"
    assert item(said)["output"].startswith("hello Ada\n/dev/pts/")
    assert all(each.result.is_error for each in (late, deaf, long))


async def test_jobs_are_listed_the_last_first_and_only_for_their_session(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            empty = await sh.call("command_list")
            await sh.run("sleep 75.25", background=True)
            await sh.call(argv=["sh", "-c", "exit 4"], background=True)
            await sh.call("command_output", job="job_2", wait_s=30)
            listed = await sh.call("command_list")
    assert empty.result.items == ()
    assert [(each["job"], each["state"], each["command"]) for each in listed.result.items] == [  # type: ignore[index, call-overload]  # JSON
        ("job_2", "exit code 4", "sh -c exit 4"),
        ("job_1", "running", "sleep 75.25"),
    ]


async def test_jobs_that_ended_long_ago_are_forgotten_with_their_output(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("sleep 76.25", background=True)
            for number in range(2, MOST_REMEMBERED + 4):
                await sh.run("true", background=True)
                await sh.call("command_output", job=f"job_{number}", wait_s=30)
            kept = await sh.call("command_output", job="job_1")
            gone = await sh.call("command_output", job="job_2")
            page = await sh.call("command_list")
            assert page.result.truncation is not None
            assert page.result.truncation.total == MOST_REMEMBERED
            rest = await sh.call("command_list", **page.result.truncation.next)
    assert item(kept)["exit_code"] is None
    assert gone.result.failure is not None
    assert len(page.result.items) + len(rest.result.items) == MOST_REMEMBERED


async def test_a_cancelled_call_ends_its_command(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            async with create_task_group() as group:
                group.start_soon(lambda: sh.run("setsid sleep 77.25 & sleep 77.25"))
                await until_running("77.25", 3)
                group.cancel_scope.cancel()
            await none_left("77.25")


async def test_a_job_whose_output_a_command_removed_is_told(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            await sh.run("true", background=True)
            await sh.call("command_output", job="job_1", wait_s=30)
            await sh.run(f"rm -r {sh.processes.new_place().parent}")
            answer = await sh.call("command_output", job="job_1")
            after = await sh.run("seq 1 3000")
    assert answer.result.status in ("success", "error")
    assert item(after)["output"].endswith("3000")


async def test_of_a_job_whose_folder_was_removed_no_end_is_claimed(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "root"
    root.mkdir()

    async def call(tool: str, **arguments: object) -> str:
        words = [sys.executable, "-m", "hilt", "call", tool, json.dumps(arguments), "--session", "s", "--approve"]
        environment = {**os.environ, "HILT_HOME": str(home)}
        done = await run_process([*words, "--workspace", str(root)], check=False, env=environment)
        return done.stdout.decode()

    with fail_after(WAIT_S):
        await call("run_command", command="sleep 75.25; true", background=True)
        try:
            shutil.rmtree(home / "jobs")
            stopped, listed = await call("command_stop", job="job_1"), await call("command_list")
        finally:
            for each in running("sleep 75.25"):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)
    assert "whether it still runs is not known" in stopped
    assert "state: output removed" in listed


def test_what_is_kept_of_an_output_has_room_for_a_gigabyte() -> None:
    assert KEPT_BYTES >= 10**9
