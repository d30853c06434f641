"""A home of its own: no client of whoever runs the tests is seen or touched."""

import shutil
from pathlib import Path

import pytest

from hilt.assembly.clients.table import clients

VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "OPENCODE_CONFIG", "CLINE_MCP_SETTINGS_PATH")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`tmp_path/me`, which is HOME, with a project below it to stand in."""
    folder = tmp_path / "me"
    (folder / "project").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("HILT_HOME", str(folder / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder / "project")
    assert not any(map(shutil.which, [program for each in clients().values() for program in each.programs]))
    return folder
