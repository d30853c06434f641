"""The program that tries each forbidden act from within. Stands alone: it is handed to Python as text.

It says what came of each act, one a line; but what really happened is looked at from outside.
"""

import os
import sys
from collections.abc import Callable

SURVIVES_S = 60


def tried(name: str, act: Callable[[], str | None]) -> None:
    """One act; its outcome is `done`, what it brought, or the number of the error."""
    try:
        outcome = act() or "done"
    except OSError as error:
        outcome = f"errno {error.errno}"
    print(name, outcome, sep="\t", flush=True)


def put(path: str) -> None:
    """Write a word to a file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(descriptor, b"changed")
    os.close(descriptor)


def got(path: str) -> str:
    """The beginning of a file, in hexadecimal."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096).hex()
    finally:
        os.close(descriptor)


def write_outside(root: str, outside: str) -> None:
    """Everything that would change what lies outside."""
    tried("write new", lambda: put(f"{outside}/new"))
    tried("write there", lambda: put(f"{outside}/there"))
    tried("write by link", lambda: put(f"{root}/door/there"))
    tried("write by proc", lambda: put(f"/proc/self/root{outside}/there"))
    tried("truncate", lambda: os.truncate(f"{outside}/there", 0))
    tried("rename out", lambda: os.rename(f"{root}/moved", f"{outside}/moved"))
    tried("link out", lambda: os.link(f"{root}/file", f"{outside}/linked"))
    tried("folder out", lambda: os.mkdir(f"{outside}/folder"))
    tried("remove", lambda: os.unlink(f"{outside}/removed"))
    tried("mode", lambda: os.chmod(f"{outside}/there", 0o640))


def read_outside(root: str, outside: str) -> None:
    """Everything that would show what lies outside."""
    tried("read plain", lambda: got(f"{outside}/secret"))
    tried("read by link", lambda: got(f"{root}/door/secret"))
    tried("read by proc", lambda: got(f"/proc/self/root{outside}/secret"))
    tried("read passwords", lambda: got("/etc/shadow"))


def call_out(port: int, abstract: str) -> None:
    """Every way to somebody who listens outside; this program starts in the root."""
    import _socket  # `socket` takes longer to load than all of this to run

    tcp, udp, unix = _socket.SOCK_STREAM, _socket.SOCK_DGRAM, _socket.AF_UNIX

    def reach(family: int, kind: int, address: str | tuple[str, int]) -> None:
        made = _socket.socket(family, kind)
        made.settimeout(1)
        made.connect(address)
        made.send(b"x")

    tried("tcp", lambda: reach(_socket.AF_INET, tcp, ("127.0.0.1", port)))
    tried("udp", lambda: reach(_socket.AF_INET, udp, ("127.0.0.1", port)))
    tried("unix", lambda: reach(unix, tcp, "../outside/socket"))
    tried("abstract", lambda: reach(unix, tcp, f"\0{abstract}"))


def look_at_others(pid: int) -> None:
    """What another process would be seen by, and a signal to it."""
    tried("process environment", lambda: got(f"/proc/{pid}/environ"))
    tried("process command", lambda: got(f"/proc/{pid}/cmdline"))
    tried("signal", lambda: os.kill(pid, 15))


def change_protected(root: str) -> None:
    """Everything that would give protected names another content; the folder itself is last."""
    tried("hook", lambda: put(f"{root}/.git/hooks/pre-commit"))
    tried("settings", lambda: put(f"{root}/.git/config"))
    put(f"{root}/other")
    tried("settings replaced", lambda: os.rename(f"{root}/other", f"{root}/.git/config"))
    tried("settings removed", lambda: os.unlink(f"{root}/.git/config"))
    tried("new name", lambda: put(f"{root}/.envrc"))
    tried("repository moved", lambda: os.rename(f"{root}/.git", f"{root}/git"))
    if not os.path.isdir(f"{root}/.git"):
        tried("repository made", lambda: os.makedirs(f"{root}/.git/hooks"))


def leave_a_survivor(root: str) -> str:
    """A process of a session and with a parent of its own, which holds a lock for as long as it lives."""
    import fcntl

    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            fcntl.flock(os.open(f"{root}/held", os.O_RDWR), fcntl.LOCK_EX)
            os.write(writing, b"x")
            import time

            time.sleep(SURVIVES_S)
        os._exit(0)
    os.close(writing)
    return "done" if os.read(reading, 1) else "no child"


def main(root: str, outside: str, port: str, abstract: str, pid: str) -> None:
    """All of it, in an order in which no act is in another's way."""
    tried("work", lambda: put(f"{root}/made"))
    tried("work on", lambda: put(f"{root}/file"))
    read_outside(root, outside)
    write_outside(root, outside)
    call_out(int(port), abstract)
    look_at_others(int(pid))
    change_protected(root)
    tried("survivor", lambda: leave_a_survivor(root))
    print("over", "done", sep="\t", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
