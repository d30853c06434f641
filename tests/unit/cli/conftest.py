"""The command as these tests run it."""

from pathlib import Path

import pytest

from tests.command import Hilt, in_process


@pytest.fixture
def hilt(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Hilt:
    """`hilt("tools", "--json")`, standing in `tmp_path/here`."""
    return in_process(monkeypatch, capfd, tmp_path)


@pytest.fixture
def here(hilt: Hilt, tmp_path: Path) -> Path:
    """The folder the command stands in, with two files."""
    folder = tmp_path / "here"
    (folder / "notes.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    (folder / "app.py").write_text("print('hello')\n", encoding="utf-8")
    return folder
