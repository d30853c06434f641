"""Everything a process started, and how to end it so that nothing is left.

A monitor is the reaper of all its descendants: one that lost its parent, whatever it did to get
away (`setsid`, a double fork), becomes the monitor's own child. So the tree is always whole.
"""

import errno
import os
import signal
import time
from pathlib import Path

from hilt.workspace.processes.identity import parent

MOST_ROUNDS = 100
ROUND_S = 0.01


def children(pid: int) -> list[int]:
    """The children of a process, those of each of its threads."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text(encoding="ascii").split())
    except OSError:
        return found or _children_by_search(pid)
    return found


def _children_by_search(pid: int) -> list[int]:
    """For kernels that list no children. A process that ended meanwhile has none."""
    if not Path(f"/proc/{pid}").exists():
        return []
    return [number for name in os.listdir("/proc") if name.isdigit() and parent(number := int(name)) == pid]


def descendants(pid: int) -> list[int]:
    """Children, their children and so on, the nearest first."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def command_line(pid: int, most: int) -> str:
    """What a process runs, at most so many characters of it; empty for one that is gone or a zombie."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    text = " ".join(word.decode("utf-8", "backslashreplace") for word in words).strip()
    return text if len(text) <= most else text[: most - 3] + "..."


def ask_to_end(pid: int) -> None:
    """TERM to everything below, and CONT, for what is stopped cannot end."""
    for each in descendants(pid):
        _send(each, signal.SIGTERM)
        _send(each, signal.SIGCONT)


def kill_below(pid: int) -> None:
    """KILL everything below. All are stopped first, so that none starts another meanwhile."""
    seen: set[int] = set()
    for _ in range(MOST_ROUNDS):
        new = [each for each in descendants(pid) if each not in seen]
        if not new:
            break
        seen.update(new)
        for each in new:
            _send(each, signal.SIGSTOP)
    for each in descendants(pid):
        _send(each, signal.SIGKILL)


def reap() -> tuple[bool, list[tuple[int, int]]]:
    """Whether this process still has children, and the (pid, wait status) of those that ended."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False, ended
        if pid == 0:
            return True, ended
        ended.append((pid, status))


def end_children(within_s: float) -> list[tuple[int, int]]:
    """Kill all that is below this process and reap it; what the kernel will not let go of is left."""
    ended: list[tuple[int, int]] = []
    until = time.monotonic() + within_s
    while True:
        kill_below(os.getpid())
        left, gone = reap()
        ended += gone
        if not left or time.monotonic() > until:
            return ended
        time.sleep(ROUND_S)


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except OSError as fault:
        if fault.errno not in (errno.ESRCH, errno.EPERM):
            raise
