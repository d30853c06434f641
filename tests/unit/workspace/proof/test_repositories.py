"""What git would run of a repository's own making is named; an ordinary repository passes."""

import os
import subprocess
from pathlib import Path

import pytest

from hilt.workspace.proof.listed import links_tracked
from hilt.workspace.proof.repositories import MOST_BYTES, trouble
from tests.needs import need

ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b",
}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    need("git", "it makes the repositories")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "file").write_text("text")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def config(folder: Path, text: str) -> None:
    with (folder / ".git" / "config").open("a") as file:
        file.write(text)


def test_an_ordinary_repository_and_no_repository_run_nothing(repository: Path, tmp_path: Path) -> None:
    config(
        repository,
        '[remote "origin"]\n\turl = https://h/x.git\n\tfetch = +refs/*:refs/*\n[branch "main"]\n\tremote = origin\n',
    )
    config(
        repository,
        '[user]\n\tname = A \\"quoted\\" name # why\n; a comment\n[alias]\n\tst = status\n[color] ui = auto\n',
    )
    (repository / "deep" / "er").mkdir(parents=True)

    assert trouble(str(repository)) == ""
    assert trouble(str(repository / "deep" / "er")) == ""
    assert trouble(str(tmp_path)) == ""


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[core]\n\tfsmonitor = ./x\n", "core.fsmonitor"),
        ("[CORE]\n\tFSMonitor = ./x\n", "core.fsmonitor"),
        ("[core] fsmonitor = ./x\n", "core.fsmonitor"),
        ("[core] bare = false\nfsmonitor\n", "core.fsmonitor"),
        ("[user] name = x\n[core]\nfsmonitor=./x\n", "core.fsmonitor"),
        ("[core]\n\tpager = ./x\n", "core.pager"),
        ("[core]\n\tsshCommand = ./x\n", "core.sshcommand"),
        ("[core]\n\thooksPath = .\n", "core.hookspath"),
        ("[core]\n\teditor = ./x\n", "core.editor"),
        ("[core]\n\tworktree = /etc\n", "core.worktree"),
        ("[diff]\n\texternal = ./x\n", "diff.external"),
        ('[diff "a"]\n\ttextconv = ./x\n', "diff.a.textconv"),
        ('[diff "a"]\n\tcommand = ./x\n', "diff.a.command"),
        ("[diff.a]\n\tcommand = ./x\n", "diff.a.command"),
        ('[filter "a"]\n\tclean = ./x\n', "filter.a.clean"),
        ("[gpg]\n\tprogram = ./x\n", "gpg.program"),
        ("[log]\n\tshowSignature = true\n", "log.showsignature"),
        ("[include]\n\tpath = ../x\n", "include.path"),
        ('[includeIf "gitdir:/"]\n\tpath = ../x\n', "includeif.gitdir:/.path"),
        ("[credential]\n\thelper = ./x\n", "credential.helper"),
        ('[remote "a"]\n\tuploadpack = ./x\n', "remote.a.uploadpack"),
        ('[remote "a"]\n\tpromisor = true\n', "remote.a.promisor"),
        ("[alias]\n\twhatchanged = !x\n", "alias.whatchanged"),
        ("[pretty]\n\tx = %G?\n", "pretty.x"),
        ("[format]\n\tpretty = %G?\n", "format.pretty"),
        ("[extensions]\n\tobjectFormat = sha256\n", "extensions.objectformat"),
        ("[user]\n\tname = a\\\n[core]\n\tfsmonitor = x\n", "goes on"),
        ("[core]\n# comment \\\n\tfsmonitor = ./x\n", "goes on"),
        ("[core]\n\tabbrev = 7\x0c[user]\n\tfsmonitor = ./x\n", "core.fsmonitor"),
        ("[core\n", "not understood"),
        ("]\n", "not understood"),
    ],
)
def test_a_key_that_may_run_a_program_is_named(text: str, key: str, repository: Path) -> None:
    config(repository, text)

    assert key in trouble(str(repository))


def test_a_configuration_that_cannot_be_looked_at_is_told(repository: Path) -> None:
    config(repository, "#" * MOST_BYTES)

    assert "too long" in trouble(str(repository))


def test_what_an_update_of_the_index_runs_is_named_samples_are_not(repository: Path) -> None:
    assert any((repository / ".git" / "hooks").iterdir())
    (repository / ".git" / "hooks" / "post-index-change").write_text("#!/bin/sh\n")

    assert "post-index-change" in trouble(str(repository))


def test_a_worktree_is_judged_by_its_own_and_the_shared_configuration(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(repository, "worktree", "add", "-q", str(other))
    assert trouble(str(other)) == ""

    config(repository, "[extensions]\n\tworktreeConfig = true\n")
    (repository / ".git" / "worktrees" / "other" / "config.worktree").write_text("[core]\n\tfsmonitor = x\n")
    assert "core.fsmonitor" in trouble(str(other))
    assert trouble(str(repository)) == ""

    config(repository, "[core]\n\tpager = x\n")
    assert "core.pager" in trouble(str(other))


def test_a_file_that_leads_to_a_repository_is_followed(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "led").mkdir()
    (tmp_path / "led" / ".git").write_text(f"gitdir: {repository}/.git\n")
    (tmp_path / "misled").mkdir()
    (tmp_path / "misled" / ".git").write_text("nothing\n")
    config(repository, "[core]\n\tpager = x\n")

    assert "core.pager" in trouble(str(tmp_path / "led"))
    assert "no file of git" in trouble(str(tmp_path / "misled"))


def test_a_repository_that_lies_about_as_plain_files_is_told(repository: Path, tmp_path: Path) -> None:
    git(repository, "clone", "-q", "--bare", str(repository), str(tmp_path / "bare"))

    assert "without a worktree" in trouble(str(tmp_path / "bare"))


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_repository_within_is_judged_with_the_one_around_it(version: str, repository: Path) -> None:
    inner = repository / "inner"
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository), "inner")
    git(repository, "update-index", "--index-version", version)
    assert trouble(str(repository)) == ""

    git(inner, "config", "core.fsmonitor", "x")
    assert "core.fsmonitor" in trouble(str(repository))


def test_links_a_repository_tracks_are_found(repository: Path) -> None:
    (repository / "link").symlink_to("/etc/hosts")
    git(repository, "add", "link")

    assert list(links_tracked(str(repository))) == [str(repository / "link")]
    assert list(links_tracked("/")) == []


def test_an_index_that_is_not_understood_is_told(repository: Path) -> None:
    (repository / ".git" / "index").write_bytes(b"DIRC\0\0\0\2\0\0\0\5\x00\x00\xe0\x00")
    assert "not understood" in trouble(str(repository))

    (repository / ".git" / "sharedindex.x").write_text("")
    assert "in parts" in trouble(str(repository))
