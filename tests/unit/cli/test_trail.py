"""`hilt trail`: what was decided, in the order it was, and whether anybody changed it."""

import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from tests.command import Hilt


@pytest.fixture
def called(hilt: Hilt, here: Path) -> None:
    """Two calls with deeds, one that only reads, one refused."""
    hilt("call", "write_file", json.dumps({"path": str(here / "new.txt"), "content": "one\n"}))
    hilt("call", "read_file", json.dumps({"path": str(here / "notes.txt")}))
    hilt("call", "write_file", json.dumps({"path": "/etc/hilt-test", "content": "no"}))
    hilt("call", "write_file", json.dumps({"path": str(here / "other.txt"), "content": "two\n"}), "--session", "mine")


def change(tmp_path: Path, statement: str) -> None:
    connection = sqlite3.connect(tmp_path / "state" / "hilt.db")
    connection.execute(statement)
    connection.commit()
    connection.close()


def events(hilt: Hilt, *words: str) -> list[str]:
    entries = hilt("trail", *words, "--json").json["entries"]
    assert isinstance(entries, list)
    return [each["event"] for each in entries]


def test_the_latest_entries_come_first_and_words_choose_among_them(hilt: Hilt, called: None) -> None:
    assert events(hilt) == ["outcome", "decision", "refused", "outcome", "decision"]
    assert events(hilt, "event:refused", "tool:write_*") == ["refused"]
    assert events(hilt, "!event:refused", "session:mine", "since:1h") == ["outcome", "decision"]
    assert events(hilt, "word:deny") == ["refused"]
    assert events(hilt, "--limit", "1") == ["outcome"]
    assert events(hilt, "nowhere") == []
    text = hilt("trail", "event:decision").out.splitlines()
    assert text[0].split() == ["N", "TIME", "EVENT", "TOOL", "WORD", "CALL", "WHAT"]
    assert text[1].split()[2:6] == ["decision", "write_file", "allow", "mine/1"]
    assert hilt("trail", "nowhere").out == "no entry matches\n"
    assert "the keys are" in hilt("trail", "colour:red").err


def test_one_entry_is_shown_whole_without_the_arguments(hilt: Hilt, called: None) -> None:
    shown = hilt("trail", "show", "1", "--json").json

    assert (shown["tool"], shown["word"], shown["principal"], shown["deeds"]) == (
        "write_file",
        "allow",
        "local",
        ["write"],
    )
    assert "arguments" not in shown
    assert "digest" in hilt("trail", "show", "1").out
    missing = hilt("trail", "show", "99")
    assert missing.code == 2
    assert "hilt trail lists the latest" in missing.err


def test_arguments_are_kept_where_the_settings_say_so(hilt: Hilt, here: Path) -> None:
    arguments = json.dumps({"path": str(here / "new.txt"), "content": "the words"})
    hilt("call", "write_file", arguments, "-c", "trail.arguments=true")

    assert "the words" in str(hilt("trail", "show", "1", "--json").json["arguments"])


def test_a_whole_chain_is_verified_and_its_head_told(hilt: Hilt, called: None, tmp_path: Path) -> None:
    verified = hilt("trail", "verify", "--json").json
    head = verified["head"]
    assert isinstance(head, dict)

    assert (verified["holds"], verified["entries"], verified["first"]) == (True, 5, 1)
    assert hilt("trail", "verify").out == f"the chain holds: 5 entries\nhead 5 {head['hash']}\n"
    assert hilt("trail", "verify", "--head", str(head["hash"])).code == 0
    change(tmp_path, "DELETE FROM trail WHERE number = 5")
    cut = hilt("trail", "verify", "--head", str(head["hash"]))
    assert hilt("trail", "verify").code == 0
    assert cut.code == 1
    assert "its end was cut" in cut.out


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE trail SET text = replace(text, 'allow', 'deny') WHERE number = 4",
            "broken at entry 4: its text is not",
        ),
        ("DELETE FROM trail WHERE number = 3", "broken at entry 4: entry 3 is missing before it"),
        ("DELETE FROM trail WHERE number = 1", "broken at entry 1: entries up to 1 are gone, and no purge"),
        ("UPDATE trail SET session = 'x' WHERE number = 2", "broken at entry 2: its number, session or time"),
        ("UPDATE trail SET number = number + 10 WHERE number = 5", "broken at entry 15: its number"),
    ],
    ids=["changed", "taken out", "front", "column", "moved"],
)
def test_a_change_is_found_where_it_was_made(
    hilt: Hilt, called: None, tmp_path: Path, statement: str, says: str
) -> None:
    change(tmp_path, statement)

    verified = hilt("trail", "verify")

    assert verified.code == 1
    assert verified.out.startswith(says)
    assert hilt("trail").code == 0
    assert hilt("trail", "verify", "--json").json["holds"] is False


def test_lines_are_exported_as_they_were_hashed(hilt: Hilt, called: None, tmp_path: Path) -> None:
    target = tmp_path / "trail.jsonl"

    assert hilt("trail", "export", str(target)).out == f"5 entries written to {target}\n"

    previous = ""
    for line in target.read_text().splitlines():
        assert json.loads(line)["previous"] == previous
        previous = hashlib.sha256(line.encode()).hexdigest()
    assert hilt("trail", "export", "-").out == target.read_text()
    assert hilt("trail", "export", str(target)).code == 2


def test_a_purge_leaves_the_chain_whole(hilt: Hilt, called: None) -> None:
    assert hilt("trail", "purge").out.startswith("0 entries before ")
    assert hilt("trail", "purge", "--older", "0s").out.startswith("5 entries before ")
    assert hilt("trail", "verify").out.startswith("the chain holds: 1 entry, the 5 before them purged")
    assert hilt("trail", "purge", "--older", "long").code == 2
    assert hilt("log", "purge", "--older", "0s").code == 0
    assert events(hilt) == ["purged"]


@pytest.mark.parametrize("setting", ["trail.write=false", "store.where=memory"])
def test_no_trail_is_written_where_the_settings_say_so(hilt: Hilt, here: Path, setting: str) -> None:
    hilt("call", "write_file", json.dumps({"path": str(here / "new.txt"), "content": "one\n"}), "-c", setting)

    assert hilt("trail").out == "nothing is in the trail: no call has done anything yet\n"
    assert hilt("trail", "verify").out == "nothing is in the trail, so there is nothing to break\n"
    assert (here / "new.txt").exists()
