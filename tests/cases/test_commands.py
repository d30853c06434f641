"""Reports against the command tools of other harnesses, each as its input and what is right."""

import json
import os
import stat
import sys
from pathlib import Path

import pytest
from anyio import fail_after

from hilt.workspace.commands.capture import SHOWN_BYTES
from tests.commands import item, none_left, running, shell

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")]
WAIT_S = 30


async def test_a_child_in_the_background_does_not_hold_the_answer_b58(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("sleep 58.75 & echo hi")
        assert item(answer) == {"exit_code": 0, "output": "hi", "job": "job_1"}
        (pid,) = running("58.75")
        assert f"still running: {pid} sleep 58.75" in answer.text
    assert not running("58.75")


async def test_a_time_limit_kills_more_than_the_shell_b59(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("echo first; (sleep 59.75 & wait) ; true", timeout_s=0.5, background=False)
            assert not running("59.75")
    assert answer.result.failure is not None
    assert answer.result.failure.kind == "aborted"
    assert item(answer)["output"] == "first"


async def test_a_time_limit_leaves_the_host_and_its_group_alone_b61(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("ps -o sid= -p $$ | tr -d ' '; kill 0; sleep 61.75", timeout_s=5, background=False)
    assert int(item(answer)["output"].split()[0]) != os.getsid(0)


async def test_jobs_of_a_command_are_listed_stopped_and_end_with_the_session_b62(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            first = await sh.run("for i in 1 2 3; do sleep 62.75 & done")
            await sh.run("for i in 1 2 3; do sleep 63.75 & done")
            assert len(running("62.75")) == len(running("63.75")) == 3
            listed = (await sh.call("command_list")).text
            assert all(str(pid) in listed for pid in (*running("62.75"), *running("63.75")))
            await sh.call("command_stop", job=item(first)["job"])
            assert not running("62.75")
    with fail_after(WAIT_S):
        await none_left("63.75")


async def test_a_prompt_past_stdin_fails_at_once_b64(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("sh -c 'read x </dev/tty; echo $x'; read y; echo status $?", timeout_s=20)
    assert "/dev/tty" in item(answer)["output"]
    assert "status 1" in item(answer)["output"]


async def test_output_is_shown_in_bounds_counted_and_kept_whole_b65(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run("head -c 30000000 /dev/zero | tr '\\0' x")
            artifact = answer.result.artifact
            assert artifact is not None
            assert artifact.bytes == 30_000_000
            assert "30,000,000 bytes" in answer.text
            assert len(answer.text) < SHOWN_BYTES
            end = await sh.call("artifact_read", artifact=artifact.id, offset=-10)
            assert "xxxxxxxxxx" in end.text


async def test_the_last_error_is_shown_behind_a_long_output_b67(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("seq 1 20000; echo 'ERROR: boom'; exit 3")
    output = item(answer)["output"]
    assert output.endswith("\n20000\nERROR: boom")
    assert item(answer)["exit_code"] == 3
    assert answer.result.truncation is not None
    assert answer.result.truncation.total == 20_001
    shown = [line for line in output.splitlines() if "[..." not in line]
    assert f"[... {20_001 - len(shown):,} lines like line 1 ...]" in output


async def test_the_first_cause_is_shown_before_a_long_output_b68(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("echo 'FATAL cfg'; seq 1 50000")
    assert item(answer)["output"].startswith("FATAL cfg\n")
    assert item(answer)["output"].endswith("\n50000")


async def test_a_failing_member_of_a_pipeline_is_named_and_nothing_is_called_a_success_b70(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("(echo '2 failed'; exit 1) | tail -5")
        both = await sh.run("grep nothing /dev/null | wc -l")
    assert item(answer) == {"exit_code": 0, "output": "2 failed"}
    assert answer.result.summary == (
        "exit code 0 from the end of the pipeline, but `(echo '2 failed'; exit 1)` exited with 1"
    )
    assert "succe" not in answer.text
    assert "`grep nothing /dev/null` exited with 1 (nothing found)" in both.text


async def test_a_reader_that_had_enough_is_no_failure_but_a_failing_writer_is_b71(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        enough = await sh.run("yes | head -1")
        failing = await sh.run("false | cat")
    assert enough.result.summary == "exit code 0"
    assert "`false` exited with 1" in failing.result.summary


async def test_frames_and_colours_are_left_out_and_that_is_said_b73(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run(r"for i in $(seq 1 1000); do printf '\r\033[32m%s%%\033[0m' $i; done; printf '\ndone\n'")
        artifact = answer.result.artifact
        assert artifact is not None
        raw = await sh.call("artifact_read", artifact=artifact.id)
    assert item(answer)["output"] == "1000%\ndone"
    assert f"overwritten frames left out; the raw bytes are in {artifact.id}" in answer.text
    assert "999%" in raw.text


async def test_the_folder_is_kept_also_behind_a_failure_and_resets_are_told_b74(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    async with shell(tmp_path) as sh:
        moved = await sh.run("cd sub && false")
        assert item(await sh.run("pwd"))["output"] == f"{sh.root}/sub"
        left = await sh.run("cd /")
        assert item(await sh.run("pwd"))["output"] == str(sh.root)
    assert f"the next command starts in {sh.root}/sub" in moved.text
    assert f"outside the workspace; the next command starts in {sh.root}" in left.text


@pytest.mark.parametrize("delimiter", ["EOF", "HILT_EOF", "'"])
async def test_text_of_a_command_is_never_run_to_check_it_b76(tmp_path: Path, delimiter: str) -> None:
    async with shell(tmp_path) as sh:
        await sh.run(f"cat <<'{delimiter}X' >/dev/null | false\n{delimiter}\ntouch pwned\n{delimiter}X")
    assert not (tmp_path / "pwned").exists()


async def test_a_commands_quoting_reaches_bash_unaltered_b77(tmp_path: Path) -> None:
    body = 'it\'s $x `y` \\1 ! "q" \u201cz\u201d'
    async with shell(tmp_path) as sh:
        await sh.run("git init -q . && git config user.email a@b && git config user.name n")
        await sh.run('git commit -q --allow-empty -m "a: b c"')
        logged = await sh.run("git log -1 --format=%s")
        here = await sh.run(f"cat <<'EOF'\n{body}\nEOF")
        python = await sh.run('python3 -c "import sys\nprint(len(sys.argv), \'!\')"; echo "$# $0 [$BASH_ENV]"')
    assert item(logged)["output"] == "a: b c"
    assert item(here)["output"] == body
    assert item(python)["output"] == "1 !\n0 /bin/bash []"


async def test_a_folder_that_is_gone_is_told_and_the_next_command_runs_b79(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        await sh.run("mkdir d && cd d && rm -rf ../d")
        answer = await sh.run("echo hi")
    assert item(answer) == {"exit_code": 0, "output": "hi"}
    assert f"{sh.root}/d, is no more in the workspace; this one started in {sh.root}" in answer.text


async def test_a_program_gets_the_arguments_and_environment_that_are_there_b80(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub = tmp_path / "git"
    stub.write_text(f"#!{sys.executable}\nimport json, os, sys\nprint(json.dumps([sys.argv[1:], dict(os.environ)]))\n")
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    async with shell(tmp_path) as sh:
        by_shell = json.loads(item(await sh.run("git commit -m x"))["output"])
        by_words = json.loads(item(await sh.call(argv=["git", "commit", "-m", "x"]))["output"])
    assert by_shell[0] == by_words[0] == ["commit", "-m", "x"]
    assert by_words[1] == dict(os.environ)
    assert set(by_shell[1]) - set(os.environ) <= {"SHLVL", "_", "PWD", "OLDPWD"}  # bash's own
