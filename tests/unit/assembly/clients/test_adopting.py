"""Servers move behind Hilt and back: byte for byte where nobody else wrote, and else each to its place."""

import itertools
import json
import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hilt.assembly.clients import forms, journal
from hilt.assembly.clients.adopting import Adoption, adopt, release
from hilt.assembly.clients.installing import install, uninstall
from hilt.assembly.clients.plans import Plan
from hilt.assembly.clients.table import Place, Scope, place
from hilt.errors import ConfigError

CURSOR = b"""{
  // mine
  "mcpServers": {
    "git": {"command": "uvx", "args": ["mcp-server-git"]}, // git
    "notes": {
      "command": "notes", /* odd */
      "env": { "API_KEY": "hunter2-key" }
    }
  }
}
"""
CODEX = b"""model = "x" # m

[mcp_servers.git] # theirs
command = "uvx"
args = ["mcp-server-git"]

[mcp_servers.notes]
command = "other-notes"

# the rest
[z]
b = 1
"""
GOOSE = b"""extensions:
  developer: # built in
    type: builtin
    enabled: true
  git:
    type: stdio
    cmd: uvx # by uvx
    args: [mcp-server-git]
mode: auto
"""
FILES = {"cursor": CURSOR, "codex": CODEX, "goose": GOOSE}


def at(name: str, scope: Scope = "user") -> Place:
    return place(name, scope, Path.cwd())


@pytest.fixture
def settings(home: Path) -> Path:
    """The user's `hilt.toml`, with three clients beside it."""
    for name, content in FILES.items():
        at(name).file.parent.mkdir(parents=True, exist_ok=True)
        at(name).file.write_bytes(content)
    return home / ".config" / "hilt" / "hilt.toml"


def adopted(*names: str) -> Adoption:
    adoption = adopt([at(each) for each in names], lambda _: True)
    adoption.plan.commit(records="first")
    return adoption


def released(*names: str) -> Plan:
    plan = release([at(each) for each in names])
    plan.commit(records="last")
    return plan


def servers(file: Path) -> dict[str, object]:
    return tomllib.loads(file.read_text(encoding="utf-8")).get("servers", {})


def test_servers_move_and_what_cannot_stays_with_the_reason(settings: Path) -> None:
    adoption = adopted("cursor", "codex", "goose")

    assert servers(settings) == {
        "git": {"command": "uvx", "args": ["mcp-server-git"]},
        "notes": {"command": "notes", "env": {"API_KEY": "hunter2-key"}},
        "notes-codex": {"command": "other-notes"},
    }
    assert [each.servers for each in adoption.plan.done] == [("git", "notes"), ("git", "notes-codex"), ("git",)]
    assert list(forms.entries(at("cursor").file.read_bytes(), "json", ("mcpServers",))) == ["hilt"]
    assert list(forms.entries(at("goose").file.read_bytes(), "yaml", ("extensions",))) == ["developer", "hilt"]
    assert b"// mine" in at("cursor").file.read_bytes()
    assert b"# the rest\n[z]" in at("codex").file.read_bytes()
    assert "developer stays: it is a part of Goose" in adoption.plan.done[2].notes
    assert f"notes is notes-codex in {settings}" in adoption.plan.done[1].notes
    assert settings.stat().st_mode & 0o777 == 0o600
    assert any("notes: what looks like a credential" in note for note in adoption.plan.done[0].notes)
    assert "hunter2" not in adoption.plan.drafts.diff(adoption.plan.secrets)


@pytest.mark.parametrize("order", list(itertools.permutations(FILES)), ids="-".join)
@pytest.mark.parametrize("before", [None, b'# mine\n[servers.own]\ncommand = "own" # kept\n'], ids=["none", "own"])
def test_in_whatever_order_they_are_released_everything_is_as_it_was(
    settings: Path, order: tuple[str, ...], before: bytes | None
) -> None:
    if before is not None:
        settings.parent.mkdir(parents=True)
        settings.write_bytes(before)
    for name in FILES:
        adopted(name)

    for gone, name in enumerate(order):
        released(name)
        left = order[gone + 1 :]
        assert ("git" in servers(settings) if settings.exists() else False) == bool(left)

    assert {name: at(name).file.read_bytes() for name in FILES} == FILES
    assert (settings.read_bytes() if settings.exists() else None) == before
    assert journal.records() == []


def test_only_what_a_person_agreed_to_moves(settings: Path) -> None:
    adoption = adopt([at("cursor")], lambda spec: spec.command[0] == "uvx")
    adoption.plan.commit(records="first")

    assert list(servers(settings)) == ["git"]
    assert list(forms.entries(at("cursor").file.read_bytes(), "json", ("mcpServers",))) == ["notes", "hilt"]
    assert adoption.plan.done[0].notes == ("notes stays: you did not agree to it",)
    assert [each.name for each in adoption.asked] == ["git", "notes"]


def test_nothing_is_written_where_nothing_moves(settings: Path) -> None:
    adopt([at("cursor")], lambda _: False).plan.commit(records="first")

    assert at("cursor").file.read_bytes() == CURSOR
    assert not settings.exists()
    assert journal.records() == []


def test_where_the_clients_file_changed_its_servers_come_back_as_they_were_written(settings: Path) -> None:
    adopted("cursor", "codex", "goose")
    for name, entry in {"cursor": {"command": "late"}, "codex": {"command": "late"}, "goose": {"cmd": "late"}}.items():
        here = at(name)
        here.file.write_bytes(forms.put(here.file.read_bytes(), here.form, (*here.key, "late"), entry))

    plan = released("cursor", "codex", "goose")

    cursor, codex, goose = (at(name).file.read_text(encoding="utf-8") for name in FILES)
    assert json.loads(cursor.replace("// mine", "").replace("/* odd */", ""))["mcpServers"].keys() == {
        "late",
        "git",
        "notes",
    }
    assert '"command": "notes", /* odd */' in cursor
    assert "[mcp_servers.git] # theirs" in codex
    assert tomllib.loads(codex)["mcp_servers"].keys() == {"late", "git", "notes"}
    assert "    cmd: uvx # by uvx\n    args: [mcp-server-git]\n" in goose
    assert "hilt" not in cursor + codex + goose
    assert all("has changed since" in each.notes[0] for each in plan.done)
    assert not settings.exists()


def test_a_server_that_came_again_and_is_another_is_left_and_told(settings: Path) -> None:
    adopted("cursor")
    file = at("cursor").file
    file.write_bytes(forms.put(file.read_bytes(), "json", ("mcpServers", "git"), {"command": "newer"}))

    plan = released("cursor")

    assert forms.entries(file.read_bytes(), "json", ("mcpServers",))["git"] == {"command": "newer"}
    assert any("git stands in" in note and "left as it is" in note for note in plan.done[0].notes)


def test_a_file_that_is_gone_comes_back(settings: Path) -> None:
    adopted("cursor")
    at("cursor").file.unlink()

    assert "was gone" in released("cursor").done[0].notes[0]
    assert at("cursor").file.read_bytes() == CURSOR


def test_a_change_in_hilt_toml_is_told_and_the_rest_of_it_stays(settings: Path) -> None:
    adopted("cursor")
    text = settings.read_text(encoding="utf-8").replace('"mcp-server-git"', '"mcp-server-git", "-v"')
    settings.write_text(text + '\n# mine\n[servers.own]\ncommand = "own"\n', encoding="utf-8")

    plan = released("cursor")

    assert settings.read_text(encoding="utf-8").strip() == '# mine\n[servers.own]\ncommand = "own"'
    assert any("git had been changed" in note for note in plan.done[0].notes)


def test_hilt_that_was_installed_before_stays_after_release(settings: Path) -> None:
    install([at("cursor")]).commit(records="first")
    installed = at("cursor").file.read_bytes()
    adopted("cursor")

    with pytest.raises(ConfigError, match="behind Hilt, and would be gone with it: git, notes") as caught:
        uninstall([at("cursor")])
    assert caught.value.next_steps == ("hilt release cursor",)
    released("cursor")
    assert at("cursor").file.read_bytes() == installed
    uninstall([at("cursor")]).commit(records="last")
    assert at("cursor").file.read_bytes() == CURSOR


def test_servers_that_were_added_later_are_adopted_too_and_all_come_back(settings: Path) -> None:
    adopted("cursor")
    file = at("cursor").file
    added = forms.put(file.read_bytes(), "json", ("mcpServers", "late"), {"command": "late"})
    file.write_bytes(added)

    adopted("cursor")
    assert list(servers(settings)) == ["git", "notes", "late"]
    assert released("cursor").done[0].servers == ("git", "notes", "late")

    assert forms.entries(file.read_bytes(), "json", ("mcpServers",)).keys() == {"git", "notes", "late"}
    assert not settings.exists()


def test_two_scopes_of_one_file_are_two_places(home: Path) -> None:
    file = at("claude-code").file
    text = {
        "mcpServers": {"git": {"command": "git"}},
        "projects": {str(home / "project"): {"mcpServers": {"git": {"command": "./git"}}}},
    }
    file.write_text(json.dumps(text, indent=2), encoding="utf-8")
    places = [at("claude-code"), at("claude-code", "local")]

    adopt(places, lambda _: True).plan.commit(records="first")
    assert servers(home / ".config/hilt/hilt.toml") == {
        "git": {"command": "git"},
        "git-claude-code": {"command": "./git", "cwd": str(home / "project")},
    }
    release(places).commit(records="last")

    assert file.read_text(encoding="utf-8") == json.dumps(text, indent=2)


def test_hilt_toml_that_would_break_is_not_written(settings: Path) -> None:
    settings.parent.mkdir(parents=True)
    settings.write_text("[servers\n", encoding="utf-8")

    with pytest.raises(ConfigError, match=r"hilt\.toml, line 1"):
        adopt([at("cursor")], lambda _: True)

    settings.write_text("wrong = 1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="there is no key wrong"):
        adopt([at("cursor")], lambda _: True)


DYING = """
import os, signal, sys
from pathlib import Path
from hilt.assembly.clients import drafts, files, journal
from hilt.assembly.clients.adopting import adopt, release
from hilt.assembly.clients.table import place
left = [int(sys.argv[2])]
whole = files.write_whole
def dying(*given, **named):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    whole(*given, **named)
files.write_whole = journal.write_whole = dying
places = [place(name, "user", Path.cwd()) for name in ("cursor", "codex")]
if sys.argv[1] == "adopt":
    adopt(places, lambda _: True).plan.commit(records="first")
else:
    release(places).commit(records="last")
"""


def dying(act: str, after: int) -> int:
    """What a process comes to that is killed at one of its writes."""
    return subprocess.run(
        [sys.executable, "-c", DYING, act, str(after)], env=os.environ, timeout=50, check=False
    ).returncode


@pytest.mark.parametrize("after", range(6))
def test_an_adoption_that_was_killed_is_undone_or_done_again(settings: Path, after: int) -> None:
    assert dying("adopt", after) == -signal.SIGKILL
    if after % 2:
        adopted("cursor", "codex")
        assert list(servers(settings)) == ["git", "notes", "notes-codex"]

    released("cursor", "codex")

    assert {name: at(name).file.read_bytes() for name in FILES} == FILES
    assert not settings.exists()
    assert journal.records() == []


@pytest.mark.parametrize("after", range(5))
def test_a_release_that_was_killed_is_ended_by_the_next(settings: Path, after: int) -> None:
    adopted("cursor", "codex")
    assert dying("release", after) == -signal.SIGKILL

    released("cursor", "codex")

    assert {name: at(name).file.read_bytes() for name in FILES} == FILES
    assert not settings.exists()
