"""What a probe is let loose on, and what became of it: judged from outside, not by what the probe says."""

import fcntl
import os
import secrets
import select
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

from hilt.calls.resolver import Property

_CANARY_BYTES = 16
_HOOK, _SETTINGS = "#!/bin/sh\n", "[core]\n\tbare = false\n"

Weakness = Literal["modes"]
"""What a rung may leave open beside the properties: modes of the person's own files outside can be changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was found of one rung. Without `works` nothing can be run in it, and `trouble` says why.

    `weaknesses` is what it leaves open beside the properties.
    """

    works: bool
    proved: frozenset[Property] = frozenset()
    weaknesses: tuple[Weakness, ...] = ()
    trouble: str = ""


class Scene:
    """A root, a folder outside it with a secret, somebody who listens, and another process. Use with `with`.

    Everything is ours: what a probe breaks is thrown away.
    """

    def __init__(self, folder: Path) -> None:
        self._top = Path(tempfile.mkdtemp(prefix="probe-", dir=folder))
        self.root, self.outside = self._top / "root", self._top / "outside"
        self._canary = secrets.token_hex(_CANARY_BYTES)
        self.abstract = f"hilt-{self._canary}"
        self._listening: list[socket.socket] = []
        self._other: subprocess.Popen[bytes] | None = None
        self.port = 0

    def __enter__(self) -> "Scene":
        try:
            self._make()
        except BaseException:
            self._clear()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clear()

    @property
    def words(self) -> tuple[str, ...]:
        """What the probe is told."""
        other = self._other.pid if self._other else 0
        return (str(self.root), str(self.outside), str(self.port), self.abstract, str(other))

    def listen(self) -> None:
        """Start what the probe may reach, see or end; the folders are there before."""
        tcp, udp = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        self._listening = [tcp, udp]
        tcp.bind(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", self.port))
        folder = os.open(self.outside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for address in (f"/proc/self/fd/{folder}/socket", f"\0{self.abstract}"):  # a socket's path has 107 bytes
                unix = socket.socket(socket.AF_UNIX)
                self._listening.append(unix)
                unix.bind(address)
        finally:
            os.close(folder)
        for each in self._listening:
            if each is not udp:
                each.listen()
        sleeping = shutil.which("sleep") or "/bin/sleep"
        self._other = subprocess.Popen(
            [sleeping, "60"], stdin=subprocess.DEVNULL, env={"CANARY": self._canary}, start_new_session=True
        )

    def proof(self, said: Mapping[str, str]) -> Proof:
        """What is given, after all that the probe started has been ended."""
        held: dict[Property, bool] = {
            "fs_write_confined": self._nothing_written(),
            "fs_read_confined": self._nothing_read(said),
            "net_blocked": not select.select(self._listening, [], [], 0)[0],
            "proc_hidden": self._nobody_seen(said),
            "kill_complete": said.get("survivor") == "done" and self._nobody_left(),
            "ro_holes": self._holes_kept(),
        }
        weaknesses: tuple[Weakness, ...] = () if self._mode() == 0o600 else ("modes",)
        works = (self.root / "made").exists() and (self.root / "file").read_text(encoding="ascii") == "changed"
        return Proof(works=works, proved=frozenset(name for name in held if held[name]), weaknesses=weaknesses)

    def _make(self) -> None:
        for folder in (self.root / ".git/hooks", self.outside):
            folder.mkdir(parents=True)
        (self.root / "door").symlink_to(self.outside)
        for file in (self.root / "file", self.root / "moved", self.root / "held", self.outside / "removed"):
            file.touch()
        (self.root / ".git/hooks/pre-commit").write_text(_HOOK, encoding="ascii")
        (self.root / ".git/config").write_text(_SETTINGS, encoding="ascii")
        for name in ("secret", "there"):
            (self.outside / name).write_text(self._canary, encoding="ascii")
            (self.outside / name).chmod(0o600)

    def _clear(self) -> None:
        for each in self._listening:
            each.close()
        if self._other is not None:
            self._other.kill()
            self._other.wait()
        shutil.rmtree(self._top, ignore_errors=True)

    def _nothing_written(self) -> bool:
        names = set(os.listdir(self.outside)) - {"socket"}
        return names == {"secret", "there", "removed"} and self._text(self.outside / "there") == self._canary

    def _nothing_read(self, said: Mapping[str, str]) -> bool:
        read = [value for name, value in said.items() if name.startswith("read ")]
        ours = self._canary.encode().hex()
        return ours not in read and said.get("read passwords", "").startswith("errno")

    def _nobody_seen(self, said: Mapping[str, str]) -> bool:
        seen = said.get("process environment", "") + said.get("process command", "")
        shown = (self._canary.encode().hex(), b"sleep".hex())
        alive = self._other is not None and self._other.poll() is None
        return alive and not any(each in seen for each in shown)

    def _nobody_left(self) -> bool:
        with (self.root / "held").open("rb") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def _holes_kept(self) -> bool:
        git = self.root / ".git"
        kept = self._text(git / "hooks/pre-commit") == _HOOK and self._text(git / "config") == _SETTINGS
        return kept and not os.path.lexists(self.root / ".envrc")

    def _mode(self) -> int:
        return (self.outside / "there").stat().st_mode & 0o777 if (self.outside / "there").exists() else 0o600

    def _text(self, file: Path) -> str:
        try:
            return file.read_text(encoding="ascii")
        except OSError:
            return ""
