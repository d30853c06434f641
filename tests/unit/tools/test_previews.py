"""What a change of a file would do is shown to the person who is asked, and nothing is changed for it."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from hilt import Runtime, Session
from hilt.policy.policy import Policy
from hilt.policy.rules import Rule
from hilt.review.people import Question, Reachable, Reply
from hilt.tools.edit_file import edit_file
from hilt.tools.write_file import write_file
from hilt.workspace import Workspace
from hilt.workspace.edits.difference import MOST_COMPARED, difference


@dataclass
class Refusing:
    reachable: Reachable = "now"
    asked: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Reply:
        self.asked.append(question)
        return Reply(word="reject")


async def preview(folder: Path, name: str, arguments: object) -> str:
    person, world = Refusing(), Workspace([folder])
    runtime = Runtime(
        [edit_file, write_file],
        policy=Policy(rules=(Rule(word="ask"),)),
        parts={Workspace: world},
        resolver=world,
        person=person,
    )
    await runtime.call(Session(), name, json.dumps(arguments))
    return person.asked[0].preview


async def test_edits_are_shown_as_a_diff_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"one\r\ntwo\r\nthree")

    shown = await preview(tmp_path, "edit_file", {"path": str(file), "edits": [{"old": "two", "new": "2"}]})

    assert shown.split("\n")[:2] == ["--- a.py", "+++ a.py"]
    assert "-two" in shown
    assert "+2" in shown
    assert shown.endswith(" three\n\\ No newline at end of file")
    assert file.read_bytes() == b"one\r\ntwo\r\nthree"


async def test_edits_that_cannot_be_made_say_so_in_the_question(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one\n")

    shown = await preview(tmp_path, "edit_file", {"path": str(file), "edits": [{"old": "two", "new": "2"}]})

    assert shown.startswith("what it would do cannot be shown: ")


async def test_a_write_is_shown_against_what_is_there_and_a_new_file_whole(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\ntwo\n")

    over = await preview(tmp_path, "write_file", {"path": str(file), "content": "one\n2\n"})
    new = await preview(tmp_path, "write_file", {"path": str(tmp_path / "b.txt"), "content": "new\n"})

    assert over == "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2"
    assert new == "--- b.txt\n+++ b.txt\n@@ -0,0 +1 @@\n+new"
    assert not (tmp_path / "b.txt").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b"a", b"a", "would stay as it is"),
        (b"\x00\x01\x02\xff" * 8, b"a", "binary, 32 bytes would become 1"),
        (b"a" * (MOST_COMPARED + 1), b"a", "more than is compared"),
    ],
    ids=["same", "binary", "large"],
)
def test_where_there_is_no_diff_what_happens_is_said(old: bytes, new: bytes, says: str) -> None:
    assert says in difference(old, new, "a.bin")
