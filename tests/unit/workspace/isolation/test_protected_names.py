"""Protected names behind each rung: kept where they are there, put aside where they are made."""

import hashlib
import json
import os
import signal
import subprocess
from pathlib import Path

import anyio
import pytest
from anyio import fail_after, run_process

from hilt.workspace.isolation import Bounds
from hilt.workspace.isolation.isolation import Rung
from hilt.workspace.processes import Processes
from hilt.workspace.processes.guarding import JOURNAL, mend
from hilt.workspace.processes.identity import identity
from hilt.workspace.processes.supervisor import aside_of
from hilt.workspace.processes.tree import children, command_line
from tests.isolated import RUNGS, WAIT_S, behind, isolation, ran, started

MOST_COMMAND_LINE = 10_000
HOOK = "#!/bin/sh\nexit 0\n"
ATTACKS = (
    "echo x >> .git/config",
    "git config core.fsmonitor 'touch x'",
    "echo x > .git/hooks/pre-commit",
    "chmod +x .git/hooks/there; sed -i s/exit/evil/ .git/hooks/there",
    "rm -rf .git/hooks",
    "mv .git/hooks .git/other; mkdir .git/hooks; echo x > .git/hooks/post-checkout",
    "ln .git/config alias; echo x >> alias",
    "echo x > .git/hooks/new; rm .git/hooks/new; echo y > .git/hooks/there",
    "echo x > .bashrc",
    'python3 -c \'open(".bashrc", "a").write("x")\'',
    "truncate -s 0 .bashrc",
    "touch -d 2001-01-01 .bashrc; echo x > .bashrc; touch -d 2001-01-01 .bashrc",
    "ln -sf /etc/passwd .bashrc",
    "mkdir -p .vscode; echo '{}' > .vscode/tasks.json",
    "echo x > .envrc",
    "ln -s outside .zshrc",
    "mkdir .claude && echo '{}' > .claude/settings.json",
    "mkfifo .profile",
    "(setsid sh -c 'sleep 0.3; echo x > hilt.toml' &) ; sleep 0.6",
)


def project(root: Path) -> Path:
    """A workspace with a repository that has a hook, and a shell's settings."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".git" / "hooks" / "there").write_text(HOOK)
    (root / ".bashrc").write_text("as it was\n")
    os.utime(root / ".bashrc", (1, 1))
    return root


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def protected(root: Path) -> dict[str, str]:
    """Every protected file of a project, and how it is."""
    names = (".git/config", ".git/hooks", ".bashrc", ".vscode", ".envrc", ".zshrc", ".claude", ".profile", "hilt.toml")
    found: dict[str, str] = {}
    for name in names:
        path = root / name
        if path.is_symlink():
            found[name] = "a link"
        elif path.is_dir():
            found |= {str(each.relative_to(root)): digest(each) for each in path.rglob("*") if each.is_file()}
        elif path.exists():
            found[name] = digest(path) if path.is_file() else "special"
    return found


@pytest.mark.parametrize("rung", RUNGS)
async def test_protected_names_are_as_they_were_after_every_attack(rung: Rung, tmp_path: Path) -> None:
    root = project(tmp_path / "root")
    before = protected(root)
    async with behind(rung, root) as processes:
        for attack in ATTACKS:
            await ran(processes, attack, root)
            assert protected(root) == before, attack
        status, output = await ran(processes, "echo two > file && git add file && git status --short", root)
        assert status == 0
        assert "A  file\n" in output


@pytest.mark.parametrize("rung", RUNGS)
async def test_what_was_made_or_changed_is_put_aside_and_told(rung: Rung, tmp_path: Path) -> None:
    root = project(tmp_path / "root")
    async with behind(rung, root) as processes:
        job = await started(processes, "echo mine > .envrc; echo changed > .bashrc; true", root)
        with fail_after(WAIT_S):
            await job.wait(None, whole=True)
        assert job.ended is not None
        told = "\n".join(job.ended.mended)
        aside = aside_of(job.place.parent) / job.place.name
    contents = {each.name.partition("-")[2]: each.read_text() for each in aside.iterdir()}
    assert f"{root}/.envrc was made and is protected; it was put aside as {aside}" in told
    changed = {".bashrc": "changed\n"} if rung == "landlock" else {}
    assert contents == {".envrc": "mine\n", **changed}
    assert (f"{root}/.bashrc was changed and is protected; it was put back" in told) == bool(changed)


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_link_on_the_way_to_a_protected_name_moves_nothing_outside(rung: Rung, tmp_path: Path) -> None:
    root, outside = project(tmp_path / "root"), tmp_path / "outside"
    outside.mkdir()
    (outside / "settings.json").write_text("the person's")
    (outside / "hooks").mkdir()
    async with behind(rung, root) as processes:
        await ran(processes, f"ln -s {outside} .claude; mkdir n; ln -s {outside} n/.git; mv .git g; ln -s g .git", root)
    assert (outside / "settings.json").read_text() == "the person's"
    assert sorted(each.name for each in outside.iterdir()) == ["hooks", "settings.json"]
    assert not (root / ".claude").is_symlink()


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_new_repository_keeps_what_git_itself_makes_and_loses_what_runs_programs(
    rung: Rung, tmp_path: Path
) -> None:
    plain, evil = tmp_path / "plain", tmp_path / "evil"
    plain.mkdir()
    evil.mkdir()
    async with behind(rung, plain) as processes:
        await ran(processes, "git init -q . && git config user.name n && git remote add origin ../x", plain)
        status, _ = await ran(processes, "git status", plain)
    assert status == 0
    assert "url = ../x" in (plain / ".git" / "config").read_text()
    async with behind(rung, evil) as processes:
        await ran(processes, "git init -q . && git config core.fsmonitor 'touch x'; echo x > .git/hooks/pre-push", evil)
    assert not (evil / ".git" / "config").exists()
    assert not (evil / ".git" / "hooks").exists()


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_name_that_appears_while_a_command_goes_on_is_put_aside_within_seconds(
    rung: Rung, tmp_path: Path
) -> None:
    root = project(tmp_path / "root")
    async with behind(rung, root) as processes:
        job = await started(processes, "echo x > .envrc; touch made; exec sleep 60", root)
        with fail_after(WAIT_S):
            while not (root / "made").exists() or (root / ".envrc").exists():
                await job.wait(0.05)
        assert job.ended is None


async def test_what_a_crash_of_everything_left_changed_is_put_back_at_the_next_start(tmp_path: Path) -> None:
    root, jobs = project(tmp_path / "root"), tmp_path / "jobs"
    before = protected(root)
    walls = isolation("landlock", Bounds(roots=(str(root),)))
    processes = Processes(lambda: jobs, isolation=walls)
    script = "echo x > .bashrc; echo x > .git/hooks/there; echo x > hilt.toml; touch made; exec sleep 60"
    job = await started(processes, script, root)
    with fail_after(WAIT_S):
        while not (root / "made").exists():
            await job.wait(0.02)
    (launcher,) = [pid for pid in children(os.getpid()) if "launcher" in command_line(pid, MOST_COMMAND_LINE)]
    everything = [launcher, *children(launcher), *(pid for each in children(launcher) for pid in children(each))]
    known = [identity(pid) for pid in everything]
    for pid in everything:
        os.kill(pid, signal.SIGKILL)
    with fail_after(WAIT_S):
        while any(each is not None and each.alive for each in known):  # noqa: ASYNC110  # nobody sets an event
            await anyio.sleep(0.02)
    assert (job.place / JOURNAL).exists()
    later = Processes(lambda: jobs, isolation=walls)
    await ran(later, "true", root)
    assert protected(root) == before
    await later.close()
    await processes.close()


async def test_what_a_person_changes_after_a_command_has_ended_stays(tmp_path: Path) -> None:
    root, jobs = project(tmp_path / "root"), tmp_path / "jobs"
    walls = isolation("landlock", Bounds(roots=(str(root),)))
    processes = Processes(lambda: jobs, isolation=walls)
    job = await started(processes, "true", root)
    with fail_after(WAIT_S):
        await job.wait(None, whole=True)
    (root / ".bashrc").write_text("by the person\n")
    (root / "hilt.toml").write_text("")
    later = Processes(lambda: jobs, isolation=walls)
    await ran(later, "true", root)
    assert (root / ".bashrc").read_text() == "by the person\n"
    assert (root / "hilt.toml").read_text() == ""
    assert not (job.place / JOURNAL).exists()
    await later.close()
    await processes.close()


def test_a_journal_that_somebody_else_wrote_or_is_in_use_changes_nothing(tmp_path: Path) -> None:
    assert mend(str(tmp_path)) == []
    (tmp_path / JOURNAL).write_text("no json")
    assert mend(str(tmp_path)) == []
    (tmp_path / JOURNAL).write_text(json.dumps({"aside": str(tmp_path / "aside")}))
    assert mend(str(tmp_path)) == []
    assert sorted(each.name for each in tmp_path.iterdir()) == [JOURNAL]


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_repository_within_gets_no_hooks_in_the_place_of_its_own(rung: Rung, tmp_path: Path) -> None:
    root = project(tmp_path / "root")
    (root / "deep").mkdir()
    await run_process(["git", "init", "-q", str(root / "deep" / "inner")])
    attack = "mv deep other; mkdir -p deep/inner/.git/hooks; echo evil > deep/inner/.git/hooks/pre-commit; true"
    async with behind(rung, root) as processes:
        job = await started(processes, attack, root)
        with fail_after(WAIT_S):
            await job.wait(None, whole=True)
        assert job.ended is not None
        told = "\n".join(job.ended.mended)
    assert not (root / "deep" / "inner" / ".git" / "hooks" / "pre-commit").exists()
    assert (root / "other" / "inner" / ".git" / "HEAD").exists()
    assert "deep/inner/.git/hooks" in told


@pytest.mark.parametrize("rung", RUNGS)
async def test_a_protected_name_is_not_changed_by_a_second_name_it_had_before(rung: Rung, tmp_path: Path) -> None:
    root = project(tmp_path / "root")
    (root / "second").hardlink_to(root / ".git" / "hooks" / "there")
    (root / "other").hardlink_to(root / ".bashrc")
    async with behind(rung, root) as processes:
        await ran(processes, "echo evil >> second; echo evil >> other; true", root)
    assert (root / ".git" / "hooks" / "there").read_text() == HOOK
    assert (root / ".bashrc").read_text() == "as it was\n"
