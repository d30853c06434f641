"""Skills are looked for within bounds, and a file is read within its skill's folder."""

import os
from pathlib import Path

from hilt.workspace.skills.folders import DEEPEST, MOST_FOLDERS, SkillFolder, skill_folders

FILE = "SKILL.md"


def write(folder: Path, text: str = "x") -> Path:
    folder.mkdir(parents=True)
    (folder / FILE).write_text(text, encoding="utf-8")
    return folder


def found(*places: Path, most: int = 100) -> tuple[SkillFolder, ...]:
    return skill_folders(places, FILE, most)[0]


def test_skills_come_by_place_and_by_name_with_their_bytes_and_one_more_than_the_most(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    write(second / "a")
    write(first / "b", "y" * 200)
    write(first / "group" / "c")

    listed = found(first, tmp_path / "missing", second)

    assert [(each.path, each.place) for each in listed] == [
        (first / "b", 0),
        (first / "group" / "c", 0),
        (second / "a", 2),
    ]
    assert len(listed[0].content) == 101


def test_a_skill_is_not_looked_into_and_neither_are_hidden_folders_and_packages(tmp_path: Path) -> None:
    write(tmp_path / "a" / "inner").parent.joinpath(FILE).write_text("outer", encoding="utf-8")
    write(tmp_path / ".git" / "b")
    write(tmp_path / "node_modules" / "c")

    assert [each.content for each in found(tmp_path)] == [b"outer"]


def test_skills_lie_at_most_so_deep(tmp_path: Path) -> None:
    write(tmp_path.joinpath(*"12345"))
    write(tmp_path.joinpath(*"abcdef"))

    assert len("12345") == DEEPEST
    assert [each.path.name for each in found(tmp_path)] == ["5"]


def test_more_folders_than_the_bound_are_told(tmp_path: Path) -> None:
    for number in range(MOST_FOLDERS + 5):
        (tmp_path / f"{number:05}").mkdir()
    write(tmp_path / "zz")

    listed, cut = skill_folders([tmp_path], FILE, 100)

    assert listed == ()
    assert cut == f"more than {MOST_FOLDERS:,} folders: those after were not looked into for skills"


def test_a_link_is_followed_within_the_places_and_told_where_it_leaves_them(tmp_path: Path) -> None:
    first, second, outside = tmp_path / "first", tmp_path / "second", write(tmp_path / "outside")
    write(first / "a")
    second.mkdir()
    (second / "a").symlink_to(first / "a")
    (second / "inner").symlink_to("../second/real")
    write(second / "real")
    (second / "out").symlink_to(outside)
    (second / "nowhere").symlink_to("missing")

    listed = found(first, second)

    assert [(each.path.name, each.place, bool(each.trouble)) for each in listed] == [
        ("a", 0, False),
        ("nowhere", 1, True),
        ("out", 1, True),
        ("real", 1, False),
    ]
    assert f"it leads to {outside}" in listed[2].trouble


def test_a_file_that_cannot_be_read_as_one_is_trouble_and_never_skipped(tmp_path: Path) -> None:
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "skill.md").write_text("x", encoding="utf-8")
    (tmp_path / "leak").mkdir()
    (tmp_path / "leak" / FILE).symlink_to("/etc/passwd")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / FILE).symlink_to(tmp_path / "inside" / "real.md")
    (tmp_path / "inside" / "real.md").write_text("x", encoding="utf-8")

    troubles = {each.path.name: each.trouble for each in found(tmp_path)}

    assert troubles["folder"] == f"{FILE} is no file"
    assert troubles["small"] == f"its file is named skill.md, not {FILE}"
    assert troubles["leak"] == f"{FILE} cannot be opened: it is a link that leads out of its folder, to /etc/passwd"
    assert "it is an absolute link, to" in troubles["inside"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    write(tmp_path / "a" / "real")
    (tmp_path / "self").symlink_to(".")
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")

    assert [(each.path.name, each.trouble[:19]) for each in found(tmp_path)] == [
        ("real", ""),
        ("one", "it cannot be opened"),
        ("two", "it cannot be opened"),
    ]


def test_a_pipe_does_not_hold_the_scan(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / FILE)

    assert [each.trouble for each in found(tmp_path)] == [f"{FILE} is no file"]
