"""Names that run code or set policy later: which paths are in one, and which there are below a root."""

import os
from pathlib import Path

import pytest

from hilt.store.home import VARIABLE
from hilt.workspace import Workspace
from hilt.workspace.hole_names import hole_of
from hilt.workspace.holes import DEEPEST, MOST_FOLDERS, holes_below
from hilt.workspace.roots import Root

ROOTS = (Root(real="/w", given="/w"),)


@pytest.mark.parametrize(
    ("path", "hole"),
    [
        ("/w/.git/hooks", ".git/hooks"),
        ("/w/.git/hooks/pre-commit", ".git/hooks"),
        ("/w/deep/er/.git/config", ".git/config"),
        ("/w/.git/config.worktree", ".git/config.worktree"),
        ("/w/.git/commondir", ".git/commondir"),
        ("/w/.git/modules/one/two/hooks/post-merge", ".git/modules/*/hooks"),
        ("/w/.git/worktrees/fix/commondir", ".git/worktrees/*/commondir"),
        ("/w/server.git/hooks/update", ".git/hooks"),
        ("/w/.gitmodules", ".gitmodules"),
        ("/w/pkg/.husky/_/husky.sh", ".husky"),
        ("/w/.bashrc", ".bashrc"),
        ("/w/dotfiles/.zshenv", ".zshenv"),
        ("/w/a/.envrc", ".envrc"),
        ("/w/hilt.toml", "hilt.toml"),
        ("/w/.mcp.json", ".mcp.json"),
        ("/w/.claude/settings.local.json", ".claude/settings.local.json"),
        ("/w/.claude/commands/ship.md", ".claude/commands"),
        ("/w/.codex/config.toml", ".codex"),
        ("/w/.vscode/tasks.json", ".vscode"),
        ("/w/all.code-workspace", "*.code-workspace"),
        ("/w/.config/fish/config.fish", ".config/fish"),
        ("/w/.Rprofile", ".Rprofile"),
    ],
)
def test_a_path_in_a_protected_name_is_told_by_that_name(path: str, hole: str) -> None:
    assert hole_of(path, ROOTS) == hole


@pytest.mark.parametrize(
    "path",
    [
        "/w",
        "/w/src/main.py",
        "/w/.git/index",
        "/w/.git/refs/heads/config",
        "/w/.git/modules/one/HEAD",
        "/w/.claude/worktrees/fix/src/a.py",
        "/w/.config/nextest.toml",
        "/w/.gitignore",
        "/w/config",
        "/w/hooks/useState.ts",
        "/w/.env",
        "/w/package.json",
        "/w/docs/hilt.toml.md",
        "/w/repository.git",
    ],
)
def test_ordinary_names_are_no_hole(path: str) -> None:
    assert hole_of(path, ROOTS) == ""


@pytest.mark.parametrize("path", ["/w/.git", "/w/a/.claude", "/w/.config"])
def test_what_would_bring_protected_names_along_counts_as_them(path: str) -> None:
    assert hole_of(path, ROOTS) == path.rpartition("/")[2]


def test_another_spelling_by_case_is_the_same_name() -> None:
    assert hole_of("/w/.GIT/Hooks/pre-commit", ROOTS) == ".git/hooks"


def test_a_root_that_is_a_protected_name_was_granted_but_what_lies_below_it_counts() -> None:
    roots = (Root(real="/w", given="/w"), Root(real="/w/.vscode", given="/w/.vscode"), Root(real="/r/.git", given="/"))

    assert hole_of("/w/.vscode/tasks.json", roots) == ""
    assert hole_of("/w/.vscode/.envrc", roots) == ".envrc"
    assert hole_of("/r/.git/hooks/a", roots) == ".git/hooks"
    assert hole_of("/r/.git/index", roots) == ""


def test_holes_that_exist_are_found_in_nested_folders_and_the_way_to_them_is_pinned(tmp_path: Path) -> None:
    for name in (".git/hooks", "sub/.git", "sub/.vscode", "deep/er/.vscode"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "sub/.git/config").touch()
    (tmp_path / "own.code-workspace").touch()

    found = holes_below(tmp_path)

    expected = {".git/hooks", "sub/.git/config", "sub/.vscode", "deep/er/.vscode", "own.code-workspace"}
    assert {str(path.relative_to(tmp_path)) for path in found.there} == expected
    assert {str(path.relative_to(tmp_path)) for path in found.pinned} == {".git", "sub", "sub/.git", "deep", "deep/er"}
    assert found.whole


def test_what_is_missing_must_stay_absent_in_the_root_and_in_every_repository(tmp_path: Path) -> None:
    for name in (".git", "sub/.git/hooks", ".claude"):
        (tmp_path / name).mkdir(parents=True)

    absent = {str(path.relative_to(tmp_path)) for path in holes_below(tmp_path).absent}

    assert {".git/hooks", ".git/config", "sub/.git/config", ".bashrc", "hilt.toml", ".claude/settings.json"} <= absent
    assert not {".git", ".claude", ".config", "sub/.git/hooks"} & absent


def test_a_folder_without_a_repository_must_not_become_one(tmp_path: Path) -> None:
    assert tmp_path / ".git" in holes_below(tmp_path).absent


def test_a_file_that_says_where_the_repository_is_is_a_hole(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: /elsewhere/.git/worktrees/this\n", encoding="utf-8")

    assert tmp_path / ".git" in holes_below(tmp_path).there


def test_installed_packages_and_what_links_lead_to_are_not_looked_into(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for folder in (outside, tmp_path / "root/node_modules/one"):
        (folder / ".vscode").mkdir(parents=True)
    (tmp_path / "root/link").symlink_to(outside)

    assert holes_below(tmp_path / "root").there == ()


def test_what_lies_deeper_than_is_looked_is_left_and_too_many_folders_are_told_of(tmp_path: Path) -> None:
    deep = tmp_path.joinpath("one", *map(str, range(DEEPEST + 1)))
    (deep / ".vscode").mkdir(parents=True)
    assert holes_below(tmp_path / "one").there == ()

    for number in range(MOST_FOLDERS):
        (tmp_path / "many" / str(number)).mkdir(parents=True)
    assert not holes_below(tmp_path / "many").whole


def repository(folder: Path, settings: str = "") -> Path:
    (folder / ".git/hooks").mkdir(parents=True)
    (folder / ".git/config").write_text(settings, encoding="utf-8")
    return folder


def hole(root: Path, name: str) -> str:
    return Workspace([root]).path(str(root / name)).hole


@pytest.mark.parametrize(
    "settings",
    [
        "[core]\n\thooksPath = tools/git\n",
        '[CORE]\n\tbare = false\n\tHooksPath = "tools/git" ; ours\n',
        "[include]\n\tpath = ../more\n",
    ],
)
def test_the_folder_that_a_repository_names_for_its_hooks_is_a_hole(tmp_path: Path, settings: str) -> None:
    repository(tmp_path, settings)
    (tmp_path / "more").write_text("[core] hooksPath = tools/git", encoding="utf-8")
    (tmp_path / "tools").mkdir()

    assert hole(tmp_path, "tools/git/pre-commit") == "core.hooksPath"
    assert hole(tmp_path, "tools/other") == ""
    assert tmp_path / "tools/git" in holes_below(tmp_path).absent


def test_a_folder_for_hooks_that_is_named_later_is_one_from_then_on(tmp_path: Path) -> None:
    repository(tmp_path)
    assert hole(tmp_path, "ours/pre-push") == ""

    (tmp_path / ".git/config").write_text("[core]\nhooksPath = ours\n", encoding="utf-8")

    assert hole(tmp_path, "ours/pre-push") == "core.hooksPath"


def test_the_real_folder_of_a_repository_is_protected_wherever_it_is(tmp_path: Path) -> None:
    for name in ("kept/shared/hooks", "kept/this", "tree"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "tree/.git").write_text("gitdir: ../kept/this\n", encoding="utf-8")
    (tmp_path / "kept/this/commondir").write_text("../shared\n", encoding="utf-8")

    below = holes_below(tmp_path)

    assert {tmp_path / "kept/shared/hooks", tmp_path / "kept/this/commondir", tmp_path / "tree/.git"} <= {*below.there}
    assert tmp_path / "kept/shared/config" in below.absent
    assert {tmp_path / "kept", tmp_path / "kept/shared"} <= {*below.pinned}


def test_a_working_tree_of_a_repository_kept_elsewhere_protects_that_repository(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / ".git").write_text("gitdir: kept\n", encoding="utf-8")

    assert hole(tmp_path, "kept/hooks/pre-commit") == ".git/hooks"
    assert hole(tmp_path, "kept/index") == ""


def test_what_a_link_with_a_protected_name_leads_to_is_protected_under_both_names(tmp_path: Path) -> None:
    (tmp_path / "dot").mkdir()
    (tmp_path / "dot/bashrc").touch()
    (tmp_path / ".bashrc").symlink_to("dot/bashrc")

    assert hole(tmp_path, ".bashrc") == hole(tmp_path, "dot/bashrc") == ".bashrc"
    assert hole(tmp_path, "dot/other") == ""
    assert tmp_path / "dot/bashrc" in holes_below(tmp_path).there


def test_the_repositories_of_submodules_are_holes(tmp_path: Path) -> None:
    repository(tmp_path)
    (tmp_path / ".git/modules/lib/hooks").mkdir(parents=True)

    assert tmp_path / ".git/modules/lib/hooks" in holes_below(tmp_path).there


def test_settings_that_cannot_be_read_protect_nothing_more_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    os.mkfifo(tmp_path / ".git/config")
    assert hole(tmp_path, "a") == ""

    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text("no such thing", encoding="utf-8")
    assert hole(other, "a") == ""


def test_a_fact_counts_the_names_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / "b").hardlink_to(tmp_path / "a")

    world = Workspace([tmp_path])
    assert world.path(str(tmp_path / "a")).links == 2
    assert world.path(str(tmp_path)).links == world.path(str(tmp_path / "new")).links == 1


def test_hilts_own_state_is_protected_wherever_it_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kept"))

    assert hole(tmp_path, "kept/hilt.db") == hole(tmp_path, "kept") == "Hilt's own state"
    assert hole(tmp_path, "kept-not") == ""
