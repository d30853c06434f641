"""A script that is proved harmless holds the commands another parser finds, and run for real changes nothing."""

import contextlib
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.shell_scripts import heads_by_shfmt, scripts
from hilt.workspace import Workspace
from hilt.workspace.proof.proving import gather
from tests.needs import need

COMPARED, SEED = 2_000, 20_261_130
TRIED, RUN_S = 700, 2
STUBBED = frozenset(
    {"ls", "cat", "wc", "grep", "head", "tail", "sort", "uniq", "git", "find", "xargs", "env", "nice"}
    | {"timeout", "cp", "sed", "awk", "tee", "touch"}
)
FILES = ("a", "b.txt", "src/x.py", "src/a.py", "README.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one line\nand another\n")
    (tmp_path / "canary").write_text("untouched")
    return tmp_path / "root"


@pytest.mark.timeout(120)
def test_no_generated_script_is_proved_in_which_shfmt_finds_other_commands(
    root: Path, record_property: Callable[[str, object], None]
) -> None:
    shfmt = Path(sys.executable).with_name("shfmt")
    if not shfmt.exists():
        need("shfmt", "it is the other parser")
    workspace, texts = Workspace([root]), scripts(SEED, COMPARED)
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    for text, theirs in zip(texts, heads_by_shfmt(str(shfmt if shfmt.exists() else "shfmt"), texts), strict=True):
        ours = gather(text, str(root), workspace.path)
        agreed = theirs is not None and theirs == ours.heads
        seen["proved" if not ours.unproved else "unproved"] += 1
        seen["agreed" if agreed else "not agreed"] += 1
        wrong += [text] if not ours.unproved and not agreed else []
    record_property("report", f"{COMPARED:,} generated scripts against shfmt: {dict(seen)}")

    assert wrong == []
    assert seen["proved"] > COMPARED // 20
    assert seen["agreed"] > COMPARED // 2


@pytest.mark.timeout(120)
def test_generated_scripts_that_are_proved_to_write_nothing_change_nothing_when_run(root: Path) -> None:
    workspace = Workspace([root])
    facts = [(text, workspace.command(text)) for text in scripts(SEED + 1, TRIED)]
    harmless = [text for text, fact in facts if fact.proved and not fact.writes]
    before = snapshot(root.parent)

    assert len(harmless) > TRIED // 25
    for text in harmless:
        run(text, root)
        assert snapshot(root.parent) == before, text


@pytest.mark.timeout(120)
def test_generated_scripts_write_only_what_was_told(root: Path) -> None:
    workspace = Workspace([root])
    facts = [(text, workspace.command(text)) for text in scripts(SEED + 2, TRIED)]
    writing = [(text, {fact.real for fact in fact.writes}) for text, fact in facts if fact.proved and fact.writes]

    assert writing
    for text, told in writing:
        before = snapshot(root.parent)
        run(text, root)
        changed = {path for path, _ in set(snapshot(root.parent).items()) ^ set(before.items())}
        assert changed <= told, text


@pytest.mark.timeout(120)
def test_programs_get_the_words_that_were_told(root: Path) -> None:
    stubs, log = root.parent / "stubs", root.parent / "log"
    stubs.mkdir()
    for name in STUBBED:
        (stubs / name).write_text('#!/bin/bash\nprintf "%s\\0" "${0##*/}" "$@" $\'\\001\' >> "$LOG"\n')
        (stubs / name).chmod(0o755)
    workspace, started = Workspace([root]), 0
    for text in scripts(SEED + 3, TRIED):
        fact = workspace.command(text)
        if not fact.proved:
            continue
        log.write_text("")
        run(text, root, {"PATH": str(stubs), "LOG": str(log)})
        told = {each.words if None not in each.words else each.words[:1] for each in fact.commands}
        for record in log.read_text().split("\0\1\0")[:-1]:
            words = tuple(record.split("\0"))
            started += 1
            assert words in told or words[:1] in told, text
    assert started > TRIED // 25


def run(text: str, folder: Path, more: dict[str, str] | None = None) -> None:
    """As Hilt runs it: bash without its files, an environment from nothing, no input; nothing of it is left behind."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder.parent),
        "LC_ALL": "C.UTF-8",
        **(more or {}),
    }
    nothing = subprocess.DEVNULL
    command = ["/bin/bash", "--noprofile", "--norc", "-c", text]
    shell = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    )
    try:
        shell.wait(RUN_S)
    except subprocess.TimeoutExpired:
        pass  # a loop without end, or one that waits: what it changed until now is looked at
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()


def snapshot(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Each path below, links not followed, with what changes when it does."""
    found: dict[str, tuple[int, int, int]] = {}
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = f"{parent}/{name}"
            state = os.lstat(path)
            found[path] = (state.st_mode, state.st_size, state.st_mtime_ns if name in files else 0)
    return found
