"""`hilt undo`: what a tool changed in files, listed and taken back."""

import json
from pathlib import Path

from tests.command import Hilt, Ran


def write(hilt: Hilt, path: Path, content: str, session: str = "s") -> None:
    arguments = json.dumps({"path": str(path), "content": content})
    assert hilt("call", "write_file", arguments, "--session", session).code == 0


def changes(ran: Ran) -> list[dict[str, object]]:
    found = ran.json["changes"]
    assert isinstance(found, list)
    return found


def test_the_last_change_is_taken_back_and_then_the_one_before(hilt: Hilt, here: Path) -> None:
    write(hilt, here / "new.txt", "one")
    write(hilt, here / "new.txt", "two")

    ran = hilt("undo")
    assert (ran.code, ran.out) == (0, "taken back: write_file replaced new.txt\n")
    assert (here / "new.txt").read_text() == "one"
    assert hilt("undo", "--json").json["undone"]
    assert not (here / "new.txt").exists()
    nothing = hilt("undo", "--json")
    assert (nothing.code, nothing.error["code"]) == (1, "nothing_to_undo")


def test_changes_are_listed_latest_first_with_what_is_kept_of_them(hilt: Hilt, here: Path) -> None:
    assert hilt("undo", "--list").out == "no change of files is kept for this workspace\n"
    write(hilt, here / "new.txt", "one")
    hilt("call", "read_file", json.dumps({"path": str(here / "new.txt")}), "--session", "t")

    write(hilt, here / "new.txt", "two", session="t")
    listed = changes(hilt("undo", "--list", "--json"))
    assert [(each["deed"], each["session"], each["undone"]) for each in listed] == [
        ("replaced", "t", False),
        ("created", "s", False),
    ]
    assert Path(str(listed[0]["kept"])).read_text() == "one"
    assert [each["deed"] for each in changes(hilt("undo", "--list", "--json", "--session", "s"))] == ["created"]
    assert str(here / "new.txt") in hilt("undo", "--list").out


def test_a_change_is_named_by_its_id_and_taken_back_once(hilt: Hilt, here: Path) -> None:
    write(hilt, here / "a.txt", "one")
    write(hilt, here / "b.txt", "one")
    named = str(changes(hilt("undo", "--list", "--json"))[1]["id"])

    assert hilt("undo", named).out == "taken back: write_file created a.txt\n"
    assert (here / "b.txt").exists()
    again = hilt("undo", named, "--json")
    assert (again.code, again.error["code"]) == (1, "undone")
    assert "(taken back)" in hilt("undo", "--list").out
    unknown = hilt("undo", named[:-1], "--json")
    assert (unknown.code, unknown.error["code"], unknown.error["hint"]) == (2, "unknown_change", f"hilt undo {named}")
    assert hilt("undo", "zzzz", "--json").error["hint"] == "hilt undo --list"


def test_a_file_that_changed_again_is_left_alone(hilt: Hilt, here: Path) -> None:
    write(hilt, here / "a.txt", "one")
    write(hilt, here / "a.txt", "two")
    (here / "a.txt").write_text("mine")

    ran = hilt("undo", "--json")

    assert (ran.code, ran.error["code"]) == (1, "not_undone")
    assert "what was there before is kept in" in str(ran.error["message"])
    assert (here / "a.txt").read_text() == "mine"


def test_the_log_is_purged_with_what_is_kept_of_files(hilt: Hilt, here: Path) -> None:
    write(hilt, here / "a.txt", "one")

    assert hilt("log", "purge", "--json").json["file_changes"] == 0
    assert hilt("log", "purge", "--older", "0s", "--json").json["file_changes"] == 1
    assert changes(hilt("undo", "--list", "--json")) == []


def test_a_change_that_cannot_be_taken_back_names_the_one_before_it(hilt: Hilt, here: Path) -> None:
    write(hilt, here / "a.txt", "one")
    write(hilt, here / "b.txt", "one")
    earlier = str(changes(hilt("undo", "--list", "--json"))[1]["id"])
    (here / "b.txt").write_text("somebody else's")

    refused = hilt("undo")

    assert refused.code == 1
    assert f"hilt undo {earlier}" in refused.err
    assert hilt("undo", earlier).out == "taken back: write_file created a.txt\n"
