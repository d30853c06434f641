"""The last step before a command: a session of its own, its descriptors, folder and limits, then `exec`.

Isolation belongs here: `_surround` runs in the child alone, after the fork and before the exec; a
program that isolates is a prefix of `argv`.
"""

import ctypes
import errno
import fcntl
import os
import resource
import signal
import termios
from base64 import b64decode
from collections.abc import Mapping, Sequence
from typing import cast

from hilt.workspace.processes.landlock import within
from hilt.workspace.processes.messages import Message

PIPE_BYTES = 256 << 10
SUBREAPER = 36
_LIMITS = {
    "cpu_s": resource.RLIMIT_CPU,
    "memory_bytes": resource.RLIMIT_AS,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
}
_FIRST_PASSED = 3
_C = ctypes.CDLL(None, use_errno=True)


def set_process(option: int, value: int) -> None:
    """`prctl` on this process alone."""
    if _C.prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def output_channel(*, tty: bool) -> tuple[int, int]:
    """Where a command writes: the end to read, not blocking, and the command's end."""
    if tty:
        reading, writing = os.openpty()
    else:
        reading, writing = os.pipe()
        _widen(reading)
    os.set_blocking(reading, False)
    return reading, writing


def _widen(pipe: int) -> None:
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except OSError:  # a user's pages for pipes are bounded; a narrow pipe is only slower
        return


def spawn(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> tuple[int, int]:
    """Start the command with `output` as its two outputs: its pid, and 0 or the number of the system's error.

    A plain one is spawned, which costs half of a fork; with a terminal or limits it is forked.
    """
    try:
        if request["prefix"]:
            return _prefixed(request, output, stdin, passes)
        if request["grants"]:
            grants = cast("Sequence[Sequence[object]]", request["grants"])
            return within(grants, b64decode(str(request["filter"])), lambda: _plain(request, output, stdin, passes))
        return _plain(request, output, stdin, passes)
    except OSError as fault:
        return 0, fault.errno or errno.EINVAL
    except ValueError:  # a name or word that no process can be given
        return 0, errno.EINVAL


def _plain(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> tuple[int, int]:
    if request["tty"] or request["limits"]:
        return _fork(request, output, stdin, passes)
    return _spawn(request, output, stdin, passes), 0


def _prefixed(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> tuple[int, int]:
    """Behind a program that isolates: it is started whatever it is to start, so that is looked for here."""
    os.chdir(str(request["folder"]))
    try:
        _look_for(str(request["program"]), cast("Mapping[str, str]", request["environment"]))
    finally:
        os.chdir("/")
    filter_ = os.memfd_create("filter", os.MFD_CLOEXEC)
    try:
        os.write(filter_, b64decode(str(request["filter"])))
        os.lseek(filter_, 0, os.SEEK_SET)
        return _plain(request, output, stdin, [*passes, filter_])
    finally:
        os.close(filter_)


def _look_for(name: str, environment: Mapping[str, str]) -> None:
    """Raises the error that starting this program would end in."""
    number = errno.ENOENT
    for path in _paths(name, environment):
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return
        if os.path.lexists(path):
            number = errno.EACCES
    raise OSError(number, os.strerror(number))


def _spawn(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> int:
    sources = _lifted(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC) if stdin is None else stdin, output, passes)
    argv = cast("list[str]", request["argv"])
    environment = cast("Mapping[str, str]", request["environment"])
    os.chdir(str(request["folder"]))
    fault = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    try:
        for path in _paths(argv[0], environment):
            try:
                return os.posix_spawn(
                    path,
                    argv,
                    environment,
                    file_actions=[(os.POSIX_SPAWN_DUP2, each, place) for place, each in enumerate(sources)],
                    setsid=True,
                    setsigmask=(),
                    setsigdef=(signal.SIGPIPE, signal.SIGXFSZ),
                )
            except (FileNotFoundError, NotADirectoryError):
                continue
            except PermissionError as denied:  # another folder may hold one that may be run, as for execvp
                fault = denied
        raise fault
    finally:
        os.chdir("/")
        for each in sources:
            os.close(each)


def _paths(name: str, environment: Mapping[str, str]) -> list[str]:
    """Where a program of that name may be: what holds a slash is a path."""
    if "/" in name:
        return [name]
    return [os.path.join(folder or ".", name) for folder in environment.get("PATH", os.defpath).split(os.pathsep)]


def _lifted(stdin: int, output: int, passes: Sequence[int]) -> list[int]:
    """Copies above every place that is to be filled, or one would be overwritten before it is copied."""
    above = _FIRST_PASSED + len(passes)
    return [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, above) for each in (stdin, output, output, *passes)]


def _fork(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _surround(request, output, stdin, passes)
            os.execvpe(
                cast("list[str]", request["argv"])[0],
                cast("list[str]", request["argv"]),
                cast("Mapping[str, str]", request["environment"]),
            )
        except (OSError, ValueError) as fault:
            os.write(writing, str(getattr(fault, "errno", None) or errno.EINVAL).encode())
        finally:
            os._exit(127)
    os.close(writing)
    with open(reading, "rb") as failed:
        return pid, int(failed.read() or 0)


def _surround(request: Message, output: int, stdin: int | None, passes: Sequence[int]) -> None:
    os.setsid()
    if request["tty"]:
        fcntl.ioctl(output, termios.TIOCSCTTY, 0)
        stdin = output
    elif stdin is None:
        stdin = os.open(os.devnull, os.O_RDONLY)
    for place, each in enumerate(_lifted(stdin, output, passes)):
        os.dup2(each, place, inheritable=True)
    os.chdir(str(request["folder"]))
    for name, bound in cast("Mapping[str, int]", request["limits"]).items():
        hard = resource.getrlimit(_LIMITS[name])[1]
        value = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(_LIMITS[name], (value, value))
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
