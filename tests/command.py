"""The `hilt` command under test: in this process where the door does not matter, as a process where it does."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from hilt.cli import main


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What one command line did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, object]:
        """The answer as one object."""
        document = json.loads(self.out)
        assert isinstance(document, dict)
        assert document["schema_version"] == 1
        return document

    @property
    def error(self) -> Mapping[str, object]:
        """The error as one object, of --json."""
        document = json.loads(self.err)
        assert document["schema_version"] == 1
        error = document["error"]
        assert set(error) == {"code", "message", "hint", "details"}
        return error


Hilt = Callable[..., Ran]


def in_process(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], home: Path) -> Hilt:
    """A command that runs here, with a home of its own and a folder to stand in."""
    for name in ("HILT_CONFIG", "HILT_LOG", "HILT_OUTPUT_FORMAT", "HILT_DEBUG", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home / "person"))
    monkeypatch.setenv("HILT_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    (home / "here").mkdir()
    monkeypatch.chdir(home / "here")

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        code = main(arguments)
        said = capfd.readouterr()
        return Ran(code=code, out=said.out, err=said.err)

    return run


def as_process(*arguments: str, folder: Path, home: Path, stdin: str = "", **environment: str) -> Ran:
    """A command in a process of its own."""
    import os

    surroundings = {**os.environ, "HILT_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    surroundings.pop("HILT_CONFIG", None)
    finished = subprocess.run(
        [sys.executable, "-m", "hilt", *arguments],
        cwd=folder,
        input=stdin.encode(),
        capture_output=True,
        env={**surroundings, **environment},
        timeout=50,
        check=False,
    )
    return Ran(code=finished.returncode, out=finished.stdout.decode(), err=finished.stderr.decode())
