"""What is promised of commands: codes explained, the first error shown, jobs that outlive the call that began them."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from anyio import fail_after, run_process, to_thread

from hilt.results.counting import utf8_length
from tests.commands import item, none_left, running, shell

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes need Linux")
WAIT_S = 60


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("grep nothing /dev/null", 1, "exit code 1 (grep: nothing found)"),
        ("cd . && grep -c nothing /dev/null >&2", 1, "exit code 1 (if it is from grep: nothing found)"),
        ("diff /dev/null <(echo a) >/dev/null", 1, "exit code 1 (diff: the inputs differ)"),
        ("[ -e /no/such ]", 1, "exit code 1 ([: the condition is false)"),
        ("[[ a == b ]]", 1, "exit code 1 ([[: the condition is false)"),
        ("timeout 0.05 sleep 9", 124, "exit code 124 (sleep: the time limit given to timeout passed)"),
        ("kill -SEGV $$", 139, "exit code 139 (ended by SIGSEGV: it touched memory that is not its own)"),
        ("/dev/null", 126, "exit code 126 (null: it is no program, or may not be executed)"),
        ("yes | head -1", 0, "exit code 0"),
        ("exit 7", 7, "exit code 7"),
        ("! true", 1, "exit code 1"),
        ("false | true | cat", 0, "exit code 0 from the end of the pipeline, but `false` exited with 1"),
    ],
)
async def test_req_E4_a_commands_exit_code_is_explained_as_far_as_it_says(
    tmp_path: Path, text: str, code: int, said: str
) -> None:
    async with shell(tmp_path) as sh:
        with fail_after(WAIT_S):
            answer = await sh.run(text)
    assert answer.result.status == "success"
    assert item(answer)["exit_code"] == code
    assert answer.result.summary == said


async def test_req_E4_a_program_that_is_not_there_is_told_with_those_named_alike(tmp_path: Path) -> None:
    async with shell(tmp_path) as sh:
        answer = await sh.run("pyhton3 -V")
    assert answer.result.summary.startswith("exit code 127 (pyhton3: no such program on PATH; there is python3")


async def test_req_D4_a_long_test_log_is_answered_with_its_first_error_and_its_end(tmp_path: Path) -> None:
    lines = [f"tests/test_part_{number // 20}.py::test_{number} PASSED [{number // 50}%]" for number in range(5_000)]
    lines[312:314] = ["tests/test_part_15.py::test_312 FAILED", "E   KeyError: 'first cause'"]
    lines += ["=== short summary ===", "FAILED tests/test_part_249.py::test_last - ValueError: late", "2 failed"]
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    async with shell(tmp_path) as sh:
        answer = await sh.run("cat log; exit 1")
        artifact = answer.result.artifact
        assert artifact is not None
        rest = await sh.call("artifact_read", artifact=artifact.id, pattern="test_2500 ")
    assert "E   KeyError: 'first cause'" in answer.text
    assert "FAILED tests/test_part_249.py::test_last - ValueError: late\n2 failed" in answer.text
    assert utf8_length(answer.text) < 3_000  # at most 900 tokens of such text
    assert "test_2500 PASSED" in rest.text


async def test_req_A5_words_of_a_model_reach_no_shell_but_as_the_command_itself(tmp_path: Path) -> None:
    word = "$(touch made); `touch made` && touch made | touch made\n\"'"
    async with shell(tmp_path) as sh:
        answer = await sh.call(argv=["printf", "%s", word])
        folder = tmp_path / "$(touch made)"
        folder.mkdir()
        await sh.call(argv=["true"], workdir=str(folder))
        await sh.run("cd '$(touch made)'; false | true")
        await sh.run("pwd")
    assert item(answer)["output"] == word
    assert await to_thread.run_sync(os.listdir, tmp_path) == ["$(touch made)"]


async def test_req_H2_a_named_sessions_job_is_read_and_stopped_by_another_process(tmp_path: Path) -> None:
    async def call(tool: str, arguments: dict[str, object]) -> Any:
        words = (sys.executable, "-m", "hilt", "call", tool, json.dumps(arguments), "--session", "night")
        done = await run_process([*words, "--workspace", str(tmp_path), "--approve", "--json"], check=False)
        return json.loads(done.stdout)

    with fail_after(WAIT_S):
        started = await call("run_command", {"command": "echo begun; sleep 71.75", "background": True})
        job = {"job": started["items"][0]["job"]}
        assert running("71.75")
        looked = await call("command_output", {**job, "offset": 0})
        assert looked["items"] == [{"exit_code": None, "output": "begun"}]
        stopped = await call("command_stop", job)
        assert stopped["summary"] == "job_1 and all it started is ended"
        await none_left("71.75")


async def test_req_H2_what_a_command_changes_of_files_read_before_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("one\n")
    async with shell(tmp_path) as sh:
        await sh.call("read_file", path=str(tmp_path / "notes.md"))
        same = await sh.run("touch notes.md; cat notes.md")
        changed = await sh.run("echo two >> notes.md")
    assert "changed since" not in same.text
    assert "changed since they were read, so read them again before editing: notes.md" in changed.text
