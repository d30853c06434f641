"""Which process took a claim, and whether it still runs.

A process is named by its machine's boot, its pid namespace, its pid and its start time, so a
pid used again, a restart and another container are told apart. Whoever cannot be seen from here
counts as gone: an answer that says "verify first" is safer than one that says "wait".
"""

import os
import secrets
import subprocess
import sys
from pathlib import Path

SEPARATOR = "/"
NOBODY = ""


def this_process() -> str:
    """An owner's name, new at each call, for claims taken by this process."""
    return SEPARATOR.join((_place(), str(os.getpid()), started(os.getpid()), secrets.token_hex(4)))


def alive(owner: str) -> bool:
    """Whether the process of this name runs, as far as can be seen from here."""
    place, _, rest = owner.partition(SEPARATOR)
    pid, _, rest = rest.partition(SEPARATOR)
    since = rest.partition(SEPARATOR)[0]
    return bool(pid) and bool(since) and place == _place() and since == started(int(pid))


def _place() -> str:
    """What must be the same for a pid to mean the same process."""
    if sys.platform == "linux":
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}:{Path('/proc/self/ns/pid').readlink().name}"
    return os.uname().nodename.replace(SEPARATOR, "-")


def started(pid: int) -> str:
    """When the process started, in the platform's own terms; empty when it does not run."""
    if sys.platform != "linux":
        asked = subprocess.run(
            ["/bin/ps", "-o", "lstart=", "-p", str(pid)],
            capture_output=True,
            text=True,
            check=False,
        )
        return asked.stdout.strip().replace(SEPARATOR, "-")
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""
    # The name in parentheses may hold spaces and parentheses itself: fields count from the last.
    fields = text.rpartition(")")[2].split()
    state, since = fields[0], fields[19]
    return "" if state in "ZX" else since
