"""The `hilt` command from outside: real processes, real exit codes, state in a home of its own."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Ran, as_process

Process = Callable[..., Ran]

SENDING = """
from typing import Annotated
from hilt import Description, Param, tool

@tool(
    kind="act",
    effects={"reads": "none", "does": "send"},
    idempotent=False,
    undo="none: it is sent",
    description=Description(use_for="sending a message", returns="that it went and nothing else"),
)
def send(text: Annotated[str, Param("the message", example="hi")]) -> str:
    return f"sent {text}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    (made / "notes.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    return made


@pytest.fixture
def hilt(folder: Path, tmp_path: Path) -> Process:
    def run(*arguments: str, **more: str) -> Ran:
        return as_process(*arguments, folder=folder, home=tmp_path, **more)

    return run


@pytest.fixture
def sending(folder: Path) -> str:
    (folder / "sending.py").write_text(SENDING, encoding="utf-8")
    (folder / "mine.toml").write_text('tools = ["sending.py"]\n', encoding="utf-8")
    return str(folder / "mine.toml")


def test_req_A8_what_one_process_kept_the_next_one_reads_and_purge_removes(hilt: Process, folder: Path) -> None:
    path = json.dumps({"path": str(folder / "notes.txt")})

    assert hilt("call", "read_file", path, "--session", "mine", "--json").json["status"] == "success"
    assert hilt("call", "read_file", path, "--session", "mine", "--json").code == 0
    kept = hilt("log", "session:mine", "--json").json["calls"]
    hilt("log", "purge", "--older", "0s")

    assert isinstance(kept, list)
    assert [call["status"] for call in kept] == ["success", "success"]
    assert hilt("log", "--json").json["calls"] == []


def test_req_B2_a_declaration_that_cannot_work_is_refused_with_the_fix_and_exits_with_2(
    hilt: Process, folder: Path
) -> None:
    bad = "from hilt import tool\n\n@tool(kind='perceive')\ndef look(*what: str) -> str:\n    '''Looks.'''\n"
    (folder / "bad.py").write_text(bad, encoding="utf-8")

    ran = hilt("show", "bad.py", "--json")

    assert ran.code == 2
    assert "look" in str(ran.error["message"])
    assert ran.error["hint"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["call", "read_file", '{"path": "{notes}"}'], 0),
        (["call", "read_file", '{"path": "{notes}.absent"}'], 1),
        (["call", "read_file", '{"path": "/etc/passwd"}'], 1),
        (["call"], 2),
        (["tools", "absent.json"], 2),
        (["tools", "--", "/absent/program"], 4),
    ],
    ids=["fine", "failed", "refused", "usage", "missing", "unreachable"],
)
def test_req_E2_every_failure_says_what_to_do_next_and_has_its_exit_code(
    hilt: Process, folder: Path, arguments: list[str], code: int
) -> None:
    filled = [each.replace("{notes}", str(folder / "notes.txt")) for each in arguments]

    people = hilt(*filled)
    at = filled.index("--") if "--" in filled else len(filled)
    programs = hilt(*filled[:at], "--json", *filled[at:])

    assert people.code == programs.code == code
    if code == 1:
        refused = programs.json.get("failure") or programs.json.get("denied")
        assert isinstance(refused, dict)
        assert refused["next_steps"]
        assert "\nnext: " in people.out
    if code > 1:
        assert programs.error["hint"]
        assert "\ntry: " in people.err
        assert people.out == programs.out == ""


def test_req_F16_without_anybody_to_ask_a_call_is_denied_with_two_ways_out(hilt: Process, sending: str) -> None:
    asked = hilt("call", "send", '{"text": "hi"}', "--config", sending, "--json")
    approved = hilt("call", "send", '{"text": "hi"}', "--config", sending, "--approve", "--json")

    assert (asked.code, approved.code) == (3, 0)
    denied = asked.json["denied"]
    assert isinstance(denied, dict)
    assert denied["by"] == "nobody_to_ask"
    first, second = denied["next_steps"]
    assert "--approve" in first
    assert "rule" in second
    assert approved.json["items"] == ["sent hi"]


def test_req_F16_a_person_at_the_terminal_is_asked_and_their_word_counts(
    folder: Path, tmp_path: Path, sending: str
) -> None:
    surroundings = {**os.environ, "HILT_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    command = [sys.executable, "-m", "hilt", "call", "send", '{"text": "hi"}', "--config", sending, "--color", "never"]

    def answered(word: bytes) -> tuple[int, bytes]:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            command, cwd=folder, env=surroundings, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
        )
        os.close(theirs)
        said = b""
        while b"y/n" not in said:
            assert select.select([ours], [], [], 40)[0], said
            said += os.read(ours, 4_096)
        assert b"send" in said
        os.write(ours, word)
        out, _ = process.communicate(timeout=40)
        os.close(ours)
        return process.returncode, out

    assert answered(b"y\n") == (0, b"sent hi\n")
    refused, out = answered(b"n\n")
    assert refused == 1
    assert b"the person refused send" in out


def test_req_F16_a_rule_of_ones_own_gives_leave_and_one_of_a_strange_folder_does_not(
    hilt: Process, folder: Path, sending: str
) -> None:
    rule = '[[policy.rules]]\nword = "allow"\ntools = "send"\n'
    with Path(sending).open("a", encoding="utf-8") as file:
        file.write(rule)
    (folder / "hilt.toml").write_text(rule, encoding="utf-8")

    trusted = hilt("policy", "explain", "send", '{"text": "hi"}', "--config", sending, "--json")
    strange = hilt("policy", "explain", "read_file", json.dumps({"path": str(folder / "notes.txt")}), "--json")

    assert trusted.json["decision"] == "allow"
    assert hilt("call", "send", '{"text": "hi"}', "--config", sending).code == 0
    reasons = strange.json["reasons"]
    assert isinstance(reasons, list)
    assert any("only tightens" in reason for reason in reasons)


def test_req_G1_a_bill_adds_up_names_its_counter_and_says_its_share_of_the_window(hilt: Process, folder: Path) -> None:
    tools = [{"name": f"tool_{n}", "description": "x" * n, "input_schema": {"type": "object"}} for n in range(9)]
    (folder / "some.json").write_text(json.dumps({"tools": tools}), encoding="utf-8")

    bill = hilt("bill", "some.json", "--window", "10000", "--json").json

    rows = bill["tools"]
    assert isinstance(rows, list)
    assert isinstance(bill["preamble"], int)
    assert isinstance(bill["total"], int)
    assert sum(row["tokens"] for row in rows) + bill["preamble"] == bill["total"]
    assert [row["description_bytes"] for row in rows] == list(range(9))
    assert {(row["name"], row["server"]) for row in rows} == {(f"tool_{n}", "some") for n in range(9)}
    assert bill["counter"] in ("o200k_base", "bytes/4")
    assert bill["share"] == bill["total"] / 10_000


@pytest.mark.parametrize(("name", "state"), [("read_file", "offered"), ("raed_file", "unknown")])
def test_req_G2_why_a_tool_is_offered_or_not_is_told_with_the_nearest_name(
    hilt: Process, name: str, state: str
) -> None:
    why = hilt("tools", "--why", name, "--json").json["why"]

    assert isinstance(why, dict)
    assert why["state"] == state
    assert why["nearest"][:1] == ([] if state == "offered" else ["read_file"])


def test_req_I1_every_step_of_every_call_is_an_event_in_the_store(hilt: Process, folder: Path) -> None:
    hilt("call", "read_file", json.dumps({"path": str(folder / "notes.txt")}), "--session", "mine")

    steps = hilt("log", "show", "mine/1", "--json").json["steps"]

    assert isinstance(steps, list)
    assert [step["step"] for step in steps] == [
        "resolve", "decode", "validate", "decide", "execute", "verify", "answer",
    ]  # fmt: skip
    assert len(steps[1]["facts"]["text_digest"]) == 32


def test_req_I8_every_setting_names_its_source(hilt: Process, folder: Path) -> None:
    (folder / "hilt.toml").write_text("[results]\nturn_tokens = 9000\n", encoding="utf-8")

    ran = hilt("config", "show", "--origin", "--json", "-c", "log.keep=2d", HILT_LOG="error")

    settings = ran.json["settings"]
    assert isinstance(settings, list)
    layers = {each["key"]: each["origin"]["layer"] for each in settings}
    assert layers["log.keep"] == "flag"
    assert layers["log.level"] == "environment"
    assert layers["results.turn_tokens"] == "project"
    assert layers["results.form"] == "default"


def test_req_I8_what_is_kept_is_exported_and_then_removed_when_asked(hilt: Process, folder: Path) -> None:
    hilt("call", "read_file", json.dumps({"path": str(folder / "notes.txt")}), "--session", "mine")

    lines = [json.loads(line) for line in hilt("log", "export", "-").out.splitlines()]
    assert [line["step"] for line in lines][-1] == "answer"
    assert {(line["session"], line["schema_version"]) for line in lines} == {("mine", 1)}

    assert hilt("log", "purge", "--older", "0s", "--json").json["events"] == len(lines)
    assert hilt("log", "export", "-").out == ""


def test_req_I9_the_doctor_says_what_this_platform_can_and_what_protects_from_commands(hilt: Process) -> None:
    document = hilt("doctor", "--json").json
    parts, isolation = document["parts"], document["isolation"]

    assert isinstance(parts, list)
    says = {part["part"]: part["says"] for part in parts}
    assert "everything works here" in says["platform"] or "only" in says["platform"] or "shelf" in says["platform"]
    assert isinstance(isolation, dict)
    assert says["isolation"].startswith("not isolated") == (isolation["rung"] == "rlimits")
    assert {"property", "protected", "says", "by"} == set(isolation["properties"][0])
    assert isolation["not_protected"]


def test_req_I9_every_answer_in_json_carries_the_version_of_its_form(hilt: Process) -> None:
    for arguments in (
        ["tools"],
        ["bill"],
        ["show"],
        ["log"],
        ["config", "show"],
        ["config", "schema"],
        ["log", "path"],
    ):
        assert hilt(*arguments, "--json").json["schema_version"] == 1


def test_req_E2_a_person_who_interrupts_gets_130_and_leaves_no_server_behind(folder: Path, tmp_path: Path) -> None:
    started = folder / "started"
    server = f"import pathlib, sys\npathlib.Path({str(started)!r}).touch()\nsys.stdin.read()\n"
    (folder / "silent.py").write_text(server, encoding="utf-8")
    command = [sys.executable, "-m", "hilt", "tools", "--", sys.executable, "silent.py"]
    surroundings = {**os.environ, "HILT_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    process = subprocess.Popen(command, cwd=folder, env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        waited = subprocess.run(
            ["/bin/sh", "-c", f"while ! [ -e {started} ]; do sleep 0.05; done"], timeout=40, check=True
        )
        assert waited.returncode == 0
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=15)
    finally:
        process.kill()

    assert process.returncode == 130
    assert out == b""
    assert err.strip() == b""
