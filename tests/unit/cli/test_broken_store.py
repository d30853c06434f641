"""A store that cannot be used: what needs none of it is answered, what needs it says what to do."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Hilt


def newer(home: Path) -> None:
    connection = sqlite3.connect(home / "hilt.db")
    connection.execute("UPDATE schema_version SET version = 999")
    connection.commit()
    connection.close()


def damaged(home: Path) -> None:
    database = home / "hilt.db"
    database.write_bytes(b"Z" * database.stat().st_size)


def no_folder(home: Path) -> None:
    for file in sorted(home.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    home.rmdir()
    home.write_text("a file stands in the way", encoding="utf-8")


@pytest.fixture(params=[newer, damaged, no_folder], ids=lambda each: each.__name__)
def broken(request: pytest.FixtureRequest, hilt: Hilt, tmp_path: Path) -> Path:
    """A workspace with 400 matches, and a store that held a session before it broke."""
    (tmp_path / "here" / "a.txt").write_text(
        "needle, and a line long enough to fill a page\n" * 1_000, encoding="utf-8"
    )
    assert hilt("call", "search_code", '{"pattern": "needle"}', "--session", "s").code == 0
    spoil: Callable[[Path], None] = request.param
    spoil(tmp_path / "state")
    return tmp_path / "state"


def test_a_call_that_needs_no_state_is_answered_and_people_hear_what_was_not_kept(hilt: Hilt, broken: Path) -> None:
    ran = hilt("call", "search_code", '{"pattern": "needle"}')
    assert ran.code == 0
    assert "a.txt" in ran.out
    assert "events were not kept" in ran.err
    assert str(broken) in ran.err


def test_a_long_result_goes_on_by_its_own_next_without_an_artifact(hilt: Hilt, broken: Path) -> None:
    ran = hilt("call", "search_code", '{"pattern": "needle", "output": "content", "limit": 0}', "--json")
    assert ran.code == 0
    assert "artifact" not in ran.json
    cut = ran.json["truncation"]
    assert isinstance(cut, dict)
    following = hilt("call", "search_code", json.dumps(cut["next"]), "--json")
    items = following.json["items"]
    assert isinstance(items, list)
    assert items[0]["line"] == cut["shown"] + 1


def test_no_traceback_is_shown_for_what_the_machine_lacks(
    hilt: Hilt, broken: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hilt("call", "search_code", '{"pattern": "needle", "output": "content", "limit": 0}')
    assert "could not be put aside: " in caplog.text
    assert str(broken) in caplog.text
    assert "Traceback" not in caplog.text


def test_an_artifact_that_cannot_be_reached_is_no_fault_of_the_tool(hilt: Hilt, broken: Path) -> None:
    ran = hilt("call", "artifact_read", '{"artifact": "artifact_abcdefgh"}', "--session", "s", "--json")
    assert ran.code == 1
    failure = ran.json["failure"]
    assert isinstance(failure, dict)
    assert failure["class"] == "environment"
    assert failure["problem"].startswith("artifacts cannot be read: ")
    assert str(broken) in failure["problem"]
    assert failure["next_steps"][1].startswith("ask the person to ")


@pytest.mark.parametrize("verb", [("log",), ("log", "purge")], ids=" ".join)
def test_a_verb_about_the_store_itself_cannot_reach_it(hilt: Hilt, broken: Path, verb: tuple[str, ...]) -> None:
    ran = hilt(*verb, "--json")
    assert ran.code == 4
    assert str(broken) in str(ran.error["message"])
    assert ran.error["hint"]
