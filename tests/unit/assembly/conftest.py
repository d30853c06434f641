"""A home of its own for every test that reads settings."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`tmp_path/home`, with `config/hilt` and `state` below it; nothing of the real user's is seen."""
    folder = tmp_path / "home"
    (folder / "config" / "hilt").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("HILT_HOME", str(folder / "state"))
    for name in ("HILT_CONFIG", "HILT_LOG", "HILT_POLICY_PRESET"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
