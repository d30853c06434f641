"""Where skills are looked for, who is trusted, and what people are told."""

from pathlib import Path

import pytest

from hilt.assembly.config import Config, read_config
from hilt.assembly.shelf import Shelf, shelf
from hilt.assembly.skills import find_skills, with_skills
from hilt.declarations.description import Environment
from hilt.documents.skills import Skills


class Ground:
    """A home folder and a project in a repository, with skills wherever a test puts them."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.repository = folder / "repository"
        self.root = self.repository / "part" / "inner"
        self.root.mkdir(parents=True)
        (self.repository / ".git").mkdir()

    def write(self, place: Path, name: str, description: str = "does it") -> Path:
        folder = place / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: {description}\n---\nbody"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
        return folder

    def config(self, *settings: str, file: Path | None = None) -> Config:
        return read_config(self.root, file=file, settings=settings)

    def found(self, *settings: str) -> Skills:
        return find_skills(self.config(*settings), [self.root])

    def offered(self, *settings: str) -> Shelf:
        return with_skills(shelf(["use_skill"]), self.found(*settings), self.config(*settings))


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Ground(tmp_path)


def test_the_nearest_wins_from_the_root_up_to_the_repository_then_the_settings_then_the_home(ground: Ground) -> None:
    more = ground.repository.parent / "more"
    places = [
        ground.root / ".agents" / "skills",
        ground.root / ".claude" / "skills",
        ground.repository / "part" / ".agents" / "skills",
        ground.repository / ".claude" / "skills",
        more,
        ground.home / ".agents" / "skills",
        ground.home / ".claude" / "skills",
    ]
    for number, place in enumerate(places):
        ground.write(place, "same", f"of place {number}")
        ground.write(place, f"own-{number}")
    ground.write(ground.repository.parent / ".agents" / "skills", "above-the-repository")
    settings = (f"skills.trusted={ground.repository}", f"skills.folders={more}")

    found = ground.found(*settings)

    assert found.skills["same"].folder == places[0] / "same"
    assert [each.folder for each in found.shadowed] == [place / "same" for place in places[1:]]
    assert list(found.offered) == [*(f"own-{number}" for number in range(7)), "same"]
    assert [found.skills[f"own-{number}"].scope for number in range(7)] == [
        "project", "project", "project", "project", "configured", "user", "user",
    ]  # fmt: skip
    assert (
        f"the skill same in {places[0] / 'same'} hides the one in {places[1] / 'same'}"
        in ground.offered(*settings).notes
    )


def test_a_project_that_nobody_trusted_has_its_skills_named_and_none_read(ground: Ground) -> None:
    for name in ("a", "b", "c", "d"):
        ground.write(ground.repository / ".agents" / "skills", name, "[broken")

    offered = ground.offered()

    assert offered.tools == ()
    assert offered.notes == (
        f"skills of {ground.repository} are not loaded (a, b, c and 1 more): it is not trusted. "
        f"Trust it: -c skills.trusted={ground.repository}",
    )


def test_the_file_of_a_stranger_neither_trusts_nor_adds_folders(ground: Ground) -> None:
    ground.write(ground.root / ".agents" / "skills", "a")
    ground.write(ground.repository / "more", "b")
    file = ground.root / "hilt.toml"
    file.write_text('[skills]\ntrusted = ["."]\nfolders = ["../../more"]\n', encoding="utf-8")

    strange = find_skills(ground.config(), [ground.root])
    named = find_skills(ground.config(file=file), [ground.root])

    assert strange.offered == {}
    assert "skills.trusted" in ground.config().notes[0]
    assert sorted(named.offered) == ["a", "b"]


def test_a_project_file_that_a_person_names_makes_its_folder_trusted(ground: Ground) -> None:
    ground.write(ground.root / ".agents" / "skills", "a")
    ground.write(ground.repository / ".agents" / "skills", "above")
    file = ground.root / "hilt.toml"
    file.write_text("", encoding="utf-8")

    found = find_skills(ground.config(file=file), [ground.root])

    assert list(found.offered) == ["a"]
    assert [each.name for each in found.untrusted] == ["above"]


def test_the_home_folder_as_a_project_is_still_the_users_own(ground: Ground) -> None:
    ground.write(ground.home / ".agents" / "skills", "mine")

    found = find_skills(ground.config(), [ground.home])

    assert found.skills["mine"].scope == "user"
    assert found.untrusted == ()


def test_a_folder_in_no_repository_is_looked_into_alone(ground: Ground, tmp_path: Path) -> None:
    lone = tmp_path / "lone" / "inner"
    ground.write(lone / ".agents" / "skills", "here")
    ground.write(tmp_path / "lone" / ".agents" / "skills", "above")

    found = find_skills(ground.config(f"skills.trusted={tmp_path}"), [lone])

    assert list(found.offered) == ["here"]


def test_the_listing_is_as_long_as_the_window_allows_and_the_bill_counts_it(ground: Ground) -> None:
    from hilt.assembly.targets import list_config

    for number in range(30):
        ground.write(ground.home / ".agents" / "skills", f"skill-{number:02}", "word " * 100)
    whole, small = (
        ground.offered(*settings).tools[0].declaration.description.lines for settings in ((), ("skills.window=20000",))
    )

    assert 7_000 < sum(len(line) + 1 for line in whole) <= 8_000
    assert 1_200 < sum(len(line) + 1 for line in small) <= 1_600
    assert len(whole) == len(small) == 30
    listed = list_config(ground.config('shelf=["use_skill"]')).tools[0].declaration.text(Environment())
    assert listed.splitlines()[1:] == list(whole)


def test_a_bound_that_cut_the_search_is_told(ground: Ground) -> None:
    place = ground.home / ".agents" / "skills"
    place.mkdir(parents=True)
    for number in range(2_001):
        (place / f"{number}").mkdir()

    assert "more than 2,000 folders" in ground.offered().notes[0]


def test_a_copy_of_the_same_text_is_hidden_without_a_word(ground: Ground) -> None:
    for place in (".agents", ".claude"):
        ground.write(ground.home / place / "skills", "pdf")
    ground.write(ground.home / ".agents" / "skills", "rows", "near")
    ground.write(ground.home / ".claude" / "skills", "rows", "far")

    notes = ground.offered().notes

    assert [each.name for each in ground.found().shadowed] == ["pdf", "rows"]
    assert len(notes) == 1
    assert notes[0].startswith("the skill rows in ")
