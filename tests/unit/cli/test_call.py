"""`hilt call`."""

import json
import re
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from tests.command import Hilt

SENDING = """
from typing import Annotated
from hilt import Description, Param, tool

@tool(
    kind="act",
    effects={"reads": "none", "does": "send"},
    idempotent=False,
    undo="none: it is sent",
    description=Description(use_for="sending a message", returns="nothing else than that it went"),
)
def send(text: Annotated[str, Param("the message", example="hi")]) -> str:
    return f"sent {text}"
"""


def arguments(**values: object) -> str:
    return json.dumps(values)


@pytest.fixture
def sending(here: Path) -> Path:
    (here / "sending.py").write_text(SENDING, encoding="utf-8")
    file = here / "mine.toml"
    file.write_text('tools = ["sending.py"]\n', encoding="utf-8")
    return file


def test_the_answer_is_what_a_model_would_read(hilt: Hilt, here: Path) -> None:
    ran = hilt("call", "read_file", arguments(path=str(here / "notes.txt")))

    assert ran.code == 0
    assert "two" in ran.out
    assert ran.err == ""


def test_a_call_without_a_session_names_the_one_in_which_the_next_step_works(hilt: Hilt, here: Path) -> None:
    file = here / "notes.txt"
    change = arguments(path=str(file), edits=[{"old": "two", "new": "2"}])

    refused = hilt("call", "edit_file", change)
    assert "send the same call again" in refused.out
    (session,) = re.findall(r"--session (\S+);", refused.err)
    assert hilt("call", "edit_file", change, "--session", session).code == 0
    assert "2" in file.read_text(encoding="utf-8")

    assert hilt("call", "edit_file", change, "-q").err == ""
    assert "--session" not in hilt("call", "edit_file", change, "--session", session).err
    assert "--session" not in hilt("call", "edit_file", change, "-c", "store.where=memory").err


def test_with_json_the_answer_is_the_envelope_as_one_object(hilt: Hilt, here: Path) -> None:
    ran = hilt("call", "read_file", arguments(path=str(here / "notes.txt"), limit=1), "--json")

    assert ran.code == 0
    assert ran.json["status"] == "success"
    assert ran.json["items"] == [{"line": 1, "text": "one"}]
    assert ran.json["truncated"] is True
    assert ran.out.count("\n") == 1


def test_a_failed_call_is_an_answer_and_exits_with_1(hilt: Hilt, here: Path) -> None:
    ran = hilt("call", "read_file", arguments(path=str(here / "absent.txt")), "--json")

    assert ran.code == 1
    assert ran.json["status"] == "error"
    assert ran.err == ""


@pytest.mark.parametrize("text", ["", "limit=abc", "[1]", '{"path": ', '{"path": "/a", "path": "/b"}'])
def test_argument_text_that_is_no_object_is_the_models_mistake(hilt: Hilt, text: str) -> None:
    ran = hilt("call", "read_file", text, "--json")

    assert ran.code == 1
    failure = ran.json["failure"]
    assert isinstance(failure, dict)
    assert failure["class"] == "invalid_arguments"


def test_an_unknown_tool_is_answered_with_the_nearest(hilt: Hilt) -> None:
    ran = hilt("call", "read_fil")

    assert ran.code == 1
    assert "read_file" in ran.out


def test_outside_the_workspace_a_call_is_denied(hilt: Hilt, here: Path) -> None:
    ran = hilt("call", "read_file", arguments(path="/etc/passwd"), "--json")

    assert ran.code == 1
    denied = ran.json["denied"]
    assert isinstance(denied, dict)
    assert denied["rule"] == "outside-roots"


def test_the_workspace_can_be_another_folder(hilt: Hilt, here: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "a.txt").write_text("far away\n", encoding="utf-8")
    path = arguments(path=str(tmp_path / "there" / "a.txt"))

    assert hilt("call", "read_file", path).code == 1
    assert "far away" in hilt("call", "read_file", path, "--workspace", str(tmp_path / "there")).out


def test_what_needs_a_persons_leave_exits_with_3_when_nobody_can_be_asked(hilt: Hilt, sending: Path) -> None:
    ran = hilt("call", "send", arguments(text="hi"), "--config", str(sending), "--json")

    assert ran.code == 3
    denied = ran.json["denied"]
    assert isinstance(denied, dict)
    assert denied["by"] == "nobody_to_ask"
    assert any("--approve" in step for step in denied["next_steps"])


def test_approve_gives_leave_for_this_one_call(hilt: Hilt, sending: Path) -> None:
    approved = hilt("call", "send", arguments(text="hi"), "--config", str(sending), "--approve")

    assert (approved.code, approved.out) == (0, "sent hi\n")
    assert hilt("call", "send", arguments(text="hi"), "--config", str(sending)).code == 3


def test_arguments_are_read_from_standard_input(hilt: Hilt, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = arguments(path=str(here / "notes.txt"))
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(text.encode())))

    assert "three" in hilt("call", "read_file", "-").out


def test_a_session_is_kept_from_call_to_call_and_its_calls_are_logged(hilt: Hilt, here: Path) -> None:
    for name in ("notes.txt", "app.py"):
        assert hilt("call", "read_file", arguments(path=str(here / name)), "--session", "mine").code == 0

    assert len(hilt("log", "session:mine", "--json").json["calls"]) == 2  # type: ignore[arg-type]


def test_an_untrusted_file_is_told_for_people_and_not_between_json(hilt: Hilt, here: Path) -> None:
    (here / "hilt.toml").write_text("[policy]\npreset = 'unattended'\n", encoding="utf-8")
    text = arguments(path=str(here / "notes.txt"))

    assert "is not trusted and only tightens" in hilt("call", "read_file", text).err
    assert hilt("call", "read_file", text, "--json").err == ""
    assert hilt("call", "read_file", text, "-q").err == ""


def test_a_store_that_cannot_be_written_costs_the_trace_and_not_the_answer(
    hilt: Hilt, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HILT_HOME", "/dev/null/state")

    ran = hilt("call", "read_file", arguments(path=str(here / "notes.txt")))

    assert ran.code == 0
    assert "two" in ran.out
    assert "events were not kept" in ran.err


def test_the_answer_can_go_to_a_file(hilt: Hilt, here: Path) -> None:
    ran = hilt("call", "read_file", arguments(path=str(here / "notes.txt")), "-o", "answer.txt")

    assert ran.out == ""
    assert "two" in (here / "answer.txt").read_text(encoding="utf-8")


def test_half_a_character_in_a_result_is_still_one_json_document(hilt: Hilt, here: Path) -> None:
    (here / "mine.toml").write_text('tools = ["halves.py"]\n', encoding="utf-8")
    (here / "halves.py").write_text(SENDING.replace('f"sent {text}"', '"half \\ud800"'), encoding="utf-8")

    ran = hilt("call", "send", arguments(text="x"), "--config", "mine.toml", "--approve", "--json")

    assert ran.code == 0
    assert str(ran.json["items"]).startswith("['half ")
