"""A program that the workspace itself puts on the PATH is the project's, whatever it is called."""

from pathlib import Path

import pytest

from hilt.workspace import Workspace


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "ls").write_text("#!/bin/sh\necho planted\n")
    (folder / "ls").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Workspace([tmp_path])


@pytest.mark.parametrize("text", ["ls", "timeout 5 ls", "cat f | xargs ls", "true && ls -la"])
def test_a_program_planted_on_the_path_is_not_known_to_be_harmless(planted: Workspace, text: str) -> None:
    (planted.roots[0] / "f").touch()
    fact = planted.command(text)

    assert not fact.proved
    assert any("is a program of the project" in each.reason for each in fact.unproved)


def test_programs_of_the_system_behind_it_are_still_known(planted: Workspace) -> None:
    assert planted.command("cat f | wc -l").proved
    assert planted.command(["git", "--version"]).proved


def test_a_folder_of_the_path_that_hangs_from_where_the_command_runs_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "head").write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", ".:/usr/bin:/bin")

    assert not Workspace([tmp_path]).command("head f").proved
    assert Workspace([tmp_path]).command("tail f").proved


def test_a_program_found_earlier_outside_is_the_one_that_runs(
    planted: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/usr/bin:/bin:{planted.roots[0] / '.venv' / 'bin'}")

    assert planted.command("ls").proved
