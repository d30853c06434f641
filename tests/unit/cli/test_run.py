"""`hilt run`: steps on stderr, the answer on stdout, one object with --json, and an exit code for each end."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hilt.adapters.clients import KEYS
from hilt.agents.scripted import ask, completion, say
from hilt.cli import main
from tests.fakes import provider_server

SCRIPT = {
    "turns": [
        {"text": "Paths first.", "calls": [{"name": "search_code", "arguments": {"pattern": "needle"}}]},
        {"calls": [{"name": "search_code", "arguments": {"pattern": "needle", "output": "content", "limit": 2}}]},
        {"continue": True},
        {"text": "It is in two files."},
    ]
}


class Finished(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


Hilt = Callable[..., Finished]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "code"
    root.mkdir()
    (root / "a.txt").write_text("needle one\nneedle two\n")
    (root / "b.txt").write_text("needle three\n\x1b[31mneedle red\n")
    return root


@pytest.fixture
def hilt(workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hilt:
    """Runs `hilt run` in this process; PLAN among its arguments stands for a file that holds `script`."""
    for name, value in environment(workspace).items():
        monkeypatch.setenv(name, value)
    for name in KEYS.values():
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, script: object = SCRIPT) -> Finished:
        file = workspace.parent / "plan.json"
        file.write_text(json.dumps(script))
        given = [each.replace("PLAN", str(file)) for each in arguments]
        code = main(["run", "where is the needle?", "--workspace", str(workspace), *given])
        read = capsys.readouterr()
        return Finished(code, read.out, read.err)

    return run


def environment(workspace: Path) -> dict[str, str]:
    return {"HILT_HOME": str(workspace.parent), "NO_COLOR": "1", "PATH": os.environ["PATH"]}


def test_the_answer_is_all_of_stdout_and_the_steps_stand_beside_it(hilt: Hilt) -> None:
    finished = hilt("--scripted", "PLAN")

    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == "It is in two files.\n"
    for words in (
        "plan.json (choices: scripted, not a model)",
        "offered   search_code",
        "said      Paths first.",
        'chosen    search_code pattern="needle" output="content" limit=2 offset=2',
        "checked   searching",
        "allow, preset rule workspace/read",
        "answered  success · search_code",
        "bill, in tokens by",
    ):
        assert words in finished.stderr


def test_text_of_files_cannot_command_the_terminal(hilt: Hilt) -> None:
    finished = hilt("--scripted", "PLAN")

    assert "\\x1b[31mneedle red" in finished.stderr
    assert "\x1b" not in finished.stderr


def test_json_is_one_object_with_every_step_and_a_bill(hilt: Hilt) -> None:
    finished = hilt("--scripted", "PLAN", "--json")
    document = json.loads(finished.stdout)

    assert finished.stderr == ""
    assert document["schema_version"] == 1
    assert document["text"] == "It is in two files."
    kinds = {step["step"] for step in document["steps"]}
    assert kinds == {"offered", "chosen", "understood", "checked", "executed", "answered", "ended"}
    assert document["bill"]["total_tokens"] > 0


def test_quiet_is_the_answer_alone(hilt: Hilt) -> None:
    finished = hilt("--scripted", "PLAN", "-q")

    assert (finished.stdout, finished.stderr) == ("It is in two files.\n", "")


def test_a_run_without_an_answer_says_why_and_exits_with_1(hilt: Hilt) -> None:
    finished = hilt("--scripted", "PLAN", "--turns", "2")

    assert finished.returncode == 1
    assert "error: no answer: stopped at the most turns allowed" in finished.stderr


@pytest.mark.parametrize(
    ("arguments", "script", "code", "words"),
    [
        ((), SCRIPT, 2, "who makes the choices?"),
        (("--scripted", "PLAN", "--endpoint", "openai"), SCRIPT, 2, "who makes the choices?"),
        (("--endpoint", "openai"), SCRIPT, 2, "--model NAME"),
        (("--endpoint", "openai", "--model", "m"), SCRIPT, 2, "OPENAI_API_KEY is not set"),
        (("--scripted", "PLAN"), {"turns": [{"tekst": "x"}]}, 2, "unknown key 'tekst'"),
        (("--endpoint", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9"), SCRIPT, 4, "cannot be reached"),
    ],
    ids=["nobody", "both", "no-model", "no-key", "typo", "unreachable"],
)
def test_wrong_use_and_what_is_out_of_reach_have_codes_of_their_own(
    hilt: Hilt, arguments: tuple[str, ...], script: Any, code: int, words: str
) -> None:
    finished = hilt(*arguments, script=script)

    assert finished.returncode == code
    assert words in finished.stderr
    assert "Traceback" not in finished.stderr


def test_a_run_against_an_endpoint_shows_what_the_endpoint_counted(hilt: Hilt) -> None:
    usage = {"prompt_tokens": 1_400, "completion_tokens": 9, "total_tokens": 1_409}
    lines = [ask("search_code", pattern="needle"), say("In a.txt and b.txt.")]
    replies = [{**completion(line, number), "usage": usage} for number, line in enumerate(lines)]
    with provider_server.serving(*replies) as provider:
        finished = hilt("--endpoint", "openai", "--model", "m", "--base-url", provider.url)

    assert provider.refusals == []
    assert finished.stdout == "In a.txt and b.txt.\n"
    assert f"choices   m at {provider.url}" in finished.stderr
    assert "the endpoint counted 2,800 tokens of prompts and 18 of answers" in finished.stderr


ASKING = """
import anyio
from hilt.calls.declaring import tool
from hilt.calls.session import Session
from hilt.cli.asking import TerminalPerson
from hilt.cli.output import Out
from hilt.runtime.runtime import Runtime

@tool(kind="act", effects={"does": "run"}, idempotent=False, undo="none: it ran")
async def launch(where: str) -> str:
    '''Launch it.

    Args:
        where: the pad
    '''
    return "launched"

async def main():
    runtime = Runtime([launch], person=TerminalPerson(Out()))
    print("=>", (await runtime.call(Session(), "launch", {"where": "pad 7"})).summary)

anyio.run(main)
"""


@pytest.mark.parametrize(
    ("typed", "words"),
    [("y\n", "launched"), ("maybe\nn\n", "the person refused launch"), ("\x04", "nobody answered")],
    ids=["yes", "no", "gone"],
)
def test_a_person_at_the_terminal_is_shown_the_whole_call_and_asked(workspace: Path, typed: str, words: str) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    command, surroundings = [sys.executable, "-c", ASKING], {**os.environ, **environment(workspace)}
    finished = subprocess.run(
        command, env=surroundings, stdin=theirs, capture_output=True, text=True, check=False, timeout=30
    )
    os.close(ours)
    os.close(theirs)

    assert finished.stderr.count("allow it? y/n") == typed.count("\n") or typed == "\x04"
    assert "asks      launch" in finished.stderr
    assert "where     pad 7" in finished.stderr
    assert "preset workspace: run is ask" in finished.stderr
    assert words in finished.stdout
