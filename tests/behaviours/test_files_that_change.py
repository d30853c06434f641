"""Promises about tools that change files, driven from outside."""

import json
from pathlib import Path

import pytest

from tests.command import Hilt, in_process


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)


@pytest.fixture
def here(hilt: Hilt, tmp_path: Path) -> Path:
    return tmp_path / "here"


def call(hilt: Hilt, tool: str, session: str = "s", **arguments: object) -> dict[str, object]:
    return hilt("call", tool, json.dumps(arguments), "--session", session, "--json").json


def why(envelope: dict[str, object]) -> str:
    failure = envelope["failure"]
    assert isinstance(failure, dict)
    assert failure["class"] == "invalid_arguments"
    return str(failure["problem"])


def test_req_C6_what_was_not_read_or_was_changed_since_is_not_written_over(hilt: Hilt, here: Path) -> None:
    path = here / "a.txt"
    path.write_text("theirs")

    assert "has not been read in this session" in why(call(hilt, "write_file", path=str(path), content="mine"))
    call(hilt, "read_file", session="another", path=str(path))
    assert "has not been read in this session" in why(call(hilt, "write_file", path=str(path), content="mine"))
    call(hilt, "read_file", path=str(path))
    path.write_text("theirs, later")
    assert "was changed since it was read" in why(call(hilt, "write_file", path=str(path), content="mine"))
    assert path.read_text() == "theirs, later"

    call(hilt, "read_file", path=str(path))
    path.touch()
    assert call(hilt, "write_file", path=str(path), content="mine")["status"] == "success"
    assert path.read_text() == "mine"


def test_req_C6_an_edit_goes_on_from_what_a_search_showed_and_from_what_was_written(hilt: Hilt, here: Path) -> None:
    path = here / "a.py"
    path.write_text("one = 1\ntwo = 2\n")
    edit = [{"old": "two = 2", "new": "two = 3"}]

    call(hilt, "search_code", pattern="two", path=str(here), output="content")
    assert call(hilt, "edit_file", path=str(path), edits=edit)["status"] == "success"
    assert call(hilt, "edit_file", path=str(path), edits=[{"old": "two = 3", "new": "two = 4"}])["status"] == "success"
    assert "has not been read" in why(call(hilt, "write_file", path=str(path), content="all new\n"))
    assert path.read_text() == "one = 1\ntwo = 4\n"


def test_req_H2_files_are_written_moved_and_removed_and_told_in_one_line(hilt: Hilt, here: Path) -> None:
    written = call(hilt, "write_file", path=f"{here}/src/a.txt", content="x")
    moved = call(hilt, "move_path", source=f"{here}/src/a.txt", destination=f"{here}/b.txt")
    removed = call(hilt, "remove_path", path=f"{here}/b.txt")

    assert [each["summary"] for each in (written, moved, removed)] == [
        "src/a.txt: 1 byte created",
        "src/a.txt moved to b.txt",
        "b.txt: file of 1 byte removed",
    ]
    assert [each.name for each in here.iterdir()] == ["src"]


def test_req_H9_each_change_can_be_taken_back_and_that_too(hilt: Hilt, here: Path) -> None:
    (here / "a.txt").write_bytes(b"\xfftheirs\r\n")
    (here / "a.txt").chmod(0o640)
    call(hilt, "read_file", path=f"{here}/a.txt")
    call(hilt, "write_file", path=f"{here}/a.txt", content="mine")
    call(hilt, "move_path", source=f"{here}/a.txt", destination=f"{here}/deep/b.txt")
    call(hilt, "remove_path", path=f"{here}/deep", recursive=True)
    assert list(here.iterdir()) == []

    for _ in range(3):
        assert hilt("undo").code == 0
    assert (here / "a.txt").read_bytes() == b"\xfftheirs\r\n"
    assert (here / "a.txt").stat().st_mode & 0o777 == 0o640
    changes = hilt("undo", "--list", "--json").json["changes"]
    assert isinstance(changes, list)
    assert hilt("undo", changes[0]["id"]).code == 0
    assert (here / "a.txt").read_text() == "mine"


def test_req_F3_no_path_leads_a_change_out_of_the_workspace(hilt: Hilt, here: Path) -> None:
    outside = here.parent / "outside.txt"
    outside.write_text("theirs")
    (here / "link").symlink_to(outside)
    (here / "a.txt").write_text("mine")

    for envelope in (
        call(hilt, "write_file", path=f"{here}/link", content="x"),
        call(hilt, "write_file", path=f"{here}/../new.txt", content="x"),
        call(hilt, "edit_file", path=f"{here}/link", edits=[{"old": "theirs", "new": "x"}]),
        call(hilt, "move_path", source=f"{here}/a.txt", destination=f"{here}/../new.txt"),
        call(hilt, "remove_path", path=str(outside)),
    ):
        assert envelope["status"] == "denied", envelope
    assert outside.read_text() == "theirs"
    assert not (here.parent / "new.txt").exists()
