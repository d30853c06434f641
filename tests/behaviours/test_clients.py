"""A newcomer with servers in two clients: all of them behind Hilt, seen there, and back as they were."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.command import Ran, as_process
from tests.gates.source import ROOT

REPLAY = ROOT / "tests" / "servers" / "replay.py"
NAMES = ("git", "notes", "weather", "mail", "music")
"""One tool each; the first is in both clients."""


@pytest.fixture
def me(tmp_path: Path) -> Path:
    """A home with Claude Code and Codex, five servers in all, comments and odd line ends."""
    home = tmp_path / "me"
    (home / ".codex").mkdir(parents=True)
    (home / "here").mkdir()
    for name in NAMES:
        tool = {"name": f"{name}_read", "description": f"Reads {name}.", "inputSchema": {"type": "object"}}
        (home / f"{name}.json").write_text(json.dumps({"name": name, "tools": [tool]}), encoding="utf-8")
    lines = [f'    "{name}": {json.dumps(started(home, name))}' for name in NAMES[:3]]
    text = '{\n  "numStartups": 7,\n  "mcpServers": {\n' + ", // kept\n".join(lines) + "\n  }\n}\n"
    (home / ".claude.json").write_text(text.replace("\n", "\r\n"), encoding="utf-8", newline="")
    tables = [
        f"[mcp_servers.{name}] # kept\ncommand = {json.dumps(sys.executable)}\nargs = {json.dumps(entry['args'])}\n"
        for name in (NAMES[0], *NAMES[3:])
        for entry in [started(home, name)]
    ]
    (home / ".codex" / "config.toml").write_text('model = "m"\n\n' + "\n".join(tables), encoding="utf-8")
    return home


def started(home: Path, name: str) -> dict[str, object]:
    return {"command": sys.executable, "args": [str(REPLAY), str(home / f"{name}.json")]}


def ran(me: Path, *arguments: str) -> Ran:
    paths = {"HOME": str(me), "PATH": str(me / "bin"), "CLAUDE_CONFIG_DIR": "", "CODEX_HOME": ""}
    return as_process(*arguments, folder=me / "here", home=me, **paths)


def test_req_G5_servers_of_two_clients_are_adopted_seen_and_given_back_byte_for_byte(me: Path) -> None:
    files = (me / ".claude.json", me / ".codex" / "config.toml")
    before = [file.read_bytes() for file in files]

    asked = ran(me, "adopt", "--no-input")
    adopted = ran(me, "adopt", "--yes")

    assert (asked.code, asked.err.count("which starts")) == (3, 5)
    assert adopted.code == 0, adopted.err
    settings = tomllib.loads((me / "config" / "hilt" / "hilt.toml").read_text(encoding="utf-8"))
    assert list(settings["servers"]) == list(NAMES)
    assert list(tomllib.loads(files[1].read_text(encoding="utf-8"))["mcp_servers"]) == ["hilt"]
    seen = ran(me, "tools", "--json")
    assert all(f"{name}_read" in seen.out for name in NAMES), seen.err
    released = ran(me, "release")
    assert released.code == 0, released.err
    assert [file.read_bytes() for file in files] == before
    assert not (me / "config" / "hilt" / "hilt.toml").exists()


def test_req_G5_a_client_starts_hilt_by_what_install_wrote_and_no_projects_code_runs(me: Path) -> None:
    assert ran(me, "install", "claude-code").code == 0
    (me / "here" / "hilt.py").write_text("raise SystemExit('the project ran')\n", encoding="utf-8")
    text = "".join(line.split("// kept")[0] for line in (me / ".claude.json").read_text(encoding="utf-8").splitlines())
    entry = json.loads(text)["mcpServers"]["hilt"]

    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    finished = subprocess.run(
        [entry["command"], *entry["args"]],
        input=json.dumps(hello).encode() + b"\n",
        capture_output=True,
        cwd=me / "here",
        env={"HOME": str(me), "HILT_HOME": str(me / "state"), "PATH": ""},
        timeout=50,
        check=False,
    )

    answer = json.loads(finished.stdout.splitlines()[0])
    assert answer["result"]["serverInfo"]["name"] == "hilt", finished.stderr
