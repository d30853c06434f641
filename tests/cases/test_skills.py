"""Public reports about skills, as cases: names and files as paths, colons, front matter that cannot be read."""

import json
from pathlib import Path

import pytest

from hilt import ToolCall
from hilt.assembly.build import Assembled, open_runtime
from hilt.assembly.config import read_config
from hilt.calls.answer import Answer
from hilt.results.envelope import Status
from hilt.results.failures import FailureKind


class Place:
    """A home folder with skills, and a session that may use them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.skills = folder / "home" / ".agents" / "skills"
        self.workspace = folder / "workspace"
        self.workspace.mkdir()

    def write(self, name: str, front: str, body: str = "the body\n") -> Path:
        file = self.skills / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"---\n{front}\n---\n{body}", encoding="utf-8")
        return file

    def open(self, *settings: str) -> Assembled:
        config = read_config(self.workspace, settings=('shelf=["use_skill"]', "store.where=memory", *settings))
        return open_runtime(self.workspace, config=config)

    async def use(self, **arguments: object) -> Answer:
        async with self.open() as assembled:
            call = ToolCall(name="use_skill", arguments=json.dumps(arguments))
            return await assembled.runtime.answer_one(assembled.session, call)

    def notes(self) -> str:
        return "\n".join(self.open().notes)

    def listed(self) -> str:
        tool = self.open().runtime.catalog.by_name.get("use_skill")
        return "\n".join(tool.declaration.description.lines) if tool else ""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HILT_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Place(tmp_path)


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "rows/../../x", "rows/", "./rows", "", "rows\0"])
async def test_a_skill_named_by_a_path_is_a_bad_argument_and_the_names_are_listed_b88(place: Place, name: str) -> None:
    place.write("rows", "name: rows\ndescription: Sort rows")
    (place.folder / "x").mkdir()
    (place.folder / "x" / "SKILL.md").write_text("---\nname: x\ndescription: x\n---\nsecret", encoding="utf-8")

    answer = await place.use(name=name)

    assert answer.result.failure is not None
    assert answer.result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert "there are rows" in answer.result.failure.problem
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    "file", ["../../../etc/passwd", "/etc/passwd", "link.txt", "deep/link.txt", "folder/passwd", "a\0"]
)
async def test_a_file_outside_of_the_skill_is_a_bad_argument_and_the_files_are_listed_b88(
    place: Place, file: str
) -> None:
    skill = place.write("rows", "name: rows\ndescription: Sort rows").parent
    (skill / "deep").mkdir()
    (skill / "deep" / "notes.md").write_text("inside", encoding="utf-8")
    (place.skills / "secret.txt").write_text("root:x:0:0", encoding="utf-8")
    (skill / "link.txt").symlink_to("/etc/passwd")
    (skill / "deep" / "link.txt").symlink_to("../../secret.txt")
    (skill / "folder").symlink_to("/etc")

    answer = await place.use(name="rows", file=file)

    assert answer.result.failure is not None
    assert answer.result.failure.kind is FailureKind.INVALID_ARGUMENTS
    assert "files of the skill rows: deep/notes.md" in answer.result.failure.problem
    assert "root:" not in answer.text
    assert "inside" in (await place.use(name="rows", file="deep/notes.md")).text


async def test_a_colon_in_an_unquoted_description_is_read_as_written_and_told_b121(place: Place) -> None:
    place.write("rows", "name: rows\ndescription: Sort rows: newest first")

    answer = await place.use(name="rows")

    assert place.listed() == "- rows: Sort rows: newest first"
    assert answer.result.status is Status.SUCCESS
    assert answer.result.items == ("the body\n",)
    assert "the skill rows: its description holds a colon that YAML takes in quotes only (line 3)" in place.notes()


async def test_names_and_versions_stay_text_b121(place: Place) -> None:
    place.write("on", "name: on\ndescription: no\nmetadata:\n  version: 1.10\n  since: 2026-01-01\n  strict: yes")

    assert place.listed() == "- on: no"
    assert (await place.use(name="on")).result.status is Status.SUCCESS


@pytest.mark.parametrize(
    ("front", "line", "what"),
    [
        ("name: rows\ndescription: Sort rows: newest first # not old", 3, "a colon in a text that is not quoted"),
        ("name: rows\ndescription: 'Sort rows", 4, "it is not YAML"),
        ("name: rows\ndescription: Sort\nmetadata:\n\tversion: 1", 5, "a tab"),
        ("name: rows\nname: rows\ndescription: Sort", 3, "name is given twice"),
        ("name: sort-rows\ndescription: Sort", 2, "is not that of its folder"),
        ("name: rows", 1, "description is missing"),
    ],
    ids=["comment", "quote", "tab", "twice", "name", "missing"],
)
async def test_what_is_broken_otherwise_is_told_with_file_line_and_fix_b121(
    place: Place, front: str, line: int, what: str
) -> None:
    file = place.write("rows", front)

    assert place.listed() == ""
    assert f"the skill rows is broken and not offered: {file}:{line}: " in place.notes()
    assert what in place.notes()


async def test_a_broken_file_that_restricts_is_not_offered_until_it_is_mended_b122(place: Place) -> None:
    file = place.write("rows", "name: rows\ndescription: Sort rows: newest first\nallowed-tools: Read")
    place.write("other", "name: other\ndescription: Something else")

    assert place.listed() == "- other: Something else"
    answer = await place.use(name="rows")
    assert answer.result.failure is not None
    assert f"{file}:3: a colon in a text that is not quoted; put the text in quotes" in answer.result.failure.problem

    file.write_text(
        '---\nname: rows\ndescription: "Sort rows: newest first"\nallowed-tools: Read\n---\nbody', encoding="utf-8"
    )

    assert "- rows: Sort rows: newest first" in place.listed()
    assert "allowed-tools: Read; keep to them" in (await place.use(name="rows")).text


async def test_a_broken_near_skill_is_not_replaced_by_a_farther_one_of_its_name_b122(place: Place) -> None:
    place.write("rows", "name: rows\ndescription: Unrestricted")
    near = place.workspace / ".agents" / "skills" / "rows" / "SKILL.md"
    near.parent.mkdir(parents=True)
    near.write_text("---\nname: rows\ndescription: a: b\nallowed-tools: Read\n---\n", encoding="utf-8")

    assembled = place.open(f'skills.trusted=["{place.workspace}"]')

    assert "use_skill" not in assembled.runtime.catalog.by_name
    assert f"the skill rows is broken and not offered: {near}:3" in "\n".join(assembled.notes)


async def test_a_skill_broken_while_the_session_runs_is_not_used_any_more_b122(place: Place) -> None:
    file = place.write("rows", "name: rows\ndescription: Sort")
    async with place.open() as assembled:
        call = ToolCall(name="use_skill", arguments='{"name": "rows"}')
        assert (await assembled.runtime.answer_one(assembled.session, call)).result.status is Status.SUCCESS
        file.write_text("---\nname: rows\ndescription: Sort\nallowed-tools: [Read\n---\nall of it", encoding="utf-8")

        answer = await assembled.runtime.answer_one(assembled.session, call)

    assert answer.result.failure is not None
    assert answer.result.failure.kind is FailureKind.ENVIRONMENT
    assert "all of it" not in answer.text
