"""What the launcher's child does to confine and to mend, done here in this process."""

import errno
import json
import os
import socket
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from hilt.workspace.isolation.protecting import MOST_COPIED_BYTES, Protecting
from hilt.workspace.isolation.seccomp import seccomp_filter
from hilt.workspace.processes.guarding import Guard
from hilt.workspace.processes.landlock import READ, WRITE, version, within
from hilt.workspace.processes.spawn import spawn
from tests.needs import missing


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "jobs" / "job").mkdir(parents=True)
    return tmp_path / "jobs" / "job"


def guard(root: Path, place: Path) -> Guard:
    protecting = Protecting([str(root)])
    holes = protecting.holes()
    asked = protecting.guarded(holes, (*holes.there, *holes.links), place)
    return Guard.begin(json.dumps(asdict(asked)), str(place))


def tried(work: Callable[[], object]) -> int:
    try:
        work()
    except OSError as fault:
        return fault.errno or 0
    return 0


def test_only_the_thread_that_is_thrown_away_is_confined(tmp_path: Path) -> None:
    if not version():
        missing("landlock is not here: a thread is confined by it")
    program = seccomp_filter(sockets=False)
    assert program is not None
    (tmp_path / "allowed").mkdir()
    found: list[int] = []

    def work() -> tuple[int, int]:
        found.extend(
            (
                tried(lambda: (tmp_path / "allowed" / "made").touch()),
                tried(lambda: (tmp_path / "denied").touch()),
                tried(lambda: list(Path("/root").iterdir())),
                tried(socket.socket),
                tried(lambda: os.kill(os.getppid(), 0)),
            )
        )
        return 7, 0

    grants = [("/usr", READ), ("/not/there", READ), (str(tmp_path / "allowed"), WRITE)]
    assert within(grants, program, work) == (7, 0)
    assert found == [0, errno.EACCES, errno.EACCES, errno.EPERM, errno.EPERM]
    assert [tried(lambda: (tmp_path / "denied").touch()), tried(lambda: socket.socket().close())] == [0, 0]


def test_a_thread_that_cannot_be_confined_starts_nothing() -> None:
    if not version():
        missing("landlock is not here: a thread is confined by it")
    with pytest.raises(OSError, match="seccomp"):
        within([("/usr", READ)], b"no program", lambda: (1, 0))


def test_a_program_that_isolates_is_not_started_for_one_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a launcher's child goes to the root folder; this process is brought back
    (tmp_path / "plain").write_text("")
    request = {"prefix": 1, "argv": ["/bin/true", "x"], "folder": str(tmp_path), "environment": {"PATH": "/usr/bin"}}
    rest: dict[str, object] = {"filter": "", "tty": False, "limits": {}, "grants": []}
    assert spawn({**request, **rest, "program": "no-such"}, 1, None, []) == (0, errno.ENOENT)
    assert spawn({**request, **rest, "program": "./plain"}, 1, None, []) == (0, errno.EACCES)
    pid, failed = spawn({**request, **rest, "program": "true"}, 1, None, [])
    assert failed == 0
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_what_appears_or_changes_is_put_right_and_every_word_of_it_is_kept(root: Path, place: Path) -> None:
    (root / ".bashrc").write_text("before")
    (root / ".vscode").mkdir()
    (root / ".vscode" / "tasks.json").write_text("{}")
    (root / ".zshrc").symlink_to("elsewhere")
    watching = guard(root, place)
    (root / ".bashrc").write_text("after")
    (root / ".vscode" / "tasks.json").unlink()
    (root / ".zshrc").unlink()
    (root / ".envrc").write_text("made")
    watching.look()
    assert not (root / ".envrc").exists()
    assert len(watching.end()) == 4
    assert (root / ".bashrc").read_text() == "before"
    assert (root / ".vscode" / "tasks.json").read_text() == "{}"
    assert (root / ".zshrc").readlink() == Path("elsewhere")
    aside = place.parent.with_name("jobs-aside") / "job"
    assert sorted(each.name.partition("-")[2] for each in aside.iterdir()) == [".bashrc", ".envrc", ".vscode"]


def test_nothing_is_done_where_nothing_changed_and_a_root_that_is_gone_is_no_fault(root: Path, place: Path) -> None:
    (root / ".bashrc").write_text("before")
    assert guard(root, place).end() == []
    watching = guard(root, place)
    (root / ".bashrc").unlink()
    root.rmdir()
    assert watching.end() == []


def test_what_is_too_large_to_be_copied_is_told_of_and_left(root: Path, place: Path) -> None:
    (root / ".idea").mkdir()
    with (root / ".idea" / "large").open("wb") as file:
        file.truncate(MOST_COPIED_BYTES + 1)
    watching = guard(root, place)
    (root / ".idea" / "new").touch()
    (said,) = watching.end()
    assert "was too large to be copied, so look at it" in said
    assert (root / ".idea" / "new").exists()


@pytest.mark.parametrize(
    ("config", "stays"),
    [
        ("[core]\n\tbare = false\n[user]\n\tname = n\n", True),
        ('[remote "o"]\n\turl = https://h.example/x\n[branch "m"]\n\tmerge = refs/heads/m\n', True),
        ('[remote "o"]\n\turl = ext::sh -c x\n', False),
        ("[core]\n\tfsmonitor = x\n", False),
        ("[core] fsmonitor = x\n", False),
        ("[core]\n\tbare = false \\\n\tfsmonitor = x\n", False),
        ('[alias]\n\tst = "!x"\n', False),
        ("[include]\n\tpath = x\n", False),
        ("x" * 9_000, False),
    ],
)
def test_a_new_repositorys_settings_stay_where_they_run_nothing(
    config: str, root: Path, place: Path, *, stays: bool
) -> None:
    watching = guard(root, place)
    (root / ".git" / "hooks").mkdir(parents=True)
    (root / ".git" / "hooks" / "a.sample").touch()
    (root / ".git" / "config").write_text(config)
    assert len(watching.end()) == (0 if stays else 1)
    assert (root / ".git" / "config").exists() == stays
    assert (root / ".git" / "hooks" / "a.sample").exists()


def test_links_and_pipes_in_the_place_of_a_new_repositorys_files_do_not_stay(root: Path, place: Path) -> None:
    watching = guard(root, place)
    (root / ".git").mkdir()
    os.mkfifo(root / ".git" / "config")
    (root / ".git" / "hooks").symlink_to("/tmp")  # never followed
    assert len(watching.end()) == 2
    assert list((root / ".git").iterdir()) == []
