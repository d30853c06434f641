"""Five machines with less and less: the doctor says of each what holds there, and what it says is so."""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from hilt.calls.resolver import Property
from tests.hosts import HOSTS, NOBODY
from tests.needs import missing

ROOT = Path(__file__).parents[2]
WAIT_S = 120
EVERYTHING: frozenset[Property] = frozenset(
    {"fs_write_confined", "fs_read_confined", "net_blocked", "proc_hidden", "kill_complete", "ro_holes"}
)
BEST: Mapping[str, str] = {
    "root": "bubblewrap",
    "user": "bubblewrap",
    "no-namespaces": "landlock",
    "container": "landlock",
    "no-landlock": "rlimits",
}
GIVEN: Mapping[str, frozenset[Property]] = {
    "bubblewrap": EVERYTHING,
    "landlock": EVERYTHING,
    "rlimits": frozenset({"kill_complete"}),
}

# A command of a session on that host, as the settings there have it; no policy is asked.
RUNNING = """
import os, sys
from pathlib import Path
import anyio
from hilt.assembly.build import open_runtime
from hilt.workspace.processes import Command

async def main(script, folder):
    async with open_runtime(Path(folder)) as made:
        job = await made.processes.start(Command(argv=("bash", "-c", script), folder=folder))
        with anyio.move_on_after(60):
            await job.wait(None)
        job.stop()
        await job.wait(None, whole=True)
        sys.stdout.buffer.write(os.pread(job.log, 1 << 20, 0))

anyio.run(main, sys.argv[1], sys.argv[2])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A simulated machine with a workspace and what lies outside it."""

    name: str
    python: str
    folder: Path

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def outside(self) -> Path:
        return self.folder / "outside"

    def does(self, *arguments: str) -> str:
        """What a Python program says on that machine."""
        words = [self.python, str(ROOT / "tests/hosts.py"), self.name, self.python, *arguments]
        environment = {
            **os.environ,
            "HOME": str(self.folder / "home"),
            "HILT_HOME": str(self.folder / "home/state"),
            "XDG_CONFIG_HOME": str(self.folder / "home/config"),
            "PYTHONPATH": os.pathsep.join(each for each in sys.path if each),
            "SECRET_OF_THE_HOST": "sesame",
        }
        done = subprocess.run(
            words, env=environment, cwd=self.workspace, capture_output=True, text=True, timeout=WAIT_S, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def runs(self, script: str) -> str:
        """What a command says on that machine."""
        return self.does("-c", RUNNING, script, str(self.workspace))

    def doctor(self) -> dict[str, object]:
        answer = json.loads(self.does("-m", "hilt", "doctor", "--json", "--workspace", str(self.workspace)))
        isolation = answer["isolation"]
        assert isinstance(isolation, dict)
        return isolation


@pytest.fixture(params=HOSTS)
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    name: str = request.param
    if name == "root" and os.getuid() != 0:
        pytest.skip("only root can be root; a user's machine is the next one")
    if sys.platform != "linux":
        pytest.skip("these are machines with Linux")
    if shutil.which("bwrap") is None:
        missing("bwrap is not here: the doctor tries it")
    with tempfile.TemporaryDirectory(prefix="hilt-host-") as text:
        folder = Path(text)
        for each in ("home", "workspace/.git/hooks", "outside"):
            (folder / each).mkdir(parents=True)
        (folder / "outside/secret").write_text("canary", encoding="utf-8")
        (folder / "workspace/.git/hooks/pre-commit").write_text("kept", encoding="utf-8")
        if name == "user" and os.getuid() == 0:
            for each in (folder, *folder.rglob("*")):
                os.chown(each, NOBODY, NOBODY)
        yield Host(name=name, python=python_for(name), folder=folder)


def python_for(name: str) -> str:
    """A Python that whoever the host is may run: root's own may lie where others cannot look."""
    if name != "user" or os.getuid() != 0:
        return sys.executable
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        real = Path(path).resolve()
        if real.exists() and all(above.stat().st_mode & stat.S_IXOTH for above in (real, *real.parents)):
            return path
    pytest.skip(f"no {version} here that another user may run")


def test_the_doctor_tells_the_machines_apart_and_is_right_about_each_property(host: Host) -> None:
    said = host.doctor()
    found = {row["property"] for row in said["properties"] if row["protected"]}  # type: ignore[union-attr]  # of JSON

    assert said["rung"] == BEST[host.name]
    assert found == GIVEN[BEST[host.name]]
    assert holding(host) == found


def holding(host: Host) -> set[str]:
    """What holds of a command there, found out without the doctor's own probe."""
    with socket.create_server(("127.0.0.1", 0)) as listening, sleeping(host) as other:
        listening.settimeout(0.1)
        port = listening.getsockname()[1]
        said = host.runs(
            f"echo x 2>&- > {host.outside}/made; cat {host.outside}/secret; (echo x > /dev/tcp/127.0.0.1/{port});"
            f"tr '\\0' ' ' < /proc/{other.pid}/cmdline; kill {other.pid}; env;"
            "echo changed > .git/hooks/pre-commit; mkdir -p .vscode; echo x > .vscode/tasks.json;"
            "setsid bash -c 'exec 9> held; flock 9; echo up > up; exec sleep 300' &"
            "until [ -e up ]; do sleep 0.01; done"
        )
        reached = accepted(listening)
        seen = "sleep 301" in said or other.poll() is not None
    assert "sesame" not in said
    hook = (host.workspace / ".git/hooks/pre-commit").read_text(encoding="utf-8")
    held: dict[Property, bool] = {
        "fs_write_confined": not (host.outside / "made").exists(),
        "fs_read_confined": "canary" not in said,
        "net_blocked": not reached,
        "proc_hidden": not seen,
        "kill_complete": subprocess.run(["flock", "-n", str(host.workspace / "held"), "true"], check=False).returncode
        == 0,
        "ro_holes": hook == "kept" and not (host.workspace / ".vscode/tasks.json").exists(),
    }
    return {name for name, holds in held.items() if holds}


def sleeping(host: Host) -> "subprocess.Popen[bytes]":
    """Another process of whoever the host is."""
    user = NOBODY if host.name == "user" and os.getuid() == 0 else None
    return Killed(["sleep", "301"], user=user)


class Killed(subprocess.Popen[bytes]):
    """A process that ends with the block."""

    def __exit__(self, *error: object) -> None:
        self.kill()
        self.wait()


def accepted(listening: socket.socket) -> bool:
    try:
        listening.accept()[0].close()
    except TimeoutError:
        return False
    return True


def test_on_a_machine_that_cannot_isolate_the_doctor_says_in_words_what_is_open(host: Host) -> None:
    said = host.doctor()

    open_to_all = "a command can change every file that you can" in said["not_protected"]  # type: ignore[operator]  # of JSON
    assert open_to_all == (BEST[host.name] == "rlimits")
    notes = "\n".join(said["notes"])  # type: ignore[arg-type]  # of JSON
    assert ("bubblewrap is not used: " in notes) == (BEST[host.name] != "bubblewrap")
    assert "SECRET_OF_THE_HOST" in notes
    assert "sesame" not in notes
