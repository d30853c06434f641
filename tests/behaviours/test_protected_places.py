"""Promises about what commands and file tools may not touch, and about the one who says so, driven from outside."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.command import Hilt, in_process
from tests.needs import missing, need

WAIT_S = 60


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    return in_process(monkeypatch, capfd, tmp_path)


@pytest.fixture
def here(hilt: Hilt, tmp_path: Path) -> Path:
    """A workspace that is a repository."""
    (tmp_path / "here/.git/hooks").mkdir(parents=True)
    (tmp_path / "here/.git/config").write_text("[core]\n\thooksPath = tools/hooks\n", encoding="utf-8")
    return tmp_path / "here"


def call(hilt: Hilt, tool: str, **arguments: object) -> Mapping[str, object]:
    return hilt("call", tool, json.dumps(arguments), "--session", "s", "--json").json


@pytest.mark.parametrize(
    ("name", "hole"),
    [
        (".git/hooks/pre-commit", ".git/hooks"),
        (".git/commondir", ".git/commondir"),
        ("sub/.git/config", ".git/config"),
        ("tools/hooks/pre-push", "core.hooksPath"),
        (".vscode/tasks.json", ".vscode"),
        ("hilt.toml", "hilt.toml"),
        (".bashrc", ".bashrc"),
        (".claude/settings.json", ".claude/settings.json"),
    ],
)
def test_req_F3_what_runs_code_or_sets_rules_later_is_not_written_unasked_there_or_not(
    hilt: Hilt, here: Path, name: str, hole: str
) -> None:
    answer = call(hilt, "write_file", path=str(here / name), content="echo mine")

    assert answer["status"] == "denied"
    assert f"lies in {hole}, which decides what runs or is allowed later" in str(answer["denied"])
    assert not (here / name).exists()
    assert call(hilt, "write_file", path=str(here / "src/a.py"), content="1")["status"] == "success"


def test_req_F3_a_file_with_a_second_name_outside_is_not_changed_unasked(hilt: Hilt, here: Path) -> None:
    outside = here.parent / "theirs"
    outside.write_text("theirs", encoding="utf-8")
    (here / "a.txt").hardlink_to(outside)
    call(hilt, "read_file", path=str(here / "a.txt"))

    answer = call(hilt, "write_file", path=str(here / "a.txt"), content="mine")

    assert answer["status"] == "denied"
    assert "has 1 other name, maybe outside the workspace" in str(answer["denied"])
    assert outside.read_text(encoding="utf-8") == "theirs"


def test_req_F3_a_folder_from_outside_that_is_mounted_in_the_workspace_is_outside(tmp_path: Path) -> None:
    need("unshare", "a mount is made in a namespace of its own")
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        missing("no namespace can be made here: a mount is made in one")
    for name in ("here/bound", "theirs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "theirs/secret").write_text("canary", encoding="utf-8")
    arguments = json.dumps({"path": f"{tmp_path}/here/bound/secret"})
    reading = f"exec {sys.executable} -m hilt call read_file '{arguments}' --workspace {tmp_path}/here --json"
    done = subprocess.run(
        [*apart, "sh", "-c", f"mount --bind {tmp_path}/theirs {tmp_path}/here/bound; {reading}"],
        env={**os.environ, "HILT_HOME": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )

    assert json.loads(done.stdout)["status"] == "denied"
    assert f"is mounted from {tmp_path}/theirs/secret, which is outside the workspace" in done.stdout
    assert "canary" not in done.stdout


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo x > ../theirs", "leads to {above}/theirs, which is outside the workspace"),
        ("cat /etc/passwd", "it reads outside the workspace: /etc/passwd"),
        ("cd .. && cat < theirs", "it reads outside the workspace: {above}/theirs"),
        ("echo x > link", "link leads to {above}/theirs, which is outside the workspace"),
        ("echo x > .git/hooks/post-merge", "lies in .git/hooks, which decides what runs or is allowed later"),
        ("echo x > second", "second has 1 other name, maybe outside the workspace"),
    ],
)
def test_req_F3_a_commands_redirects_and_reads_are_judged_as_the_paths_of_file_tools_are(
    hilt: Hilt, here: Path, command: str, said: str
) -> None:
    (here.parent / "theirs").write_text("theirs", encoding="utf-8")
    (here / "link").symlink_to(here.parent / "theirs")
    (here.parent / "other").write_text("theirs", encoding="utf-8")
    (here / "second").hardlink_to(here.parent / "other")
    bare = ("-c", "isolation.mode=off")

    answer = hilt("call", "run_command", json.dumps({"command": command}), *bare, "--json").json
    fine = hilt("call", "run_command", json.dumps({"command": "echo x > own.txt; cat own.txt"}), *bare, "--json").json

    assert answer["status"] == "denied"
    assert said.format(above=here.parent) in str(answer["denied"])
    assert {(here.parent / name).read_text(encoding="utf-8") for name in ("theirs", "other")} == {"theirs"}
    assert fine["status"] == "success"


def test_req_F10_what_the_doctor_says_of_commands_is_so(hilt: Hilt, here: Path) -> None:
    """Whatever this machine gives: each property that is claimed holds, and one that is not is named as open."""
    secret = here.parent / "secret"
    secret.write_text("canary", encoding="utf-8")
    isolation = hilt("doctor", "--json").json["isolation"]
    assert isinstance(isolation, dict)
    claimed = {row["property"] for row in isolation["properties"] if row["protected"]}
    script = f"cat {secret}; echo x > {here.parent}/made; echo x > .git/hooks/post-merge; echo x > .envrc; echo ran"

    arguments = json.dumps({"command": script})
    answer = hilt("call", "run_command", arguments, "--approve", "--json").json

    assert "ran" in str(answer["items"])
    assert ("fs_read_confined" in claimed) == ("canary" not in str(answer))
    assert ("fs_write_confined" in claimed) == (not (here.parent / "made").exists())
    assert ("ro_holes" in claimed) == (not (here / ".envrc").exists() and not (here / ".git/hooks/post-merge").exists())
    assert isolation["not_protected"]


def test_req_F10_a_command_gets_nothing_of_the_environment_that_is_not_known_to_be_harmless(
    hilt: Hilt, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_TOKEN", "sesame")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/nowhere")
    monkeypatch.setenv("LC_NAME", "kept")

    arguments = json.dumps({"command": "env; echo ${A_TOKEN:-none}"})
    answer = hilt("call", "run_command", arguments, "--approve", "--json").json

    assert "LC_NAME=kept" in str(answer["items"])
    assert not {"sesame", "LD_LIBRARY_PATH"} & set(str(answer).replace("=", " ").split())
    assert "A_TOKEN is set here but not given to commands" in str(answer["notes"])


def test_req_F10_where_isolation_is_required_a_machine_that_cannot_give_it_runs_nothing(here: Path) -> None:
    done = on_a_machine_without(here, "-c", "isolation.mode=require")
    told = on_a_machine_without(here, "-c", "isolation.mode=auto", "--approve")

    assert done.returncode == 2
    assert "isolation is required, and this machine cannot give it: bubblewrap: " in done.stderr
    assert "landlock: " in done.stderr
    assert json.loads(told.stdout)["notes"][0].startswith("not isolated: this machine cannot (bubblewrap: ")
    assert [each.name for each in here.iterdir() if each.name.startswith("ran")] == ["ran"]


def on_a_machine_without(here: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    """One command where there are no namespaces and no Landlock."""
    host = [sys.executable, str(Path(__file__).parents[1] / "hosts.py"), "no-landlock"]
    command = json.dumps({"command": "echo x > ran"})
    words = [*host, sys.executable, "-m", "hilt", "call", "run_command", command, "--json", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    return subprocess.run(words, cwd=here, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False)


def test_req_F10_nothing_a_command_started_outlives_it(hilt: Hilt, here: Path) -> None:
    """Whatever a process does: a session of its own, a double fork, ignoring what it is asked, being stopped."""
    stubborn = "trap '' TERM HUP INT; echo \\$0 >> up; while :; do sleep 0.05; done"
    script = (
        f'setsid bash -c "{stubborn}" one & (setsid bash -c "{stubborn}" two &) ; bash -c "{stubborn}" three & '
        'bash -c "echo four >> up; kill -STOP \\$\\$" & until [ "$(wc -l < up)" = 4 ]; do sleep 0.01; done; sleep 60'
    )
    (here / "up").touch()
    arguments = json.dumps({"command": script, "timeout_s": 3, "background": False})

    answer = hilt("call", "run_command", arguments, "--approve", "--json").json

    assert answer["failure"]["class"] == "aborted", answer  # type: ignore[index]  # of JSON
    assert sorted((here / "up").read_text(encoding="utf-8").split()) == ["four", "one", "three", "two"]
    assert not running_in(here)


def running_in(folder: Path) -> list[str]:
    """The processes whose folder this is."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == folder and process.name != str(os.getpid()):
                found.append((process / "cmdline").read_text(encoding="utf-8"))
        except OSError:
            continue
    return found
