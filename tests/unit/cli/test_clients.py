"""`hilt install`, `uninstall`, `adopt`, `release` and the clients of `hilt doctor`, as a person meets them."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from hilt.assembly import consents
from tests.command import Hilt

CURSOR = '{"mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git"]}, "web": {"url": "https://a/mcp"}}}\n'


@pytest.fixture
def me(hilt: Hilt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own with Cursor in it; no program of any client is found."""
    home = tmp_path / "me"
    (home / ".cursor").mkdir(parents=True)
    (home / ".cursor" / "mcp.json").write_text(CURSOR, encoding="utf-8")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home / "bin"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_CONFIG", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(name, raising=False)
    return home


def only(document: dict[str, object]) -> dict[str, object]:
    """The one client of a document."""
    found = document["clients"]
    assert isinstance(found, list)
    (client,) = found
    return client


def test_install_says_what_to_do_next_and_uninstall_gives_the_file_back(hilt: Hilt, me: Path) -> None:
    file = me / ".cursor" / "mcp.json"

    first, again = hilt("install", "cursor"), hilt("install", "cursor")

    assert first.code == again.code == 0
    assert first.out.startswith(f"installed  Cursor, {file}\n")
    assert "next: reload the window of Cursor" in first.out
    assert 'to be asked less: mcpAllowlist in ~/.cursor/permissions.json: "hilt:*"' in first.out
    assert again.out.startswith("there already  Cursor")
    removed = hilt("uninstall", "cursor")
    assert removed.out.startswith(f"removed  Cursor, {file}\n")
    assert file.read_text(encoding="utf-8") == CURSOR


def test_install_for_several_clients_takes_the_options_of_serve(hilt: Hilt, me: Path, here: Path) -> None:
    ran = hilt("install", "codex", "kiro", "--workspace", str(here), "-c", "shelf=read_file", "--json").json

    clients = ran["clients"]
    assert isinstance(clients, list)
    assert [(each["client"], each["state"]) for each in clients] == [("codex", "installed"), ("kiro", "installed")]
    entry = json.loads((me / ".kiro/settings/mcp.json").read_text(encoding="utf-8"))["mcpServers"]["hilt"]
    assert entry == {
        "command": sys.executable,
        "args": ["-P", "-m", "hilt", "serve", "--workspace", str(here), "-c", "shelf=read_file"],
    }


def test_the_project_gets_its_own_file(hilt: Hilt, me: Path, here: Path) -> None:
    assert hilt("install", "claude-code", "--project").code == 0
    assert "hilt" in json.loads((here / ".mcp.json").read_text(encoding="utf-8"))["mcpServers"]
    assert hilt("uninstall", "claude-code", "--project").code == 0
    assert not (here / ".mcp.json").exists()
    wrong = hilt("install", "windsurf", "--project")
    assert (wrong.code, "has no place for project servers" in wrong.err) == (2, True)


def test_a_dry_run_shows_the_diff_and_writes_nothing(hilt: Hilt, me: Path) -> None:
    ran = hilt("install", "cursor", "--dry-run")

    assert ran.out.startswith("--- ")
    assert '+{"mcpServers": {' in ran.out
    assert "nothing was written" in ran.err
    assert (me / ".cursor/mcp.json").read_text(encoding="utf-8") == CURSOR
    assert hilt("install", "cursor", "--dry-run", "--json").json["dry_run"] is True


def test_without_a_client_those_of_this_machine_are_listed_with_the_next_step(
    hilt: Hilt, me: Path, tmp_path: Path
) -> None:
    listed = hilt("install")

    assert "2 servers of its own, not Hilt" in listed.out
    assert "try: hilt adopt cursor --dry-run" in listed.out
    assert "known clients: claude-code" in listed.out
    found = only(hilt("install", "--json").json)
    assert (found["client"], found["standing"], found["servers"]) == ("cursor", "not set up", ["git", "web"])
    (me / ".cursor/mcp.json").write_text("{", encoding="utf-8")
    assert only(hilt("install", "--json").json)["standing"] == "broken"
    (me / ".cursor/mcp.json").write_text(
        '{"mcpServers": {"hilt": {"command": "/gone/python", "args": ["-m", "hilt", "serve"]}}}', encoding="utf-8"
    )
    outdated = only(hilt("install", "--json").json)
    assert (outdated["standing"], outdated["next_steps"]) == ("outdated", ["hilt install cursor"])
    assert hilt("install", "cursor").out.startswith("renewed")
    assert only(hilt("install", "--json").json)["standing"] == "behind hilt"
    (record,) = (tmp_path / "state" / "clients").glob("*.json")
    record.write_text("{", encoding="utf-8")
    assert only(hilt("install", "--json").json)["standing"] == "broken"
    (me / ".cursor/mcp.json").unlink()
    assert only(hilt("install", "--json").json)["says"] == "not set up"
    (me / ".cursor").rmdir()
    assert hilt("install").out.startswith("no client that Hilt knows was found")


def test_a_projects_place_is_listed_where_it_has_servers_and_what_cannot_move_has_no_step(
    hilt: Hilt, me: Path, here: Path
) -> None:
    (here / ".cursor").mkdir()
    (here / ".cursor" / "mcp.json").write_text(
        json.dumps(
            {
                "mcpServers": {
                    "hilt": {"command": sys.executable, "args": ["-m", "hilt", "serve"]},
                    "old": {"type": "sse", "url": "https://a"},
                }
            }
        ),
        encoding="utf-8",
    )

    found = hilt("install", "--json").json["clients"]

    assert isinstance(found, list)
    assert [(each["scope"], each["says"]) for each in found] == [
        ("user", "2 servers of its own, not Hilt"),
        ("project", "Hilt, and 1 server beside it"),
    ]
    assert found[1]["next_steps"] == []


def test_the_doctor_shows_each_client_with_its_file_and_the_next_step(hilt: Hilt, me: Path) -> None:
    said = hilt("doctor")

    assert f"cursor  {me}/.cursor/mcp.json  2 servers of its own, not Hilt" in said.out
    assert "try: hilt adopt cursor --dry-run" in said.out
    assert only(hilt("doctor", "--json").json)["client"] == "cursor"


def test_nobody_to_ask_and_no_yes_moves_nothing(hilt: Hilt, me: Path) -> None:
    ran = hilt("adopt", "cursor")

    assert ran.code == 3
    assert "git of Cursor, which starts: uvx mcp-server-git" in ran.err
    assert "web of Cursor, which reaches: https://a/mcp" in ran.err
    assert "try: hilt adopt cursor --yes" in ran.err
    assert (me / ".cursor/mcp.json").read_text(encoding="utf-8") == CURSOR
    assert consents.all() == {}


def test_adopt_and_release_with_a_yes_for_all(hilt: Hilt, me: Path, tmp_path: Path) -> None:
    dry = hilt("adopt", "--dry-run")
    assert "you would be asked about git of Cursor, which starts: uvx mcp-server-git" in dry.err
    assert "+[servers.git]" in dry.out
    assert hilt("release").code == 2

    ran = hilt("adopt", "--yes")

    assert ran.out.startswith(f"adopted  Cursor, {me}/.cursor/mcp.json: git, web\n")
    assert "undo: hilt release cursor" in ran.out
    assert len(consents.all()) == 2
    assert "[servers.git]" in (tmp_path / "config/hilt/hilt.toml").read_text(encoding="utf-8")
    refused = hilt("uninstall", "cursor")
    assert (refused.code, "try: hilt release cursor" in refused.err) == (2, True)
    back = hilt("release", "cursor")
    assert back.out.startswith(f"released  Cursor, {me}/.cursor/mcp.json: git, web\n")
    assert (me / ".cursor/mcp.json").read_text(encoding="utf-8") == CURSOR
    assert hilt("adopt", "cursor", "--no-input").code == 0  # the yes is remembered for exactly these
    assert hilt("release", "--json").code == 0
    assert "no servers of Kiro are behind Hilt" in hilt("release", "kiro").err


def test_a_client_without_servers_has_nothing_to_adopt(hilt: Hilt, me: Path) -> None:
    assert hilt("adopt", "kiro").out.startswith("nothing to adopt  Kiro")
    assert hilt("adopt", "cursor", "--local").code == 2
    assert "nothing to change" in hilt("adopt", "kiro", "--dry-run").err


def test_a_person_is_asked_for_each_server_and_a_no_leaves_it(me: Path, tmp_path: Path) -> None:
    master, slave = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "hilt", "adopt", "cursor"],
        stdin=slave,
        stderr=slave,
        stdout=subprocess.PIPE,
        env={**os.environ, "TERM": "dumb"},
        cwd=tmp_path,
    )
    os.close(slave)
    os.write(master, b"y\nn\n")
    out, _ = running.communicate(timeout=50)
    said = os.read(master, 65_536).decode()
    os.close(master)

    assert "git of Cursor, which starts: uvx mcp-server-git" in said
    assert "move it behind Hilt?" in said
    assert out.decode().startswith(f"adopted  Cursor, {me}/.cursor/mcp.json: git\n")
    assert "web stays: you did not agree to it" in out.decode()
    assert list(json.loads((me / ".cursor/mcp.json").read_text(encoding="utf-8"))["mcpServers"]) == ["web", "hilt"]


def test_no_dry_run_writes_anything_anywhere(hilt: Hilt, me: Path, tmp_path: Path) -> None:
    for verb in ("install", "adopt", "uninstall", "release"):
        before = sorted(tmp_path.rglob("*"))
        hilt(verb, "cursor", "--dry-run")
        assert sorted(tmp_path.rglob("*")) == before


def test_the_next_steps_are_about_the_same_clients(hilt: Hilt, me: Path, here: Path) -> None:
    (here / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}', encoding="utf-8")
    ran = hilt("adopt", "claude-code", "--project")
    assert "try: hilt adopt claude-code --project --yes agrees to all of it" in ran.err


def test_a_foreign_server_called_hilt_is_shown_as_one(hilt: Hilt, me: Path) -> None:
    (me / ".cursor/mcp.json").write_text('{"mcpServers": {"hilt": {"command": "node"}}}', encoding="utf-8")
    found = only(hilt("install", "--json").json)
    assert (found["standing"], found["says"]) == (
        "not set up",
        "another server is called hilt, and 0 servers beside it",
    )
    assert hilt("adopt", "cursor", "--yes").code == 2
