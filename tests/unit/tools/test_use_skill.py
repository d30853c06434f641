"""`use_skill`: instructions and files a page at a time, notes that are true, and arguments without a shell."""

import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from hilt import Runtime, Session, ToolCall
from hilt.calls.answer import Answer
from hilt.documents.skills import Candidate, Skills, choose
from hilt.results.envelope import Status, ToolResult
from hilt.results.failures import FailureKind
from hilt.tools.use_skill import FILE_BYTES, MOST_FILES, PAGE_BYTES, use_skill
from hilt.workspace.skills.arguments import FOLDER, KEPT_SECONDS


class Desk:
    """A folder of skills and the runtime that uses them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, body: str = "the body", front: str = "") -> Path:
        folder = self.folder / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_bytes(f"---\nname: {name}\ndescription: does {name}\n{front}---\n{body}".encode())
        return folder

    def skills(self) -> Skills:
        return choose(
            Candidate(folder=each, scope="user", content=(each / "SKILL.md").read_bytes())
            for each in sorted(self.folder.iterdir())
        )

    async def answer(self, **arguments: object) -> Answer:
        return await self.among(self.skills(), **arguments)

    async def among(self, skills: Skills, **arguments: object) -> Answer:
        runtime = Runtime([use_skill], parts={Skills: skills})
        return await runtime.answer_one(Session(), ToolCall(name="use_skill", arguments=json.dumps(arguments)))

    async def __call__(self, **arguments: object) -> ToolResult[object]:
        return (await self.answer(**arguments)).result

    async def whole(self, **arguments: object) -> str:
        """Everything, following `next`."""
        parts: list[str] = []
        following: Mapping[str, object] = arguments
        for _ in range(100):
            result = await self(**following)
            assert result.failure is None, result
            parts += [str(item) for item in result.items]
            if result.truncation is None:
                return "".join(parts)
            following = result.truncation.next
        raise AssertionError("it does not end")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "state"))
    return Desk(tmp_path / "skills")


async def test_the_body_comes_with_its_folder_and_its_files(desk: Desk) -> None:
    folder = desk.write("pdf", "# PDF\n", "compatibility: needs qpdf\nallowed-tools: Read\n")
    (folder / "references").mkdir()
    (folder / "references" / "forms.md").write_text("forms", encoding="utf-8")

    answer = await desk.answer(name="pdf")

    assert answer.text.splitlines() == [
        "skill pdf (user): 6 bytes",
        "# PDF",
        "",
        f"note: its folder is {folder}; its files: references/forms.md",
        "note: compatibility: needs qpdf",
        "note: allowed-tools: Read; keep to them. Hilt neither allows them in advance nor stops others: "
        "policy decides each call",
    ]
    assert (await desk.answer(name="pdf", file="references/forms.md")).text == (
        "skill pdf/references/forms.md (user): 5 bytes\nforms"
    )


@pytest.mark.parametrize(
    "body",
    ["line\n" * 20_000, "x" * 70_000, "é" * 40_000, "中\n" * 30_000, "short\n" + "é" * 30_000 + "\nend"],
    ids=["lines", "one line", "two bytes", "three bytes", "mixed"],
)
async def test_following_next_gives_every_byte_of_a_body_and_of_a_file_once(desk: Desk, body: str) -> None:
    folder = desk.write("long", body)
    (folder / "long.txt").write_text(body, encoding="utf-8")

    assert await desk.whole(name="long") == body
    assert await desk.whole(name="long", file="long.txt") == body
    first = await desk(name="long")
    assert first.status is Status.PARTIAL
    assert first.truncation is not None
    assert (first.truncation.limit.value, first.truncation.unit) == (PAGE_BYTES, "bytes")


async def test_an_offset_inside_a_character_is_that_of_its_first_byte_and_one_past_the_end_is_refused(
    desk: Desk,
) -> None:
    desk.write("pdf", "aé中")

    assert (await desk(name="pdf", offset=2)).items == ("é中",)
    assert (await desk(name="pdf", offset=2)).summary == "skill pdf (user): bytes 1 to 6 of 6"
    failure = (await desk(name="pdf", offset=6)).failure
    assert failure is not None
    assert failure.problem == "offset 6 is past the end: pdf has 6 bytes"


async def test_arguments_are_kept_byte_for_byte_where_only_the_user_reads_them(desk: Desk, tmp_path: Path) -> None:
    desk.write("pdf")
    kept = tmp_path / "state" / FOLDER
    given = {"to": "'$(id)` \\\" \n", "deep": [1, None, {"é": 2.5}]}

    answer = await desk.answer(name="pdf", arguments=given)

    (file,) = kept.iterdir()
    assert f"arguments are in {file}; give scripts this path" in answer.text
    assert json.loads(file.read_bytes()) == given
    assert (file.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o600, 0o700)
    old = time.time() - KEPT_SECONDS - 60
    os.utime(file, (old, old))
    await desk(name="pdf", arguments={})
    assert file not in list(kept.iterdir())
    assert len(list(kept.iterdir())) == 1


async def test_arguments_that_cannot_be_kept_are_a_failure_of_the_environment(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.write("pdf")
    monkeypatch.setenv("HILT_HOME", "/dev/null/state")

    failure = (await desk(name="pdf", arguments={"a": 1})).failure

    assert failure is not None
    assert failure.kind is FailureKind.ENVIRONMENT
    assert failure.problem.startswith("the arguments cannot be kept: the folder of state /dev/null/state")


async def test_an_unknown_name_is_answered_with_the_nearest_and_those_there_are(desk: Desk) -> None:
    desk.write("pdf-forms")
    for number in range(14):
        desk.write(f"other-{number:02}")

    failure = (await desk(name="pdf_form")).failure

    assert failure is not None
    assert failure.next_steps == ("did you mean pdf-forms?",)
    assert failure.problem.endswith("other-11 and 3 more")


async def test_a_skill_for_people_and_one_that_is_gone_say_so(desk: Desk) -> None:
    desk.write("quiet", front="disable-model-invocation: true\n")
    folder = desk.write("gone")
    skills = desk.skills()
    shutil.rmtree(folder)

    quiet = (await desk.among(skills, name="quiet")).result.failure
    gone = (await desk.among(skills, name="gone")).result.failure

    assert quiet is not None
    assert "for people to start" in quiet.problem
    assert gone is not None
    assert (gone.kind, gone.problem) == (
        FailureKind.ENVIRONMENT,
        f"the skill gone is gone: {folder} was moved or deleted",
    )


async def test_what_is_no_text_and_what_is_too_large_are_used_where_they_lie(desk: Desk) -> None:
    folder = desk.write("pdf")
    (folder / "logo.png").write_bytes(b"\x89PNG\xff")
    with (folder / "big.txt").open("wb") as file:
        file.truncate(FILE_BYTES + 1)

    for name, problem in (("logo.png", "logo.png is no text in UTF-8 (5 bytes)"), ("big.txt", "big.txt has 1,000,001")):
        failure = (await desk(name="pdf", file=name)).failure
        assert failure is not None
        assert failure.problem.startswith(problem)
        assert failure.next_steps == (f"use it where it lies: {folder / name}",)


async def test_a_missing_file_is_answered_with_the_nearest_and_a_folder_is_none(desk: Desk) -> None:
    folder = desk.write("pdf")
    (folder / "references").mkdir()
    (folder / "references" / "forms.md").write_text("forms", encoding="utf-8")

    for asked, step in (
        ("references/form.md", "did you mean references/forms.md?"),
        ("references", "did you mean references/forms.md?"),
        ("zzz", "give one of these, relative to its folder"),
    ):
        failure = (await desk(name="pdf", file=asked)).failure
        assert failure is not None
        assert (failure.kind, failure.next_steps) == (FailureKind.INVALID_ARGUMENTS, (step,))
    bare = desk.write("bare")
    assert bare.is_dir()
    failure = (await desk(name="bare", file="a.md")).failure
    assert failure is not None
    assert failure.problem == "'a.md' is none of its files; files of the skill bare: none but SKILL.md"


async def test_links_in_a_circle_beside_a_skill_hide_nothing(desk: Desk) -> None:
    folder = desk.write("pdf")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "up").symlink_to("..")
    (folder / "notes.md").write_text("x", encoding="utf-8")

    assert "its files: notes.md\n" in (await desk.answer(name="pdf")).text + "\n"
    failure = (await desk(name="pdf", file="one")).failure
    assert failure is not None
    assert failure.kind is FailureKind.INVALID_ARGUMENTS


async def test_of_very_many_files_the_first_are_named(desk: Desk) -> None:
    folder = desk.write("many")
    (folder / "deep" / "deeper" / "deepest" / "hidden").mkdir(parents=True)
    for number in range(MOST_FILES + 10):
        (folder / f"{number:03}.txt").write_text("x", encoding="utf-8")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x", encoding="utf-8")

    text = (await desk.answer(name="many")).text

    assert f"{MOST_FILES - 1:03}.txt and more" in text
    assert f"{MOST_FILES:03}.txt" not in text
    assert ".git" not in text
