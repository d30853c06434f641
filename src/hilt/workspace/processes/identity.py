"""Which process a number meant: numbers are used again, so the start time and the boot go with it."""

from dataclasses import dataclass
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STATE, _PARENT, _START = 0, 1, 19
"""Places in `/proc/PID/stat`, counted behind the name, which may itself hold blanks and brackets."""
_GONE = ("Z", "X")


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """One process of one boot. `start` is in the kernel's ticks since that boot."""

    pid: int
    start: int
    boot: str

    @property
    def alive(self) -> bool:
        """Whether it still runs: the same number, started then, in this boot, and no zombie."""
        found = stat_fields(self.pid)
        return bool(found) and found[_STATE] not in _GONE and int(found[_START]) == self.start and self.boot == boot()


def identity(pid: int) -> Identity | None:
    """The identity of a process that exists now."""
    found = stat_fields(pid)
    return Identity(pid=pid, start=int(found[_START]), boot=boot()) if found else None


def boot() -> str:
    """The kernel's name for the time since the machine was started."""
    return _BOOT.read_text(encoding="ascii").strip()


def parent(pid: int) -> int | None:
    """The number of a process's parent."""
    found = stat_fields(pid)
    return int(found[_PARENT]) if found else None


def stat_fields(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` behind the name; none for a process that is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()
