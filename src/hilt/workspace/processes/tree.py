"""Everything a process started, and how to end it so that nothing is left.

A monitor is the reaper of all its descendants: one that lost its parent, whatever it did to get
away (`setsid`, a double fork), becomes the monitor's own child. So the tree is always whole.
"""

import errno
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from hilt.workspace.processes.identity import parent

MANY = 256
"""Descendants from which on all processes are looked at once instead of one after the other."""
MOST_ROUNDS = 100
ROUND_S = 0.01


def children(pid: int) -> list[int]:
    """The children of a process, those of each of its threads."""
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_text(encoding="ascii").split())
    except OSError:
        return found or _every_parent().get(pid, [])
    return found


def _every_parent() -> dict[int, list[int]]:
    """The children of every process there is, in one pass."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (above := parent(int(name))) is not None:
            found.setdefault(above, []).append(int(name))
    return found


def descendants(pid: int) -> list[int]:
    """Children, their children and so on, the nearest first."""
    found = _below(pid, children, most=MANY)
    if len(found) > MANY:
        # The kernel's list of one process's children takes time by their square; a pass over all does not.
        known = _every_parent()
        found = _below(pid, lambda each: known.get(each, []))
    return found


def _below(pid: int, listed: Callable[[int], list[int]], *, most: int | None = None) -> list[int]:
    """What `listed` says is below a process; it is not asked on once there are more than `most`."""
    found: list[int] = []
    waiting = [pid]
    while waiting and (most is None or len(found) <= most):
        new = listed(waiting.pop(0))
        found += new
        waiting += new
    return found


def command_line(pid: int, most: int) -> str:
    """What a process runs, at most so many characters of it; empty for one that is gone or a zombie."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return ""
    text = " ".join(word.decode("utf-8", "backslashreplace") for word in words).strip()
    return text if len(text) <= most else text[: most - 3] + "..."


def ask_to_end(pid: int, *, spare: int = 0) -> None:
    """TERM to everything below but `spare`, and CONT, for what is stopped cannot end."""
    for each in descendants(pid):
        if each == spare:
            continue
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
